//! A gap is closed by a person, with a reason, on the memory that she has seen; on every engine.

use onced::{clock::Timestamp, gap, store::Store};
use onced_proto::{
    admin::v1::{BackupRequest, ListMemoriesRequest, OperationMemory},
    v1::ErrorReason,
};
use onced_tests::harness::{InProcess, Refusal, RulingExt};
use tonic::{Code, transport::Channel};

use super::*;

const HOUR: Duration = Duration::from_secs(3_600);

/// A server over a store that was used, and put back from a copy of an hour ago.
async fn put_back() -> (InProcess, Calls) {
    let server = InProcess::with_policies(POLICY).await;
    server.calls().succeeded(&payout("before"), "done").await;
    open(&*server.store(), server.now()).await;
    let server = server.replica().await;
    let calls = server.calls();
    (server, calls)
}

async fn open(store: &dyn Store, now: Timestamp) {
    gap::open(store, now.before(HOUR), now, "a snapshot").await.expect("a gap");
}

fn payout(key: &str) -> IntentId {
    intent("payments", "payout", key)
}

fn admin(calls: &Calls) -> AdminServiceClient<Channel> {
    AdminServiceClient::new(calls.connection().channel())
}

async fn listed(calls: &Calls) -> Vec<OperationMemory> {
    let request = ListMemoriesRequest::default();
    admin(calls).list_memories(request).await.expect("a list").into_inner().memories
}

fn request(operation: &str) -> AcceptMemoryRequest {
    AcceptMemoryRequest {
        namespace: "payments".to_owned(),
        operation: operation.to_owned(),
        reason: "compared with the bank".to_owned(),
        ..AcceptMemoryRequest::default()
    }
}

async fn refusal(calls: &Calls, request: AcceptMemoryRequest) -> Refusal {
    admin(calls).accept_memory(request).await.expect_err("a refusal").into()
}

#[tokio::test]
async fn in_an_open_gap_what_was_used_and_what_was_not_is_unknown() {
    let (_server, calls) = put_back().await;
    calls.duplicate(&payout("before")).await.succeeded();
    in_gap(&calls.duplicate(&payout("new")).await);
    in_gap(&calls.duplicate(&intent("payments", "bonus", "new")).await);
    in_gap(&calls.duplicate(&intent("shipping", "parcel", "new")).await);
    calls.granted(&intent("payments", "label", "new")).await;
    calls.granted(&intent("payments", "charge", "new")).await;
}

/// A day after the copy the provider may have forgotten what the store has forgotten.
#[tokio::test]
async fn a_keyed_operation_is_in_doubt_once_its_provider_forgets() {
    let (server, calls) = put_back().await;
    let charge = |key: &str| intent("payments", "charge", key);
    server.clock.advance(HOUR * 22);
    calls.granted(&charge("early")).await;
    server.clock.advance(HOUR);
    in_gap(&calls.duplicate(&charge("late")).await);
    accept(&calls, "payments", "charge").await;
    calls.granted(&charge("late")).await;
}

#[tokio::test]
async fn an_accepted_operation_grants_again_at_once_and_no_other_does() {
    let (_server, calls) = put_back().await;
    in_gap(&calls.duplicate(&payout("new")).await);
    accept(&calls, "payments", "payout").await;
    calls.granted(&payout("new")).await;
    in_gap(&calls.duplicate(&intent("payments", "points", "new")).await);
    accept(&calls, "payments", "bonus").await;
    calls.granted(&intent("payments", "bonus", "new")).await;
    accept(&calls, "", "").await;
    calls.granted(&intent("shipping", "parcel", "new")).await;
    // It was asked about while the gap was open, so that it has a memory of its own.
    in_gap(&calls.duplicate(&intent("payments", "points", "new")).await);
}

