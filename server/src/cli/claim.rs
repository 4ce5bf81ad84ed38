//! `onced claim`: may I perform the effect?

use std::time::Duration;

use clap::Args;
use onced_client::{Connection as Client, v1::ClaimRequest};
use onced_proto::v1::{ClaimResponse, InProgressStrategy, Money};
use prost_types::Timestamp;
use tonic::Request;
use uuid::Uuid;

use super::{
    connection::{Answer, Connection},
    exit::{Exit, GrantCheck},
    intent::IntentArgs,
    moment, money,
    next::Next,
    payload::PayloadArgs,
    ruling, span,
};

const EXAMPLE: &str = "\
Example: onced claim --namespace payments --operation charge \\
           --key charge:v1:order-43 --json '{\"order\":42,\"cents\":1999}' \\
           --amount '19.99 EUR'";

/// Ask whether to perform the effect: 0 means do, all else do not
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLE}\n\n{}", super::exit::LEGEND))]
#[command(override_usage = "onced claim --namespace N --operation O --key K <PAYLOAD> [OPTIONS]")]
#[command(group(clap::ArgGroup::new("payload").required(true)
    .args(["json", "json_file", "bytes_file", "hash"])))]
pub(super) struct Claim {
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Wait for a running attempt, or as the policy says
    #[arg(long, value_name = "DURATION", value_parser = span::parse)]
    #[expect(clippy::option_option, reason = "clap's shape of an option with an optional value")]
    wait: Option<Option<Duration>>,
    /// Refuse (exit 11) when an attempt runs
    #[arg(long, conflicts_with = "wait")]
    reject: bool,
    /// When its initiator first sent it, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    first_sent: Option<Timestamp>,
    /// What the effect is meant to move, e.g. "12.34 EUR"
    #[arg(long, value_parser = money::parse, allow_hyphen_values = true)]
    amount: Option<Money>,
    #[command(flatten)]
    connection: Connection,
}

/// Who asks, and for how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Claim")]
pub(super) struct ClaimantArgs {
    /// Names this one call, never a job; fresh if absent
    #[arg(long, value_name = "UUID")]
    claimant: Option<Uuid>,
    /// Pod, host, worker, for people [env: ONCED_HOLDER]
    #[arg(long, value_name = "TEXT", env = "ONCED_HOLDER", hide_env = true)]
    holder: Option<String>,
    /// How long the right is wanted, e.g. 30s
    #[arg(long, value_name = "DURATION", value_parser = span::parse)]
    lease: Option<Duration>,
}

/// Who asks, settled for one call and all its sends.
#[derive(Debug)]
pub(super) struct Claimant {
    /// The UUID.
    pub(super) id: String,
    /// Made for this call.
    pub(super) is_ours: bool,
    /// For people.
    pub(super) holder: String,
    /// Wanted lease.
    pub(super) lease: Option<prost_types::Duration>,
}

impl ClaimantArgs {
    /// The claimant as given, or a fresh one. To be called once for a command.
    pub(super) fn settle(&self) -> Claimant {
        Claimant {
            id: self.claimant.unwrap_or_else(Uuid::new_v4).to_string(),
            is_ours: self.claimant.is_none(),
            holder: self.holder.clone().unwrap_or_default(),
            lease: self.lease.map(span::to_wire),
        }
    }
}

impl Claimant {
    /// Whether a grant in an answer may be acted upon now.
    pub(super) fn check<A>(
        &self,
        answer: &Answer<A>,
        ruling: Option<&onced_proto::v1::Ruling>,
    ) -> GrantCheck {
        let elapsed = answer.sent_at.elapsed();
        GrantCheck { claimant_is_ours: self.is_ours, lease_is_over: lease_is_over(ruling, elapsed) }
    }
}

/// A holder's deadline is its own time of sending + waited + lease.
pub(super) fn lease_is_over(ruling: Option<&onced_proto::v1::Ruling>, elapsed: Duration) -> bool {
    use onced_proto::v1::ruling::Verdict;
    match ruling.and_then(|ruling| ruling.verdict.as_ref()) {
        Some(Verdict::Granted(granted)) => {
            let lease = span::from_wire(granted.lease.as_ref());
            elapsed >= span::from_wire(granted.waited.as_ref()).saturating_add(lease)
        }
        Some(Verdict::Completed(_) | Verdict::InProgress(_) | Verdict::Unknown(_)) | None => false,
    }
}

impl Claim {
    /// Asks and prints the ruling.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let claimant = self.claimant.settle();
        let next = Next::new(&self.connection, &self.intent, &self.payload);
        let request = self.request(&claimant)?;
        let hold = self.wait.flatten().unwrap_or_default();
        let asked = self
            .connection
            .ask(request, hold, async |client: Client, request: Request<ClaimRequest>| {
                client.claims().claim(request).await
            })
            .await;
        let answer: Answer<ClaimResponse> = match asked {
            Ok(answer) => answer,
            Err(status) => {
                return ruling::print_refusal(&self.connection, &status, &claimant.id, &next);
            }
        };
        let ruling = answer.message.ruling.as_ref();
        let check = claimant.check(&answer, ruling);
        let named = ("onced.v1.ClaimResponse", &answer.message);
        ruling::print(self.connection.output, named, ruling, check, &next)
    }

    fn request(&self, claimant: &Claimant) -> anyhow::Result<ClaimRequest> {
        Ok(ClaimRequest {
            intent: Some(self.intent.id()),
            claimant: claimant.id.clone(),
            holder: claimant.holder.clone(),
            payload: self.payload.read()?,
            lease: claimant.lease,
            in_progress_strategy: self.strategy().into(),
            wait: self.wait.flatten().map(span::to_wire),
            first_sent_time: self.first_sent,
            amount: self.amount.clone(),
            ..Default::default()
        })
    }

    fn strategy(&self) -> InProgressStrategy {
        match (self.reject, self.wait) {
            (true, _) => InProgressStrategy::Reject,
            (false, Some(_)) => InProgressStrategy::Wait,
            (false, None) => InProgressStrategy::Unspecified,
        }
    }
}

#[cfg(test)]
mod tests;
