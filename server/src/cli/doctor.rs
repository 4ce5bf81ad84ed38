//! `onced doctor`: what is wrong with how keys are made and used, and what to do next.
//!
//! Asks one server, reads only, and judges here: the server tells numbers.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::admin::v1::{
    DiagnoseRequest, DiagnoseResponse, admin_service_client::AdminServiceClient,
};
use tonic::Request;

use super::{
    connection::{Connection, Output},
    exit::Exit,
    failure::Refusal,
};

mod finding;
mod judge;
mod report;

const EXAMPLE: &str = "\
Example: onced doctor
         onced doctor --namespace payments --records 100000 --output json
It reads, and changes nothing. What it says of keys rests on what this server
saw since its start, of the last 48 hours, and on the records that it read.
Every threshold is in docs/doctor.md.
Exit codes: 0 nothing found, 18 findings, 64 no such operation, 69 no answer.";
/// How long the server may read.
const HOLD: Duration = Duration::from_secs(20);

/// Tell what is wrong with how keys are made and used
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Doctor {
    /// Of one namespace alone
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Of one operation alone
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// Most to read of a namespace
    #[arg(long, value_name = "COUNT", default_value = "20000")]
    #[arg(value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    records: i32,
    #[command(flatten)]
    connection: Connection,
}

impl Doctor {
    /// Asks, judges, prints.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let request = DiagnoseRequest {
            namespace: self.namespace.clone().unwrap_or_default(),
            operation: self.operation.clone().unwrap_or_default(),
            records_max: self.records,
        };
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, HOLD, async |client: Client, request: Request<_>| {
                AdminServiceClient::new(client.channel()).diagnose(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        self.check_names(&answer.message)?;
        let judged = judged(&answer.message);
        super::print(&match output {
            Output::Json => report::json(&answer.message, &judged)?,
            Output::Text => report::text(&answer.message, &judged),
        })?;
        let is_healthy = judged.iter().all(Vec::is_empty);
        Ok(if is_healthy { Exit::Done } else { Exit::Findings })
    }
}

impl Doctor {
    /// Whoever watches a name that is misspelt must not be told that it is healthy.
    fn check_names(&self, answer: &DiagnoseResponse) -> anyhow::Result<()> {
        let is_named = self.namespace.is_some() || self.operation.is_some();
        if is_named && answer.diagnoses.is_empty() {
            anyhow::bail!("no operation of these names has a policy, or was ever used");
        }
        Ok(())
    }
}

/// The findings of each operation, in the order of the answer.
fn judged(answer: &DiagnoseResponse) -> Vec<Vec<finding::Finding>> {
    let now = answer.diagnose_time.unwrap_or_default().seconds;
    answer.diagnoses.iter().map(|diagnosis| judge::findings(diagnosis, now)).collect()
}
