//! An intent as it is shown: all that is known, less what this caller must not see.

use onced_proto::v1;

use super::{
    count, effect_class, etag,
    expiry::expire_time,
    id, money,
    outcome::{Sight, completed, late_report},
    ruling::lease_end,
    state,
    time::timestamp,
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{
        AttemptEnd, AuditEntry, DETAILS_MAX, FencingToken, Grant, Money, Outcome, Record, Report,
    },
    ruling::{self, Etag},
    store::Stored,
};

/// An intent, and what of it may be seen.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// Which.
    pub intent: &'a IntentId,
    /// Its record.
    pub stored: &'a Stored,
    /// The record as it is to be named.
    pub etag: Etag,
    /// Details, where nobody knows.
    pub unknown: Option<v1::Unknown>,
    /// The current token, where the caller has shown that it holds it.
    pub own_token: Option<FencingToken>,
    /// How much of an outcome the caller may see.
    pub sight: Sight,
    /// When it was looked at.
    pub now: Timestamp,
}

/// The intent.
pub fn intent(shown: Shown<'_>) -> v1::Intent {
    let Shown { stored, sight, now, .. } = shown;
    let record = &stored.record;
    let listed = Listed::of(record, sight);
    v1::Intent {
        id: Some(id(shown.intent)),
        state: state(ruling::standing(stored)).into(),
        etag: etag::text(shown.etag),
        payload_hash: payload_hash(record, sight),
        attempt: count(record.attempt()),
        fencing_token: shown.own_token.map_or(0, |token| token.0),
        provider_key: record.provider_key.clone(),
        holder: record.holder.clone(),
        amount: amount(record).filter(|_| sight > Sight::Fact).map(money),
        first_claim_time: Some(timestamp(record.first_claim_time)),
        claim_time: record.current().map(|grant| timestamp(grant.claim_time)),
        lease_expire_time: record.current().map(|_| timestamp(lease_end(stored, now))),
        reconcile_time: record.reconcile_time.map(timestamp),
        expire_time: expire_time(stored, now).map(timestamp),
        completed: record.settlement().map(|settled| completed(stored, settled, sight, now)),
        unknown: shown.unknown,
        earlier_attempts: listed.attempts,
        earlier_attempts_cut: listed.attempts_cut,
        late_reports: listed.reports,
        late_reports_cut: listed.reports_cut,
        audit_entries: record.audit.iter().rev().take(DETAILS_MAX).map(audit_entry).collect(),
        audit_entries_cut: count(record.audit_cut),
        effect_class: effect_class(record.terms.effect_class).into(),
        contested: record.is_contested(),
        disputed: record.disputed,
        orphan: record.orphan,
        labels: record.labels.clone().into_iter().collect(),
        after_release: record.after_release,
        adopted: record.adopted,
    }
}

fn payload_hash(record: &Record, sight: Sight) -> String {
    let hash = record.payload_hash.as_ref().filter(|_| sight > Sight::Fact);
    hash.map(ToString::to_string).unwrap_or_default()
}

/// As reported, where that was told; else as claimed.
fn amount(record: &Record) -> Option<&Money> {
    let reported = record.settlement().and_then(|settlement| match &settlement.outcome {
        Outcome::Succeeded(success) => success.amount.as_ref(),
        Outcome::Failed(_) => None,
    });
    reported.or(record.amount.as_ref())
}

/// The parts that are bounded, newest first, with how many are not shown.
struct Listed {
    attempts: Vec<v1::Attempt>,
    attempts_cut: i32,
    reports: Vec<v1::LateReport>,
    reports_cut: i32,
}

impl Listed {
    fn of(record: &Record, sight: Sight) -> Self {
        let earlier = record.grants.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let late: Vec<&Report> = record.reports.iter().rev().filter(|r| r.is_late()).collect();
        let attempts = earlier.iter().rev().take(DETAILS_MAX);
        let reports = late.iter().take(DETAILS_MAX);
        let reports_left = late.len().saturating_sub(DETAILS_MAX);
        Self {
            attempts: attempts.map(|grant| attempt(grant, sight)).collect(),
            attempts_cut: count(earlier.len().saturating_sub(DETAILS_MAX)),
            reports: reports.map(|report| late_report(report, record.token(), sight)).collect(),
            reports_cut: count(reports_left.saturating_add(record.late_reports_cut as usize)),
        }
    }
}

fn attempt(grant: &Grant, sight: Sight) -> v1::Attempt {
    v1::Attempt {
        attempt: count(grant.attempt),
        fencing_token: if sight == Sight::Fact { 0 } else { grant.token.0 },
        holder: grant.holder.clone(),
        claim_time: Some(timestamp(grant.claim_time)),
        end_time: grant.end_time.map(timestamp),
        end_state: end_state(grant.end).into(),
    }
}

fn end_state(end: AttemptEnd) -> v1::State {
    match end {
        AttemptEnd::Open | AttemptEnd::Unresolved => v1::State::Unknown,
        AttemptEnd::Released | AttemptEnd::Cleared => v1::State::Released,
        AttemptEnd::Failed => v1::State::Failed,
        AttemptEnd::Succeeded => v1::State::Succeeded,
    }
}

fn audit_entry(entry: &AuditEntry) -> v1::AuditEntry {
    v1::AuditEntry {
        principal: entry.principal.clone(),
        reason: entry.reason.clone(),
        audit_time: Some(timestamp(entry.time)),
        state_before: state(entry.before).into(),
        state_after: state(entry.after).into(),
        reference: entry.reference.clone(),
        etag_before: etag::text(Etag::Revision { revision: entry.judged, marked: false }),
    }
}

/// Leaves the history out of an intent that would not fit, and counts it as cut.
pub fn shorten(intent: &mut v1::Intent) {
    intent.earlier_attempts_cut += count(std::mem::take(&mut intent.earlier_attempts).len());
    intent.late_reports_cut += count(std::mem::take(&mut intent.late_reports).len());
    intent.audit_entries_cut += count(std::mem::take(&mut intent.audit_entries).len());
}

#[cfg(test)]
mod tests;
