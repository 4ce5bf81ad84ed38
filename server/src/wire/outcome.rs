//! Outcomes as they are shown: to whom, how much of them, and why bytes are missing.

use bytes::Bytes;
use onced_proto::v1::{self, ResultAbsence, completed, late_report};

use super::{count, detail, expiry::expire_time, money, not_applied, result, time::timestamp};
use crate::{
    clock::Timestamp,
    record::{
        Failure, FencingToken, Outcome, Report, ResultKind, Said, Settlement, Source, Success,
    },
    store::Stored,
};

/// How much of an outcome is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// That there is one: no payload was given to compare.
    Fact,
    /// All but the bytes of its result or detail.
    Outline,
    /// All of it.
    Whole,
}

/// A settled intent's outcome.
pub fn completed(
    stored: &Stored,
    settlement: &Settlement,
    sight: Sight,
    now: Timestamp,
) -> v1::Completed {
    v1::Completed {
        outcome: Some(outcome(&settlement.outcome, stored.result.as_ref(), sight)),
        attempt: count(settlement.attempt),
        complete_time: Some(timestamp(settlement.complete_time)),
        source: source(settlement.source).into(),
        late: settlement.late,
        expire_time: expire_time(stored, now).map(timestamp),
        traceparent: stored.record.traceparent.clone().unwrap_or_default(),
        disputed: stored.record.disputed,
    }
}

fn outcome(outcome: &Outcome, bytes: Option<&Bytes>, sight: Sight) -> completed::Outcome {
    match outcome {
        Outcome::Succeeded(success) => {
            completed::Outcome::Succeeded(succeeded(success, bytes, sight))
        }
        Outcome::Failed(failure) => completed::Outcome::Failed(failed(failure, sight)),
    }
}

/// A success, with its result or why there is none.
fn succeeded(success: &Success, bytes: Option<&Bytes>, sight: Sight) -> v1::Succeeded {
    if sight == Sight::Fact {
        let result_absence = ResultAbsence::NotSent.into();
        return v1::Succeeded { result_absence, ..v1::Succeeded::default() };
    }
    let (result, absence) = shown_result(&success.result, bytes, sight);
    v1::Succeeded {
        result,
        result_absence: absence.into(),
        amount: success.amount.as_ref().map(money),
        provider_reference: success.provider_reference.clone(),
    }
}

fn shown_result(
    kind: &ResultKind,
    bytes: Option<&Bytes>,
    sight: Sight,
) -> (Option<v1::Content>, ResultAbsence) {
    match (kind, bytes) {
        (ResultKind::NoneGiven, _) => (None, ResultAbsence::NoneGiven),
        (ResultKind::Omitted, _) => (None, ResultAbsence::Omitted),
        (ResultKind::NeverKnown, _) => (None, ResultAbsence::NeverKnown),
        (ResultKind::Erased, _) => (None, ResultAbsence::Erased),
        (ResultKind::Given(_), _) if sight < Sight::Whole => (None, ResultAbsence::NotSent),
        (ResultKind::Given(info), Some(bytes)) => {
            (Some(result(info, bytes.clone())), ResultAbsence::Unspecified)
        }
        (ResultKind::Given(_), None) => (None, ResultAbsence::Expired),
    }
}

fn failed(failure: &Failure, sight: Sight) -> v1::Failed {
    if sight == Sight::Fact {
        let detail_absence = ResultAbsence::NotSent.into();
        return v1::Failed { detail_absence, ..v1::Failed::default() };
    }
    let shown = failure.detail.as_ref().filter(|_| sight == Sight::Whole);
    let absence = if shown.is_some() || failure.detail.is_none() {
        ResultAbsence::Unspecified
    } else {
        ResultAbsence::NotSent
    };
    v1::Failed {
        r#type: failure.kind.clone(),
        message: failure.message.clone(),
        detail: shown.map(detail),
        provider_reference: failure.provider_reference.clone(),
        detail_absence: absence.into(),
    }
}

fn source(source: Source) -> v1::OutcomeSource {
    match source {
        Source::Holder => v1::OutcomeSource::Holder,
        Source::Reconciliation => v1::OutcomeSource::Reconciliation,
        Source::Operator => v1::OutcomeSource::Operator,
    }
}

/// A late report; the current token is nobody's business, and shows as 0.
pub fn late_report(report: &Report, current: Option<FencingToken>, sight: Sight) -> v1::LateReport {
    let hidden = sight == Sight::Fact || current == Some(report.token);
    v1::LateReport {
        fencing_token: if hidden { 0 } else { report.token.0 },
        report_time: Some(timestamp(report.time)),
        outcome: Some(said(&report.said, sight.min(Sight::Outline))),
    }
}

fn said(said: &Said, sight: Sight) -> late_report::Outcome {
    match said {
        Said::Succeeded(success) => {
            late_report::Outcome::Succeeded(succeeded(success, None, sight))
        }
        Said::Failed(failure) => late_report::Outcome::Failed(failed(failure, sight)),
        Said::Unknown => late_report::Outcome::Unknown(v1::OutcomeUnknown::default()),
        Said::Released(reason) => late_report::Outcome::NotApplied(not_applied(*reason).into()),
    }
}

/// Leaves the bytes out of a ruling that would not fit, and says so.
pub fn leave_out(completed: &mut v1::Completed) {
    match &mut completed.outcome {
        Some(completed::Outcome::Succeeded(succeeded)) if succeeded.result.is_some() => {
            succeeded.result = None;
            succeeded.result_absence = ResultAbsence::NotSent.into();
        }
        Some(completed::Outcome::Failed(failed)) if failed.detail.is_some() => {
            failed.detail = None;
            failed.detail_absence = ResultAbsence::NotSent.into();
        }
        Some(_) | None => {}
    }
}
