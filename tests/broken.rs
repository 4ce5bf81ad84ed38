//! Stores that are broken on purpose, each by a fault that people really write.
//!
//! Each wraps a whole engine and spoils one thing. A suite that passes one is broken itself.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use onced::{
    clock::{Clock, ManualClock, SystemClock, Timestamp},
    intent::IntentId,
    record::Revision,
    store::{
        Answer, BoxFuture, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store,
        Stored, Trouble, Write,
        conformance::{Passage, Subject},
        embedded::{Embedded, Options},
    },
};
use tempfile::TempDir;

use crate::harness::{cluster, engine::Engine};

pub mod lease;
pub mod listing;
pub mod look;
pub mod memory;
pub mod replicated;
pub mod result;
pub mod retention;
pub mod scan;
pub mod write;

/// What a broken store does otherwise than the engine under it. What it leaves out is whole.
pub trait Flaw: Send + Sync + 'static {
    /// See [`Store::load`].
    fn load<'a>(
        &'a self,
        whole: &'a dyn Store,
        intent: &'a IntentId,
        look: Look,
    ) -> Answer<'a, Option<Stored>> {
        whole.load(intent, look)
    }

    /// The intent as it is stored.
    fn renamed(&self, intent: &IntentId) -> IntentId {
        intent.clone()
    }

    /// The write as it is applied.
    fn spoiled(&self, write: &Write) -> Write {
        write.clone()
    }

    /// See [`Store::compare_and_set`].
    fn compare_and_set<'a>(
        &'a self,
        whole: &'a Arc<dyn Store>,
        intent: &'a IntentId,
        write: &'a Write,
    ) -> Answer<'a, Set> {
        Box::pin(
            async move { whole.compare_and_set(&self.renamed(intent), &self.spoiled(write)).await },
        )
    }

    /// See [`Store::unreconciled`].
    fn unreconciled<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        whole.unreconciled(scope, page)
    }

    /// See [`Store::late_reports`].
    fn late_reports<'a>(
        &'a self,
        whole: &'a dyn Store,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        whole.late_reports(scope, since, page)
    }

    /// See [`Store::find`].
    fn find<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        by: &'a Find,
    ) -> Answer<'a, Vec<(IntentId, Stored)>> {
        whole.find(namespace, by)
    }

    /// See [`Store::any_unsettled`].
    fn any_unsettled<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
    ) -> Answer<'a, bool> {
        whole.any_unsettled(namespace, operation)
    }

    /// See [`Store::scan`].
    fn scan<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: Option<&'a str>,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        whole.scan(namespace, page)
    }

    /// See [`Store::memories`].
    fn memories<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: Option<&'a str>,
    ) -> Answer<'a, Vec<Remembered>> {
        whole.memories(namespace)
    }

    /// See [`Store::set_memory`].
    fn set_memory<'a>(
        &'a self,
        whole: &'a dyn Store,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        whole.set_memory(namespace, operation, expected, memory)
    }

    /// See [`Store::is_shared`].
    fn is_shared(&self, whole: &dyn Store) -> bool {
        whole.is_shared()
    }

    /// See [`Store::trouble`].
    fn trouble(&self, whole: &dyn Store) -> Option<Trouble> {
        whole.trouble()
    }
}

/// An engine with a flaw.
struct Broken<F> {
    whole: Arc<dyn Store>,
    flaw: F,
}

impl<F: Flaw> Store for Broken<F> {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let intent = self.flaw.renamed(intent);
            self.flaw.load(&*self.whole, &intent, look).await
        })
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        self.flaw.compare_and_set(&self.whole, intent, write)
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        self.flaw.unreconciled(&*self.whole, scope, page)
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        self.flaw.late_reports(&*self.whole, scope, since, page)
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        self.flaw.find(&*self.whole, namespace, by)
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        self.flaw.any_unsettled(&*self.whole, namespace, operation)
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        self.whole.memory(namespace, operation)
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        self.flaw.set_memory(&*self.whole, namespace, operation, expected, memory)
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        self.flaw.scan(&*self.whole, namespace, page)
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        self.flaw.memories(&*self.whole, namespace)
    }

    fn clock_bound(&self) -> Duration {
        self.whole.clock_bound()
    }

    fn is_shared(&self) -> bool {
        self.flaw.is_shared(&*self.whole)
    }

    fn trouble(&self) -> Option<Trouble> {
        self.flaw.trouble(&*self.whole)
    }
}

/// A whole store, spoiled by a flaw.
pub fn over<F: Flaw>(whole: Arc<dyn Store>, flaw: F) -> Arc<dyn Store> {
    Arc::new(Broken { whole, flaw })
}

/// An engine without a flaw: what the suite must pass.
pub struct None;

impl Flaw for None {}

/// Two processes with this flaw over one engine, whose clock is moved by hand.
pub async fn subject<F: Flaw>(flaw: impl Fn() -> F) -> Subject {
    let (store, replica, passage): (_, _, Arc<dyn Passage>) = match Engine::chosen() {
        Engine::Embedded => {
            let (whole, passage) = engine();
            (whole.clone(), whole, passage)
        }
        Engine::Cluster => {
            let clock = || Arc::new(SystemClock::not_before(Timestamp(0)));
            (
                cluster::open(clock()).await,
                cluster::open(clock()).await,
                Arc::new(ByWaiting(clock())),
            )
        }
    };
    Subject { store: over(store, flaw()), replica: over(replica, flaw()), passage }
}

/// A clock that nobody can move.
struct ByWaiting(Arc<SystemClock>);

impl Passage for ByWaiting {
    fn pass(&self, seconds: u32) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(Duration::from_secs(seconds.into())))
    }

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn slack_seconds(&self) -> u32 {
        u32::try_from(cluster::SLACK.as_secs()).unwrap_or(u32::MAX)
    }
}

fn engine() -> (Arc<dyn Store>, Arc<ByHand>) {
    let folder = TempDir::new().expect("a temporary folder");
    // In the middle of 2026, so that there is a past to speak of.
    let clock = Arc::new(ManualClock::at(Timestamp(1_780_000_000_000_000)));
    let options = Options {
        clock: Some(Arc::clone(&clock) as Arc<dyn Clock>),
        reserve_bytes: 0,
        // What has expired is to be there still.
        sweep_interval: Duration::from_secs(3_600),
        ..Options::at(folder.path())
    };
    let engine = Embedded::open(&options).expect("a new engine");
    (Arc::new(engine), Arc::new(ByHand { clock, _folder: folder }))
}

/// A clock moved by hand.
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

/// What a flaw remembers between calls.
fn locked<T>(remembered: &Mutex<T>) -> MutexGuard<'_, T> {
    remembered.lock().unwrap_or_else(PoisonError::into_inner)
}
