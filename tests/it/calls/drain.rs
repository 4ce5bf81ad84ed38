//! The way down: new Claims are sent elsewhere, reports are taken to the last, and nobody is left
//! waiting.

use std::time::Duration;

use onced_proto::v1::ErrorReason;
use onced_tests::harness::{Gate, InProcess, Rule, RulingExt, Setup, page, request::*};
use tonic::Code;

const HELD: &str = "held";

/// A server that drains while one Claim is under way, and so cannot end yet; with the task that
/// claims.
async fn draining(gate: &Gate) -> (InProcess, tokio::task::JoinHandle<bool>) {
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::HoldBefore);
    let claiming = tokio::spawn({
        let (calls, request) = (server.calls(), claim(&charge(HELD)));
        async move { calls.claim(request).await.is_ok_and(|ruling| ruling.granted().attempt == 1) }
    });
    gate.holds_one().await;
    (server, claiming)
}

/// Returns when new Claims are refused.
async fn until_draining(server: &InProcess) {
    server.drain();
    for n in 0.. {
        let probe = claim(&charge(&format!("probe-{n}")));
        if server.calls().claim(probe).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn claims_are_refused_and_reports_are_taken_while_it_drains() {
    let gate = Gate::of_key(HELD);
    let (mut server, claiming) = draining(&gate).await;
    let (calls, done, kept, freed) = (server.calls(), charge("1"), charge("2"), charge("3"));
    let done_token = calls.granted(&done).await.fencing_token;
    let kept_token = calls.granted(&kept).await.fencing_token;
    let freed_token = calls.granted(&freed).await.fencing_token;
    server.advance(Duration::from_secs(10));
    until_draining(&server).await;
    let refusal = calls.claim(claim(&charge("4"))).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::Draining).code, Code::Unavailable);
    assert!(refusal.retry.is_some());
    calls.reclaim(reclaim(&charge("4"))).await.expect_err("refused").is(ErrorReason::Draining);
    calls.watch(watch(&done)).await.map(|_| ()).expect_err("refused").is(ErrorReason::Draining);
    let refusal = calls.batch_claim(batch([&charge("4")])).await.expect_err("a refusal");
    refusal.is(ErrorReason::Draining);
    calls.complete(complete(&done, done_token, succeeded("done"))).await.expect("a report");
    calls.renew(renew(&kept, kept_token)).await.expect("an extension");
    calls.release(release(&freed, freed_token)).await.expect("a release");
    calls.get(get(&done)).await.expect("an intent");
    gate.open();
    assert!(claiming.await.expect("a task"), "what was admitted is ruled on");
    server.end().await;
}

#[tokio::test]
async fn a_watch_ends_by_saying_that_the_server_drains() {
    let gate = Gate::of_key(HELD);
    let (server, _claiming) = draining(&gate).await;
    let mut watched = server.calls().watch(watch(&charge("1"))).await.expect("a stream");
    watched.event().await;
    server.drain();
    let refusal = watched.next().await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::Draining).code, Code::Unavailable);
    gate.open();
}

#[tokio::test]
async fn who_waits_is_told_how_it_stands() {
    let gate = Gate::of_key(HELD);
    let (server, _claiming) = draining(&gate).await;
    let intent = charge("1");
    server.calls().granted(&intent).await;
    let waiting = tokio::spawn({
        let (calls, request) = (server.calls(), waiting_claim(&intent));
        async move { calls.claim(request).await }
    });
    let waiters = r#"onced_waiters{namespace="payments",operation="charge"}"#;
    while server.metric(waiters).await < 1 {
        tokio::task::yield_now().await;
    }
    server.drain();
    waiting.await.expect("a task").expect("a ruling").in_progress();
    gate.open();
}

#[tokio::test]
async fn a_server_that_is_idle_ends_at_once() {
    let mut server = InProcess::start().await;
    server.calls().granted(&charge("order-1")).await;
    server.end().await;
    assert!(page::get(server.admin, "/livez").await.is_err(), "both ports are closed");
}
