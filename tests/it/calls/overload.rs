//! More than the server can do: Claims are shed, reports never; and calls that end before their
//! answer.

use std::time::Duration;

use onced_proto::v1::{ErrorReason, State};
use onced_tests::harness::{Gate, InProcess, Rule, RulingExt, Setup, request::*};
use tonic::{Code, Request};

const HELD: &str = "held";

#[tokio::test]
async fn claims_are_shed_with_a_time_to_come_back_and_reports_are_taken() {
    let gate = Gate::of_key(HELD);
    let mut setup = Setup { wrap: gate.wrap(), ..Setup::default() };
    setup.bounds.claims_in_flight_max = 1;
    let server = InProcess::with(setup).await;
    let (calls, done, kept, freed) = (server.calls(), charge("1"), charge("2"), charge("3"));
    let done_token = calls.granted(&done).await.fencing_token;
    let kept_token = calls.granted(&kept).await.fencing_token;
    let freed_token = calls.granted(&freed).await.fencing_token;
    server.advance(Duration::from_secs(10));
    gate.set(Rule::HoldBefore);
    let claiming = tokio::spawn({
        let (calls, request) = (server.calls(), claim(&charge(HELD)));
        async move { calls.claim(request).await }
    });
    gate.holds_one().await;
    let refusal = calls.claim(claim(&charge("4"))).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::Overloaded).code, Code::ResourceExhausted);
    assert_eq!(refusal.pushback, Some(1_000));
    assert_eq!(refusal.retry, Some(Duration::from_secs(1)));
    calls.reclaim(reclaim(&done)).await.expect_err("refused").is(ErrorReason::Overloaded);
    calls.complete(complete(&done, done_token, succeeded("done"))).await.expect("a report");
    calls.renew(renew(&kept, kept_token)).await.expect("an extension");
    calls.release(release(&freed, freed_token)).await.expect("a release");
    gate.open();
    claiming.await.expect("a task").expect("a ruling").granted();
    calls.granted(&charge("4")).await;
}

#[tokio::test]
async fn a_claim_whose_caller_is_gone_takes_its_room_until_its_work_is_done() {
    let gate = Gate::of_key(HELD);
    let mut setup = Setup { wrap: gate.wrap(), ..Setup::default() };
    setup.bounds.claims_in_flight_max = 1;
    let server = InProcess::with(setup).await;
    let calls = server.calls();
    calls.granted(&charge("1")).await;
    gate.set(Rule::HoldBefore);
    let mut hasty = Request::new(claim(&charge(HELD)));
    hasty.set_timeout(Duration::from_millis(300));
    let hasty = tokio::spawn({
        let calls = server.calls();
        async move { calls.claim(hasty).await }
    });
    gate.holds_one().await;
    hasty.await.expect("a task").expect_err("its time is over");
    let refusal = calls.claim(claim(&charge("2"))).await.expect_err("a refusal");
    refusal.is(ErrorReason::Overloaded);
    gate.open();
    while calls.claim(claim(&charge("2"))).await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn who_finds_no_room_to_wait_is_told_at_once_that_somebody_is_at_it() {
    let mut setup = Setup::default();
    setup.bounds.waiters_max = 0;
    let server = InProcess::with(setup).await;
    let intent = charge("order-1");
    let calls = server.calls();
    calls.granted(&intent).await;
    let answer = calls.claim(waiting_claim(&intent));
    let answer = tokio::time::timeout(Duration::from_secs(5), answer);
    answer.await.expect("at once").expect("a ruling").in_progress();
}

#[tokio::test]
async fn a_call_whose_own_time_is_over_is_told_so_with_its_reason() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::HoldBefore);
    // The client has a timer of its own, which may be first on a busy machine.
    for tenths in 5.. {
        let mut request = Request::new(claim(&charge("order-1")));
        request.set_timeout(Duration::from_millis(100 * tenths));
        let refusal = server.calls().claim(request).await.expect_err("a refusal");
        if refusal.code == Code::Cancelled && tenths < 15 {
            continue;
        }
        assert_eq!(refusal.is(ErrorReason::Deadline).code, Code::DeadlineExceeded);
        break;
    }
    gate.open();
}

#[tokio::test]
async fn a_call_without_a_time_of_its_own_has_the_servers() {
    let gate = Gate::default();
    let mut setup = Setup { wrap: gate.wrap(), ..Setup::default() };
    setup.bounds.call_max = Duration::from_millis(300);
    let server = InProcess::with(setup).await;
    gate.set(Rule::HoldBefore);
    let refusal = server.calls().claim(claim(&charge("order-1"))).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::Deadline).code, Code::DeadlineExceeded);
    gate.open();
}

#[tokio::test]
async fn a_claim_that_its_client_cancelled_leaves_a_record_that_its_claimant_can_ask_for() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    gate.set(Rule::HoldBefore);
    let claiming = tokio::spawn({
        let (calls, request) = (server.calls(), request.clone());
        async move { calls.claim(request).await }
    });
    gate.holds_one().await;
    claiming.abort();
    assert!(claiming.await.is_err());
    gate.open();
    while calls.get(get(&intent)).await.is_err() {
        tokio::task::yield_now().await;
    }
    let shown = calls.get(get(&intent)).await.expect("an intent");
    assert_eq!((shown.state(), shown.attempt), (State::InProgress, 1));
    let granted = calls.claim(request).await.expect("a ruling").granted();
    assert!(granted.repeated);
    let report = complete(&intent, granted.fencing_token, succeeded("done"));
    calls.complete(report).await.expect("a report");
}
