use super::*;
use crate::{
    record::Content,
    ruling::{Etag, Finding, ReleasedGrant, Reported, ReportedResult},
    service::trial::{self, id, payload},
};

const NOW: Timestamp = Timestamp(1_764_518_400_000_000);
const UUID: &str = "0191e9b4-0000-4000-8000-000000000001";

fn limits() -> Limits {
    Limits { now: NOW, result_bytes_max: 8 }
}

fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}

#[track_caller]
fn faults<T: std::fmt::Debug>(checked: Checked<T>) -> Vec<String> {
    checked.unwrap_err().into_iter().map(|violation| violation.field).collect()
}

fn claim_with(change: impl FnOnce(&mut v1::ClaimRequest)) -> Checked<Asked<Claim>> {
    let mut request = trial::claim("k");
    change(&mut request);
    claim(request, None, &limits())
}

#[track_caller]
fn claim_faults(change: impl FnOnce(&mut v1::ClaimRequest)) -> Vec<String> {
    faults(claim_with(change))
}

#[test]
fn a_claim_with_nothing_in_it_names_all_that_is_missing() {
    let empty = claim(v1::ClaimRequest::default(), None, &limits());
    assert_eq!(faults(empty), ["intent", "claimant", "payload"]);
}

#[test]
fn a_claim_is_judged_by_every_limit() {
    assert_eq!(claim_faults(|r| r.claimant = "pod-1".to_owned()), ["claimant"]);
    assert_eq!(claim_faults(|r| r.claimant = UUID.replace('-', "")), ["claimant"]);
    assert_eq!(claim_faults(|r| r.holder = "x".repeat(256)), ["holder"]);
    assert_eq!(claim_faults(|r| r.lease = Some(seconds(0))), ["lease"]);
    assert_eq!(claim_faults(|r| r.lease = Some(seconds(-1))), ["lease"]);
    assert_eq!(claim_faults(|r| r.wait = Some(seconds(-1))), ["wait"]);
    assert_eq!(claim_faults(|r| r.in_progress_strategy = 99), ["in_progress_strategy"]);
    let reserved = |r: &mut v1::ClaimRequest| {
        r.intent.as_mut().unwrap().namespace = RESERVED_NAMESPACE.to_owned();
    };
    assert_eq!(claim_faults(reserved), ["intent.namespace"]);
    let many = (0..9).map(|n| (n.to_string(), String::new())).collect();
    assert_eq!(claim_faults(|r| r.labels = many), ["labels"]);
    let long = [("trace".to_owned(), "x".repeat(1_020))].into();
    assert_eq!(claim_faults(|r| r.labels = long), ["labels"]);
}

#[test]
fn the_largest_of_everything_is_taken() {
    let asked = claim_with(|r| {
        r.holder = "x".repeat(255);
        r.labels = [("trace".to_owned(), "x".repeat(1_019))].into();
        r.payload = Some(payload(&"x".repeat(BYTES_MAX)));
        r.lease = Some(seconds(1));
    });
    assert_eq!(asked.unwrap().request.claim.lease, Some(Duration::from_secs(1)));
}

#[test]
fn an_initiator_may_be_a_minute_ahead_and_no_more() {
    let ahead = |by: i64| {
        let seconds = NOW.0 / 1_000_000 + by;
        let first_sent_time = Some(prost_types::Timestamp { seconds, nanos: 0 });
        claim_with(|r| r.first_sent_time = first_sent_time)
    };
    assert!(ahead(60).is_ok());
    assert_eq!(faults(ahead(61)), ["first_sent_time"]);
    assert_eq!(faults(ahead(i64::MAX / 2)), ["first_sent_time"]);
}

#[test]
fn payloads_are_a_hash_or_what_to_make_one_of() {
    use v1::payload::Payload as Given;
    let with = |given| claim_with(|r| r.payload = Some(v1::Payload { payload: given }));
    assert_eq!(faults(with(None)), ["payload"]);
    assert_eq!(faults(with(Some(Given::Hash("nonsense".to_owned())))), ["payload.hash"]);
    assert_eq!(faults(with(Some(Given::Json("{".to_owned())))), ["payload.json"]);
    let large = vec![0; BYTES_MAX + 1];
    assert_eq!(faults(with(Some(Given::Bytes(large.into())))), ["payload.bytes"]);
    let large = format!("\"{}\"", "x".repeat(BYTES_MAX));
    assert_eq!(faults(with(Some(Given::Json(large)))), ["payload.json"]);
    let json = with(Some(Given::Json("{\"a\": 1}".to_owned()))).unwrap();
    assert_eq!(json.request.claim.payload.hash().scheme, "jcs-sha256");
}

