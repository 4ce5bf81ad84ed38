//! Rulings as answers.

use std::time::Duration;

use onced_proto::v1::{self, ruling::Verdict as Told};

use super::{
    count, etag,
    outcome::{Sight, completed},
    time::{duration, timestamp},
};
use crate::{
    clock::Timestamp,
    record::{FencingToken, Record},
    ruling::{self, Granted, ReclaimRule, Unknown, UnknownReason, Verdict},
    store::{Lease, Stored},
};

/// Soonest and latest advice to ask again about a running attempt: most effects are done long
/// before their lease ends.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// Advice to ask again about an unknown intent that only a person can move.
const UNKNOWN_RETRY: Duration = Duration::from_secs(30);

/// What a ruling is told from, beside its verdict.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The record as it stands.
    pub stored: Option<&'a Stored>,
    /// The intent's provider key; the record's own one is told where there is a record.
    pub provider_key: &'a str,
    /// Largest result that Complete will take.
    pub result_bytes_max: usize,
    /// From the receipt of the call to the sending of the write.
    pub waited: Duration,
    /// When it was ruled.
    pub now: Timestamp,
    /// How much of an outcome the caller may see.
    pub sight: Sight,
}

/// The verdict of a ruling; none if it is no ruling.
pub fn verdict(verdict: &Verdict, facts: &Facts<'_>) -> Option<Told> {
    match verdict {
        Verdict::Granted(grant) => Some(Told::Granted(granted(grant, facts))),
        Verdict::Completed => {
            let stored = facts.stored?;
            let settlement = stored.record.settlement()?;
            Some(Told::Completed(completed(stored, settlement, facts.sight, facts.now)))
        }
        Verdict::InProgress { own_token } => {
            Some(Told::InProgress(in_progress(facts.stored?, *own_token, facts.now)))
        }
        Verdict::Unknown(unknown) => Some(Told::Unknown(self::unknown(unknown, facts))),
        Verdict::Reported { .. }
        | Verdict::Shown
        | Verdict::Renewed(_)
        | Verdict::Released { .. }
        | Verdict::Resolved
        | Verdict::Refused(_) => None,
    }
}

fn granted(grant: &Granted, facts: &Facts<'_>) -> v1::Granted {
    v1::Granted {
        attempt: count(grant.attempt),
        fencing_token: grant.token.0,
        provider_key: grant.provider_key.clone(),
        lease: Some(duration(grant.lease)),
        lease_expire_time: Some(timestamp(facts.now.after(grant.lease))),
        waited: Some(duration(facts.waited)),
        repeated: grant.repeated,
        result_bytes_max: count(facts.result_bytes_max),
        provider_key_expire_time: grant.provider_key_expire_time.map(timestamp),
        effect_timeout: Some(duration(grant.effect_timeout)),
        reclaimed: grant.reclaimed,
    }
}

fn in_progress(stored: &Stored, own: Option<FencingToken>, now: Timestamp) -> v1::InProgress {
    let record = &stored.record;
    v1::InProgress {
        attempt: count(record.attempt()),
        first_claim_time: Some(timestamp(record.first_claim_time)),
        lease_expire_time: Some(timestamp(lease_end(stored, now))),
        retry_after: Some(duration(retry_after(left(stored)))),
        holder: record.holder.clone(),
        fencing_token: own.map_or(0, |token| token.0),
    }
}

/// An unknown ruling; also for an intent without a record, where the memory has a gap.
pub fn unknown(unknown: &Unknown, facts: &Facts<'_>) -> v1::Unknown {
    let record = ruling::present(facts.stored).map(|stored| &stored.record);
    let provider_key = record.map_or(facts.provider_key, |record| &record.provider_key);
    v1::Unknown {
        attempt: count(record.map_or(0, Record::attempt)),
        reason: reason(unknown.reason).into(),
        first_claim_time: record.map(|record| timestamp(record.first_claim_time)),
        unknown_time: record.map(|record| timestamp(record.lease_end)),
        etag: etag::text(unknown.etag),
        provider_key: provider_key.to_owned(),
        reclaim_rule: rule(unknown.reclaim_rule).into(),
        evidence_start_time: Some(timestamp(unknown.evidence_start)),
        retry_after: Some(duration(unknown_retry(unknown, facts.now))),
        holder: record.map(|record| record.holder.clone()).unwrap_or_default(),
        contested: record.is_some_and(Record::is_contested),
        fencing_token: unknown.own_token.map_or(0, |token| token.0),
    }
}

/// When the lease ends: by the store's clock while it is live, as written once it is not.
pub fn lease_end(stored: &Stored, now: Timestamp) -> Timestamp {
    match stored.lease {
        Lease::Live { left } => now.after(left),
        Lease::Over => stored.record.lease_end,
    }
}

fn left(stored: &Stored) -> Duration {
    match stored.lease {
        Lease::Live { left } => left,
        Lease::Over => Duration::ZERO,
    }
}

/// When to ask again about a running attempt; with nothing left of its lease, when the store may
/// have let go of it.
pub fn retry_after(left: Duration) -> Duration {
    if left.is_zero() { RETRY.1 } else { left.clamp(RETRY.0, RETRY.1) }
}

fn unknown_retry(unknown: &Unknown, now: Timestamp) -> Duration {
    let until_evidence = unknown.evidence_start.since(now);
    if until_evidence.is_zero() { UNKNOWN_RETRY } else { until_evidence.min(UNKNOWN_RETRY) }
}

fn reason(reason: UnknownReason) -> v1::UnknownReason {
    match reason {
        UnknownReason::LeaseEnded => v1::UnknownReason::LeaseEnded,
        UnknownReason::Reported => v1::UnknownReason::Reported,
        UnknownReason::MemoryGap => v1::UnknownReason::MemoryGap,
        UnknownReason::SuccessReported => v1::UnknownReason::SuccessReported,
        UnknownReason::EarlierAttempt => v1::UnknownReason::EarlierAttempt,
    }
}

fn rule(rule: ReclaimRule) -> v1::ReclaimRule {
    match rule {
        ReclaimRule::Allowed => v1::ReclaimRule::Allowed,
        ReclaimRule::EvidenceRequired => v1::ReclaimRule::EvidenceRequired,
        ReclaimRule::AttemptsExhausted => v1::ReclaimRule::AttemptsExhausted,
        ReclaimRule::ResolveRequired => v1::ReclaimRule::ResolveRequired,
    }
}

#[cfg(test)]
mod tests;
