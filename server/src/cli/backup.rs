//! `onced backup`: a copy of the embedded store, made by its server while it serves.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    BackupRequest, BackupResponse, admin_service_client::AdminServiceClient,
};
use tokio::time::Instant;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use super::{
    connection::{Answer, Connection},
    exit::Exit,
    failure::{self, Refusal},
    page::{Page, Tone},
};

const EXAMPLE: &str = "\
Example: onced backup
         onced backup --name nightly-2026-11-30.sqlite
The copy lies on the server, in its folder of backups. Carry it to another
machine; it holds results, so keep it as you keep the store. See docs/backup.md.
Exit codes: 0 made, 64 name, 69 unavailable, 70 refused.";
/// How long one request may be held: the server's own bound comes first.
const HOLD: Duration = Duration::from_secs(60);
/// How long a copy may take.
const COPYING: Duration = Duration::from_secs(6 * 3_600);

/// Make a consistent copy of the embedded store while it serves
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Backup {
    /// File name on the server; from the time if absent
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Backup {
    /// Asks for the copy, and again for the same one while it is not done.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let output = self.connection.output;
        let request = BackupRequest {
            name: self.name.clone().unwrap_or_default(),
            request_id: Uuid::new_v4().to_string(),
        };
        let end = Instant::now() + COPYING;
        let answer = loop {
            match self.ask(request.clone()).await {
                Err(status) if status.code() == Code::DeadlineExceeded && Instant::now() < end => {
                    failure::write("the copy is not done yet\n");
                }
                done => break done.map_err(|status| Refusal { status, output })?,
            }
        };
        let message = &answer.message;
        super::print_answer(output, ("onced.admin.v1.BackupResponse", message), &page(message))?;
        Ok(Exit::Done)
    }

    async fn ask(&self, request: BackupRequest) -> Result<Answer<BackupResponse>, Status> {
        self.connection
            .ask(request, HOLD, async |client: Client, request: Request<_>| {
                AdminServiceClient::new(client.channel()).backup(request).await
            })
            .await
    }
}

fn page(made: &BackupResponse) -> Page {
    Page::new(Tone::Good, "backed up", format!("{} records", made.records_count))
        .row("file", Some(&made.path))
        .row("as of", made.backup_time.as_ref())
        .next("Carry it to another machine. To put it back: onced restore FILE --data DIR")
}
