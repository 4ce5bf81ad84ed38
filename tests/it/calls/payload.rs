//! The same key with another payload is refused on every path that could show a record, and shows
//! nothing.

use std::time::Duration;

use onced_proto::v1::{
    BatchClaimRequest, ClaimRequest, CompleteRequest, ErrorReason, GetRequest, Payload,
    ReclaimRequest, WatchRequest,
};
use onced_tests::harness::{Gate, InProcess, Refusal, Rule, RulingExt, Setup, request::*};
use tonic::Code;

/// The payload that nobody sent first.
fn other() -> Option<Payload> {
    json(r#"{"amount":999}"#)
}

fn other_claim(intent: &onced_proto::v1::IntentId) -> ClaimRequest {
    ClaimRequest { payload: other(), ..claim(intent) }
}

#[track_caller]
fn reused<T: std::fmt::Debug>(answer: Result<T, Refusal>) {
    let refusal = answer.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::KeyReused).code, Code::FailedPrecondition);
    let (stored, given) = (refusal.told("expected_hash_prefix"), refusal.told("given_hash_prefix"));
    assert!(stored.starts_with("jcs-sha256:") && given.starts_with("jcs-sha256:"));
    assert_ne!(stored, given);
    assert_eq!(stored.len(), "jcs-sha256:".len() + 8, "a prefix, and no more");
    assert!(!refusal.told("first_claim_time").is_empty());
    assert!(!format!("{refusal:?}").contains("secret"), "the result is not shown");
}

#[tokio::test]
async fn while_it_is_in_progress() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    reused(calls.claim(other_claim(&intent)).await);
}

#[tokio::test]
async fn even_by_its_own_claimant() {
    let server = InProcess::start().await;
    let (calls, request) = (server.calls(), claim(&charge("order-1")));
    calls.claim(request.clone()).await.expect("a ruling").granted();
    reused(calls.claim(ClaimRequest { payload: other(), ..request }).await);
}

#[tokio::test]
async fn when_a_race_for_a_fresh_key_is_lost() {
    let server = InProcess::start().await;
    let gate = Gate::default();
    let late = server.replica_with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let intent = charge("order-1");
    gate.set(Rule::HoldBefore);
    let loser = tokio::spawn({
        let (calls, request) = (late.calls(), other_claim(&intent));
        async move { calls.claim(request).await }
    });
    gate.holds_one().await;
    server.calls().granted(&intent).await;
    gate.open();
    reused(loser.await.expect("a task"));
}

#[tokio::test]
async fn when_it_is_completed_and_when_its_record_is_cached() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "secret").await;
    let cold = server.replica().await;
    reused(cold.calls().claim(other_claim(&intent)).await);
    // The first server has it in its cache from the report, and from a look.
    reused(calls.claim(other_claim(&intent)).await);
    calls.duplicate(&intent).await.succeeded();
    reused(calls.claim(other_claim(&intent)).await);
    reused(calls.claim(ClaimRequest { fresh: true, ..other_claim(&intent) }).await);
    reused(calls.claim(ClaimRequest { likely_duplicate: true, ..other_claim(&intent) }).await);
}

#[tokio::test]
async fn when_it_is_unknown_and_when_it_is_released() {
    let server = InProcess::start().await;
    let (calls, unknown, free) = (server.calls(), charge("order-1"), charge("order-2"));
    calls.granted(&unknown).await;
    let token = calls.granted(&free).await.fencing_token;
    calls.release(release(&free, token)).await.expect("a release");
    reused(calls.claim(other_claim(&free)).await);
    server.advance(Duration::from_secs(31));
    reused(calls.claim(other_claim(&unknown)).await);
}

#[tokio::test]
async fn when_a_waiter_would_have_been_woken() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    // It is refused at once: it does not wait for an outcome that is not its own.
    reused(calls.claim(ClaimRequest { payload: other(), ..waiting_claim(&intent) }).await);
}

