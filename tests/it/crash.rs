//! The real server killed at any instant, and stopped for longer than a lease: nothing that was
//! acknowledged is lost, nothing is granted twice at once, nothing hangs, and nothing stays held.

use std::{sync::Arc, time::Duration};

use onced_tests::harness::Binary;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use uuid::Uuid;

use crate::histories::{
    call::{Asked, Told},
    chance::{self, Chance},
    kept,
    load::{self, Load},
};

mod stopped;

/// A lease, counted from readiness, and what a slow machine may need beside it.
const LEASE_AND_MARGIN: Duration = Duration::from_secs(3);
/// Longest time that all callers together may need to see that their server is gone.
const BOUND: Duration = Duration::from_secs(30);
/// Rounds over the same intents.
const ROUNDS_EACH: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_by_thirty_kills_at_any_instant() {
    kills(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: part of `make prove`"]
async fn nothing_acknowledged_is_lost_by_three_hundred_kills_at_any_instant() {
    kills(30).await;
}

/// So many times: ten kills over the same intents, and a look at what is left of them.
async fn kills(runs: u64) {
    let chance = Chance::of(chance::seed());
    let mut server = Binary::with(load::POLICY, &["--disk-reserve", "1MiB"]).await;
    for run in 0..runs {
        let load = Load::on(&format!("run-{run}"), 40);
        for round in 0..ROUNDS_EACH {
            kill(&mut server, &load, chance.part(run * ROUNDS_EACH + round)).await;
            kept::all_that_was_acknowledged(&server.calls(), &load).await;
        }
        sleep_until(Instant::now() + LEASE_AND_MARGIN).await;
        holds_nothing(&server, &load).await;
        load.check().unwrap_or_else(|fault| panic!("run {run}: {fault}"));
    }
}

/// One kill under load, and the start after it.
async fn kill(server: &mut Binary, load: &Arc<Load>, mut chance: Chance) {
    let callers = load.callers(16, |_| server.calls(), &chance);
    sleep(Duration::from_micros(chance.below(500_000))).await;
    server.kill9();
    let killed = load.now();
    load.stop();
    timeout(BOUND, callers.join_all()).await.expect("callers who see in time that it is gone");
    load.killed(killed);
    server.restart().await;
}

/// A lease after readiness nothing is in progress any more, unless it is granted now.
async fn holds_nothing(server: &Binary, load: &Load) {
    let calls = server.calls();
    for key in load.keys() {
        let told = load.send(&calls, key, Asked::Claim(Uuid::new_v4())).await;
        let told = told.expect("an answer");
        assert!(!matches!(told, Told::InProgress(_)), "{told:?}: {:#?}", load.seen(key));
    }
}
