//! What a namespace takes while it is frozen, and while it is sealed.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, ErrorReason};
use onced_tests::harness::{Binary, Gate, InProcess, Refusal, Rule, RulingExt, Setup, request::*};
use tonic::Code;

use super::{freeze, run, seal, setup, spawn, thaw};

#[track_caller]
fn is_held(refusal: &Refusal, state: &str) {
    assert_eq!(refusal.is(ErrorReason::Draining).code, Code::Unavailable);
    assert_eq!(refusal.told("namespace_state"), state);
    assert!(refusal.retry.is_some(), "{refusal:?}");
}

#[tokio::test]
async fn a_frozen_namespace_refuses_claims_and_takes_reports() {
    let server = InProcess::with(setup()).await;
    let replica = server.replica().await;
    let calls = server.calls();
    let [done, freed] = ["done", "freed"].map(charge);
    let long = ClaimRequest { lease: span(Duration::from_secs(240)), ..claim(&done) };
    let token = calls.claim(long).await.expect("a ruling").granted().fencing_token;
    let other = calls.granted(&freed).await.fencing_token;
    let reason = ["--reason", "a move"];
    let words = [&["freeze", "--namespace", "payments"][..], &reason].concat();
    run(server.address, &words).await.ended(0);

    for calls in [server.calls(), replica.calls()] {
        is_held(&calls.claim(claim(&charge("new"))).await.expect_err("a refusal"), "frozen");
        is_held(&calls.reclaim(reclaim(&done)).await.expect_err("a refusal"), "frozen");
        let batch = calls.batch_claim(batch([&charge("new")])).await.expect("results");
        is_held(batch[0].as_ref().expect_err("a refusal"), "frozen");
        calls.get(get(&done)).await.expect("an intent");
        calls.renew(renew(&done, token)).await.expect("a lease that lives");
    }
    calls.complete(complete(&done, token, succeeded("x"))).await.expect("taken");
    calls.release(release(&freed, other)).await.expect("a release");
    calls.granted(&intent("shipping", "charge", "k")).await;
    let words = [&["thaw", "--namespace", "payments"][..], &reason].concat();
    run(server.address, &words).await.ended(0);
    calls.granted(&charge("new")).await;
}

#[tokio::test]
async fn a_sealed_namespace_takes_nothing() {
    let server = InProcess::with(setup()).await;
    let replica = server.replica().await;
    let token = server.calls().granted(&charge("k")).await.fencing_token;
    seal(server.address).await;
    for calls in [server.calls(), replica.calls()] {
        let k = charge("k");
        is_held(&calls.claim(claim(&charge("new"))).await.expect_err("a refusal"), "sealed");
        let report = complete(&k, token, succeeded("x"));
        is_held(&calls.complete(report).await.expect_err("a refusal"), "sealed");
        is_held(&calls.renew(renew(&k, token)).await.expect_err("a refusal"), "sealed");
        is_held(&calls.release(release(&k, token)).await.expect_err("a refusal"), "sealed");
        is_held(&calls.get(get(&k)).await.expect_err("a refusal"), "sealed");
    }
    thaw(server.address).await;
    let report = complete(&charge("k"), token, succeeded("x"));
    server.calls().complete(report).await.expect("a report that is taken");
}

#[tokio::test]
async fn a_freeze_does_not_lift_a_seal_and_a_thaw_says_what_still_holds() {
    let server = InProcess::with(setup()).await;
    let hold = async |words: &[&str]| {
        run(server.address, &[words, &["--reason", "a move"]].concat()).await.ended(0).out
    };
    let one = ["--namespace", "payments"];
    assert!(hold(&[&["freeze", "--seal"][..], &one].concat()).await.contains("sealed:"));
    let weaker = hold(&[&["freeze"][..], &one].concat()).await;
    assert!(weaker.contains("sealed:") && weaker.contains("does not lift"), "{weaker}");
    is_held(&server.calls().claim(claim(&charge("k"))).await.expect_err("a refusal"), "sealed");
    let others = hold(&["thaw", "--all"]).await;
    assert!(others.contains("open:") && others.contains("payments"), "{others}");
    hold(&["freeze", "--all"]).await;
    let still = hold(&[&["thaw"][..], &one].concat()).await;
    assert!(still.contains("frozen:") && still.contains("another freeze"), "{still}");
    let open = hold(&["thaw", "--all"]).await;
    assert!(open.contains("open:") && !open.contains("payments"), "{open}");
    server.calls().granted(&charge("k")).await;
}

#[tokio::test]
async fn a_claim_that_waits_is_not_granted_once_its_namespace_is_frozen() {
    let server = InProcess::with(setup()).await;
    let calls = server.calls();
    let token = calls.granted(&charge("k")).await.fencing_token;
    let waiting = tokio::spawn(async move { calls.claim(waiting_claim(&charge("k"))).await });
    while server.metric("onced_waiters{namespace=\"payments\",operation=\"charge\"}").await == 0 {
        tokio::task::yield_now().await;
    }
    freeze(server.address).await;
    server.calls().release(release(&charge("k"), token)).await.expect("a release");
    let refusal = waiting.await.expect("a task").expect_err("a refusal");
    is_held(&refusal, "frozen");
}

#[tokio::test]
async fn a_crash_does_not_end_a_freeze() {
    let mut server = Binary::start().await;
    freeze(server.address).await;
    server.kill9();
    server.restart().await;
    let refusal = server.calls().claim(claim(&charge("k"))).await.expect_err("a refusal");
    is_held(&refusal, "frozen");
    thaw(server.address).await;
    server.calls().claim(claim(&charge("k"))).await.expect("a ruling").granted();
}

#[tokio::test]
async fn a_seal_waits_for_the_report_that_is_under_way() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..setup() }).await;
    let calls = server.calls();
    let token = calls.granted(&charge("k")).await.fencing_token;
    gate.set(Rule::HoldBefore);
    let report = complete(&charge("k"), token, succeeded("x"));
    let reporting = tokio::spawn(async move { calls.complete(report).await });
    gate.holds_one().await;
    let words = ["freeze", "--all", "--seal", "--reason", "a move"];
    let mut sealing = spawn(server.address, &words);
    // Far longer than a seal takes where nothing is under way.
    let early = tokio::time::timeout(Duration::from_secs(4), sealing.wait()).await;
    assert!(early.is_err(), "{early:?}: sealed while a report was on its way");
    gate.open();
    reporting.await.expect("a task").expect("a report that is taken");
    assert!(sealing.wait().await.expect("its end").success());
}
