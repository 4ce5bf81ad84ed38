//! Claim: may I perform the effect?

use std::time::Duration;

use super::{
    Claim, Given, ReclaimRule, Refusal, Ruling, Verdict,
    draft::{end_unfinished, revise},
    grant::{Applicant, blank, grant, granted},
    look::{
        Caller, caller, check_hash, is_noted_spent, present, reclaim_rule, standing, unknown,
        unknown_by,
    },
    memory,
};
use crate::{
    clock::Timestamp,
    record::{Standing, TOKENS_MAX},
    store::{Lease, Stored},
};

/// How long a grant is repeated to the claimant that has it.
const REPEATED_FOR: Duration = Duration::from_secs(30);

pub(super) fn rule(
    stored: Option<&Stored>,
    claim: &Claim,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(present) = present(stored) else { return none(stored, claim, given, now) };
    if let Err(refusal) = check_hash(&present.record, &claim.payload) {
        return Ruling::refuse(refusal);
    }
    if present.record.settlement().is_some() {
        return Ruling::answer(Verdict::Completed);
    }
    match caller(&present.record, claim.claimant, now) {
        Caller::Spent => Ruling::refuse(Refusal::ClaimantSpent),
        Caller::Current => own(present, given, now),
        Caller::Stranger => another(present, claim, given, now),
    }
}

fn none(row: Option<&Stored>, claim: &Claim, given: &Given<'_>, now: Timestamp) -> Ruling {
    if row.is_some_and(|row| is_noted_spent(&row.record, claim.claimant, now)) {
        return Ruling::refuse(Refusal::ClaimantSpent);
    }
    let Some(policy) = given.policy else { return Ruling::refuse(Refusal::OperationUnknown) };
    if let Some(ruling) = memory::gap_without_record(claim, policy, given, now) {
        return ruling;
    }
    let record = blank(row, policy.terms(policy.lease), given, now);
    grant(row, record, &applicant(claim), policy, false)
}

/// The current attempt's own claimant, asking again.
pub(super) fn own(stored: &Stored, given: &Given<'_>, now: Timestamp) -> Ruling {
    let own_token = stored.record.token();
    match stored.lease {
        Lease::Live { left } if is_repeatable(stored, left, now) => repeat(stored, left),
        Lease::Live { .. } => Ruling::answer(Verdict::InProgress { own_token }),
        Lease::Over => unknown(stored, own_token, given, now),
    }
}

/// A grant is repeated until its token was used, for a short time, while something of its lease is
/// left, and never over a reported success.
fn is_repeatable(stored: &Stored, left: Duration, now: Timestamp) -> bool {
    let record = &stored.record;
    let lease = record.terms.lease;
    let claimed = record.current().map_or(now, |grant| grant.claim_time);
    let elapsed = now.since(claimed).max(lease.saturating_sub(left));
    let is_untouched = !record.token_used && !record.is_contested();
    is_untouched && !left.is_zero() && elapsed <= lease.min(REPEATED_FOR)
}

fn repeat(stored: &Stored, left: Duration) -> Ruling {
    let record = &stored.record;
    match record.token() {
        Some(token) => Ruling::answer(Verdict::Granted(super::Granted {
            repeated: true,
            ..granted(record, token, left)
        })),
        None => Ruling::answer(Verdict::InProgress { own_token: None }),
    }
}

fn another(stored: &Stored, claim: &Claim, given: &Given<'_>, now: Timestamp) -> Ruling {
    match standing(stored) {
        Standing::Live => Ruling::answer(Verdict::InProgress { own_token: None }),
        Standing::Over | Standing::Unknown => over(stored, claim, given, now),
        Standing::Released => released(stored, claim, given, now),
        Standing::Succeeded | Standing::Failed => Ruling::answer(Verdict::Completed),
    }
}

/// Unresolved: unknown, unless the policy says that Claim itself takes over and the provider
/// deduplicates.
fn over(stored: &Stored, claim: &Claim, given: &Given<'_>, now: Timestamp) -> Ruling {
    let Some(policy) = given.policy else { return unknown(stored, None, given, now) };
    let rule = reclaim_rule(&stored.record, policy.lease_for(claim.lease), given, now);
    if !policy.reclaim_on_expiry || rule != ReclaimRule::Allowed || stored.record.is_contested() {
        return unknown_by(stored, None, rule, given, now);
    }
    let mut record = revise(stored, given, now);
    end_unfinished(&mut record);
    grant(Some(stored), record, &applicant(claim), policy, true)
}

fn released(stored: &Stored, claim: &Claim, given: &Given<'_>, now: Timestamp) -> Ruling {
    let record = &stored.record;
    if record.is_contested() || record.grants.len() >= TOKENS_MAX {
        return unknown(stored, None, given, now);
    }
    let Some(policy) = given.policy else { return Ruling::refuse(Refusal::OperationUnknown) };
    let sent = claim.first_sent_time;
    if let Some(ruling) = memory::gap_over_release(stored, sent, policy, given, now) {
        return ruling;
    }
    let draft = revise(stored, given, now);
    grant(Some(stored), draft, &applicant(claim), policy, false)
}

fn applicant(claim: &Claim) -> Applicant<'_> {
    Applicant {
        claimant: claim.claimant,
        holder: &claim.holder,
        labels: &claim.labels,
        payload_hash: claim.payload.hash(),
        lease: claim.lease,
        amount: claim.amount.as_ref(),
        traceparent: claim.traceparent.as_ref(),
    }
}
