//! Two hundred callers over three servers with a session each: every intent is granted once,
//! whatever the store's work, and that is bounded by the servers, not by the callers.

use std::{ops::Range, sync::Arc};

use onced_tests::harness::{Calls, Nodes, Replica, Site, in_process::POLICIES};
use tokio::{sync::Barrier, task::JoinSet};
use uuid::Uuid;

use super::load;
use crate::histories::{
    call::{Asked, Said, Told},
    load::Load,
};

const SERVERS: usize = 3;
/// Callers at one time.
const CALLERS: usize = 200;

/// So many intents, each claimed by `each` callers at once, reported once, and asked for again.
#[expect(clippy::print_stdout, reason = "a figure for whoever reads the run")]
async fn contend(site: &Site, intents: usize, each: usize) -> u64 {
    let servers: [Replica; SERVERS] = site.servers(POLICIES).await;
    let load = load::on("contended", intents);
    let at_once = CALLERS / each;
    for first in (0..intents).step_by(at_once) {
        let keys = first..(first + at_once).min(intents);
        let granted = claimed_at_once(&load, &servers, keys, each).await;
        report(&load, &servers, granted).await;
    }
    let asked: u64 = servers.iter().map(|server| server.counts.all()).sum();
    println!("{asked} conditional statements for {intents} intents of {each} callers each");
    load.check().unwrap_or_else(|fault| panic!("{fault}"));
    asked / u64::try_from(intents).expect("a count")
}

/// Each server finds out for itself, and again for those who came when that was under way; then
/// there is a report and who hears of it. The number of callers does not come into it.
const EACH_INTENT: u64 = 24;

/// The tokens, by key: one each.
async fn claimed_at_once(
    load: &Arc<Load>,
    servers: &[Replica],
    keys: Range<usize>,
    each: usize,
) -> Vec<(usize, i64)> {
    let (start, mut running) = (Arc::new(Barrier::new(keys.len() * each)), JoinSet::new());
    for (key, caller) in keys.clone().flat_map(|key| (0..each).map(move |caller| (key, caller))) {
        let (calls, load) = (servers[caller % SERVERS].calls(), load.clone());
        let start = start.clone();
        running.spawn(async move {
            start.wait().await;
            (key, load::persist(&load, &calls, key, Asked::Claim(Uuid::new_v4())).await)
        });
    }
    let mut granted = Vec::new();
    for (key, told) in running.join_all().await {
        match told {
            Told::Granted { token, .. } => granted.push((key, token)),
            Told::InProgress(0) => {}
            other => panic!("{other:?}"),
        }
    }
    granted.sort_unstable();
    assert!(granted.iter().map(|(key, _)| *key).eq(keys), "one grant each: {granted:?}");
    granted
}

/// By any server; afterwards each tells of it.
async fn report(load: &Arc<Load>, servers: &[Replica], granted: Vec<(usize, i64)>) {
    let calls: Vec<Calls> = servers.iter().map(Replica::calls).collect();
    let mut running = JoinSet::new();
    for (key, token) in granted {
        let (load, calls) = (load.clone(), calls.clone());
        running.spawn(async move {
            let said = Said::Succeeded(format!("done under {token}").into());
            let report = Asked::Complete(token, said.clone());
            let taken = load::persist(&load, &calls[key % SERVERS], key, report).await;
            assert_eq!(taken, Told::Taken);
            for calls in &calls {
                let claim = Asked::Claim(Uuid::new_v4());
                let told = load::persist(&load, calls, key, claim).await;
                assert_eq!(told, Told::Completed { said: said.clone(), disputed: false });
            }
        });
    }
    running.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_callers_of_three_servers_one_is_granted_each_of_five_hundred_intents() {
    let Some(site) = Site::given().await else { return };
    assert!(contend(&site, 500, 20).await <= EACH_INTENT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_callers_of_one_intent_at_three_servers_one_is_granted() {
    let Some(site) = Site::given().await else { return };
    assert!(contend(&site, 5, CALLERS).await <= EACH_INTENT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn of_many_callers_over_three_nodes_one_is_granted_each_of_ten_thousand_intents() {
    let nodes = Nodes::up(3).await;
    let site = Site::on(nodes.contact_points()).await;
    assert!(contend(&site, 10_000, 20).await <= EACH_INTENT);
    assert!(contend(&site, 20, CALLERS).await <= EACH_INTENT);
}
