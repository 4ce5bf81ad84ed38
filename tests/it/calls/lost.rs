//! The store's own "maybe": resolved from the record, never taken for somebody else's, never
//! granted twice.

use std::time::Duration;

use onced_proto::v1::ErrorReason;
use onced_tests::harness::{Calls, Engine, Gate, InProcess, Rule, RulingExt, Setup, request::*};

/// A server whose store writes and is not heard, until the gate opens.
async fn unheard(gate: &Gate) -> InProcess {
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::Unheard);
    server
}

/// Returns when there is a record.
async fn until_written(calls: &Calls, intent: &onced_proto::v1::IntentId) {
    let written = async {
        while calls.get(get(intent)).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), written).await.expect("a record");
}

#[tokio::test]
async fn a_claim_that_was_written_unheard_is_granted_to_its_caller_and_to_nobody_else() {
    let gate = Gate::default();
    let server = unheard(&gate).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let claiming = tokio::spawn({
        let (calls, request) = (server.calls(), claim(&intent));
        async move { calls.claim(request).await }
    });
    until_written(&calls, &intent).await;
    let other = server.replica_with(Setup::default()).await;
    other.calls().duplicate(&intent).await.in_progress();
    gate.open();
    let granted = claiming.await.expect("a task").expect("a ruling").granted();
    assert_eq!(granted.attempt, 1);
    server.advance(Duration::from_secs(20));
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").attempt, 1);
    let report = complete(&intent, granted.fencing_token, succeeded("done"));
    calls.complete(report).await.expect("a report");
}

#[tokio::test]
async fn a_report_that_was_written_unheard_is_taken_once() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    gate.set(Rule::Unheard);
    let reporting = tokio::spawn({
        let calls = server.calls();
        let report = complete(&intent, token, succeeded("done"));
        async move { calls.complete(report).await }
    });
    let other = server.replica_with(Setup::default()).await;
    while other.calls().get(get(&intent)).await.expect("an intent").completed.is_none() {
        tokio::task::yield_now().await;
    }
    gate.open();
    reporting.await.expect("a task").expect("a report");
    assert_eq!(calls.duplicate(&intent).await.succeeded().result, Some(text("done")));
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").late_reports_cut, 0);
}

#[tokio::test]
async fn once_uncertain_a_store_that_goes_down_does_not_make_it_certain() {
    let gate = Gate::default();
    let mut setup = Setup { wrap: gate.wrap(), ..Setup::default() };
    setup.bounds.call_max = Engine::chosen().short_wait();
    let server = InProcess::with(setup).await;
    gate.set(Rule::Unheard);
    let (calls, intent) = (server.calls(), charge("order-1"));
    let claiming = tokio::spawn({
        let (calls, request) = (server.calls(), claim(&intent));
        async move { calls.claim(request).await }
    });
    until_written(&calls, &intent).await;
    gate.set(Rule::Fail(onced::store::Error::Unavailable("down".into())));
    let refusal = claiming.await.expect("a task").expect_err("a refusal");
    let maybe = ["DEADLINE", "STORE_UNCERTAIN"];
    assert!(maybe.contains(&refusal.reason.as_str()), "it may have happened: {refusal:?}");
    gate.open();
    calls.duplicate(&intent).await.in_progress();
}

#[tokio::test]
async fn a_store_that_was_never_reached_leaves_nothing() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    gate.set(Rule::Fail(onced::store::Error::Unavailable("down".into())));
    let request = claim(&intent);
    let refusal = calls.claim(request.clone()).await.expect_err("a refusal");
    refusal.is(ErrorReason::StoreUnavailable);
    gate.open();
    calls.get(get(&intent)).await.expect_err("no record").is(ErrorReason::KeyNotFound);
    assert!(!calls.claim(request).await.expect("a ruling").granted().repeated);
}
