//! Reclaim: let me take it over.
//!
//! Granted by class where the provider deduplicates; else only on evidence, judged on the very
//! record that was seen after its lease was over. No evidence overrides a live lease.

use std::collections::BTreeMap;

use super::{
    Etag, Evidence, Finding, Given, Reclaim, ReclaimRule, Refusal, ReportedSuccess, Ruling,
    Verdict,
    audit::note_reclaim,
    claim,
    draft::{clear_attempts, end_unfinished, revise, settle, settlement, success},
    grant::{Applicant, blank, expected_blank, grant, ungranted_terms},
    look::{
        Caller, caller, check_hash, is_noted_spent, present, reclaim_rule, shown_etag, standing,
        terms, unknown_by,
    },
    memory,
};
use crate::{
    clock::Timestamp,
    record::{Outcome, Record, Source, Standing, State, TOKENS_MAX},
    store::{LeaseWrite, Stored, Write},
};

pub(super) fn rule(
    stored: Option<&Stored>,
    reclaim: &Reclaim,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(present) = present(stored) else { return none(stored, reclaim, given, now) };
    if let Err(refusal) = check_hash(&present.record, &reclaim.payload) {
        return Ruling::refuse(refusal);
    }
    if present.record.settlement().is_some() {
        return Ruling::answer(Verdict::Completed);
    }
    match caller(&present.record, reclaim.claimant, now) {
        Caller::Spent => Ruling::refuse(Refusal::ClaimantSpent),
        Caller::Current => claim::own(present, given, now),
        Caller::Stranger => another(present, reclaim, given, now),
    }
}

/// No record: only evidence says that the key is fresh, once every lease that the store may have
/// forgotten is over.
fn none(row: Option<&Stored>, reclaim: &Reclaim, given: &Given<'_>, now: Timestamp) -> Ruling {
    let (Some(Etag::None), Some(evidence)) = (reclaim.etag, &reclaim.evidence) else {
        return Ruling::refuse(Refusal::KeyNotFound);
    };
    if row.is_some_and(|row| is_noted_spent(&row.record, reclaim.claimant, now)) {
        return Ruling::refuse(Refusal::ClaimantSpent);
    }
    let Some(policy) = given.policy else { return Ruling::refuse(Refusal::OperationUnknown) };
    let evidence_start = memory::evidence_start(policy, given);
    if now < evidence_start {
        return Ruling::refuse(Refusal::EvidenceTooEarly { evidence_start });
    }
    let mut record = blank(row, ungranted_terms(given.policy), given, now);
    match &evidence.finding {
        Finding::NotApplied => {
            note_reclaim(None, &mut record, reclaim, Standing::Live);
            grant(row, record, &applicant(reclaim), policy, false)
        }
        Finding::Applied(reported) => record_new_success(row, record, reclaim, reported, now),
    }
}

fn record_new_success(
    row: Option<&Stored>,
    mut record: Record,
    reclaim: &Reclaim,
    reported: &ReportedSuccess,
    now: Timestamp,
) -> Ruling {
    let (success, result) = success(reported, Source::Reconciliation);
    let outcome = Outcome::Succeeded(success);
    note_reclaim(None, &mut record, reclaim, Standing::Succeeded);
    record.payload_hash = Some(reclaim.payload.hash().clone());
    record.reconcile_time = Some(now);
    record.state = State::Settled(settlement(outcome, 0, Source::Reconciliation, true, now));
    let expiry = super::draft::settled_expiry(&record, &record.terms);
    let result_expiry = super::draft::after(record.terms.result_retention);
    let expected = expected_blank(row);
    let write = Write { expected, record, result, lease: LeaseWrite::Clear, expiry, result_expiry };
    Ruling::after(write, Verdict::Completed)
}

