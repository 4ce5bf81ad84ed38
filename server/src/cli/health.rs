//! `onced health`: does the server answer, and does it serve?

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use tonic::Request;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use super::{
    connection::{Connection, Output},
    exit::Exit,
    failure::Refusal,
    page::{Page, Tone},
};

const EXAMPLE: &str = "\
Example: onced health --endpoint http://127.0.0.1:7450
         onced health --service onced.v1.ClaimService
Exit codes: 0 serving, 69 not serving or no answer, 70 no such service.";

/// Ask a server whether it serves (grpc.health.v1)
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Health {
    /// Which service; the server as a whole if absent
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    service: String,
    #[command(flatten)]
    connection: Connection,
}

impl Health {
    /// Asks and prints the answer.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let request = HealthCheckRequest { service: self.service.clone() };
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, Duration::ZERO, async |client: Client, request: Request<_>| {
                HealthClient::new(client.channel()).check(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        print(output, answer.message.status())
    }
}

fn print(output: Output, status: ServingStatus) -> anyhow::Result<Exit> {
    let serves = status == ServingStatus::Serving;
    if output == Output::Json {
        super::print(&format!("{{\n  \"status\": \"{}\"\n}}\n", status.as_str_name()))?;
    } else if serves {
        super::print_page(&Page::new(Tone::Good, "serving", "the server takes calls"))?;
    } else {
        super::print_page(&Page::new(Tone::Bad, "not serving", status.as_str_name()))?;
    }
    Ok(if serves { Exit::Done } else { Exit::Unavailable })
}
