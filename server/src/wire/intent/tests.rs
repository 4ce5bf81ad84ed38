use std::{collections::BTreeMap, time::Duration};

use uuid::Uuid;

use super::*;
use crate::{
    payload::PayloadHash,
    policy::Policy,
    record::{
        Answer, Claimant, Content, ContentInfo, EffectClass, Failure, NotAppliedReason, ResultKind,
        Revision, Said, Settlement, Source, Standing, State, Success,
    },
    store::Lease,
};

const NOW: Timestamp = Timestamp(1_764_518_400_000_000);

fn grant(attempt: u32, end: AttemptEnd) -> Grant {
    Grant {
        token: FencingToken(i64::from(attempt) * 100),
        attempt,
        claimant: Some(Claimant(Uuid::from_u128(u128::from(attempt)))),
        holder: format!("pod-{attempt}"),
        claim_time: NOW,
        end,
        end_time: Some(NOW),
    }
}

fn report(token: i64, said: Said, answer: Answer) -> Report {
    let token = FencingToken(token);
    Report { token, said, digest: [0; 32], answer, time: NOW, refuted: false }
}

fn settled(outcome: Outcome) -> State {
    let (attempt, complete_time, source, late) = (2, NOW, Source::Holder, false);
    State::Settled(Settlement { outcome, attempt, complete_time, source, late })
}

fn success(result: ResultKind) -> Outcome {
    let provider_reference = "ch_1".to_owned();
    Outcome::Succeeded(Success { result, amount: None, provider_reference })
}

fn given() -> ResultKind {
    let content_type = "text/plain".to_owned();
    ResultKind::Given(ContentInfo { length: 6, digest: [0; 32], content_type, text: true })
}

fn record(state: State) -> Record {
    let scheme = "sha256".to_owned();
    Record {
        revision: Revision(Uuid::from_u128(9)),
        version: 3,
        written: NOW,
        payload_hash: Some(PayloadHash { scheme, digest: "ab".repeat(32) }),
        state,
        disputed: false,
        orphan: false,
        adopted: false,
        after_release: false,
        grants: vec![grant(1, AttemptEnd::Released), grant(2, AttemptEnd::Open)],
        grants_since_release: 2,
        token_used: false,
        holder: "pod-2".to_owned(),
        labels: BTreeMap::new(),
        terms: Policy::of_class(EffectClass::Keyed).terms(Duration::from_secs(30)),
        provider_key: "once1-key".to_owned(),
        first_claim_time: NOW,
        lease_end: NOW,
        amount: None,
        reconcile_time: None,
        absence_seen: None,
        reports: Vec::new(),
        late_reports_cut: 0,
        audit: Vec::new(),
        audit_cut: 0,
        spent: Vec::new(),
        spent_cut: 0,
        traceparent: None,
    }
}

fn stored(record: Record) -> Stored {
    let lease = Lease::Live { left: Duration::from_secs(10) };
    let expires_in = Some(Duration::from_secs(60));
    Stored { record, result: None, lease, expires_in, result_expires_in: None }
}

fn show(stored: &Stored, sight: Sight) -> v1::Intent {
    let id = IntentId::new("", "payments", "charge", "k").unwrap();
    let etag = Etag::Revision { revision: stored.record.revision, marked: false };
    let (unknown, own_token) = (None, None);
    intent(Shown { intent: &id, stored, etag, unknown, own_token, sight, now: NOW })
}

fn outcome(intent: v1::Intent) -> v1::completed::Outcome {
    intent.completed.unwrap().outcome.unwrap()
}

#[track_caller]
fn absence(kind: ResultKind, bytes: Option<&'static str>, sight: Sight) -> v1::ResultAbsence {
    let mut stored = stored(record(settled(success(kind))));
    stored.result = bytes.map(bytes::Bytes::from);
    match outcome(show(&stored, sight)) {
        v1::completed::Outcome::Succeeded(shown) => {
            let absence = shown.result_absence();
            assert_eq!(shown.result.is_none(), absence != v1::ResultAbsence::Unspecified);
            absence
        }
        v1::completed::Outcome::Failed(_) => panic!("a success became a failure"),
    }
}