/// Somebody else than the current holder asks.
fn another(stored: &Stored, reclaim: &Reclaim, given: &Given<'_>, now: Timestamp) -> Ruling {
    if standing(stored) == Standing::Live {
        return Ruling::answer(Verdict::InProgress { own_token: None });
    }
    if let Some(refusal) = judge_etag(stored, reclaim, given, now) {
        return Ruling::refuse(refusal);
    }
    match &reclaim.evidence {
        Some(Evidence { finding: Finding::Applied(reported), .. }) => {
            record_success(stored, reclaim, reported, given, now)
        }
        Some(Evidence { finding: Finding::NotApplied, .. }) => {
            next(stored, reclaim, true, given, now)
        }
        None => next(stored, reclaim, false, given, now),
    }
}

/// What is wrong with the record that the caller says she judged, if anything.
fn judge_etag(
    stored: &Stored,
    reclaim: &Reclaim,
    given: &Given<'_>,
    now: Timestamp,
) -> Option<Refusal> {
    let shown = shown_etag(stored, given, now);
    let judged = match (reclaim.etag, &reclaim.evidence) {
        (None, None) => return None,
        (None, Some(_)) => {
            return Some(Refusal::InvalidField {
                field: "etag",
                description: "is required with evidence".to_owned(),
            });
        }
        (Some(Etag::Revision { revision, marked }), evidence) => {
            if revision != stored.record.revision {
                return Some(Refusal::EtagMismatch { etag: shown });
            }
            marked || evidence.is_none()
        }
        (Some(Etag::None), _) => return Some(Refusal::EtagMismatch { etag: shown }),
    };
    let evidence_start = memory::evidence_start_of(&stored.record, given, now);
    let too_early = reclaim.evidence.is_some() && now < evidence_start;
    (!judged || too_early).then_some(Refusal::EvidenceTooEarly { evidence_start })
}

/// Grants the next attempt, or says what is missing.
fn next(
    stored: &Stored,
    reclaim: &Reclaim,
    not_applied: bool,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let Some(policy) = given.policy else { return Ruling::refuse(Refusal::OperationUnknown) };
    let record = &stored.record;
    let surely_not_done = record.state == State::Released && !record.is_contested();
    if surely_not_done && !not_applied && memory::is_in_gap(record, given, now) {
        return memory::unknown_of(stored, given, now);
    }
    let rule = reclaim_rule(record, policy.lease_for(reclaim.lease), given, now);
    let granted = match rule {
        _ if surely_not_done => record.grants.len() < TOKENS_MAX,
        ReclaimRule::Allowed => true,
        ReclaimRule::EvidenceRequired => not_applied,
        ReclaimRule::AttemptsExhausted | ReclaimRule::ResolveRequired => false,
    };
    if !granted {
        return unknown_by(stored, None, rule, given, now);
    }
    let mut draft = revise(stored, given, now);
    if not_applied {
        clear_attempts(&mut draft);
    } else if !surely_not_done {
        end_unfinished(&mut draft);
    }
    note_reclaim(Some(stored), &mut draft, reclaim, Standing::Live);
    grant(Some(stored), draft, &applicant(reclaim), policy, !surely_not_done)
}

/// The provider has it: success, under no report of its holder.
fn record_success(
    stored: &Stored,
    reclaim: &Reclaim,
    reported: &ReportedSuccess,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    let mut draft = revise(stored, given, now);
    draft.after_release |= draft.state == State::Released;
    draft.reconcile_time = Some(now);
    note_reclaim(Some(stored), &mut draft, reclaim, Standing::Succeeded);
    let (success, result) = success(reported, Source::Reconciliation);
    let outcome = Outcome::Succeeded(success);
    let settlement = settlement(outcome, draft.attempt(), Source::Reconciliation, true, now);
    let terms = terms(&stored.record, given.policy);
    Ruling::after(settle(stored, draft, settlement, result, &terms), Verdict::Completed)
}

fn applicant(reclaim: &Reclaim) -> Applicant<'_> {
    static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();
    Applicant {
        claimant: reclaim.claimant,
        holder: &reclaim.holder,
        labels: &NO_LABELS,
        payload_hash: reclaim.payload.hash(),
        lease: reclaim.lease,
        amount: None,
        traceparent: reclaim.traceparent.as_ref(),
    }
}
