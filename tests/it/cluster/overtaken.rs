//! A server is stopped between deciding and writing, and others go on meanwhile: what it decided is
//! not written over what they wrote.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, ErrorReason, State, ruling::Verdict};
use onced_tests::harness::{Gate, Replica, Rule, RulingExt, Setup, Site, request::*};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::load::POLICY;

/// A server that can be stopped before a write, and another.
struct Two {
    gate: Gate,
    slow: Replica,
    other: Replica,
    intent: onced_proto::v1::IntentId,
}

impl Two {
    async fn at(site: &Site, name: &str) -> Self {
        let intent = charge(&format!("{name}-{}", Uuid::new_v4()));
        let gate = Gate::of_key(&intent.key);
        let setup = Setup { wrap: gate.wrap(), policies: POLICY.to_owned(), ..Setup::default() };
        let (slow, other) = (site.server_with(setup).await, site.server(POLICY).await);
        Self { gate, slow, other, intent }
    }

    /// The lease ends, and another takes over.
    async fn taken_over(&self) -> i64 {
        let calls = self.other.calls();
        let patience = Instant::now() + Duration::from_secs(15);
        loop {
            let ruling = calls.reclaim(reclaim(&self.intent)).await;
            if let Ok(Some(Verdict::Granted(granted))) = ruling.map(|ruling| ruling.verdict) {
                return granted.fencing_token;
            }
            assert!(Instant::now() < patience, "the lease does not end");
            sleep(Duration::from_millis(100)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_is_written_late_loses_to_the_one_that_was_granted_meanwhile() {
    let Some(site) = Site::given().await else { return };
    let two = Two::at(&site, "late-claim").await;
    two.gate.set(Rule::HoldBefore);
    let (calls, request) = (two.slow.calls(), claim(&two.intent));
    let held = tokio::spawn(async move { calls.claim(request).await });
    two.gate.holds_one().await;
    let granted = two.other.calls().granted(&two.intent).await;
    two.gate.open();
    let late = held.await.expect("an answer").expect("a ruling").in_progress();
    assert_eq!((late.attempt, late.fencing_token), (1, 0));
    let report = complete(&two.intent, granted.fencing_token, succeeded("done"));
    two.other.calls().complete(report).await.expect("a report that is taken");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_is_written_after_a_takeover_is_fenced_and_kept() {
    let Some(site) = Site::given().await else { return };
    let two = Two::at(&site, "late-report").await;
    let first = two.slow.calls().granted(&two.intent).await.fencing_token;
    two.gate.set(Rule::HoldBefore);
    let (calls, report) = (two.slow.calls(), complete(&two.intent, first, succeeded("old")));
    let held = tokio::spawn(async move { calls.complete(report).await });
    two.gate.holds_one().await;
    let second = two.taken_over().await;
    two.gate.open();
    held.await.expect("an answer").expect_err("a refusal").is(ErrorReason::Fenced);
    let report = complete(&two.intent, second, succeeded("new"));
    two.other.calls().complete(report).await.expect("a report that is taken");
    let shown = two.slow.calls().get(get_whole(&two.intent)).await.expect("an intent");
    assert_eq!((shown.state(), shown.late_reports.len()), (State::Succeeded, 1));
    let told = two.slow.calls().duplicate(&two.intent).await.succeeded();
    assert_eq!(told.result, Some(text("new")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_is_extended_after_a_takeover_is_not() {
    let Some(site) = Site::given().await else { return };
    let two = Two::at(&site, "late-renewal").await;
    let first = two.slow.calls().granted(&two.intent).await.fencing_token;
    // Some of it is over: the extension is worth a write.
    sleep(Duration::from_millis(1_100)).await;
    two.gate.set(Rule::HoldBefore);
    let (calls, request) = (two.slow.calls(), renew(&two.intent, first));
    let held = tokio::spawn(async move { calls.renew(request).await });
    two.gate.holds_one().await;
    let second = two.taken_over().await;
    two.gate.open();
    held.await.expect("an answer").expect_err("a refusal").is(ErrorReason::Fenced);
    let report = complete(&two.intent, second, succeeded("done"));
    two.other.calls().complete(report).await.expect("a report that is taken");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grant_whose_lease_is_over_when_it_is_heard_of_is_none() {
    let Some(site) = Site::given().await else { return };
    let two = Two::at(&site, "late-grant").await;
    two.gate.set(Rule::HoldAfter);
    let (calls, request) = (two.slow.calls(), claim(&two.intent));
    let asked = request.clone();
    let held = tokio::spawn(async move { calls.claim(asked).await });
    two.gate.holds_one().await;
    let second = two.taken_over().await;
    two.gate.open();
    // Its attempt has ended: its claimant is told so, or nothing that it could act upon.
    let told = held.await.expect("an answer");
    told.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    let again = two.slow.calls().claim(ClaimRequest { ..request }).await;
    again.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    let report = complete(&two.intent, second, succeeded("done"));
    two.other.calls().complete(report).await.expect("a report that is taken");
}