#[test]
fn why_there_are_no_bytes_is_always_told() {
    use v1::ResultAbsence as Absence;
    assert_eq!(absence(given(), Some("result"), Sight::Whole), Absence::Unspecified);
    assert_eq!(absence(given(), Some(""), Sight::Whole), Absence::Unspecified);
    assert_eq!(absence(given(), None, Sight::Whole), Absence::Expired);
    assert_eq!(absence(given(), Some("result"), Sight::Outline), Absence::NotSent);
    assert_eq!(absence(given(), Some("result"), Sight::Fact), Absence::NotSent);
    assert_eq!(absence(ResultKind::NoneGiven, None, Sight::Whole), Absence::NoneGiven);
    assert_eq!(absence(ResultKind::Omitted, None, Sight::Whole), Absence::Omitted);
    assert_eq!(absence(ResultKind::NeverKnown, None, Sight::Whole), Absence::NeverKnown);
    assert_eq!(absence(ResultKind::Erased, None, Sight::Whole), Absence::Erased);
}

#[test]
fn a_failure_is_shown_whole_only_after_the_payload_was_compared() {
    let body = bytes::Bytes::from_static(b"detail");
    let detail = Some(Content { body, text: true, content_type: String::new() });
    let (kind, message) = ("card_declined".to_owned(), "no funds".to_owned());
    let failure = Failure { kind, message, detail, provider_reference: String::new() };
    let stored = stored(record(settled(Outcome::Failed(failure))));
    let failed = |sight| match outcome(show(&stored, sight)) {
        v1::completed::Outcome::Failed(failed) => failed,
        v1::completed::Outcome::Succeeded(_) => panic!("a failure became a success"),
    };
    let whole = failed(Sight::Whole);
    assert_eq!((whole.r#type.as_str(), whole.detail.is_some()), ("card_declined", true));
    let outline = failed(Sight::Outline);
    assert_eq!((outline.r#type.as_str(), outline.detail), ("card_declined", None));
    let fact = failed(Sight::Fact);
    assert_eq!((fact.r#type.as_str(), fact.detail_absence()), ("", v1::ResultAbsence::NotSent));
}

#[test]
fn a_live_lease_ends_by_the_stores_clock() {
    let shown = show(&stored(record(State::Claimed)), Sight::Whole);
    assert_eq!(shown.state(), v1::State::InProgress);
    assert_eq!(shown.lease_expire_time.unwrap().seconds, NOW.0 / 1_000_000 + 10);
    let over = Stored { lease: Lease::Over, ..stored(record(State::Claimed)) };
    assert_eq!(show(&over, Sight::Whole).state(), v1::State::Unknown);
}

#[test]
fn earlier_attempts_are_shown_newest_first_and_the_rest_counted() {
    let mut many = record(State::Claimed);
    many.grants = (1..=20).map(|attempt| grant(attempt, AttemptEnd::Unresolved)).collect();
    let shown = show(&stored(many), Sight::Whole);
    assert_eq!((shown.earlier_attempts.len(), shown.earlier_attempts_cut), (16, 3));
    let newest = &shown.earlier_attempts[0];
    assert_eq!((newest.attempt, newest.end_state()), (19, v1::State::Unknown));
}

#[test]
fn the_current_token_is_shown_to_nobody_who_does_not_hold_it() {
    let mut contradicted = record(settled(success(given())));
    let failed = Said::Released(NotAppliedReason::NotStarted);
    contradicted.reports = vec![
        report(200, failed.clone(), Answer::Conflict),
        report(100, failed.clone(), Answer::Fenced),
        report(200, failed, Answer::Recorded { late: false }),
    ];
    let stored = stored(contradicted);
    let shown = show(&stored, Sight::Whole);
    let tokens: Vec<i64> = shown.late_reports.iter().map(|late| late.fencing_token).collect();
    assert_eq!((shown.fencing_token, tokens), (0, vec![100, 0]));
    let bare = show(&stored, Sight::Fact);
    assert!(bare.late_reports.iter().all(|late| late.fencing_token == 0));
    assert!(bare.earlier_attempts.iter().all(|attempt| attempt.fencing_token == 0));
    assert_eq!(bare.payload_hash, "");
}

#[test]
fn history_that_is_left_out_is_counted() {
    let mut long = record(State::Claimed);
    long.audit_cut = 2;
    long.audit = vec![AuditEntry {
        principal: "alice".to_owned(),
        reason: "ticket".to_owned(),
        reference: String::new(),
        time: NOW,
        before: Standing::Unknown,
        after: Standing::Released,
        judged: Revision(Uuid::from_u128(8)),
        decision: [0; 32],
    }];
    let mut shown = show(&stored(long), Sight::Whole);
    assert_eq!(shown.audit_entries[0].etag_before, Uuid::from_u128(8).to_string());
    shorten(&mut shown);
    assert_eq!((shown.audit_entries.len(), shown.audit_entries_cut), (0, 3));
    assert_eq!((shown.earlier_attempts.len(), shown.earlier_attempts_cut), (0, 1));
}