#[tokio::test]
async fn an_acceptance_is_for_the_memory_that_was_seen() {
    let (server, calls) = put_back().await;
    let seen = listed(&calls).await.into_iter().find(|it| it.operation == "payout");
    let etag = seen.expect("its memory").etag;
    open(&*server.store(), server.now()).await;
    let judged = AcceptMemoryRequest { etag, ..request("payout") };
    let refused = refusal(&calls, judged.clone()).await;
    let etag = refused.is(ErrorReason::EtagMismatch).told("etag").to_owned();
    in_gap(&calls.duplicate(&payout("new")).await);
    let judged = AcceptMemoryRequest { etag, ..judged };
    let first = admin(&calls).accept_memory(judged.clone()).await.expect("an acceptance");
    calls.granted(&payout("new")).await;
    // Its answer was lost, and it is sent again.
    let again = admin(&calls).accept_memory(judged).await.expect("the same");
    assert_eq!(first.into_inner(), again.into_inner());
}

#[tokio::test]
async fn the_list_tells_what_is_open_and_since_when_and_who_did_what() {
    let (server, calls) = put_back().await;
    let now = server.now().0 / 1_000_000;
    server.clock.advance(HOUR);
    accept(&calls, "payments", "payout").await;
    let told = admin(&calls).list_memories(ListMemoriesRequest::default()).await;
    let told = told.expect("a list").into_inner();
    let seconds = |time: Option<prost_types::Timestamp>| time.expect("a time").seconds;
    let rows: Vec<_> = told.memories.iter().map(|it| (&*it.operation, it.others, it.gap)).collect();
    assert_eq!(rows, [("", true, true), ("payout", false, false)]);
    let others = &told.memories[0];
    assert_eq!(seconds(others.start_time), now);
    assert_eq!(seconds(others.forgotten_since_time), now - 3_600);
    assert_eq!(told.memories[1].smallest_retention.expect("a span").seconds, 45 * 86_400);
    let changes: Vec<_> =
        told.changes.iter().map(|it| (it.closed, &*it.operation, &*it.reason)).collect();
    assert_eq!(changes, [(false, "", "a snapshot"), (true, "payout", "compared")]);
}

#[tokio::test]
async fn what_is_not_there_cannot_be_accepted() {
    let (_server, calls) = put_back().await;
    refusal(&calls, request("payuot")).await.is(ErrorReason::OperationUnknown);
    let blank = AcceptMemoryRequest { reason: " ".to_owned(), ..request("pay/out") };
    assert_eq!(refusal(&calls, blank).await.fields(), ["operation", "reason"]);
    let server = InProcess::with_policies(POLICY).await;
    let untouched = refusal(&server.calls(), request("payout")).await;
    assert_eq!(untouched.code, Code::NotFound, "nothing was restored");
}

#[tokio::test]
async fn an_open_gap_is_shown_as_a_metric_of_every_operation_that_has_a_policy() {
    let (server, calls) = put_back().await;
    let gauge = |of: &str| format!("onced_memory_gap_open{{{of}}}");
    let payout = gauge(r#"namespace="payments",operation="payout""#);
    let parcel = gauge(r#"namespace="shipping",operation="parcel""#);
    let end = tokio::time::Instant::now() + BOUND;
    while server.metric(&parcel).await != 1 {
        assert!(tokio::time::Instant::now() < end, "no gap is told");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.metric(&payout).await, 1);
    accept(&calls, "payments", "payout").await;
    // A server that starts now looks at once.
    let server = server.replica().await;
    while server.metric(&parcel).await != 1 {
        assert!(tokio::time::Instant::now() < end, "no gap is told");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(server.metric(&payout).await, 0);
}

/// Where the server can make no copy, it says who can.
#[tokio::test]
async fn a_backup_of_what_is_no_embedded_store_is_refused_with_what_to_do() {
    let server = InProcess::with_policies(POLICY).await;
    let refused = admin(&server.calls()).backup(BackupRequest::default()).await;
    let refused = refused.expect_err("a refusal");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("onced memory reset"), "{refused}");
}
