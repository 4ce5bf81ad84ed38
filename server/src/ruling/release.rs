//! Release: it surely did not happen.

use super::{
    Given, Refusal, Release, ReleasedGrant, Ruling, Verdict,
    draft::{self, annotate, earlier_report, end_current, note_report, revise, unsettle},
    grant::{blank, expected_blank, ungranted_terms},
    look::{
        Token, earlier_unresolved, fenced, foreign_token, is_noted_spent, present, standing, terms,
        token,
    },
};
use crate::{
    clock::Timestamp,
    record::{
        Answer, AttemptEnd, Claimant, FencingToken, Record, ReportKind, SPENT_FOR, SPENT_MAX, Said,
        SpentClaimant, Standing, UnknownCause,
    },
    store::{Expiry, LeaseWrite, ResultWrite, Stored, Write},
};

/// A Release says but one thing, so that all of them are alike.
const DIGEST: [u8; 32] = [0; 32];

pub(super) fn rule(
    stored: Option<&Stored>,
    release: &Release,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    match (present(stored), release.grant) {
        (None, ReleasedGrant::Token(_)) => Ruling::refuse(Refusal::KeyNotFound),
        (None, ReleasedGrant::Claimant(claimant)) => none(stored, claimant, given, now),
        (Some(stored), ReleasedGrant::Token(token)) => by_token(stored, token, release, given, now),
        (Some(stored), ReleasedGrant::Claimant(claimant)) => {
            by_claimant(stored, claimant, release, given, now)
        }
    }
}

/// No record: the claimant is noted, so that its Claim, should it still arrive, is not granted.
fn none(row: Option<&Stored>, claimant: Claimant, given: &Given<'_>, now: Timestamp) -> Ruling {
    if row.is_some_and(|row| is_noted_spent(&row.record, claimant, now)) {
        return released(true);
    }
    let mut record = blank(row, ungranted_terms(given.policy), given, now);
    note_spent(&mut record, claimant);
    let write = Write {
        expected: expected_blank(row),
        record,
        result: ResultWrite::Clear,
        lease: LeaseWrite::Clear,
        expiry: draft::after(SPENT_FOR),
        result_expiry: Expiry::Keep,
    };
    Ruling::after(write, Verdict::Released { repeated: false })
}

fn by_claimant(
    stored: &Stored,
    claimant: Claimant,
    release: &Release,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let record = &stored.record;
    if let Some(grant) = record.grants.iter().find(|grant| grant.claimant == Some(claimant)) {
        return by_token(stored, grant.token, release, given, now);
    }
    if record.settlement().is_some() || is_noted_spent(record, claimant, now) {
        return released(is_noted_spent(record, claimant, now));
    }
    let mut record = revise(stored, given, now);
    note_spent(&mut record, claimant);
    let write = annotate(stored, record, Expiry::Keep);
    Ruling::after(write, Verdict::Released { repeated: false })
}

fn note_spent(record: &mut Record, claimant: Claimant) {
    record.spent.push(SpentClaimant { claimant, time: record.written });
    if record.spent.len() > SPENT_MAX {
        record.spent.remove(0);
        record.spent_cut += 1;
    }
}

fn by_token(
    stored: &Stored,
    named: FencingToken,
    release: &Release,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let record = &stored.record;
    if earlier_report(record, named, ReportKind::Released, &DIGEST).is_some() {
        return released(true);
    }
    match token(record, named, given.memory.gap) {
        Token::Current => current(stored, named, release, given, now),
        Token::Earlier if is_free(record, named) => released(true),
        Token::Earlier | Token::Forgotten | Token::Lost => Ruling::refuse(fenced(record, false)),
        Token::Foreign => Ruling::refuse(foreign_token()),
    }
}

/// That attempt ended released, or evidence or an operator freed it.
fn is_free(record: &Record, token: FencingToken) -> bool {
    record.grants.iter().any(|grant| {
        grant.token == token && matches!(grant.end, AttemptEnd::Released | AttemptEnd::Cleared)
    })
}

fn current(
    stored: &Stored,
    token: FencingToken,
    release: &Release,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let recorded = standing(stored);
    match recorded {
        Standing::Succeeded | Standing::Failed => {
            Ruling::refuse(Refusal::AlreadySettled { recorded })
        }
        Standing::Released => {
            let write = annotate(stored, said(stored, token, release, given, now), Expiry::Keep);
            Ruling::after(write, Verdict::Released { repeated: false })
        }
        Standing::Live | Standing::Over | Standing::Unknown => {
            let mut draft = said(stored, token, release, given, now);
            end_current(&mut draft, AttemptEnd::Released);
            let write = if earlier_unresolved(&stored.record) {
                unsettle(stored, draft, UnknownCause::EarlierAttempt)
            } else {
                draft::release(stored, draft, &terms(&stored.record, given.policy))
            };
            Ruling::after(write, Verdict::Released { repeated: false })
        }
    }
}

/// The next version of the record, with the report noted: a copy of it must never move the record
/// again.
fn said(
    stored: &Stored,
    token: FencingToken,
    release: &Release,
    given: &Given<'_>,
    now: Timestamp,
) -> Record {
    let mut draft = revise(stored, given, now);
    draft.token_used = true;
    let answer = Answer::Recorded { late: !stored.lease.is_live() };
    note_report(&mut draft, token, Said::Released(release.reason), DIGEST, answer);
    draft
}

fn released(repeated: bool) -> Ruling {
    Ruling::answer(Verdict::Released { repeated })
}
