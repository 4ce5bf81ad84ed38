//! Whether a key without a record is fresh: only if the store would remember it.

use super::{Etag, Given, ReclaimRule, Refusal, Ruling, Unknown, UnknownReason, Verdict};
use crate::{
    clock::Timestamp,
    policy::Policy,
    record::{EffectClass, State},
    store::Stored,
};

/// Refuses, or says unknown, where the memory does not reach back far enough; nothing where the key is fresh.
pub(super) fn gap(
    first_sent_time: Option<Timestamp>,
    etag: Etag,
    policy: &Policy,
    given: &Given<'_>,
    now: Timestamp,
) -> Option<Ruling> {
    if let Some(sent) = first_sent_time {
        let memory_start = reach(policy, given, now);
        return (sent < memory_start)
            .then(|| Ruling::refuse(Refusal::IntentTooOld { memory_start }));
    }
    let dangerous = policy.effect_class >= EffectClass::Accumulative;
    (given.memory.gap && dangerous).then(|| unknown(etag, policy, given))
}

/// How far back the absence of a record means something.
fn reach(policy: &Policy, given: &Given<'_>, now: Timestamp) -> Timestamp {
    let retention = policy.retention.min(given.memory.smallest_retention);
    let kept_since = now.before(retention);
    let nothing_before = policy.nothing_sent_before_memory && !given.memory.restored;
    if nothing_before { kept_since } else { kept_since.max(given.memory.start) }
}

/// From when on evidence about an intent without a record counts: every lease that the store may have forgotten is over.
pub(super) fn evidence_start(policy: &Policy, given: &Given<'_>) -> Timestamp {
    let bound = given.clock_bound * 2;
    given.memory.start.after(policy.max_lease).after(policy.evidence_delay).after(bound)
}

/// A released record that was last written before the memory starts says nothing about what came after it.
pub(super) fn predates(stored: &Stored, given: &Given<'_>) -> bool {
    stored.record.state == State::Released && stored.record.written < given.memory.start
}

pub(super) fn unknown(etag: Etag, policy: &Policy, given: &Given<'_>) -> Ruling {
    Ruling::answer(Verdict::Unknown(Unknown {
        reason: UnknownReason::MemoryGap,
        reclaim_rule: ReclaimRule::EvidenceRequired,
        evidence_start: evidence_start(policy, given),
        etag,
        own_token: None,
    }))
}
