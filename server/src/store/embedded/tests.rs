//! The embedded engine: the contract, and what a process that is killed leaves behind.

use std::{sync::Arc, time::Duration};

use tempfile::TempDir;

use super::*;
use crate::{
    clock::ManualClock,
    store::BoxFuture,
    store::conformance::{self, Passage, Subject},
};

struct ByHand {
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl Passage for ByHand {
    fn pass(&self, seconds: u32) -> BoxFuture<'_, ()> {
        self.clock.advance(Duration::from_secs(seconds.into()));
        Box::pin(async {})
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn slack_seconds(&self) -> u32 {
        0
    }
}

const NOON: Timestamp = Timestamp(1_800_000_000_000_000);

#[expect(clippy::unused_async, reason = "the suite wants a future")]
async fn subject(sweep_interval: Duration) -> Subject {
    let folder = TempDir::new().unwrap();
    let clock = Arc::new(ManualClock::at(NOON));
    let options = Options {
        clock: Some(Arc::clone(&clock) as Arc<dyn Clock>),
        reserve_bytes: 1 << 16,
        sweep_interval,
        ..Options::at(folder.path())
    };
    let store: Arc<dyn Store> = Arc::new(Embedded::open(&options).unwrap());
    let replica = Arc::clone(&store);
    Subject { store, replica, passage: Arc::new(ByHand { clock, _folder: folder }) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_keeps_the_contract_while_nothing_is_swept() {
    assert_eq!(conformance::run(|| subject(Duration::from_secs(3_600))).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_keeps_the_contract_while_it_sweeps_all_the_time() {
    assert_eq!(conformance::run(|| subject(Duration::ZERO)).await, []);
}
