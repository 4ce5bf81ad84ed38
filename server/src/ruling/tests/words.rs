//! Verdicts and records in words, so that a table can be read.

use crate::{
    record::{Standing, State},
    ruling::{ReclaimRule, Refusal, UnknownReason, Verdict, present, standing},
    store::Stored,
};

pub(super) fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Granted(granted) => {
            let mut words = format!("granted {}", granted.attempt);
            mark(&mut words, granted.repeated, "repeated");
            mark(&mut words, granted.reclaimed, "reclaimed");
            words
        }
        Verdict::Completed => "completed".to_owned(),
        Verdict::InProgress { own_token } => {
            let mut words = "in progress".to_owned();
            mark(&mut words, own_token.is_some(), "own token");
            words
        }
        Verdict::Unknown(unknown) => {
            let reason = unknown_reason(unknown.reason);
            let mut words = format!("unknown: {reason}; {}", reclaim_rule(unknown.reclaim_rule));
            mark(&mut words, unknown.own_token.is_some(), "own token");
            words
        }
        Verdict::Reported { repeated, late } => {
            let mut words = "reported".to_owned();
            mark(&mut words, *repeated, "repeated");
            mark(&mut words, *late, "late");
            words
        }
        Verdict::Shown => "shown".to_owned(),
        Verdict::Renewed(renewed) => {
            let mut words = format!("renewed {}", renewed.lease.as_secs());
            mark(&mut words, renewed.contested, "contested");
            words
        }
        Verdict::Released { repeated } => {
            let mut words = "released".to_owned();
            mark(&mut words, *repeated, "repeated");
            words
        }
        Verdict::Resolved => "resolved".to_owned(),
        Verdict::Refused(refusal) => refused(refusal),
    }
}

fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::InvalidField { field, .. } => format!("INVALID_FIELD {field}"),
        Refusal::KeyReused { .. } => "KEY_REUSED".to_owned(),
        Refusal::HashSchemeDiffers { .. } => "HASH_SCHEME_DIFFERS".to_owned(),
        Refusal::InProgress { .. } => "IN_PROGRESS".to_owned(),
        Refusal::Fenced { kept: true, .. } => "FENCED, kept".to_owned(),
        Refusal::Fenced { kept: false, .. } => "FENCED".to_owned(),
        Refusal::ClaimantSpent => "CLAIMANT_SPENT".to_owned(),
        Refusal::LeaseLost { .. } => "LEASE_LOST".to_owned(),
        Refusal::HoldExhausted { .. } => "HOLD_EXHAUSTED".to_owned(),
        Refusal::OutcomeConflict { .. } => "OUTCOME_CONFLICT".to_owned(),
        Refusal::AlreadySettled { .. } => "ALREADY_SETTLED".to_owned(),
        Refusal::EtagMismatch { .. } => "ETAG_MISMATCH".to_owned(),
        Refusal::EvidenceTooEarly { .. } => "EVIDENCE_TOO_EARLY".to_owned(),
        Refusal::IntentTooOld { .. } => "INTENT_TOO_OLD".to_owned(),
        Refusal::KeyNotFound => "KEY_NOT_FOUND".to_owned(),
        Refusal::OperationUnknown => "OPERATION_UNKNOWN".to_owned(),
    }
}

fn unknown_reason(reason: UnknownReason) -> &'static str {
    match reason {
        UnknownReason::LeaseEnded => "lease ended",
        UnknownReason::Reported => "reported",
        UnknownReason::MemoryGap => "memory gap",
        UnknownReason::SuccessReported => "success reported",
        UnknownReason::EarlierAttempt => "earlier attempt",
    }
}

fn reclaim_rule(rule: ReclaimRule) -> &'static str {
    match rule {
        ReclaimRule::Allowed => "allowed",
        ReclaimRule::EvidenceRequired => "evidence",
        ReclaimRule::AttemptsExhausted => "exhausted",
        ReclaimRule::ResolveRequired => "resolve",
    }
}

/// Where it stands, the current attempt, and every mark.
pub(super) fn stands(stored: Option<&Stored>) -> String {
    let Some(stored) = stored else { return "none".to_owned() };
    if present(Some(stored)).is_none() {
        return format!("spent {}", stored.record.spent.len());
    }
    let record = &stored.record;
    let mut words = format!("{} {}", standing_word(stored), record.attempt());
    mark(&mut words, record.is_contested(), "contested");
    mark(&mut words, record.disputed, "disputed");
    mark(&mut words, record.orphan, "orphan");
    mark(&mut words, record.adopted, "adopted");
    mark(&mut words, record.after_release, "after-release");
    words
}

fn standing_word(stored: &Stored) -> &'static str {
    match standing(stored) {
        Standing::Live => "live",
        Standing::Over => "over",
        Standing::Unknown => match stored.record.state {
            State::Unknown(crate::record::UnknownCause::EarlierAttempt) => "in doubt",
            _ => "unknown",
        },
        Standing::Released => "released",
        Standing::Succeeded => "succeeded",
        Standing::Failed => "failed",
    }
}

fn mark(words: &mut String, holds: bool, word: &str) {
    if holds {
        words.push_str(", ");
        words.push_str(word);
    }
}
