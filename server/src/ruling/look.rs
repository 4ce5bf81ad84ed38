//! What a stored record says before a request is weighed: where it stands, whose token or call this
//! is, and what the provider and the clock still allow.

use std::time::Duration;

use super::{Etag, Given, ReclaimRule, Refusal, Ruling, Unknown, UnknownReason, Verdict, memory};
use crate::{
    clock::Timestamp,
    payload::{Comparison, Payload},
    policy::Policy,
    record::{
        AttemptEnd, Claimant, EffectClass, FencingToken, Grant, Outcome, Record, SPENT_FOR,
        Standing, State, TOKENS_MAX, Terms, UnknownCause,
    },
    store::Stored,
};

/// Where it stands.
pub fn standing(stored: &Stored) -> Standing {
    match &stored.record.state {
        State::Claimed if stored.lease.is_live() => Standing::Live,
        State::Claimed => Standing::Over,
        State::Unknown(_) => Standing::Unknown,
        State::Released => Standing::Released,
        State::Settled(settlement) => match settlement.outcome {
            Outcome::Succeeded(_) => Standing::Succeeded,
            Outcome::Failed(_) => Standing::Failed,
        },
    }
}

/// The record, unless it holds spent claimants alone: those count as none.
pub fn present(stored: Option<&Stored>) -> Option<&Stored> {
    stored.filter(|stored| !stored.record.is_spent_only())
}

/// Compares the payload with the record's. A record without a hash compares with nothing.
pub(super) fn check_hash(record: &Record, payload: &Payload) -> Result<(), Refusal> {
    let Some(stored) = &record.payload_hash else { return Ok(()) };
    match payload.compare(stored) {
        Comparison::Same => Ok(()),
        Comparison::Differs => Err(Refusal::KeyReused {
            stored: stored.clone(),
            given: payload.hash().clone(),
            first_claim_time: record.first_claim_time,
        }),
        Comparison::SchemeDiffers => Err(Refusal::HashSchemeDiffers {
            stored: stored.scheme.clone(),
            given: payload.hash().scheme.clone(),
        }),
    }
}

/// Whose call a claimant names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    /// One that has no attempt here.
    Stranger,
    /// That of the current attempt, which has not ended.
    Current,
    /// That of an attempt that has ended, or one that gave up before it was granted.
    Spent,
}

pub(super) fn caller(record: &Record, claimant: Claimant, now: Timestamp) -> Caller {
    if is_noted_spent(record, claimant, now) {
        return Caller::Spent;
    }
    let current = record.current();
    match record.grants.iter().find(|grant| grant.claimant == Some(claimant)) {
        None => Caller::Stranger,
        Some(grant) if current == Some(grant) && is_unfinished(grant) => Caller::Current,
        Some(_) => Caller::Spent,
    }
}

pub(super) fn is_noted_spent(record: &Record, claimant: Claimant, now: Timestamp) -> bool {
    record.spent.iter().any(|spent| spent.claimant == claimant && now.since(spent.time) < SPENT_FOR)
}

fn is_unfinished(grant: &Grant) -> bool {
    matches!(grant.end, AttemptEnd::Open | AttemptEnd::Unresolved)
}

/// What a token is to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// The current one.
    Current,
    /// One issued earlier.
    Earlier,
    /// Older than the record: of an incarnation that is forgotten.
    Forgotten,
    /// Newer than the record, in a memory gap: of a grant that the restored store never saw.
    Lost,
    /// Never issued.
    Foreign,
}

pub(super) fn token(record: &Record, token: FencingToken, gap: bool) -> Token {
    if record.token() == Some(token) {
        return Token::Current;
    }
    if record.grants.iter().any(|grant| grant.token == token) {
        return Token::Earlier;
    }
    let oldest = record.grants.first().map_or(record.first_claim_time.0, |grant| grant.token.0);
    if token.0 < oldest {
        return Token::Forgotten;
    }
    let newest = record.grants.last().map_or(oldest, |grant| grant.token.0);
    if gap && token.0 > newest { Token::Lost } else { Token::Foreign }
}

pub(super) fn foreign_token() -> Refusal {
    Refusal::InvalidField {
        field: "fencing_token",
        description: "was never issued for this intent".to_owned(),
    }
}

pub(super) fn fenced(record: &Record, kept: bool) -> Refusal {
    Refusal::Fenced { current_attempt: record.attempt(), kept }
}

/// Whether an attempt before the current one ended without anybody knowing what it did.
pub(super) fn earlier_unresolved(record: &Record) -> bool {
    let current = record.token();
    record
        .grants
        .iter()
        .any(|grant| Some(grant.token) != current && grant.end == AttemptEnd::Unresolved)
}

