//! Reports of grants that the store does not know: kept where they can be, since refusing them
//! would lose the fact.

use super::{NewReport, reported};
use crate::{
    clock::Timestamp,
    record::{
        Answer, AttemptEnd, Grant, Outcome, Record, ReportKind, Source, Standing, State,
        UnknownCause,
    },
    ruling::{
        Complete, Given, Refusal, Reported, Ruling, Verdict,
        draft::{after, annotate, revise, settled_expiry, settlement, success},
        grant::{blank, expected_blank, ungranted_terms},
        look::{fenced, standing, terms},
    },
    store::{Expiry, LeaseWrite, Stored, Write},
};

/// No record: a success that carries its hash is kept as an orphan; refusing it would lose the
/// fact.
pub(super) fn orphan(
    row: Option<&Stored>,
    complete: &Complete,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let (Reported::Succeeded(reported_success), Some(payload)) =
        (&complete.outcome, &complete.payload)
    else {
        return Ruling::refuse(Refusal::KeyNotFound);
    };
    let mut record = blank(row, ungranted_terms(given.policy), given, now);
    record.orphan = true;
    record.token_used = true;
    record.payload_hash = Some(payload.hash().clone());
    record.grants.push(Grant {
        token: complete.token,
        attempt: 0,
        claimant: None,
        holder: String::new(),
        claim_time: now,
        end: AttemptEnd::Succeeded,
        end_time: Some(now),
    });
    NewReport::of(complete).note(&mut record, Answer::Recorded { late: true });
    let (success, result) = success(reported_success, Source::Holder);
    let outcome = Outcome::Succeeded(success);
    record.state = State::Settled(settlement(outcome, 0, Source::Holder, true, now));
    let result_expiry = after(record.terms.result_retention);
    let write = Write {
        expected: expected_blank(row),
        record,
        result,
        lease: LeaseWrite::Clear,
        expiry: Expiry::Never,
        result_expiry,
    };
    reported(write, true)
}

/// In a memory gap: the token of a grant that the restored store never saw joins the issued ones.
pub(super) fn lost(
    stored: &Stored,
    report: &NewReport<'_>,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let mut draft = revise(stored, given, now);
    let end = match report.outcome {
        Reported::Succeeded(_) => AttemptEnd::Succeeded,
        Reported::Failed(_) => AttemptEnd::Failed,
        Reported::Unknown => AttemptEnd::Unresolved,
    };
    draft.grants.push(Grant {
        token: report.token,
        attempt: 0,
        claimant: None,
        holder: String::new(),
        claim_time: now,
        end,
        end_time: Some(now),
    });
    let kept = report.kind() != ReportKind::Unknown;
    if kept {
        report.note(&mut draft, Answer::Fenced);
    } else if draft.state == State::Released {
        draft.state = State::Unknown(UnknownCause::EarlierAttempt);
    }
    let succeeded = report.kind() == ReportKind::Succeeded;
    draft.disputed |= succeeded && standing(stored) == Standing::Failed;
    let expiry = lost_expiry(&draft, stored, given);
    let verdict = Verdict::Refused(fenced(&stored.record, kept));
    Ruling::after(annotate(stored, draft, expiry), verdict)
}

fn lost_expiry(draft: &Record, stored: &Stored, given: &Given<'_>) -> Expiry {
    let terms = terms(&stored.record, given.policy);
    match draft.state {
        State::Settled(_) if draft.disputed => settled_expiry(draft, &terms),
        State::Settled(_) | State::Released if !draft.is_contested() => Expiry::Keep,
        _ => Expiry::Never,
    }
}
