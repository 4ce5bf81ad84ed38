//! A store that is measured: how often, how long, and what came of conditional writes.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::Metrics;
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Revision,
    store::{
        Answer, Error, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored,
        Trouble, Write,
    },
};

/// A store, measured.
pub struct Measured<S> {
    store: S,
    metrics: Arc<Metrics>,
    counts_itself: bool,
}

impl<S> Measured<S> {
    /// Measures `store`.
    pub fn new(store: S, metrics: Arc<Metrics>) -> Self {
        Self { store, metrics, counts_itself: false }
    }

    /// Measures a `store` that counts its conditional writes itself.
    pub fn counted_within(store: S, metrics: Arc<Metrics>) -> Self {
        Self { store, metrics, counts_itself: true }
    }

    fn count(&self, kind: &'static str) {
        if !self.counts_itself {
            self.metrics.store_wrote(kind);
        }
    }
}

impl<S: Store> Measured<S> {
    async fn timed<T>(&self, call: &'static str, answer: impl Future<Output = T>) -> T {
        let begun = Instant::now();
        let answer = answer.await;
        self.metrics.store_called(call, begun.elapsed());
        answer
    }

    /// On a shared store a fresh look is a round of consensus, as a conditional write is.
    async fn load(&self, intent: &IntentId, look: Look) -> Result<Option<Stored>, Error> {
        if look == Look::Fresh && self.store.is_shared() {
            self.count("read");
        }
        self.timed("load", self.store.load(intent, look)).await
    }

    async fn write(&self, intent: &IntentId, write: &Write) -> Result<Set, Error> {
        let set = self.timed("compare_and_set", self.store.compare_and_set(intent, write)).await;
        self.count(kind(&set));
        set
    }
}

fn kind(set: &Result<Set, Error>) -> &'static str {
    match set {
        Ok(Set::Applied) => "applied",
        Ok(Set::Lost(_)) => "lost",
        Err(Error::Uncertain(_)) => "uncertain",
        Err(_) => "failed",
    }
}

impl<S: Store> Store for Measured<S> {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(self.load(intent, look))
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        Box::pin(self.write(intent, write))
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(self.timed("unreconciled", self.store.unreconciled(scope, page)))
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(self.timed("late_reports", self.store.late_reports(scope, since, page)))
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(self.timed("find", self.store.find(namespace, by)))
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        Box::pin(self.timed("any_unsettled", self.store.any_unsettled(namespace, operation)))
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        Box::pin(self.timed("memory", self.store.memory(namespace, operation)))
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        let set = self.store.set_memory(namespace, operation, expected, memory);
        Box::pin(self.timed("set_memory", set))
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(self.timed("scan", self.store.scan(namespace, page)))
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        Box::pin(self.timed("memories", self.store.memories(namespace)))
    }

    fn clock_bound(&self) -> Duration {
        self.store.clock_bound()
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn trouble(&self) -> Option<Trouble> {
        self.store.trouble()
    }
}