#[tokio::test]
async fn by_get_reclaim_batch_watch_and_complete() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.succeeded(&intent, "secret").await;
    reused(calls.get(GetRequest { payload: other(), ..get(&intent) }).await);
    reused(calls.reclaim(ReclaimRequest { payload: other(), ..reclaim(&intent) }).await);
    let batch = BatchClaimRequest { requests: vec![other_claim(&intent)] };
    let mut results = calls.batch_claim(batch).await.expect("results");
    reused(results.remove(0));
    reused(calls.watch(WatchRequest { payload: other(), ..watch(&intent) }).await);
    let report = complete(&intent, token, succeeded("secret"));
    reused(calls.complete(CompleteRequest { payload: other(), ..report }).await);
}

#[tokio::test]
async fn a_refused_payload_leaves_the_record_as_it_was() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let before = calls.get(get_whole(&intent)).await.expect("an intent");
    reused(calls.claim(other_claim(&intent)).await);
    reused(calls.reclaim(ReclaimRequest { payload: other(), ..reclaim(&intent) }).await);
    assert_eq!(calls.get(get_whole(&intent)).await.expect("an intent"), before);
}

#[tokio::test]
async fn who_shows_no_payload_sees_that_there_is_an_outcome_and_not_which() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "secret").await;
    let shown = calls.get(get(&intent)).await.expect("an intent");
    assert_eq!(shown.state(), onced_proto::v1::State::Succeeded);
    assert_eq!(shown.fencing_token, 0);
    assert!(!format!("{shown:?}").contains("secret"));
    let event = calls.watch(watch(&intent)).await.expect("a stream").event().await;
    assert!(!format!("{event:?}").contains("secret"));
}

#[tokio::test]
async fn hashes_of_two_schemes_are_neither_equal_nor_different() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let opaque = hash(&format!("v2-blake3:{}", "ab".repeat(32)));
    let request = ClaimRequest { payload: opaque, ..claim(&intent) };
    let refusal = calls.claim(request).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::HashSchemeDiffers).code, Code::FailedPrecondition);
    assert_eq!(refusal.told("stored_scheme"), "jcs-sha256");
    assert_eq!(refusal.told("given_scheme"), "v2-blake3");
    // The payload itself is compared by the scheme that is stored.
    let raw = ClaimRequest { payload: bytes(r#"{ "amount": 100 }"#), ..claim(&intent) };
    calls.claim(raw).await.expect("a ruling").in_progress();
}

#[tokio::test]
async fn json_is_compared_by_what_it_means_and_bytes_by_what_they_are() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let first = r#"{"b":{"y":1,"x":"é"},"a":1.0}"#;
    let same = [
        "{\"a\":1,\"b\":{\"x\":\"\\u00e9\",\"y\":1}}",
        " { \"a\" : 1.0 , \"b\" : {\"x\":\"é\",\"y\":1e0} } ",
    ];
    let different =
        ["{\"a\":1,\"b\":{\"x\":\"e\u{301}\",\"y\":1}}", r#"{"a":1,"b":{"x":"é","y":"1"}}"#];
    let by_meaning = charge("json");
    let request = ClaimRequest { payload: json(first), ..claim(&by_meaning) };
    calls.claim(request).await.expect("a ruling").granted();
    for text in same {
        let request = ClaimRequest { payload: json(text), ..claim(&by_meaning) };
        calls.claim(request).await.expect(text).in_progress();
    }
    for text in different {
        let request = ClaimRequest { payload: json(text), ..claim(&by_meaning) };
        calls.claim(request).await.expect_err(text).is(ErrorReason::KeyReused);
    }
    let by_bytes = charge("bytes");
    let request = ClaimRequest { payload: bytes(first), ..claim(&by_bytes) };
    calls.claim(request).await.expect("a ruling").granted();
    for text in same {
        let request = ClaimRequest { payload: bytes(text), ..claim(&by_bytes) };
        calls.claim(request).await.expect_err(text).is(ErrorReason::KeyReused);
    }
}

#[tokio::test]
async fn payloads_of_a_megabyte_that_differ_in_the_last_byte_are_told_apart() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let mut large = vec![7; 1 << 20];
    let request = ClaimRequest { payload: bytes(large.clone()), ..claim(&intent) };
    calls.claim(request).await.expect("a ruling").granted();
    large[(1 << 20) - 1] = 8;
    let request = ClaimRequest { payload: bytes(large), ..claim(&intent) };
    calls.claim(request).await.expect_err("a refusal").is(ErrorReason::KeyReused);
}
