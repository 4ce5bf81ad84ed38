//! `onced release`: state that the effect surely did not happen. Not an unlock.

use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use onced_client::Connection as Client;
use onced_proto::v1::{NotAppliedReason, ReleaseRequest, release_request::Grant};
use tonic::Request;
use uuid::Uuid;

use super::{
    connection::Connection,
    exit::Exit,
    failure::Refusal,
    intent::IntentArgs,
    next::Next,
    page::{Page, Tone},
    payload::PayloadArgs,
};

const USAGE: &str = "\
onced release --namespace N --operation O --key K --token T --reason R
       onced release --namespace N --operation O --key K --by-claimant UUID";
const EXAMPLE: &str = "\
Example: onced release --namespace payments --operation charge \\
           --key charge:v1:order-43 --token 1764547200000000 \\
           --reason not-started";

/// State that the effect surely did NOT happen. This is not an unlock
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = USAGE)]
#[command(group(ArgGroup::new("grant").required(true).args(["token", "by_claimant"])))]
pub(super) struct Release {
    #[command(flatten)]
    intent: IntentArgs,
    /// The fencing token of the grant
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..), requires = "reason")]
    token: Option<i64>,
    /// The claimant of a claim whose answer never came
    #[arg(long, value_name = "UUID")]
    by_claimant: Option<Uuid>,
    /// not-started, rejected-by-target or rolled-back
    #[arg(long, value_enum, hide_possible_values = true, conflicts_with = "by_claimant")]
    reason: Option<Reason>,
    /// For people
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reason {
    NotStarted,
    RejectedByTarget,
    RolledBack,
}

impl Release {
    /// States it and prints the answer.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let request = ReleaseRequest {
            intent: Some(self.intent.id()),
            grant: self.grant(),
            reason: self.reason().into(),
            message: self.message.clone().unwrap_or_default(),
        };
        let output = self.connection.output;
        let next = Next::new(&self.connection, &self.intent, &PayloadArgs::default());
        let answer = self
            .connection
            .ask(
                request,
                Duration::ZERO,
                async |client: Client, request: Request<ReleaseRequest>| {
                    client.claims().release(request).await
                },
            )
            .await
            .map_err(|status| Refusal { status, output })?;
        let page = page(answer.message.repeated, &next);
        super::print_answer(output, ("onced.v1.ReleaseResponse", &answer.message), &page)?;
        Ok(Exit::Done)
    }

    fn grant(&self) -> Option<Grant> {
        let by_claimant = self.by_claimant.map(|claimant| Grant::Claimant(claimant.to_string()));
        self.token.map(Grant::FencingToken).or(by_claimant)
    }

    fn reason(&self) -> NotAppliedReason {
        match self.reason {
            Some(Reason::NotStarted) | None => NotAppliedReason::NotStarted,
            Some(Reason::RejectedByTarget) => NotAppliedReason::RejectedByTarget,
            Some(Reason::RolledBack) => NotAppliedReason::RolledBack,
        }
    }
}

/// Says no more than what was taken: another attempt may be unresolved, or have succeeded.
pub(super) fn page(repeated: bool, next: &Next) -> Page {
    let headline = if repeated {
        "this attempt surely did nothing; the same was taken before"
    } else {
        "this attempt surely did nothing"
    };
    Page::new(Tone::Good, "taken", headline)
        .next("Another attempt may still be open, or have succeeded. Where the intent stands:")
        .next(next.get())
}

#[cfg(test)]
mod tests;
