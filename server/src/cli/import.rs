//! `onced import`: brings what an export wrote into another store, and compares the counts.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    ExportResponse, ImportRequest, ImportResponse, RefusedRecord,
    admin_service_client::AdminServiceClient,
};
use prost::Message;
use tonic::Request;

use super::{
    archive::{Reader, Sum},
    connection::Connection,
    exit::Exit,
    export::Progress,
    failure::Refusal,
    page::{Page, Tone},
};

const EXAMPLE: &str = "\
Example: onced import payments.onced --endpoint http://10.0.0.7:7450
The namespaces must be sealed at the target (onced freeze --seal). After a break
run it again: what stands already is counted, not written.
Exit codes: 0 all of it stands at the target, 15 not all, 64 file,
  69 unavailable, 70 refused.";
/// About how much is sent at once, in bytes.
const CALL_BYTES: usize = 1 << 20;
/// Most records that are sent at once.
const CALL_RECORDS: usize = 500;
/// Most refused records that are named.
const NAMED_MAX: usize = 100;

/// Bring an exported file into the store, and compare the counts
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Import {
    /// What onced export wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    connection: Connection,
}

impl Import {
    /// Sends all of it.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let sum = Reader::check(&self.file)?;
        let mut reader = Reader::open(&self.file)?;
        let (mut told, mut next) = (ImportResponse::default(), ImportRequest::default());
        let mut progress = Progress::default();
        while let Some(part) = reader.next()? {
            if !next.records.is_empty() && is_too_much(&next, &part) {
                self.send(std::mem::take(&mut next), &mut told).await?;
                progress.show(standing(&told));
            }
            next.records.extend(part.records);
            next.memories.extend(part.memories);
        }
        self.send(next, &mut told).await?;
        progress.end();
        self.print(&sum, &told)
    }

    async fn send(&self, part: ImportRequest, told: &mut ImportResponse) -> anyhow::Result<()> {
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(part, Duration::from_secs(30), async |client: Client, request: Request<_>| {
                let parts = request.map(tokio_stream::once);
                AdminServiceClient::new(client.channel()).import(parts).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        add(told, answer.message);
        Ok(())
    }

    fn print(&self, sum: &Sum, told: &ImportResponse) -> anyhow::Result<Exit> {
        let stands = standing(told) == sum.tally.records;
        let answer = ("onced.admin.v1.ImportResponse", told);
        super::print_answer(self.connection.output, answer, &page(sum, told, stands))?;
        Ok(if stands { Exit::Done } else { Exit::Incomplete })
    }
}

fn is_too_much(sent: &ImportRequest, more: &ExportResponse) -> bool {
    sent.records.len() + more.records.len() > CALL_RECORDS
        || sent.encoded_len() + more.encoded_len() > CALL_BYTES
}

fn add(told: &mut ImportResponse, more: ImportResponse) {
    told.imported_count += more.imported_count;
    told.replaced_count += more.replaced_count;
    told.present_count += more.present_count;
    told.conflicts_count += more.conflicts_count;
    told.refused.extend(more.refused);
}

/// How many stand at the target.
fn standing(told: &ImportResponse) -> u64 {
    let stands = told.imported_count + told.replaced_count + told.present_count;
    u64::try_from(stands).unwrap_or(0)
}

fn page(sum: &Sum, told: &ImportResponse, stands: bool) -> Page {
    let page = if stands {
        Page::new(Tone::Good, "imported", "all of the file stands at the target")
    } else {
        Page::new(Tone::Doubt, "incomplete", "not all of the file stands at the target")
    };
    let page = page
        .row("in the file", Some(sum.tally.records))
        .row("written", Some(told.imported_count))
        .row("replaced by a later version", Some(told.replaced_count))
        .row("there already", Some(told.present_count))
        .row("refused", Some(told.conflicts_count));
    let named = told.refused.iter().take(NAMED_MAX);
    let page = named.fold(page, |page, refused| page.row("refused", Some(line(refused))));
    match (stands, sum.sealed) {
        (false, _) => page.next("find out why, and do not let callers go to the target before"),
        (true, false) => page.next("the source was not sealed: seal it, export and import again"),
        (true, true) => page.next("point callers to the target, then: onced thaw"),
    }
}

fn line(refused: &RefusedRecord) -> String {
    let names = refused.intent.clone().unwrap_or_default();
    let [namespace, operation, key] = [names.namespace, names.operation, names.key];
    format!("{namespace}/{operation} {key}: {}", refused.reason)
}
