//! Bad input is refused with every violation named, before anything is written.

use onced_proto::v1::{
    ClaimRequest, CompleteRequest, ErrorReason, Evidence, IntentId, ReclaimRequest, ReleaseRequest,
    RenewRequest, Succeeded, complete_request::Outcome,
};
use onced_tests::harness::{InProcess, Refusal, request::*};
use tonic::Code;

#[track_caller]
fn violates<T: std::fmt::Debug>(answer: Result<T, Refusal>, fields: &[&str]) {
    let refusal = answer.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).code, Code::InvalidArgument);
    let mut found = refusal.fields();
    found.sort_unstable();
    let mut fields = fields.to_vec();
    fields.sort_unstable();
    assert_eq!(found, fields, "{refusal:?}");
    assert!(refusal.violations.iter().all(|(_, description)| !description.is_empty()));
}

fn nobody() -> IntentId {
    intent("Shop!", "", "")
}

#[tokio::test]
async fn every_violation_of_a_claim_is_named_at_once() {
    let server = InProcess::start().await;
    violates(
        server.calls().claim(ClaimRequest::default()).await,
        &["intent", "claimant", "payload"],
    );
    let request = ClaimRequest {
        intent: Some(nobody()),
        claimant: "job-17".into(),
        holder: "h".repeat(256),
        payload: hash("md5"),
        lease: Some(prost_types::Duration { seconds: 0, nanos: 0 }),
        in_progress_strategy: 9,
        wait: Some(prost_types::Duration { seconds: -1, nanos: 0 }),
        first_sent_time: Some(prost_types::Timestamp { seconds: 4_000_000_000, nanos: 0 }),
        amount: Some(onced_proto::v1::Money { currency_code: "eur".into(), units: 1, nanos: -1 }),
        labels: (0..9).map(|n| (n.to_string(), String::new())).collect(),
        ..ClaimRequest::default()
    };
    let refusal = server.calls().claim(request).await.expect_err("a refusal");
    let named = refusal.is(ErrorReason::InvalidField).fields();
    for field in [
        "intent.namespace",
        "intent.operation",
        "intent.key",
        "claimant",
        "holder",
        "lease",
        "in_progress_strategy",
        "wait",
        "first_sent_time",
        "labels",
    ] {
        assert!(named.contains(&field), "{field} is not named: {refusal:?}");
    }
    for prefix in ["payload", "amount"] {
        assert!(named.iter().any(|field| field.starts_with(prefix)), "{prefix}: {refusal:?}");
    }
}

#[tokio::test]
async fn every_violation_of_the_other_calls_is_named_at_once() {
    let server = InProcess::start().await;
    let calls = server.calls();
    violates(
        calls.complete(CompleteRequest::default()).await,
        &["intent", "fencing_token", "outcome"],
    );
    violates(calls.renew(RenewRequest::default()).await, &["intent", "fencing_token"]);
    violates(calls.release(ReleaseRequest::default()).await, &["intent", "grant", "reason"]);
    violates(
        calls
            .reclaim(ReclaimRequest { evidence: Some(Evidence::default()), ..Default::default() })
            .await,
        &[
            "intent",
            "claimant",
            "payload",
            "etag",
            "evidence.finding",
            "evidence.observe_time",
            "reason",
        ],
    );
    violates(calls.get(onced_proto::v1::GetRequest::default()).await, &["intent"]);
    let watched = calls.watch(onced_proto::v1::WatchRequest::default()).await;
    violates(watched.map(|_| ()), &["intent"]);
    let failure = onced_proto::v1::Failed { message: "m".repeat(1_025), ..Default::default() };
    let report = complete(&charge("order-1"), 1, Outcome::Failed(failure));
    violates(calls.complete(report).await, &["failed.type", "failed.message"]);
    let success =
        Succeeded { provider_reference: "r".repeat(256), result_absence: 7, ..Default::default() };
    let report = complete(&charge("order-1"), 1, Outcome::Succeeded(success));
    violates(
        calls.complete(report).await,
        &["succeeded.provider_reference", "succeeded.result_absence"],
    );
}

#[tokio::test]
async fn a_token_of_zero_is_no_token() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    violates(calls.complete(complete(&intent, 0, succeeded("done"))).await, &["fencing_token"]);
    violates(calls.renew(renew(&intent, 0)).await, &["fencing_token"]);
    violates(calls.release(release(&intent, 0)).await, &["fencing_token"]);
}

#[tokio::test]
async fn nothing_is_written_for_a_claim_that_is_refused() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = ClaimRequest { claimant: "job-17".into(), ..claim(&intent) };
    violates(calls.claim(request).await, &["claimant"]);
    calls.get(get(&intent)).await.expect_err("a refusal").is(ErrorReason::KeyNotFound);
    assert_eq!(calls.granted(&intent).await.attempt, 1);
}

#[tokio::test]
async fn only_the_hyphenated_form_of_a_uuid_is_a_claimant() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let text = claimant();
    let simple = text.replace('-', "");
    let (braced, urn) = (format!("{{{text}}}"), format!("urn:uuid:{text}"));
    for other in ["", "null", "pod-7", &simple, &braced, &urn] {
        let request = ClaimRequest { claimant: other.to_owned(), ..claim(&intent) };
        violates(calls.claim(request).await, &["claimant"]);
    }
}

#[tokio::test]
async fn a_payload_that_is_no_i_json_is_refused() {
    let server = InProcess::start().await;
    for text in ["", "{", r#"{"a":1,"a":2}"#, r#""\ud800""#, "9007199254740993", "{} x"] {
        let request = ClaimRequest { payload: json(text), ..claim(&charge("order-1")) };
        let refusal = server.calls().claim(request).await.expect_err(text);
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["payload.json"], "{text}");
    }
}

/// An `IntentId` whose key can be any bytes.
#[derive(Clone, PartialEq, prost::Message)]
struct Names {
    #[prost(string, tag = "1")]
    namespace: String,
    #[prost(string, tag = "2")]
    operation: String,
    #[prost(bytes = "vec", tag = "3")]
    key: Vec<u8>,
}

/// A `GetRequest` with such a key.
#[derive(Clone, PartialEq, prost::Message)]
struct Get {
    #[prost(message, optional, tag = "1")]
    intent: Option<Names>,
}

#[tokio::test]
async fn bytes_that_are_not_utf_8_in_a_text_are_the_callers_fault() {
    let server = InProcess::start().await;
    let (namespace, operation) = ("payments".to_owned(), "charge".to_owned());
    let request = Get { intent: Some(Names { namespace, operation, key: vec![0xff, 0xfe] }) };
    let mut client = tonic::client::Grpc::new(server.calls().connection().channel());
    client.ready().await.expect("a connection");
    let path = http::uri::PathAndQuery::from_static("/onced.v1.ClaimService/Get");
    let codec = tonic_prost::ProstCodec::<Get, onced_proto::v1::GetResponse>::default();
    let answer = client.unary(tonic::Request::new(request), path, codec).await;
    let refusal = Refusal::from(answer.expect_err("a refusal"));
    assert_eq!(refusal.is(ErrorReason::InvalidField).code, Code::InvalidArgument);
    assert_eq!(refusal.fields(), ["intent.key"]);
}
