//! Nodes of three stop and die under load: while a majority is there calls go on, and what was
//! acknowledged is there afterwards.

use std::{sync::Arc, time::Duration};

use onced::store::cql::Lwt;
use onced_tests::harness::{Nodes, Replica, Site};
use tokio::time::{Instant, sleep};

use super::load;
use crate::histories::{
    call::Told,
    chance::{self, Chance},
    load::Load,
};

/// Intents of one run.
const INTENTS: usize = 90;

struct Three {
    nodes: Nodes,
    servers: [Replica; 3],
    chance: Chance,
}

impl Three {
    async fn up() -> Self {
        let nodes = Nodes::up(3).await;
        let site = Site::on(nodes.contact_points()).await;
        let servers = site.servers(load::POLICY).await;
        Self { nodes, servers, chance: Chance::of(chance::seed()) }
    }

    fn one(&self, round: u64) -> usize {
        1 + usize::try_from(self.chance.part(round).below(3)).expect("a node")
    }

    fn uncertain(&self) -> u64 {
        self.servers.iter().map(|server| server.counts.of(Lwt::Uncertain)).sum()
    }
}

fn grants(load: &Load) -> usize {
    let calls = load.keys().flat_map(|key| load.seen(key));
    calls.filter(|call| matches!(call.told, Some(Told::Granted { repeated: false, .. }))).count()
}

/// More grants than so many come within a minute.
async fn goes_on(load: &Arc<Load>) {
    let (before, end) = (grants(load), Instant::now() + Duration::from_secs(60));
    while grants(load) < before + 10 {
        assert!(Instant::now() < end, "nothing is granted any more");
        sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn while_a_majority_of_nodes_is_stopped_nothing_is_granted_twice_and_nothing_is_lost() {
    let three = Three::up().await;
    for round in 0..4 {
        let load = load::on("stopped", INTENTS);
        let spared = three.one(round);
        let stop = async {
            sleep(Duration::from_secs(3)).await;
            let stopped = three.nodes.all().filter(|node| *node != spared);
            stopped.clone().for_each(|node| three.nodes.stop(node));
            sleep(Duration::from_secs(5)).await;
            stopped.for_each(|node| three.nodes.cont(node));
            goes_on(&load).await;
        };
        load::during(&load, &three.servers, 12, &three.chance.part(round), stop).await;
        load::judge(&load, &three.servers).await;
    }
    assert!(three.uncertain() > 0, "nothing was in doubt in this run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn while_a_node_is_killed_and_started_again_calls_go_on_and_nothing_is_lost() {
    let three = Three::up().await;
    for round in 0..3 {
        let load = load::on("killed", INTENTS);
        let killed = three.one(round);
        let kill = async {
            sleep(Duration::from_secs(3)).await;
            three.nodes.kill9(killed);
            goes_on(&load).await;
            three.nodes.restart(killed).await;
            goes_on(&load).await;
        };
        load::during(&load, &three.servers, 12, &three.chance.part(round), kill).await;
        load::judge(&load, &three.servers).await;
    }
}
