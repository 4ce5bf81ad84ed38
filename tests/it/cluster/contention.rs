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
async fn contend(site: &Site, intents: usize, each: usize) {
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
    // Each server finds out for itself, perhaps once more for who came when that was told; and
    // one report.
    let most = (2 * SERVERS + 1) * intents;
    assert!(usize::try_from(asked).is_ok_and(|asked| asked <= most), "more than {most}");
}

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
            (key, load.send(&calls, key, Asked::Claim(Uuid::new_v4())).await)
        });
    }
    let mut granted = Vec::new();
    for (key, told) in running.join_all().await {
        match told {
            Some(Told::Granted { token, .. }) => granted.push((key, token)),
            Some(Told::InProgress(0)) => {}
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
            let taken = load.send(&calls[key % SERVERS], key, report).await;
            assert_eq!(taken, Some(Told::Taken));
            for calls in &calls {
                let told = load.send(calls, key, Asked::Claim(Uuid::new_v4())).await;
                assert_eq!(told, Some(Told::Completed { said: said.clone(), disputed: false }));
            }
        });
    }
    running.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_callers_of_three_servers_one_is_granted_each_of_five_hundred_intents() {
    let Some(site) = Site::given().await else { return };
    contend(&site, 500, 20).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_callers_of_one_intent_at_three_servers_one_is_granted() {
    let Some(site) = Site::given().await else { return };
    contend(&site, 5, CALLERS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn of_many_callers_over_three_nodes_one_is_granted_each_of_ten_thousand_intents() {
    let nodes = Nodes::up(3).await;
    let site = Site::on(nodes.contact_points()).await;
    contend(&site, 10_000, 20).await;
    contend(&site, 20, CALLERS).await;
}
