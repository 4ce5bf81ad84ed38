use tonic_types::StatusExt;
use uuid::Uuid;

use super::*;
use crate::{
    payload::PayloadHash,
    record::{Revision, Standing},
    ruling::Etag,
    store,
};

const NOW: Timestamp = Timestamp(1_764_518_400_000_000);

fn intent() -> IntentId {
    IntentId::new("", "payments", "charge", "k").unwrap()
}

#[track_caller]
fn check(denial: &Denial, code: Code, reason: &str, metadata: &[(&str, &str)]) {
    let status = denial.status();
    let info = status.get_details_error_info().unwrap();
    assert_eq!((status.code(), info.reason.as_str(), info.domain.as_str()), (code, reason, DOMAIN));
    let mut told: Vec<_> = info.metadata.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    told.sort_unstable();
    assert_eq!(told, metadata, "{reason}");
    assert_eq!(denial.reason(), reason);
    let message = denial.message();
    assert_eq!((message.code, message.message.as_str()), (code.into(), status.message()));
    assert!(!message.details.is_empty(), "{reason}");
}

#[track_caller]
fn refused(refusal: Refusal, code: Code, reason: &str, metadata: &[(&str, &str)]) {
    check(&Denial::Refused { refusal, intent: intent(), now: NOW }, code, reason, metadata);
}

fn hash(digit: &str) -> PayloadHash {
    PayloadHash { scheme: "sha256".to_owned(), digest: digit.repeat(64) }
}

#[test]
fn every_refusal_has_its_code_its_reason_and_its_numbers() {
    let (failed, aborted) = (Code::FailedPrecondition, Code::Aborted);
    let time = "2025-11-30T16:00:00Z";
    let reused = Refusal::KeyReused { stored: hash("a"), given: hash("b"), first_claim_time: NOW };
    let prefixes = [
        ("expected_hash_prefix", "sha256:aaaaaaaa"),
        ("first_claim_time", time),
        ("given_hash_prefix", "sha256:bbbbbbbb"),
    ];
    refused(reused, failed, "KEY_REUSED", &prefixes);
    let (stored, given) = ("sha256".to_owned(), "crc".to_owned());
    let schemes = [("given_scheme", "crc"), ("stored_scheme", "sha256")];
    let differs = Refusal::HashSchemeDiffers { stored, given };
    refused(differs, failed, "HASH_SCHEME_DIFFERS", &schemes);
    let running = Refusal::InProgress { attempt: 2, left: Duration::from_secs(60) };
    let numbers = [("attempt", "2"), ("lease_expire_time", "2025-11-30T16:01:00Z")];
    refused(running, aborted, "IN_PROGRESS", &numbers);
    let fenced = Refusal::Fenced { current_attempt: 3, kept: true };
    let numbers = [("current_attempt", "3"), ("kept_as_late_report", "true")];
    refused(fenced, aborted, "FENCED", &numbers);
    refused(Refusal::ClaimantSpent, failed, "CLAIMANT_SPENT", &[]);
    let lost = Refusal::LeaseLost { lease_end: NOW };
    refused(lost, aborted, "LEASE_LOST", &[("lease_expire_time", time)]);
    let held = Refusal::HoldExhausted { hold_end: NOW };
    refused(held, failed, "HOLD_EXHAUSTED", &[("hold_expire_time", time)]);
    let conflict = Refusal::OutcomeConflict { recorded: Standing::Failed };
    refused(conflict, failed, "OUTCOME_CONFLICT", &[("recorded_outcome", "failed")]);
    let settled = Refusal::AlreadySettled { recorded: Standing::Succeeded };
    refused(settled, failed, "ALREADY_SETTLED", &[]);
    let moved = Refusal::EtagMismatch { etag: Etag::None };
    refused(moved, aborted, "ETAG_MISMATCH", &[("etag", "none")]);
    let early = Refusal::EvidenceTooEarly { evidence_start: NOW };
    refused(early, failed, "EVIDENCE_TOO_EARLY", &[("evidence_start_time", time)]);
    let old = Refusal::IntentTooOld { memory_start: NOW };
    refused(old, failed, "INTENT_TOO_OLD", &[("memory_start_time", time)]);
    refused(Refusal::KeyNotFound, Code::NotFound, "KEY_NOT_FOUND", &[]);
    let names = [("namespace", "payments"), ("operation", "charge")];
    refused(Refusal::OperationUnknown, Code::NotFound, "OPERATION_UNKNOWN", &names);
    let field = "fencing_token";
    let invalid = Refusal::InvalidField { field, description: "was never issued".to_owned() };
    refused(invalid, Code::InvalidArgument, "INVALID_FIELD", &[]);
}

