//! The real program, twice, on one cluster: one is stopped in the middle of its work for longer
//! than a lease, or killed, and the other goes on.

use std::time::Duration;

use onced_tests::harness::{Binary, Site, cluster::SLACK};
use tokio::time::{sleep, timeout};

use super::load;
use crate::histories::{
    call::Told,
    chance::{self, Chance},
    kept,
};

/// Longer than the lease, as a cluster holds it: two seconds, and two more.
const STOP: Duration = Duration::from_millis(5_500);
/// Longest time that all callers together may need to see that their server is gone.
const BOUND: Duration = Duration::from_secs(30);

async fn program(site: &Site) -> Binary {
    let (at, keyspace) = (site.contact_points().join(","), &site.options().keyspace);
    let store = format!("cql://{at}/{keyspace}");
    Binary::with(load::POLICY, &["--store", &store, "--store-clock-margin", "1s"]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_stopped_for_longer_than_a_lease_writes_over_nothing() {
    let Some(site) = Site::given().await else { return };
    let (chance, servers) =
        (Chance::of(chance::seed()), [program(&site).await, program(&site).await]);
    let load = load::on("stopped", 40);
    let server = |caller: u64| servers[usize::from(caller.is_multiple_of(2))].calls();
    let callers = load.callers(12, server, &chance);
    for _ in 0..2 {
        sleep(Duration::from_millis(1_500 + chance.part(9).below(500))).await;
        servers[0].stop();
        sleep(STOP).await;
        servers[0].cont();
    }
    sleep(SLACK).await;
    load.stop();
    timeout(BOUND, callers.join_all()).await.expect("callers that end");
    for server in &servers {
        kept::all_that_was_acknowledged(&server.calls(), &load).await;
    }
    load.check().unwrap_or_else(|fault| panic!("{fault}"));
    load.has_seen("a second attempt", |told| matches!(told, Told::Granted { attempt: 2.., .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_by_kills_of_the_only_program() {
    let Some(site) = Site::given().await else { return };
    let chance = Chance::of(chance::seed());
    let mut server = program(&site).await;
    for run in 0..3 {
        let load = load::on("killed", 40);
        for round in 0..3 {
            let mut chance = chance.part(10 * run + round);
            let callers = load.callers(12, |_| server.calls(), &chance);
            sleep(Duration::from_millis(200 + chance.below(800))).await;
            server.kill9();
            load.stop();
            timeout(BOUND, callers.join_all()).await.expect("callers who see that it is gone");
            server.restart().await;
            kept::all_that_was_acknowledged(&server.calls(), &load).await;
        }
        load.check().unwrap_or_else(|fault| panic!("run {run}: {fault}"));
    }
}
