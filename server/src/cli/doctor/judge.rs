//! What the statistics of an operation say about its keys. Pure: the same numbers, the same
//! findings.
//!
//! A sign counts only where chance, or a healthy caller, would not make it. Too little to judge is
//! no finding. The thresholds are in `docs/doctor.md`.

use std::time::Duration;

use onced_proto::admin::v1::{Diagnosis, KeyWindow, OpenIntents, RecordSample};

use super::{
    super::span,
    finding::{Cause, Certainty, Finding},
};

mod keys;
mod records;

/// Below so many keys nothing is said about shares.
pub(super) const KEYS_MIN: i64 = 100;
/// Fewer of anything may be chance.
const FEW: i64 = 10;
/// How long an intent may be unresolved before a person must look.
const OLD: Duration = Duration::from_secs(3_600);

/// One thing that points to a cause.
type Sign = (Cause, Certainty, String);

/// What is known of an operation, taken apart.
struct Case<'a> {
    diagnosis: &'a Diagnosis,
    whole: KeyWindow,
    open: OpenIntents,
    sample: RecordSample,
    /// Seconds since the Unix epoch, by the server's clock.
    now: i64,
}

/// All that is wrong with an operation, the surest first.
pub(super) fn findings(diagnosis: &Diagnosis, now: i64) -> Vec<Finding> {
    let case = Case {
        diagnosis,
        whole: diagnosis.whole.unwrap_or_default(),
        open: diagnosis.open.unwrap_or_default(),
        sample: diagnosis.sample.unwrap_or_default(),
        now,
    };
    let signs = keys::signs(&case).into_iter().chain(records::signs(&case)).chain(standing(&case));
    let mut findings: Vec<Finding> = Vec::new();
    for (cause, certainty, told) in signs {
        match findings.iter_mut().find(|finding| finding.cause == cause) {
            Some(finding) => {
                finding.certainty = finding.certainty.max(certainty);
                finding.signs.push(told);
            }
            None => findings.push(Finding { cause, certainty, signs: vec![told] }),
        }
    }
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.certainty), finding.cause));
    findings
}

/// What is open, and how far back the operation is remembered.
fn standing(case: &Case<'_>) -> Vec<Sign> {
    [leases_end(case), unresolved(case), disputed(case), late(case), gap(case), too_short(case)]
        .into_iter()
        .flatten()
        .collect()
}

fn leases_end(case: &Case<'_>) -> Option<Sign> {
    let (ended, granted) = (case.whole.leases_ended_count, case.whole.first_grants_count);
    (ended >= FEW && ended * 20 >= granted).then(|| {
        let share = percent(ended, granted);
        let told = format!("{ended} leases ended without an outcome, for {granted} keys ({share})");
        (Cause::LeasesEnd, Certainty::Certain, told)
    })
}

fn unresolved(case: &Case<'_>) -> Option<Sign> {
    let since = case.open.oldest_unresolved_time?.seconds;
    let age = Duration::from_secs(u64::try_from(case.now - since).unwrap_or(0));
    (age > OLD).then(|| {
        let least = if case.open.complete { "" } else { "at least " };
        let (count, age) = (case.open.unresolved_count, show(age));
        let told = format!("{least}{count} intents are unresolved, the oldest for {age}");
        (Cause::Unresolved, Certainty::Certain, told)
    })
}

fn disputed(case: &Case<'_>) -> Option<Sign> {
    let count = case.open.disputed_count;
    (count > 0).then(|| {
        (Cause::Disputed, Certainty::Certain, format!("{count} intents have two outcomes"))
    })
}

fn late(case: &Case<'_>) -> Option<Sign> {
    let count = case.open.late_reports_count;
    (count > 0).then(|| {
        let told = format!("{count} intents got a report of the last 48h that was only kept");
        (Cause::LateReports, Certainty::Certain, told)
    })
}

fn gap(case: &Case<'_>) -> Option<Sign> {
    let is_open = case.diagnosis.memory.as_ref().is_some_and(|memory| memory.gap);
    is_open.then(|| {
        let told = "a backup was restored, and nobody has accepted what it lacks".to_owned();
        (Cause::MemoryGap, Certainty::Certain, told)
    })
}

fn too_short(case: &Case<'_>) -> Option<Sign> {
    let policy = case.diagnosis.policy.as_ref()?;
    let longest = policy.windows.iter().map(|(name, window)| (span::from_wire(Some(window)), name));
    let (window, name) = longest.max()?;
    let remembered = case.diagnosis.memory.as_ref()?.smallest_retention_micros?;
    let remembered = Duration::from_micros(u64::try_from(remembered).unwrap_or(0));
    let kept = span::from_wire(policy.retention.as_ref()).min(remembered);
    (kept < window).then(|| {
        let (kept, window) = (show(kept), show(window));
        let told = format!("retention was down to {kept}, and the window {name} is {window}");
        (Cause::MemoryTooShort, Certainty::Certain, told)
    })
}

/// A part of a whole, for people.
pub(super) fn percent(part: i64, whole: i64) -> String {
    if whole <= 0 {
        return "-".to_owned();
    }
    let tenths = part.saturating_mul(1_000) / whole;
    if tenths == 0 && part > 0 {
        return "under 0.1 %".to_owned();
    }
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn show(span: Duration) -> String {
    humantime::format_duration(Duration::from_secs(span.as_secs())).to_string()
}

#[cfg(test)]
mod tests;
