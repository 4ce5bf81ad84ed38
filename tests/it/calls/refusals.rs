//! Every refusal that a caller can provoke: code, reason, metadata, and details.

use onced::store::Error;
use onced_proto::v1::{ClaimRequest, ErrorReason};
use onced_tests::harness::{Gate, InProcess, Refusal, Rule, Setup, request::*};
use tonic::Code;

#[tokio::test]
async fn an_operation_without_a_policy_is_not_found_and_named() {
    let server = InProcess::start().await;
    let refusal = server.calls().claim(claim(&intent("payments", "gift", "1"))).await;
    let refusal = refusal.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::OperationUnknown).code, Code::NotFound);
    assert_eq!((refusal.told("namespace"), refusal.told("operation")), ("payments", "gift"));
}

#[tokio::test]
async fn a_key_without_a_record_is_not_found() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let refusals = [
        calls.get(get(&intent)).await.expect_err("a refusal"),
        calls.renew(renew(&intent, 1)).await.expect_err("a refusal"),
        calls.release(release(&intent, 1)).await.expect_err("a refusal"),
        calls.complete(complete(&intent, 1, unknown())).await.expect_err("a refusal"),
    ];
    for refusal in refusals {
        assert_eq!(refusal.is(ErrorReason::KeyNotFound).code, Code::NotFound);
    }
}

#[tokio::test]
async fn the_servers_own_namespace_is_refused_to_callers() {
    let server = InProcess::start().await;
    let refusal = server.calls().claim(claim(&intent("_onced", "job", "1"))).await;
    let refusal = refusal.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["intent.namespace"]);
}

async fn refused_by_store(error: Error) -> Refusal {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::Fail(error));
    let refusal = server.calls().claim(claim(&charge("order-1"))).await.expect_err("a refusal");
    assert!(!refusal.message.contains("/var"), "the cause is for the log: {refusal:?}");
    refusal
}

#[tokio::test]
async fn a_store_that_is_down_says_that_nothing_happened() {
    let refusal = refused_by_store(Error::Unavailable("/var/lib: no space".into())).await;
    assert_eq!(refusal.is(ErrorReason::StoreUnavailable).code, Code::Unavailable);
    assert!(refusal.retry.is_some());
}

#[tokio::test]
async fn a_contended_key_says_so() {
    let refusal = refused_by_store(Error::Contended).await;
    assert_eq!(refusal.is(ErrorReason::Contended).code, Code::Unavailable);
    assert!(refusal.retry.is_some());
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_never_taken_for_none() {
    let refusal = refused_by_store(Error::Corrupt("/var/lib: bad".into())).await;
    assert_eq!(refusal.is(ErrorReason::RecordCorrupt).code, Code::DataLoss);
    let refusal = refused_by_store(Error::FormatTooNew(9)).await;
    assert_eq!(refusal.is(ErrorReason::FormatTooNew).code, Code::FailedPrecondition);
    assert_eq!(refusal.told("format"), "9");
}

#[tokio::test]
async fn a_future_first_sent_time_is_a_violation_beyond_a_minute() {
    let server = InProcess::start().await;
    let seconds = server.now().0 / 1_000_000;
    let sent = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let at = |ahead| ClaimRequest {
        first_sent_time: sent(seconds + ahead),
        ..claim(&charge("order-1"))
    };
    let refusal = server.calls().claim(at(61)).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["first_sent_time"]);
    server.calls().claim(at(60)).await.expect("a clock that is a little ahead is taken");
}
