//! Resolve: an operator's verdict on the very record that she judged.

use super::{
    Etag, Given, Refusal, ReportedSuccess, Resolve, ResolveVerdict, Ruling, Verdict,
    audit::{note_resolve, resolve_decision},
    draft::{clear_attempts, release, revise, settle, settlement, success},
    look::{present, shown_etag, standing, terms},
    memory,
};
use crate::{
    clock::Timestamp,
    record::{Outcome, Record, Said, Source, Standing, Success},
    store::{Lease, ResultWrite, Stored},
};

pub(super) fn rule(
    stored: Option<&Stored>,
    resolve: &Resolve,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(stored) = present(stored) else { return Ruling::refuse(Refusal::KeyNotFound) };
    if is_same_again(stored, resolve) {
        return Ruling::answer(Verdict::Resolved);
    }
    if let Some(refusal) = refusal(stored, resolve, given, now) {
        return Ruling::refuse(refusal);
    }
    let mut draft = revise(stored, given, now);
    draft.disputed = false;
    draft.orphan = false;
    draft.reconcile_time = Some(now);
    draft.absence_seen = None;
    match &resolve.verdict {
        ResolveVerdict::Succeeded(reported) => succeeded(stored, draft, resolve, reported, given),
        ResolveVerdict::Failed(failure) => {
            let outcome = Outcome::Failed(failure.clone());
            failed(stored, draft, resolve, outcome, given)
        }
        ResolveVerdict::NotApplied => not_applied(stored, draft, resolve, given),
    }
}

/// The answer of an earlier send was lost: the audit knows the decision.
fn is_same_again(stored: &Stored, resolve: &Resolve) -> bool {
    let Etag::Revision { revision, .. } = resolve.etag else { return false };
    let decision = resolve_decision(resolve);
    let is_it =
        |entry: &crate::record::AuditEntry| entry.judged == revision && entry.decision == decision;
    stored.record.audit.iter().any(is_it)
}

fn refusal(
    stored: &Stored,
    resolve: &Resolve,
    given: &Given<'_>,
    now: Timestamp,
) -> Option<Refusal> {
    let record = &stored.record;
    let marked = match resolve.etag {
        Etag::Revision { revision, marked } if revision == record.revision => marked,
        Etag::Revision { .. } | Etag::None => {
            let etag = shown_etag(stored, given, now);
            return Some(Refusal::EtagMismatch { etag });
        }
    };
    if let Lease::Live { left } = stored.lease {
        return Some(Refusal::InProgress { attempt: record.attempt(), left });
    }
    let recorded = standing(stored);
    let evidence_start = memory::evidence_start_of(record, given, now);
    let proves_nothing = !marked || now < evidence_start;
    match recorded {
        Standing::Succeeded | Standing::Failed if !is_in_doubt(record) => {
            Some(Refusal::AlreadySettled { recorded })
        }
        Standing::Over | Standing::Unknown if proves_nothing => {
            Some(Refusal::EvidenceTooEarly { evidence_start })
        }
        Standing::Released if proves_nothing && memory::is_in_gap(record, given, now) => {
            Some(Refusal::EvidenceTooEarly { evidence_start })
        }
        _ => None,
    }
}

fn is_in_doubt(record: &Record) -> bool {
    record.disputed || (record.orphan && record.reconcile_time.is_none())
}

fn succeeded(
    stored: &Stored,
    mut draft: Record,
    resolve: &Resolve,
    reported: &ReportedSuccess,
    given: &Given<'_>,
) -> Ruling {
    let (told, result) = success(reported, Source::Operator);
    note_resolve(stored, &mut draft, resolve, Standing::Succeeded);
    draft.after_release |= draft.state == crate::record::State::Released;
    let (success, result) = match recorded_success(&stored.record) {
        Some(known) => (confirmed(known, told), ResultWrite::Keep),
        None => (told, result),
    };
    settled(stored, draft, Outcome::Succeeded(success), result, given)
}

/// A recorded success that the operator confirms keeps its original result; what she says of the
/// rest is the verdict.
fn confirmed(known: Success, told: Success) -> Success {
    let is_told = !told.provider_reference.is_empty();
    let provider_reference =
        if is_told { told.provider_reference } else { known.provider_reference };
    Success { result: known.result, amount: told.amount.or(known.amount), provider_reference }
}

fn recorded_success(record: &Record) -> Option<Success> {
    match &record.settlement()?.outcome {
        Outcome::Succeeded(success) => Some(success.clone()),
        Outcome::Failed(_) => None,
    }
}

fn failed(
    stored: &Stored,
    mut draft: Record,
    resolve: &Resolve,
    outcome: Outcome,
    given: &Given<'_>,
) -> Ruling {
    refute_successes(&mut draft);
    draft.after_release = false;
    note_resolve(stored, &mut draft, resolve, Standing::Failed);
    settled(stored, draft, outcome, ResultWrite::Clear, given)
}

fn settled(
    stored: &Stored,
    draft: Record,
    outcome: Outcome,
    result: ResultWrite,
    given: &Given<'_>,
) -> Ruling {
    let late = stored.record.settlement().is_none_or(|settlement| settlement.late);
    let (attempt, now) = (draft.attempt(), draft.written);
    let settlement = settlement(outcome, attempt, Source::Operator, late, now);
    let terms = terms(&stored.record, given.policy);
    Ruling::after(settle(stored, draft, settlement, result, &terms), Verdict::Resolved)
}

fn not_applied(stored: &Stored, mut draft: Record, resolve: &Resolve, given: &Given<'_>) -> Ruling {
    refute_successes(&mut draft);
    clear_attempts(&mut draft);
    draft.after_release = false;
    draft.grants_since_release = 0;
    note_resolve(stored, &mut draft, resolve, Standing::Released);
    let terms = terms(&stored.record, given.policy);
    Ruling::after(release(stored, draft, &terms), Verdict::Resolved)
}

/// The successes on file were wrong: sent again, they change nothing.
fn refute_successes(record: &mut Record) {
    for report in &mut record.reports {
        report.refuted |= matches!(report.said, Said::Succeeded(_));
    }
}
