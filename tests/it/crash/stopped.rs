//! The server is stopped between deciding and writing, for longer than the lease: no grant is acted
//! upon that is over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use onced_tests::harness::{Binary, Calls};
use tokio::{task::JoinSet, time::sleep};
use uuid::Uuid;

use crate::histories::{
    call::{Asked, Moment, Told},
    chance::{self, Chance},
    load::{self, Load},
};

/// Longer than the lease of two seconds.
const STOP: Duration = Duration::from_millis(2_600);

/// Claims one intent; as soon as that is answered, somebody else asks, and takes it over if she
/// may.
async fn claim_and_take_over(load: &Load, calls: &Calls, key: usize) -> (Moment, Option<Moment>) {
    let told = load.send(calls, key, Asked::Claim(Uuid::new_v4())).await;
    let answered = load.now();
    load.send(calls, key, Asked::Reclaim(Uuid::new_v4())).await;
    let until = match told {
        Some(Told::Granted { until, .. }) => Some(until),
        Some(Told::Unknown(_) | Told::InProgress(1..)) => None,
        // The connection broke: nothing was promised, and nothing that was over.
        None => Some(Moment::MAX),
        other => panic!("neither granted nor over: {other:?}"),
    };
    (answered, until)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_stopped_for_longer_than_a_lease_promises_nothing_that_is_over() {
    let server = Binary::with(load::POLICY, &[]).await;
    let mut chance = Chance::of(chance::seed());
    for round in 0..3 {
        let load = Load::on(&format!("stop-{round}"), 400);
        let answered = Arc::new(AtomicU64::new(0));
        let mut claims = JoinSet::new();
        for key in load.keys() {
            let (load, calls, answered) = (load.clone(), server.calls(), answered.clone());
            claims.spawn(async move {
                let answers = claim_and_take_over(&load, &calls, key).await;
                answered.fetch_add(1, Ordering::SeqCst);
                answers
            });
        }
        // In the middle of it, on a fast server and on a slow one.
        let some = chance.below(50) + 1;
        while answered.load(Ordering::SeqCst) < some {
            sleep(Duration::from_millis(1)).await;
        }
        server.stop();
        let stopped = load.now();
        sleep(STOP).await;
        let resumed = load.now();
        server.cont();
        let answers = claims.join_all().await;
        // What is over at its arrival is not acted upon; what is not was held by nobody else until
        // then.
        load.check().unwrap_or_else(|fault| panic!("round {round}: {fault}"));
        let held_up = answers.iter().filter(|(answered, _)| *answered > resumed).count();
        assert!(held_up > 0, "nothing was under way at the stop: {stopped}");
        let over = answers.iter().filter(|(at, until)| until.is_none_or(|until| until <= *at));
        assert!(over.count() > 0, "no promise was over when it arrived");
    }
}