/// The stricter of the terms of the grant and of today's policy.
pub fn terms(record: &Record, policy: Option<&Policy>) -> Terms {
    match policy {
        Some(policy) => stricter(&record.terms, &policy.terms(record.terms.lease)),
        None => record.terms.clone(),
    }
}

pub(super) fn stricter(granted: &Terms, today: &Terms) -> Terms {
    let windows = [granted.provider_window, today.provider_window];
    Terms {
        effect_class: granted.effect_class.max(today.effect_class),
        provider_window: windows.into_iter().flatten().min(),
        lease: today.lease,
        max_lease: granted.max_lease.min(today.max_lease),
        max_hold: granted.max_hold.min(today.max_hold),
        effect_timeout: granted.effect_timeout.max(today.effect_timeout),
        evidence_delay: granted.evidence_delay.max(today.evidence_delay),
        retention: granted.retention.max(today.retention),
        result_retention: granted.result_retention.max(today.result_retention),
        reconcile: granted.reconcile || today.reconcile,
    }
}

/// Whether the provider surely deduplicates a send made under a lease that begins now.
pub(super) fn deduplicates(record: &Record, terms: &Terms, now: Timestamp) -> bool {
    match terms.effect_class {
        EffectClass::NaturallyIdempotent => true,
        EffectClass::Keyed if begins_forgotten(record) => false,
        EffectClass::Keyed => is_in_window(record.first_claim_time, terms, now),
        EffectClass::Accumulative | EffectClass::External => false,
    }
}

/// Whether the provider still remembers, at the end of a send made under a lease that begins now,
/// what it was first sent after `first`.
pub(super) fn is_in_window(first: Timestamp, terms: &Terms, now: Timestamp) -> bool {
    let end = now.after(terms.lease).after(terms.effect_timeout);
    terms.provider_window.is_some_and(|window| end < first.after(window))
}

/// The first grant is among those that the store has forgotten: when the provider first saw the key
/// is not known.
fn begins_forgotten(record: &Record) -> bool {
    record.grants.first().is_some_and(|grant| grant.attempt == 0)
}

/// What Reclaim would need for another attempt under such a lease.
pub(super) fn reclaim_rule(
    record: &Record,
    lease: Duration,
    given: &Given<'_>,
    now: Timestamp,
) -> ReclaimRule {
    let terms = Terms { lease, ..terms(record, given.policy) };
    let deduplicates = deduplicates(record, &terms, now);
    let attempts_max = given.policy.map_or(u32::MAX, |policy| policy.max_attempts);
    if record.is_contested() && !deduplicates {
        ReclaimRule::ResolveRequired
    } else if record.grants_since_release >= attempts_max || record.grants.len() >= TOKENS_MAX {
        ReclaimRule::AttemptsExhausted
    } else if deduplicates {
        ReclaimRule::Allowed
    } else {
        ReclaimRule::EvidenceRequired
    }
}

/// From when on evidence about the record's last attempt counts.
pub fn evidence_start(
    record: &Record,
    policy: Option<&Policy>,
    clock_bound: Duration,
) -> Timestamp {
    let delay = terms(record, policy).evidence_delay;
    record.lease_end.after(delay).after(clock_bound * 2)
}

/// The etag under which a record is shown: marked once evidence gathered from now on counts, which
/// no lease that the store may have forgotten can upset.
pub fn shown_etag(stored: &Stored, given: &Given<'_>, now: Timestamp) -> Etag {
    let ripe = now >= memory::evidence_start_of(&stored.record, given, now);
    Etag::Revision { revision: stored.record.revision, marked: !stored.lease.is_live() && ripe }
}

/// The ruling that nobody knows, with what a Reclaim under the usual lease would need.
pub(super) fn unknown(
    stored: &Stored,
    own_token: Option<FencingToken>,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let lease = given.policy.map_or(stored.record.terms.lease, |policy| policy.lease_for(None));
    let rule = reclaim_rule(&stored.record, lease, given, now);
    unknown_by(stored, own_token, rule, given, now)
}

/// The ruling that nobody knows.
pub(super) fn unknown_by(
    stored: &Stored,
    own_token: Option<FencingToken>,
    reclaim_rule: ReclaimRule,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let record = &stored.record;
    let reason = match record.state {
        _ if record.is_contested() => UnknownReason::SuccessReported,
        State::Unknown(UnknownCause::Reported) => UnknownReason::Reported,
        State::Unknown(UnknownCause::EarlierAttempt) => UnknownReason::EarlierAttempt,
        State::Claimed | State::Released | State::Settled(_) => UnknownReason::LeaseEnded,
    };
    Ruling::answer(Verdict::Unknown(Unknown {
        reason,
        reclaim_rule,
        evidence_start: memory::evidence_start_of(record, given, now),
        etag: shown_etag(stored, given, now),
        own_token,
    }))
}
