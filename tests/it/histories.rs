//! Histories of concurrent callers, checked for an order in which a sequential intent would have
//! answered the same.
//!
//! The proof is proved: histories that are made wrong on purpose are refused, and so are those of
//! broken stores.

use std::{sync::Arc, time::Duration};

use onced::store::Store;
use onced_tests::{
    broken::{
        self, Flaw,
        look::FreshFromCache,
        write::{AnsweredBeforeCommit, CheckThenAct, RevisionIgnored},
    },
    harness::{Binary, InProcess, Setup},
};

use self::{
    call::{Said, Told},
    chance::Chance,
    load::Load,
};

pub(crate) mod call;
mod caught;
pub(crate) mod chance;
pub(crate) mod kept;
pub(crate) mod load;
mod search;
mod sequential;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_calls_to_a_server_have_an_order() {
    let server = Binary::with(load::POLICY, &[]).await;
    let (load, chance) = (Load::on("clean", 40), Chance::of(chance::seed()));
    let callers = load.callers(16, |_| server.calls(), &chance);
    // Longer than three leases, so that some are seen over, and their holders heard of late.
    tokio::time::sleep(Duration::from_secs(7)).await;
    load.stop();
    callers.join_all().await;
    load.check().unwrap_or_else(|fault| panic!("{fault}"));
    // A run in which nothing happens proves nothing.
    load.has_seen("a third attempt", |told| matches!(told, Told::Granted { attempt: 3.., .. }));
    load.has_seen("a lease over", |told| matches!(told, Told::Unknown(0)));
    load.has_seen("a running attempt", |told| matches!(told, Told::InProgress(0)));
    load.has_seen("a failure", |told| {
        matches!(told, Told::Completed { said: Said::Failed(_), .. })
    });
    load.has_seen("a fence", |told| *told == Told::Refused("FENCED".to_owned()));
}

/// A run over two servers with a store each that has this flaw.
async fn run_over<F: Flaw>(name: &str, flaw: fn() -> F) -> Result<(), String> {
    let wrap = move |store: Arc<dyn Store>| broken::over(store, flaw());
    let policies = load::POLICY.to_owned();
    let setup = Setup { wrap: Some(Arc::new(wrap)), policies, ..Setup::default() };
    let first = InProcess::with(setup).await;
    let servers = [first.replica().await, first];
    let (load, chance) = (Load::on(name, 2), Chance::of(chance::seed()));
    let server = |caller: u64| servers[usize::from(caller.is_multiple_of(2))].calls();
    let callers = load.callers(6, server, &chance);
    tokio::time::sleep(Duration::from_millis(400)).await;
    load.stop();
    callers.join_all().await;
    load.check()
}

/// Runs until the flaw is found.
async fn is_found<F: Flaw>(flaw: fn() -> F) {
    for round in 0..20 {
        if run_over(&format!("round-{round}"), flaw).await.is_err() {
            return;
        }
    }
    panic!("the checker takes a broken store for whole");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_calls_to_two_servers_over_one_store_have_an_order() {
    for round in 0..3 {
        let run = run_over(&format!("round-{round}"), || broken::None).await;
        run.unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_looks_and_then_writes_is_found() {
    is_found(|| CheckThenAct).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_ignores_the_revision_is_found() {
    is_found(|| RevisionIgnored).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_answers_fresh_looks_from_a_cache_is_found() {
    is_found(FreshFromCache::default).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_answers_before_it_commits_is_found() {
    is_found(|| AnsweredBeforeCommit).await;
}
