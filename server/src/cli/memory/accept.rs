//! `onced memory accept`: a person has found out what was forgotten, and closes the gap.

use clap::{ArgGroup, Args};
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    AcceptMemoryRequest, AcceptMemoryResponse, OperationMemory,
    admin_service_client::AdminServiceClient,
};
use tonic::Request;

use super::{
    super::{
        connection::Connection,
        exit::Exit,
        failure::Refusal,
        page::{Page, Tone},
    },
    HOLD, list, whose,
};

const EXAMPLE: &str = "\
Example: onced memory accept --namespace payments --operation payout \\
           --reason 'compared with the bank up to 14:00, OPS-311'
         onced memory accept --all --reason 'nothing was sent since the backup'
From then on a key without a record is fresh again, unless first_sent_time lies
before the restore. Replicas take up to a minute to see it.";

/// Close the gap: keys without a record are fresh again
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = "\
onced memory accept --reason TEXT <--namespace N --operation O|--all>")]
#[command(group(ArgGroup::new("scope").required(true).args(["operation", "all"])))]
pub(super) struct Accept {
    /// Of which namespace
    #[arg(long, value_name = "NAME", requires = "operation", conflicts_with = "all")]
    namespace: Option<String>,
    /// Of which operation
    #[arg(long, value_name = "NAME", requires = "namespace")]
    operation: Option<String>,
    /// Every operation, also those not used since
    #[arg(long)]
    all: bool,
    /// Only if it still stands; in brackets in `show`
    #[arg(long, value_name = "ETAG", conflicts_with = "all")]
    etag: Option<String>,
    /// Why it is safe; kept with the time
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    connection: Connection,
}

impl Accept {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        if self.all { self.accept_all().await } else { self.accept_one().await }
    }

    async fn accept_one(&self) -> anyhow::Result<Exit> {
        let namespace = self.namespace.clone().unwrap_or_default();
        let operation = self.operation.clone().unwrap_or_default();
        let of = whose(&namespace, &operation);
        let request = AcceptMemoryRequest {
            namespace,
            operation,
            reason: self.reason.clone(),
            etag: self.etag.clone().unwrap_or_default(),
            others: false,
        };
        let told = self.ask(request).await?;
        let start = told.memory_start_time.as_ref();
        let page = Page::new(Tone::Good, "accepted", of).row("memory starts", start);
        let answer = ("onced.admin.v1.AcceptMemoryResponse", &told);
        super::super::print_answer(self.connection.output, answer, &page)?;
        Ok(Exit::Done)
    }

    /// Each on the memory that was listed; those that stand for all others last, so that where it
    /// is cut off, the same again goes on.
    async fn accept_all(&self) -> anyhow::Result<Exit> {
        let listed = list(&self.connection, String::new()).await?;
        let mut open: Vec<OperationMemory> = listed.memories;
        open.retain(|memory| memory.gap);
        open.sort_by_key(|memory| memory.others);
        for memory in open {
            let OperationMemory { namespace, operation, others, etag, .. } = memory;
            let reason = self.reason.clone();
            self.ask(AcceptMemoryRequest { namespace, operation, reason, etag, others }).await?;
        }
        let stands = list(&self.connection, String::new()).await?;
        super::print(&self.connection, &stands)?;
        Ok(Exit::Done)
    }

    async fn ask(&self, request: AcceptMemoryRequest) -> anyhow::Result<AcceptMemoryResponse> {
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, HOLD, async |client: Client, request: Request<_>| {
                AdminServiceClient::new(client.channel()).accept_memory(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        Ok(answer.message)
    }
}