#[test]
fn an_etag_mismatch_tells_the_etag_that_stands() {
    let revision = Revision(Uuid::from_u128(7));
    let etag = Etag::Revision { revision, marked: true };
    let denial =
        Denial::Refused { refusal: Refusal::EtagMismatch { etag }, intent: intent(), now: NOW };
    let info = denial.status().get_details_error_info().unwrap();
    assert_eq!(info.metadata["etag"], "00000000-0000-0000-0000-000000000007+evidence");
}

#[test]
fn every_fault_of_the_server_has_its_code_and_says_when_to_come_back() {
    let failed = |error: keeper::Error| Denial::Failed { error, intent: intent() };
    let cause = || "disk on fire".to_owned();
    let unavailable = Code::Unavailable;
    for (denial, code, reason, retry) in [
        (failed(store::Error::Unavailable(cause()).into()), unavailable, "STORE_UNAVAILABLE", true),
        (failed(store::Error::Uncertain(cause()).into()), unavailable, "STORE_UNCERTAIN", true),
        (failed(store::Error::Contended.into()), unavailable, "CONTENDED", true),
        (failed(store::Error::Corrupt(cause()).into()), Code::DataLoss, "RECORD_CORRUPT", false),
        (failed(keeper::Error::Deadline), Code::DeadlineExceeded, "DEADLINE", false),
        (Denial::Deadline, Code::DeadlineExceeded, "DEADLINE", false),
        (Denial::Draining, unavailable, "DRAINING", true),
        (Denial::Overloaded, Code::ResourceExhausted, "OVERLOADED", true),
    ] {
        check(&denial, code, reason, &[]);
        let status = denial.status();
        let delay = status.get_details_retry_info().and_then(|info| info.retry_delay);
        assert_eq!(delay.is_some(), retry, "{reason}");
        assert!(!status.message().contains("disk"), "the cause is not the caller's business");
        assert_eq!(status.metadata().contains_key(PUSHBACK), reason == "OVERLOADED");
    }
    let newer = failed(store::Error::FormatTooNew(9).into());
    check(&newer, Code::FailedPrecondition, "FORMAT_TOO_NEW", &[("format", "9")]);
}

#[test]
fn every_violation_is_told() {
    let violations =
        vec![Violation::new("intent", "key", "is blank"), Violation::new("", "lease", "is zero")];
    let status = Denial::Malformed(violations).status();
    assert_eq!(status.code(), Code::InvalidArgument);
    let told = status.get_details_bad_request().unwrap().field_violations;
    let told: Vec<_> =
        told.iter().map(|told| (told.field.as_str(), told.description.as_str())).collect();
    assert_eq!(told, [("intent.key", "is blank"), ("lease", "is zero")]);
}

#[test]
fn a_status_with_many_violations_still_arrives_and_says_how_many_are_left_out() {
    let violations: Vec<_> = (0..1_000)
        .map(|n| Violation::new("", &format!("requests[{n}].intent"), "is that of requests[0]"))
        .collect();
    let status = Denial::Malformed(violations).status();
    assert!(status.details().len() * 4 / 3 < 7 << 10, "{} bytes", status.details().len());
    let told = status.get_details_bad_request().unwrap().field_violations;
    let (last, named) = told.split_last().unwrap();
    assert_eq!(named[0].field, "requests[0].intent");
    assert_eq!(last.field, "request");
    assert_eq!(last.description, format!("has {} more violations", 1_000 - named.len()));
}
