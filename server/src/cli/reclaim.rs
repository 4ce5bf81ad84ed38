//! `onced reclaim`: take over an intent that nobody knows the outcome of.

use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use onced_client::Connection as Client;
use onced_proto::v1::{
    Evidence, Money, NotApplied, ReclaimRequest, ReclaimResponse, Succeeded, evidence::Finding,
};
use prost_types::Timestamp;
use tonic::Request;

use super::{
    claim::{Claimant, ClaimantArgs},
    connection::{Answer, Connection},
    exit::Exit,
    intent::IntentArgs,
    moment, money,
    next::Next,
    payload::PayloadArgs,
    ruling,
};

const USAGE: &str = "onced reclaim --namespace N --operation O --key K <PAYLOAD> --reason TEXT";
const EXAMPLE: &str = "\
Example: onced reclaim --namespace payments --operation payout \\
           --key payout:v1:7 --json '{\"n\":7}' --reason 'worker died' \\
           --etag ID+evidence --evidence not-applied \\
           --observed 2026-01-31T12:00:00Z --reference 'report 881'";

/// Take over an unresolved intent, as its policy allows: 0 means do
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLE}\n\n{}", super::exit::LEGEND))]
#[command(override_usage = USAGE)]
#[command(group(ArgGroup::new("payload").required(true)
    .args(["json", "json_file", "bytes_file", "hash"])))]
pub(super) struct Reclaim {
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Why, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// As judged; with evidence it ends in +evidence
    #[arg(long)]
    etag: Option<String>,
    #[command(flatten)]
    evidence: EvidenceArgs,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Evidence: what the provider said, asked after the etag was read")]
struct EvidenceArgs {
    /// not-applied or applied (success is recorded)
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FINDING")]
    #[arg(requires_all = ["etag", "observed"])]
    evidence: Option<Found>,
    /// When the provider was asked, RFC 3339
    #[arg(long, value_name = "TIME", value_parser = moment::parse, requires = "evidence")]
    observed: Option<Timestamp>,
    /// Where to see it again: query, report
    #[arg(long, value_name = "TEXT", requires = "evidence")]
    reference: Option<String>,
    /// Applied: what it moved, if other
    #[arg(long, value_parser = money::parse, allow_hyphen_values = true, requires = "evidence")]
    amount: Option<Money>,
    /// Applied: the provider's own id
    #[arg(long, value_name = "ID", requires = "evidence")]
    provider_reference: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Found {
    NotApplied,
    Applied,
}

impl EvidenceArgs {
    fn message(&self) -> anyhow::Result<Option<Evidence>> {
        let Some(found) = self.evidence else { return Ok(None) };
        Ok(Some(Evidence {
            finding: Some(self.finding(found)?),
            observe_time: self.observed,
            reference: self.reference.clone().unwrap_or_default(),
        }))
    }

    fn finding(&self, found: Found) -> anyhow::Result<Finding> {
        let told_more = self.amount.is_some() || self.provider_reference.is_some();
        match found {
            Found::NotApplied if told_more => {
                anyhow::bail!("--amount and --provider-reference go with --evidence applied only")
            }
            Found::NotApplied => Ok(Finding::NotApplied(NotApplied::default())),
            Found::Applied => Ok(Finding::Applied(Succeeded {
                amount: self.amount.clone(),
                provider_reference: self.provider_reference.clone().unwrap_or_default(),
                ..Default::default()
            })),
        }
    }
}

impl Reclaim {
    /// Asks and prints the ruling.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let claimant = self.claimant.settle();
        let next = Next::new(&self.connection, &self.intent, &self.payload);
        let request = self.request(&claimant)?;
        let asked = self
            .connection
            .ask(
                request,
                Duration::ZERO,
                async |client: Client, request: Request<ReclaimRequest>| {
                    client.claims().reclaim(request).await
                },
            )
            .await;
        let answer: Answer<ReclaimResponse> = match asked {
            Ok(answer) => answer,
            Err(status) => {
                return ruling::print_refusal(&self.connection, &status, &claimant.id, &next);
            }
        };
        let ruling = answer.message.ruling.as_ref();
        let check = claimant.check(&answer, ruling);
        let named = ("onced.v1.ReclaimResponse", &answer.message);
        ruling::print(self.connection.output, named, ruling, check, &next)
    }

    fn request(&self, claimant: &Claimant) -> anyhow::Result<ReclaimRequest> {
        Ok(ReclaimRequest {
            intent: Some(self.intent.id()),
            claimant: claimant.id.clone(),
            holder: claimant.holder.clone(),
            payload: self.payload.read()?,
            etag: self.etag.clone().unwrap_or_default(),
            evidence: self.evidence.message()?,
            lease: claimant.lease,
            reason: self.reason.clone(),
        })
    }
}
