//! `onced get`: show an intent without touching it.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::v1::{EffectClass, GetRequest, Intent, State};
use tonic::Request;

use super::{
    connection::Connection,
    exit::Exit,
    failure::Refusal,
    intent::IntentArgs,
    money,
    outcome::{completed_rows, positive, unknown_rows},
    page::{Page, Tone},
    payload::PayloadArgs,
};

const EXAMPLE: &str =
    "Example: onced get --namespace payments --operation charge --key charge:v1:order-43";

/// Show an intent without touching it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Get {
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    #[command(flatten)]
    connection: Connection,
}

impl Get {
    /// Asks and prints the intent.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let request = GetRequest { intent: Some(self.intent.id()), payload: self.payload.read()? };
        let output = self.connection.output;
        let answer = self
            .connection
            .ask(request, Duration::ZERO, async |client: Client, request: Request<GetRequest>| {
                client.claims().get(request).await
            })
            .await
            .map_err(|status| Refusal { status, output })?;
        let page = page(&answer.message.intent.clone().unwrap_or_default());
        super::print_answer(output, ("onced.v1.GetResponse", &answer.message), &page)?;
        Ok(Exit::Done)
    }
}

fn page(intent: &Intent) -> Page {
    let (tone, word, headline) = match intent.state() {
        _ if intent.disputed => (Tone::Doubt, "disputed", "settled, but contradicted"),
        State::Unspecified => (Tone::Doubt, "unknown", "the answer is not understood"),
        State::InProgress => (Tone::Calm, "in progress", "granted, the lease is live"),
        State::Unknown => (Tone::Doubt, "unknown", "nobody knows whether it happened"),
        State::Released => (Tone::Calm, "released", "surely not done; the next claim is granted"),
        State::Succeeded => (Tone::Good, "succeeded", "it happened"),
        State::Failed => (Tone::Bad, "failed", "it finally failed, surely without effect"),
    };
    rows(Page::new(tone, word, headline), intent)
}

/// All that is told about an intent.
pub(super) fn rows(page: Page, intent: &Intent) -> Page {
    let page = page
        .row("effect class", class(intent.effect_class()))
        .row("attempts", positive(intent.attempt))
        .row("fencing token", positive(intent.fencing_token))
        .row("provider key", Some(&intent.provider_key))
        .row("payload hash", Some(&intent.payload_hash))
        .row("amount", intent.amount.as_ref().map(money::show))
        .row("holder", Some(&intent.holder));
    let page = labels(page, intent);
    let page = page
        .row("first claimed", intent.first_claim_time.as_ref())
        .row("claimed", intent.claim_time.as_ref())
        .row("lease ends", intent.lease_expire_time.as_ref())
        .row("reconciled", intent.reconcile_time.as_ref())
        .row("remembered until", intent.expire_time.as_ref());
    let page = marks(page, intent);
    let page = intent.completed.iter().fold(page, completed_rows);
    let page = intent.unknown.iter().fold(page, unknown_rows);
    history(page, intent)
}

fn labels(page: Page, intent: &Intent) -> Page {
    let mut labels: Vec<_> = intent.labels.iter().collect();
    labels.sort();
    labels
        .iter()
        .fold(page, |page, (name, value)| page.row("label", Some(format!("{name}={value}"))))
}

fn marks(page: Page, intent: &Intent) -> Page {
    [
        (intent.contested, "contested: success was reported, but is not settled"),
        (intent.orphan, "orphan: reported by a holder of whose grant there is no record"),
        (intent.after_release, "after release: success came after the attempt was released"),
        (intent.adopted, "adopted: recorded from the provider's view, without a claim"),
    ]
    .iter()
    .fold(page, |page, (is_set, mark)| page.row("mark", is_set.then_some(mark)))
}

fn history(page: Page, intent: &Intent) -> Page {
    let page = intent.earlier_attempts.iter().fold(page, |page, earlier| {
        let end = word(earlier.end_state().as_str_name());
        page.row("earlier attempt", Some(format!("{} ended {end}", earlier.attempt)))
    });
    let page = intent.late_reports.iter().fold(page, |page, report| {
        let time = report.report_time.map(|time| time.to_string()).unwrap_or_default();
        let token = report.fencing_token;
        page.row("late report", Some(format!("under token {token} at {time}")))
    });
    intent.audit_entries.iter().fold(page, |page, entry| {
        let after = word(entry.state_after().as_str_name());
        page.row("audit", Some(format!("{after} by {}: {}", entry.principal, entry.reason)))
    })
}

fn class(class: EffectClass) -> Option<String> {
    let name = class.as_str_name().trim_start_matches("EFFECT_CLASS_");
    (class != EffectClass::Unspecified).then(|| name.to_lowercase())
}

fn word(state: &str) -> String {
    state.trim_start_matches("STATE_").to_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests;
