//! Conditional writes that are applied and not heard of, or that come after their own copies: every
//! caller is told the truth or that nobody knows, and asking again brings the truth.

use std::time::Duration;

use onced::store::cql::Lwt;
use onced_proto::v1::{ErrorReason, Granted, IntentId, State};
use onced_tests::harness::{
    Calls, CqlProxy, Fate, Nodes, Replica, RulingExt, Site, in_process::POLICIES, request::*,
};
use tokio::time::sleep;
use uuid::Uuid;

use super::load;
use crate::histories::{call::Told, chance, chance::Chance};

/// After so long a request counts as unheard here: more than a busy node takes.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// The same under load, where some that are answered may count as unheard.
const HASTE: Duration = Duration::from_millis(400);
/// Longest life of a call in which nothing becomes definite.
const CALL: Duration = Duration::from_secs(5);

/// A server whose way to the nodes is the test's.
struct Doubtful {
    proxy: CqlProxy,
    site: Site,
    server: Replica,
}

impl Doubtful {
    async fn at(site: &Site) -> Self {
        let proxy = CqlProxy::before(site.contact_points()).await;
        let hasty = site.through(&proxy.contact_points).hasty(PATIENCE).answering_within(CALL);
        let server = hasty.server(POLICIES).await;
        // What is done once for an operation is done.
        granted(&server.calls(), &fresh("warm")).await;
        Self { proxy, site: site.clone(), server }
    }

    /// This becomes of the next conditional write, and of no other.
    fn next(&self, fate: Fate) {
        let once = std::sync::atomic::AtomicBool::new(true);
        self.proxy.set(move |_| {
            let is_next = once.swap(false, std::sync::atomic::Ordering::SeqCst);
            if is_next { fate } else { Fate::Pass }
        });
    }
}

fn fresh(name: &str) -> IntentId {
    charge(&format!("{name}-{}", Uuid::new_v4()))
}

