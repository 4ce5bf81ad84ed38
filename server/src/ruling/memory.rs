//! Whether a key without a record is fresh: only if the store would remember it.

use super::{
    Claim, Etag, Given, ReclaimRule, Refusal, Ruling, Unknown, UnknownReason, Verdict, look,
};
use crate::{
    clock::Timestamp,
    policy::Policy,
    record::{EffectClass, Record, Terms},
    store::Stored,
};

/// What a Claim without a record gets where the memory does not reach back far enough; nothing
/// where the key is fresh.
pub(super) fn gap_without_record(
    claim: &Claim,
    policy: &Policy,
    given: &Given<'_>,
    now: Timestamp,
) -> Option<Ruling> {
    if let Some(sent) = claim.first_sent_time {
        return too_old(sent, policy, given, now);
    }
    let terms = policy.terms(policy.lease_for(claim.lease));
    let in_gap = given.memory.gap && !deduplicates_forgotten(&terms, given, now);
    in_gap.then(|| unknown(Etag::None, evidence_start(policy, given)))
}

/// Whether the provider surely deduplicates what a forgotten grant has sent. The oldest of them was
/// made no sooner than the memory was lost: from then on counts what the provider remembers.
fn deduplicates_forgotten(terms: &Terms, given: &Given<'_>, now: Timestamp) -> bool {
    match terms.effect_class {
        EffectClass::NaturallyIdempotent => true,
        EffectClass::Keyed => look::is_in_window(given.forgotten_since, terms, now),
        EffectClass::Accumulative | EffectClass::External => false,
    }
}

/// The same for a released record that counts as none.
pub(super) fn gap_over_release(
    stored: &Stored,
    first_sent_time: Option<Timestamp>,
    policy: &Policy,
    given: &Given<'_>,
    now: Timestamp,
) -> Option<Ruling> {
    match first_sent_time {
        Some(sent) if predates(&stored.record, given) => too_old(sent, policy, given, now),
        Some(_) => None,
        None => is_in_gap(&stored.record, given, now).then(|| unknown_of(stored, given, now)),
    }
}

fn too_old(sent: Timestamp, policy: &Policy, given: &Given<'_>, now: Timestamp) -> Option<Ruling> {
    let memory_start = reach(policy, given, now);
    (sent < memory_start).then(|| Ruling::refuse(Refusal::IntentTooOld { memory_start }))
}

/// How far back the absence of a record means something.
fn reach(policy: &Policy, given: &Given<'_>, now: Timestamp) -> Timestamp {
    let retention = policy.retention.min(given.memory.smallest_retention);
    let kept_since = now.before(retention);
    let nothing_before = policy.nothing_sent_before_memory && !given.memory.restored;
    if nothing_before { kept_since } else { kept_since.max(given.memory.start) }
}

/// From when on evidence about an intent without a record counts: every lease that the store may
/// have forgotten is over.
pub(super) fn evidence_start(policy: &Policy, given: &Given<'_>) -> Timestamp {
    let bound = given.clock_bound * 2;
    given.memory.start.after(policy.max_lease).after(policy.evidence_delay).after(bound)
}

/// Grants that the restored store never saw may have followed the record's last one, and nobody has
/// compared since. What is merely noted on it, its own holder's last word too, says nothing about
/// them.
fn predates(record: &Record, given: &Given<'_>) -> bool {
    let granted = record.current().filter(|grant| grant.attempt > 0).map(|grant| grant.claim_time);
    let known = granted.max(record.reconcile_time).unwrap_or(record.first_claim_time);
    known < given.memory.start
}

/// An effect of a forgotten grant may have happened, or may be happening, and the provider would
/// not deduplicate it.
pub(super) fn is_in_gap(record: &Record, given: &Given<'_>, now: Timestamp) -> bool {
    let terms = look::terms(record, given.policy);
    given.memory.gap && predates(record, given) && !look::deduplicates(record, &terms, now)
}

/// From when on evidence about a record counts: its own lease is over, and so is every lease that
/// the store may have forgotten.
pub(super) fn evidence_start_of(record: &Record, given: &Given<'_>, now: Timestamp) -> Timestamp {
    let own = look::evidence_start(record, given.policy, given.clock_bound);
    if !is_in_gap(record, given, now) {
        return own;
    }
    let policy_max = given.policy.map_or(record.terms.max_lease, |policy| policy.max_lease);
    let lease = record.terms.max_lease.max(policy_max);
    let delay = look::terms(record, given.policy).evidence_delay;
    own.max(given.memory.start.after(lease).after(delay).after(given.clock_bound * 2))
}

pub(super) fn unknown_of(stored: &Stored, given: &Given<'_>, now: Timestamp) -> Ruling {
    let etag = look::shown_etag(stored, given, now);
    unknown(etag, evidence_start_of(&stored.record, given, now))
}

fn unknown(etag: Etag, evidence_start: Timestamp) -> Ruling {
    Ruling::answer(Verdict::Unknown(Unknown {
        reason: UnknownReason::MemoryGap,
        reclaim_rule: ReclaimRule::EvidenceRequired,
        evidence_start,
        etag,
        own_token: None,
    }))
}
