//! `onced export`: every record of a namespace, or of all, into a file.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    ExportRequest, ExportResponse, admin_service_client::AdminServiceClient,
};
use tonic::{Request, Streaming};

use super::{
    archive::{Sum, Writer},
    connection::Connection,
    exit::Exit,
    failure::{self, Refusal},
    freeze::Scope,
    page::{Page, Tone},
};

const EXAMPLE: &str = "\
Example: onced export --namespace payments --to payments.onced
         onced export --all --to all.onced --resume
The file holds results: keep it as you keep the store. See docs/move.md.
Exit codes: 0 written, 64 file, 69 broken off (--resume), 70 refused.";

/// Write every record, with its result, lease and life, to a file
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Export {
    #[command(flatten)]
    scope: Scope,
    /// The file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Go on with a file that was cut off
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Export {
    /// Writes until the server says that it was all.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let namespace = self.scope.namespace();
        let mut writer = if self.resume {
            Writer::resume(&self.to, &namespace)?
        } else {
            Writer::create(&self.to, &namespace)?
        };
        if !writer.sum.is_whole {
            let cursor = writer.sum.cursor.clone();
            let mut parts = self.parts(ExportRequest { namespace, cursor }).await?;
            let output = self.connection.output;
            let mut progress = Progress::default();
            while !writer.sum.is_whole {
                let part = parts.message().await.map_err(|status| Refusal { status, output })?;
                writer.put(part.ok_or_else(|| broken_off(output))?)?;
                progress.show(writer.sum.tally.records);
            }
            progress.end();
        }
        self.print(&writer.finish()?)
    }

    async fn parts(&self, request: ExportRequest) -> anyhow::Result<Streaming<ExportResponse>> {
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, Duration::ZERO, async |client: Client, request: Request<_>| {
                AdminServiceClient::new(client.channel()).export(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        Ok(answer.message)
    }

    fn print(&self, sum: &Sum) -> anyhow::Result<Exit> {
        let end = ("onced.admin.v1.ExportEnd", &sum.end());
        super::print_answer(self.connection.output, end, &page(sum, &self.to))?;
        Ok(Exit::Done)
    }
}

fn broken_off(output: super::Output) -> Refusal {
    let status = tonic::Status::unavailable("the export broke off; go on with --resume");
    Refusal { status, output }
}

fn page(sum: &Sum, path: &Path) -> Page {
    let tone = if sum.tally.records == 0 { Tone::Doubt } else { Tone::Good };
    let page = Page::new(tone, "exported", format!("all of it is in {}", path.display()))
        .row("records", Some(sum.tally.records))
        .row("memories", Some(sum.memories))
        .row("digest", Some(data_encoding::HEXLOWER.encode(&sum.tally.digest()[..8])));
    let page = if sum.tally.records == 0 {
        page.next("there is no record: is the namespace spelt as callers spell it?")
    } else {
        page
    };
    if sum.sealed {
        page.row("source", Some("sealed: this is all there will be"))
    } else {
        page.row("source", Some("not sealed: more may have changed since"))
            .next("seal the source and export once more, to another file")
    }
}

/// How many so far, where somebody watches.
#[derive(Debug, Default)]
pub(super) struct Progress {
    shown: u64,
}

impl Progress {
    /// Now so many.
    pub(super) fn show(&mut self, records: u64) {
        const STEP: u64 = 1_000;
        if records >= self.shown + STEP && std::io::stderr().is_terminal() {
            self.shown = records;
            failure::write(&format!("\r{records} records"));
        }
    }

    /// No more.
    pub(super) fn end(self) {
        if self.shown > 0 {
            failure::write("\r");
        }
    }
}
