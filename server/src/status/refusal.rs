//! What each refusal tells its caller.

use onced_proto::v1::ErrorReason as Reason;

use super::{Told, malformed, operation_unknown};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    payload::PayloadHash,
    ruling::Refusal,
    violation::Violation,
    wire::{etag, ruling::retry_after, time::text},
};

/// Digits of a hash that are shown: enough to tell two apart, too few to guess a payload by.
const PREFIX: usize = 8;

pub(super) fn told(refusal: &Refusal, intent: &IntentId, now: Timestamp) -> Told {
    match refusal {
        Refusal::InvalidField { field, description } => {
            malformed(vec![Violation::new("", field, description.clone())])
        }
        Refusal::KeyReused { stored, given, first_claim_time } => {
            Told::new(Reason::KeyReused, "this key was used with another payload")
                .with("expected_hash_prefix", &prefix(stored))
                .with("given_hash_prefix", &prefix(given))
                .with("first_claim_time", &text(*first_claim_time))
        }
        Refusal::HashSchemeDiffers { stored, given } => {
            Told::new(Reason::HashSchemeDiffers, "hashes of two schemes cannot be compared")
                .with("stored_scheme", stored)
                .with("given_scheme", given)
        }
        Refusal::InProgress { attempt, left } => {
            Told::new(Reason::InProgress, "an attempt is under way")
                .with("attempt", attempt)
                .with("lease_expire_time", &text(now.after(*left)))
                .retry(retry_after(*left))
        }
        Refusal::Fenced { current_attempt, kept } => {
            Told::new(Reason::Fenced, "the fencing token is not current")
                .with("current_attempt", current_attempt)
                .with("kept_as_late_report", kept)
        }
        Refusal::ClaimantSpent => {
            Told::new(Reason::ClaimantSpent, "this claimant's attempt has ended")
        }
        Refusal::LeaseLost { lease_end } => {
            Told::new(Reason::LeaseLost, "the lease has ended: stop")
                .with("lease_expire_time", &text(*lease_end))
        }
        Refusal::HoldExhausted { hold_end } => {
            Told::new(Reason::HoldExhausted, "the longest hold is reached")
                .with("hold_expire_time", &text(*hold_end))
        }
        Refusal::OutcomeConflict { recorded } => {
            Told::new(Reason::OutcomeConflict, "another outcome is recorded; this one is kept")
                .with("recorded_outcome", recorded)
        }
        Refusal::AlreadySettled { recorded } => {
            Told::new(Reason::AlreadySettled, format!("the intent has {recorded}"))
        }
        Refusal::EtagMismatch { etag } => {
            Told::new(Reason::EtagMismatch, "the record changed since it was judged")
                .with("etag", &etag::text(*etag))
        }
        Refusal::EvidenceTooEarly { evidence_start } => {
            Told::new(Reason::EvidenceTooEarly, "the record was judged before evidence counts")
                .with("evidence_start_time", &text(*evidence_start))
        }
        Refusal::IntentTooOld { memory_start } => {
            Told::new(Reason::IntentTooOld, "no record, and first sent before the memory reaches")
                .with("memory_start_time", &text(*memory_start))
        }
        Refusal::KeyNotFound => Told::new(Reason::KeyNotFound, "there is no record"),
        Refusal::OperationUnknown => operation_unknown(intent.namespace(), intent.operation()),
    }
}

fn prefix(hash: &PayloadHash) -> String {
    let digest: String = hash.digest.chars().take(PREFIX).collect();
    format!("{}:{digest}", hash.scheme)
}