#[test]
fn money_has_a_currency_and_one_sign() {
    let with = |code: &str, units, nanos| {
        let currency_code = code.to_owned();
        claim_with(|r| r.amount = Some(v1::Money { currency_code, units, nanos }))
    };
    assert!(with("EUR", 10, 999_999_999).is_ok());
    assert!(with("EUR", 0, -1).is_ok());
    assert_eq!(faults(with("eur", 1, 0)), ["amount.currency_code"]);
    assert_eq!(faults(with("EURO", 1, 0)), ["amount.currency_code"]);
    assert_eq!(faults(with("EUR", 1, -1)), ["amount.nanos"]);
    assert_eq!(faults(with("EUR", -1, 1)), ["amount.nanos"]);
    assert_eq!(faults(with("EUR", 1, 1_000_000_000)), ["amount.nanos"]);
    assert_eq!(faults(with("EUR", 1, i32::MIN)), ["amount.nanos"]);
}

fn complete_with(
    outcome: Option<v1::complete_request::Outcome>,
) -> Checked<Asked<ruling::Complete>> {
    let intent = Some(id("k"));
    let request = v1::CompleteRequest { intent, fencing_token: 1, payload: None, outcome };
    complete(request, &limits())
}

fn succeeded(given: v1::Succeeded) -> Checked<Asked<ruling::Complete>> {
    complete_with(Some(v1::complete_request::Outcome::Succeeded(given)))
}

fn failed(given: v1::Failed) -> Checked<Asked<ruling::Complete>> {
    complete_with(Some(v1::complete_request::Outcome::Failed(given)))
}

fn text(text: &str) -> v1::Content {
    let body = Some(v1::content::Body::Text(text.to_owned()));
    v1::Content { body, content_type: String::new() }
}

#[test]
fn a_report_needs_a_token_and_an_outcome() {
    let request = v1::CompleteRequest { intent: Some(id("k")), ..v1::CompleteRequest::default() };
    assert_eq!(faults(complete(request, &limits())), ["fencing_token", "outcome"]);
}

#[test]
fn a_result_is_as_large_as_the_policy_allows() {
    let given = |result| v1::Succeeded { result, ..v1::Succeeded::default() };
    assert!(succeeded(given(Some(text("12345678")))).is_ok());
    assert_eq!(faults(succeeded(given(Some(text("123456789"))))), ["succeeded.result"]);
}

#[test]
fn absent_and_empty_and_omitted_results_are_different() {
    let reported = |given| match succeeded(given).unwrap().request.outcome {
        Reported::Succeeded(success) => success.result,
        other => panic!("{other:?}"),
    };
    let content_type = String::new();
    let empty = Content { body: bytes::Bytes::new(), text: true, content_type };
    let given = v1::Succeeded { result: Some(text("")), ..v1::Succeeded::default() };
    assert_eq!(reported(given), ReportedResult::Given(empty));
    assert_eq!(reported(v1::Succeeded::default()), ReportedResult::NoneGiven);
    let mut given = v1::Succeeded::default();
    given.set_result_absence(v1::ResultAbsence::Omitted);
    assert_eq!(reported(given.clone()), ReportedResult::Omitted);
    given.result = Some(text("here"));
    assert_eq!(faults(succeeded(given)), ["succeeded.result_absence"]);
    let mut given = v1::Succeeded::default();
    given.set_result_absence(v1::ResultAbsence::Expired);
    assert_eq!(faults(succeeded(given)), ["succeeded.result_absence"]);
    let given = v1::Succeeded { result: Some(v1::Content::default()), ..v1::Succeeded::default() };
    assert_eq!(faults(succeeded(given)), ["succeeded.result"]);
}

