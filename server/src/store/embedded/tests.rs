//! The embedded engine: the contract, and its own: files, kills, full disks, failed commits.

use std::{fs, path::Path, sync::Arc, time::Duration};

use tempfile::TempDir;

use super::*;
use crate::{
    clock::ManualClock,
    record::Record,
    store::{
        BoxFuture, Expiry, Lease, LeaseExpected, ResultWrite,
        conformance::{self, Passage, Subject, sample},
    },
};

mod commit;
mod full_disk;
mod kill;
mod names;
mod opening;
mod rows;
mod sweeping;

const NOON: Timestamp = Timestamp(1_800_000_000_000_000);
const HOUR: Duration = Duration::from_secs(3_600);

/// An engine in a folder of its own, with a clock moved by hand.
struct Bench {
    engine: Embedded,
    clock: Arc<ManualClock>,
    folder: TempDir,
}

impl Bench {
    /// Sweeps never, unless told otherwise.
    fn new() -> Self {
        Self::with(|options| options)
    }

    fn with(change: impl FnOnce(Options) -> Options) -> Self {
        let folder = TempDir::new().unwrap();
        let clock = Arc::new(ManualClock::at(NOON));
        let engine = Embedded::open(&change(options(folder.path(), &clock))).unwrap();
        Self { engine, clock, folder }
    }

    /// The same folder, opened again an hour later, after the engine was closed.
    fn reopened(self) -> Self {
        let Self { engine, clock, folder } = self;
        drop(engine);
        clock.advance(HOUR);
        let engine = Embedded::open(&options(folder.path(), &clock)).unwrap();
        Self { engine, clock, folder }
    }

    /// What another process finds an hour later, if this one is killed now.
    fn after_a_kill(&self) -> Self {
        let folder = TempDir::new().unwrap();
        for file in ["onced.sqlite", "onced.sqlite-wal"] {
            fs::copy(self.folder.path().join(file), folder.path().join(file)).unwrap();
        }
        let clock = Arc::new(ManualClock::at(self.clock.now().after(HOUR)));
        let engine = Embedded::open(&options(folder.path(), &clock)).unwrap();
        Self { engine, clock, folder }
    }

    /// Grants the key with a lease of so many seconds.
    async fn claim(&self, key: &str, lease: u32) -> Record {
        let write = self.claim_of(key, lease);
        assert_eq!(self.engine.compare_and_set(&intent(key), &write).await, Ok(Set::Applied));
        write.record
    }

    fn claim_of(&self, key: &str, lease: u32) -> Write {
        sample::claim(sample::record(&intent(key), self.clock.now()), lease)
    }

    async fn load(&self, key: &str) -> Option<Stored> {
        self.engine.load(&intent(key), Look::Fresh).await.unwrap()
    }

    async fn is_live(&self, key: &str) -> bool {
        self.load(key).await.unwrap().lease.is_live()
    }

    fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// A connection that the engine knows nothing of.
    fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.folder.path().join("onced.sqlite")).unwrap()
    }
}

fn intent(key: &str) -> IntentId {
    sample::intent("payments", "charge", key)
}

fn options(folder: &Path, clock: &Arc<ManualClock>) -> Options {
    Options {
        clock: Some(Arc::clone(clock) as Arc<dyn Clock>),
        reserve_bytes: 1 << 16,
        sweep_interval: HOUR,
        ..Options::at(folder)
    }
}

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

fn subject(sweep_interval: Duration, names_kept: usize) -> Subject {
    let Bench { engine, clock, folder } =
        Bench::with(|options| Options { sweep_interval, names_kept, ..options });
    let store: Arc<dyn Store> = Arc::new(engine);
    let replica = Arc::clone(&store);
    Subject { store, replica, passage: Arc::new(ByHand { clock, _folder: folder }) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_keeps_the_contract_while_nothing_is_swept() {
    assert_eq!(conformance::run(|| async { subject(HOUR, usize::MAX) }).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_engine_keeps_the_contract_while_it_sweeps_and_merges_all_the_time() {
    assert_eq!(conformance::run(|| async { subject(Duration::ZERO, 3) }).await, []);
}
