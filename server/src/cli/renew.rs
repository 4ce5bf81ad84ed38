//! `onced renew`: extend the lease of a granted attempt.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::v1::{RenewRequest, RenewResponse};
use tonic::Request;

use super::{
    connection::Connection,
    exit::Exit,
    failure::Refusal,
    intent::IntentArgs,
    page::{Page, Tone},
    span,
};

const USAGE: &str = "onced renew --namespace N --operation O --key K --token T [OPTIONS]";
const EXAMPLE: &str = "\
Example: onced renew --namespace payments --operation charge \\
           --key charge:v1:order-43 --token 1764547200000000 --lease 1m";

/// Extend the lease of a granted attempt
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = USAGE)]
pub(super) struct Renew {
    #[command(flatten)]
    intent: IntentArgs,
    /// The fencing token of the grant
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..))]
    token: i64,
    /// Wanted lease from now; as at the grant if absent
    #[arg(long, value_name = "DURATION", value_parser = span::parse)]
    lease: Option<Duration>,
    #[command(flatten)]
    connection: Connection,
}

impl Renew {
    /// Asks and prints what is left.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let request = RenewRequest {
            intent: Some(self.intent.id()),
            fencing_token: self.token,
            lease: self.lease.map(span::to_wire),
        };
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, Duration::ZERO, async |client: Client, request: Request<RenewRequest>| {
                client.claims().renew(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        let answer = ("onced.v1.RenewResponse", &answer.message);
        super::print_answer(output, answer, &page(answer.1))?;
        Ok(Exit::Done)
    }
}

fn page(answer: &RenewResponse) -> Page {
    let page = if answer.contested {
        let headline = "success was reported by another; stop before the effect";
        Page::new(Tone::Doubt, "contested", headline)
    } else {
        Page::new(Tone::Good, "renewed", "the lease holds")
    };
    page.row("lease left", span::show(answer.lease.as_ref()))
        .row("lease ends", answer.lease_expire_time.as_ref())
        .row("no renewal past", answer.hold_expire_time.as_ref())
}
