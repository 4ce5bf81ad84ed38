//! Callers at work on several servers while something happens to the cluster.

use std::{sync::Arc, time::Duration};

use onced_tests::harness::{Calls, Replica};
use uuid::Uuid;

use crate::histories::{
    call::{Asked, Told},
    chance::Chance,
    kept,
    load::{self, Load},
};

/// So many intents whose names nobody else uses.
pub(super) fn on(name: &str, intents: usize) -> Arc<Load> {
    Load::on(&format!("{name}-{}", &Uuid::new_v4().simple().to_string()[..8]), intents)
}

/// Callers at work, spread over the servers, for as long as `meanwhile` takes.
pub(super) async fn during<T>(
    load: &Arc<Load>,
    servers: &[Replica],
    callers: u64,
    chance: &Chance,
    meanwhile: impl Future<Output = T>,
) -> T {
    let count = u64::try_from(servers.len()).expect("a count");
    let server = |caller: u64| &servers[usize::try_from(caller % count).expect("an index")];
    let callers = load.callers(callers, |caller| server(caller).calls(), chance);
    let told = meanwhile.await;
    load.stop();
    callers.join_all().await;
    told
}

/// Sends a call as often as a busy store makes it necessary: the same call, as clients do.
pub(super) async fn persist(load: &Load, calls: &Calls, key: usize, asked: Asked) -> Told {
    for _ in 0..20 {
        match load.send(calls, key, asked.clone()).await {
            None => {}
            Some(Told::Refused(reason)) if reason == "STORE_UNAVAILABLE" => {}
            Some(told) => return told,
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("nothing definite is told: {asked:?}");
}

/// What must hold of every run: all that was acknowledged is there, through each server, and the
/// calls have an order.
pub(super) async fn judge(load: &Load, servers: &[Replica]) {
    for server in servers {
        kept::all_that_was_acknowledged(&server.calls(), load).await;
    }
    load.check().unwrap_or_else(|fault| panic!("{fault}"));
}

pub(super) use load::POLICY;