#[test]
fn a_failure_has_a_type_and_bounds() {
    let of = |kind: &str| v1::Failed { r#type: kind.to_owned(), ..v1::Failed::default() };
    assert!(failed(of(&"x".repeat(128))).is_ok());
    assert_eq!(faults(failed(of(""))), ["failed.type"]);
    assert_eq!(faults(failed(of(&"x".repeat(129)))), ["failed.type"]);
    let given = v1::Failed {
        message: "x".repeat(1_025),
        provider_reference: "x".repeat(256),
        detail: Some(text(&"x".repeat(65_537))),
        ..of("declined")
    };
    let fields = ["failed.message", "failed.provider_reference", "failed.detail"];
    assert_eq!(faults(failed(given)), fields);
}

fn reclaim_with(change: impl FnOnce(&mut v1::ReclaimRequest)) -> Checked<Asked<ruling::Reclaim>> {
    let mut request = v1::ReclaimRequest {
        intent: Some(id("k")),
        claimant: UUID.to_owned(),
        payload: Some(payload("10 EUR")),
        reason: "the pod is gone".to_owned(),
        ..v1::ReclaimRequest::default()
    };
    change(&mut request);
    reclaim(request, "anonymous".to_owned(), None, &limits())
}

fn not_applied() -> v1::Evidence {
    let finding = Some(v1::evidence::Finding::NotApplied(v1::NotApplied::default()));
    let observe_time = Some(prost_types::Timestamp { seconds: 1, nanos: 0 });
    v1::Evidence { observe_time, reference: "query 7".to_owned(), finding }
}

#[test]
fn evidence_names_what_was_judged_and_when() {
    let asked = reclaim_with(|r| {
        r.etag = format!("{UUID}+evidence");
        r.evidence = Some(not_applied());
    });
    let request = asked.unwrap().request;
    assert!(matches!(request.etag, Some(Etag::Revision { marked: true, .. })));
    assert_eq!(request.evidence.unwrap().finding, Finding::NotApplied);
    assert_eq!(faults(reclaim_with(|r| r.evidence = Some(not_applied()))), ["etag"]);
    let empty = |r: &mut v1::ReclaimRequest| {
        r.etag = "none".to_owned();
        r.evidence = Some(v1::Evidence::default());
    };
    assert_eq!(faults(reclaim_with(empty)), ["evidence.observe_time", "evidence.finding"]);
    assert_eq!(faults(reclaim_with(|r| r.etag = "7".to_owned())), ["etag"]);
    assert_eq!(faults(reclaim_with(|r| r.reason = String::new())), ["reason"]);
    assert_eq!(faults(reclaim_with(|r| r.reason = "x".repeat(1_025))), ["reason"]);
}

#[test]
fn a_release_says_which_grant_and_why() {
    use v1::{NotAppliedReason as Reason, release_request::Grant};
    let with = |grant: Option<Grant>, reason: Reason| {
        let mut request =
            v1::ReleaseRequest { intent: Some(id("k")), grant, ..v1::ReleaseRequest::default() };
        request.set_reason(reason);
        release(request)
    };
    assert_eq!(faults(with(None, Reason::Unspecified)), ["reason", "grant"]);
    let token = Some(Grant::FencingToken(0));
    assert_eq!(faults(with(token, Reason::NotStarted)), ["fencing_token"]);
    let claimant = || Some(Grant::Claimant(UUID.to_owned()));
    assert_eq!(faults(with(claimant(), Reason::RolledBack)), ["reason"]);
    let asked = with(claimant(), Reason::NotStarted).unwrap();
    assert!(matches!(asked.request.grant, ReleasedGrant::Claimant(_)));
    assert!(with(Some(Grant::FencingToken(7)), Reason::RolledBack).is_ok());
}

#[test]
fn a_token_that_would_leave_no_room_for_the_next_is_refused() {
    let with = |fencing_token| {
        let outcome = v1::complete_request::Outcome::Unknown(v1::OutcomeUnknown::default());
        let (intent, outcome) = (Some(id("k")), Some(outcome));
        let request = v1::CompleteRequest { intent, fencing_token, outcome, payload: None };
        complete(request, &limits())
    };
    assert!(with((1 << 53) - 1).is_ok());
    assert_eq!(faults(with(1 << 53)), ["fencing_token"]);
    assert_eq!(faults(with(i64::MAX)), ["fencing_token"]);
}
