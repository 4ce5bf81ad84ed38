//! `onced get`: show an intent without touching it.

use std::time::Duration;

use clap::Args;
use onced_client::Connection as Client;
use onced_proto::v1::{
    AuditEntry, Completed, EffectClass, GetRequest, Intent, LateReport, NotAppliedReason, State,
    Unknown, completed::Outcome, late_report,
};
use prost_types::Timestamp;
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

const EXAMPLE: &str = "\
Example: onced get --namespace payments --operation charge \\
           --key charge:v1:order-43
Why a payload: with the one that was claimed the result is shown too; with
another one nothing is.";

/// Show an intent without touching it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
#[command(override_usage = "onced get --namespace N --operation O --key K [OPTIONS]")]
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
    let (tone, word, headline) = standing(intent);
    rows(Page::new(tone, word, headline), intent)
}

/// How an intent stands: a word, and what it means.
pub(super) fn standing(intent: &Intent) -> (Tone, &'static str, &'static str) {
    match intent.state() {
        _ if intent.disputed => (Tone::Doubt, "disputed", "settled, but contradicted"),
        State::Unspecified => (Tone::Doubt, "unknown", "the answer is not understood"),
        State::InProgress => (Tone::Calm, "in progress", "granted, the lease is live"),
        State::Unknown => (Tone::Doubt, "unknown", "nobody knows whether it happened"),
        State::Released => (Tone::Calm, "released", "surely not done; the next claim is granted"),
        State::Succeeded => (Tone::Good, "succeeded", "it happened"),
        State::Failed => (Tone::Bad, "failed", "it finally failed, surely without effect"),
    }
}

/// All that is told about an intent, apart from how it stands; no fact twice.
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
    let page = intent.completed.iter().fold(page, |page, completed| {
        completed_rows(page, &without_told_outcome(completed, intent))
    });
    let page = intent
        .unknown
        .iter()
        .fold(page, |page, unknown| unknown_rows(page, &without_told_doubt(unknown, intent)));
    history(page, intent)
}

/// What the intent's own rows do not tell of its outcome.
fn without_told_outcome(completed: &Completed, intent: &Intent) -> Completed {
    let mut rest = completed.clone();
    rest.disputed &= !intent.disputed;
    forget(&mut rest.attempt, &intent.attempt);
    forget(&mut rest.expire_time, &intent.expire_time);
    if let Some(Outcome::Succeeded(succeeded)) = &mut rest.outcome {
        forget(&mut succeeded.amount, &intent.amount);
    }
    rest
}

/// What the intent's own rows do not tell of a doubt.
fn without_told_doubt(unknown: &Unknown, intent: &Intent) -> Unknown {
    let mut rest = unknown.clone();
    rest.contested &= !intent.contested;
    forget(&mut rest.attempt, &intent.attempt);
    forget(&mut rest.first_claim_time, &intent.first_claim_time);
    forget(&mut rest.holder, &intent.holder);
    forget(&mut rest.provider_key, &intent.provider_key);
    forget(&mut rest.fencing_token, &intent.fencing_token);
    rest
}

fn forget<T: PartialEq + Default>(value: &mut T, told: &T) {
    if value == told {
        *value = T::default();
    }
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
    let reports = intent.late_reports.iter().map(late_report);
    let page = reports.fold(page, |page, report| page.row("late report", Some(report)));
    let entries = intent.audit_entries.iter().map(audit_entry);
    entries.fold(page, |page, entry| page.row("audit", Some(entry)))
}

fn late_report(report: &LateReport) -> String {
    let said = match &report.outcome {
        Some(late_report::Outcome::Succeeded(_)) => "succeeded".to_owned(),
        Some(late_report::Outcome::Failed(failed)) => {
            format!("failed{}", told(" ", &failed.r#type))
        }
        Some(late_report::Outcome::Unknown(_)) => "unknown".to_owned(),
        Some(late_report::Outcome::NotApplied(reason)) => {
            let reason = NotAppliedReason::try_from(*reason).unwrap_or_default().as_str_name();
            let reason = reason.trim_start_matches("NOT_APPLIED_REASON_").to_lowercase();
            format!("surely not done: {}", reason.replace('_', " "))
        }
        None => "not understood".to_owned(),
    };
    let under = positive(report.fencing_token).map(|token| format!(" under token {token}"));
    format!("{said}{}{}", under.unwrap_or_default(), at(report.report_time.as_ref()))
}

fn audit_entry(entry: &AuditEntry) -> String {
    let done = match entry.state_after() {
        State::InProgress => "taken over",
        State::Succeeded | State::Failed => "settled",
        State::Released => "released",
        State::Unknown | State::Unspecified => "changed",
    };
    let [before, after] =
        [entry.state_before(), entry.state_after()].map(|state| word(state.as_str_name()));
    let by = told(" by ", &entry.principal);
    let (reason, reference) = (told(": ", &entry.reason), told("; see ", &entry.reference));
    let at = at(entry.audit_time.as_ref());
    format!("{done}{at}{by} ({before} → {after}){reason}{reference}")
}

fn at(time: Option<&Timestamp>) -> String {
    time.map(|time| format!(" at {time}")).unwrap_or_default()
}

/// A part of a sentence; none if there is nothing to tell.
fn told(before: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{text}") }
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