/// A grant, asked for again while a busy store says that nothing happened.
async fn granted(calls: &Calls, intent: &IntentId) -> Granted {
    let request = claim(intent);
    for _ in 0..20 {
        match calls.claim(request.clone()).await {
            Err(refusal) if refusal.reason == "STORE_UNAVAILABLE" => sleep(PATIENCE / 5).await,
            ruling => return ruling.expect("a ruling").granted(),
        }
    }
    panic!("the store does not answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_whose_write_was_applied_and_not_heard_of_is_granted_once() {
    let Some(site) = Site::given().await else { return };
    let doubtful = Doubtful::at(&site).await;
    for fate in [Fate::Unheard, Fate::HeardLate(2 * PATIENCE), Fate::Cut] {
        let intent = fresh("unheard");
        doubtful.next(fate);
        let granted = granted(&doubtful.server.calls(), &intent).await;
        assert_eq!(granted.attempt, 1, "{fate:?}");
        let other = doubtful.site.server(POLICIES).await;
        other.calls().duplicate(&intent).await.in_progress();
        let report = complete(&intent, granted.fencing_token, succeeded("done"));
        other.calls().complete(report).await.expect("a report that is taken");
    }
    assert!(doubtful.server.counts.of(Lwt::Uncertain) >= 3, "nothing was in doubt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_told_that_nobody_knows_asks_again_and_has_the_same_grant() {
    let Some(site) = Site::given().await else { return };
    let (doubtful, intent) = (Doubtful::at(&site).await, fresh("uncertain"));
    let (calls, request) = (doubtful.server.calls(), claim(&intent));
    doubtful.proxy.set(|_| Fate::Unheard);
    let refusal = calls.claim(request.clone()).await.expect_err("nobody knows");
    refusal.is(ErrorReason::StoreUncertain);
    doubtful.proxy.set(|_| Fate::Pass);
    let granted = calls.claim(request.clone()).await.expect("a ruling").granted();
    assert_eq!((granted.attempt, granted.repeated), (1, true));
    let other = site.server(POLICIES).await;
    let elsewhere = other.calls();
    let again = elsewhere.claim(request).await.expect("a ruling").granted();
    assert_eq!((again.fencing_token, again.repeated), (granted.fencing_token, true));
    elsewhere.duplicate(&intent).await.in_progress();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_of_which_nobody_knows_is_sent_again_and_taken_once() {
    let Some(site) = Site::given().await else { return };
    let (doubtful, intent) = (Doubtful::at(&site).await, fresh("report"));
    let calls = doubtful.server.calls();
    let token = granted(&calls, &intent).await.fencing_token;
    let report = complete(&intent, token, succeeded("done"));
    doubtful.proxy.set(|_| Fate::Unheard);
    let refusal = calls.complete(report.clone()).await.expect_err("nobody knows");
    refusal.is(ErrorReason::StoreUncertain);
    doubtful.proxy.set(|_| Fate::Pass);
    calls.complete(report).await.expect("a report that is taken");
    let shown = site.server(POLICIES).await.calls().get(get_whole(&intent)).await;
    let shown = shown.expect("an intent");
    assert_eq!((shown.state(), shown.late_reports.len()), (State::Succeeded, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_arrives_after_its_copy_changes_nothing() {
    let Some(site) = Site::given().await else { return };
    let (doubtful, intent) = (Doubtful::at(&site).await, fresh("overtaken"));
    let (calls, late) = (doubtful.server.calls(), 2 * PATIENCE);
    // Its claim: the copy is granted, and released; another is at it when the claim arrives.
    doubtful.next(Fate::SentLate(late));
    let first = granted(&calls, &intent).await.fencing_token;
    calls.release(release(&intent, first)).await.expect("a release");
    let second = granted(&calls, &intent).await;
    sleep(late).await;
    let standing = calls.duplicate(&intent).await.in_progress();
    assert_eq!((standing.attempt, second.attempt), (2, 2));
    // Its release: the copy frees the intent; another is at it when the release arrives.
    doubtful.next(Fate::SentLate(late));
    calls.release(release(&intent, second.fencing_token)).await.expect("a release");
    let third = granted(&calls, &intent).await;
    sleep(late).await;
    calls.duplicate(&intent).await.in_progress();
    let report = complete(&intent, third.fencing_token, succeeded("done"));
    calls.complete(report).await.expect("a report that is taken");
}

/// Callers at work while conditional writes and their answers are late or lost by chance.
#[expect(clippy::print_stdout, reason = "a figure for whoever reads the run")]
async fn doubtful_load(site: &Site, intents: usize, span: Duration) {
    let chance = Chance::of(chance::seed());
    let proxy = CqlProxy::before(site.contact_points()).await;
    let hasty = site.through(&proxy.contact_points).hasty(HASTE);
    let servers: [Replica; 3] = hasty.servers(load::POLICY).await;
    let (load, fates) = (load::on("doubtful", intents), chance.part(1));
    proxy.set(move |number| fate(&mut fates.part(number)));
    load::during(&load, &servers, 12, &chance.part(2), sleep(span)).await;
    proxy.set(|_| Fate::Pass);
    let uncertain: u64 = servers.iter().map(|server| server.counts.of(Lwt::Uncertain)).sum();
    println!("{} writes were not simply passed, {uncertain} were in doubt", proxy.spoiled());
    assert!(uncertain > 0, "nothing was in doubt in this run");
    // Whoever judges is not hasty.
    load::judge(&load, &[site.server(load::POLICY).await]).await;
    load.has_seen("a second attempt", |told| matches!(told, Told::Granted { attempt: 2.., .. }));
}

fn fate(chance: &mut Chance) -> Fate {
    let late = Duration::from_millis(chance.below(1_500));
    match chance.below(30) {
        0..2 => Fate::Unheard,
        2..4 => Fate::HeardLate(late),
        4..6 => Fate::SentLate(late),
        6 => Fate::Cut,
        _ => Fate::Pass,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_whose_writes_are_late_or_not_heard_of_have_an_order() {
    let Some(site) = Site::given().await else { return };
    doubtful_load(&site, 60, Duration::from_secs(12)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn calls_whose_writes_to_three_nodes_are_late_or_not_heard_of_have_an_order() {
    let nodes = Nodes::up(3).await;
    let site = Site::on(nodes.contact_points()).await;
    for _ in 0..4 {
        doubtful_load(&site, 120, Duration::from_secs(40)).await;
    }
}
