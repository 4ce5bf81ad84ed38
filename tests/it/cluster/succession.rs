//! The only server dies in the middle of a claim; a new one goes on with what is written.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, IntentId, State, ruling::Verdict};
use onced_tests::harness::{
    Calls, Gate, Rule, RulingExt, Setup, Site, in_process::POLICIES, request::*,
};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::load::POLICY;

/// A claim by this claimant, on its way when its server dies: written, or not yet.
async fn claimed_and_died(
    site: &Site,
    policies: &str,
    (intent, claimant): (&IntentId, &str),
    rule: Rule,
) {
    let gate = Gate::of_key(&intent.key);
    let setup = Setup { wrap: gate.wrap(), policies: policies.to_owned(), ..Setup::default() };
    let server = site.server_with(setup).await;
    gate.set(rule);
    let request = ClaimRequest { claimant: claimant.into(), ..claim(intent) };
    let calls = server.calls();
    let unheard = tokio::spawn(async move { calls.claim(request).await });
    gate.holds_one().await;
    drop(server);
    unheard.abort();
}

fn fresh() -> (IntentId, String) {
    (charge(&format!("heir-{}", Uuid::new_v4())), claimant())
}

async fn over(calls: &Calls, intent: &IntentId) {
    let patience = Instant::now() + Duration::from_secs(15);
    while !matches!(calls.duplicate(intent).await, Verdict::Unknown(_)) {
        assert!(Instant::now() < patience, "the lease does not end");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_server_repeats_a_grant_of_which_nobody_heard() {
    let Some(site) = Site::given().await else { return };
    let (intent, claimant) = fresh();
    claimed_and_died(&site, POLICIES, (&intent, &claimant), Rule::HoldAfter).await;
    let heir = site.server(POLICIES).await;
    let request = ClaimRequest { claimant, ..claim(&intent) };
    let granted = heir.calls().claim(request).await.expect("a ruling").granted();
    assert_eq!((granted.attempt, granted.repeated), (1, true));
    heir.calls().duplicate(&intent).await.in_progress();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_server_does_not_know_when_the_lease_of_the_dead_is_over_and_takes_its_report() {
    let Some(site) = Site::given().await else { return };
    let (intent, claimant) = fresh();
    claimed_and_died(&site, POLICY, (&intent, &claimant), Rule::HoldAfter).await;
    let heir = site.server(POLICY).await;
    let calls = heir.calls();
    over(&calls, &intent).await;
    let request = ClaimRequest { claimant, ..claim(&intent) };
    let own = calls.claim(request).await.expect("a ruling").unknown();
    assert_ne!(own.fencing_token, 0, "its own claimant is told its token");
    let report = complete(&intent, own.fencing_token, succeeded("done"));
    assert!(calls.complete(report).await.expect("a report that is taken").late);
    let shown = calls.get(get_whole(&intent)).await.expect("an intent");
    assert_eq!((shown.state(), shown.attempt), (State::Succeeded, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_was_not_written_leaves_nothing() {
    let Some(site) = Site::given().await else { return };
    let (intent, claimant) = fresh();
    claimed_and_died(&site, POLICY, (&intent, &claimant), Rule::HoldBefore).await;
    let heir = site.server(POLICY).await;
    let granted = heir.calls().granted(&intent).await;
    assert_eq!((granted.attempt, granted.repeated), (1, false));
}
