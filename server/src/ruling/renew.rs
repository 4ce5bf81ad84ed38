//! Renew: I need longer.

use super::{
    Given, Refusal, Renew, Renewed, Ruling, Verdict,
    draft::{judged, moment, revise, start_lease},
    look::{Token, fenced, foreign_token, present, terms, token},
};
use crate::{
    clock::Timestamp,
    policy::{LEASE_MIN, whole_seconds},
    record::State,
    store::{Expiry, Lease, ResultWrite, Stored, Write},
};
use std::time::Duration;

pub(super) fn rule(
    stored: Option<&Stored>,
    renew: &Renew,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(stored) = present(stored) else { return Ruling::refuse(Refusal::KeyNotFound) };
    let record = &stored.record;
    match token(record, renew.token, given.memory.gap) {
        Token::Current => current(stored, renew, given, now),
        Token::Earlier | Token::Forgotten | Token::Lost => Ruling::refuse(fenced(record, false)),
        Token::Foreign => Ruling::refuse(foreign_token()),
    }
}

fn current(stored: &Stored, renew: &Renew, given: &Given<'_>, now: Timestamp) -> Ruling {
    match (&stored.record.state, stored.lease) {
        (State::Claimed, Lease::Live { left }) => live(stored, left, renew, given, now),
        _ => Ruling::refuse(Refusal::LeaseLost { lease_end: stored.record.lease_end }),
    }
}

/// Extended, never shortened, to the longest hold at most.
fn live(
    stored: &Stored,
    left: Duration,
    renew: &Renew,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let record = &stored.record;
    let terms = terms(record, given.policy);
    let claimed = record.current().map_or(now, |grant| grant.claim_time);
    let hold_end = claimed.after(terms.max_hold);
    let hold_left = Duration::from_secs(hold_end.since(now).as_secs());
    let contested = record.is_contested();
    let wanted = whole_seconds(renew.lease.unwrap_or(record.terms.lease))
        .clamp(LEASE_MIN, terms.max_lease.max(LEASE_MIN));
    if wanted > left && hold_left < LEASE_MIN {
        return Ruling::refuse(Refusal::HoldExhausted { hold_end });
    }
    let lease = wanted.min(hold_left);
    if lease <= left {
        return Ruling::answer(Verdict::Renewed(Renewed { lease: left, hold_end, contested }));
    }
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    draft.lease_end = moment(stored, now).after(lease);
    let write = Write {
        expected: judged(stored),
        record: draft,
        result: ResultWrite::Keep,
        lease: start_lease(lease),
        expiry: Expiry::Keep,
        result_expiry: Expiry::Keep,
    };
    Ruling::after(write, Verdict::Renewed(Renewed { lease, hold_end, contested }))
}
