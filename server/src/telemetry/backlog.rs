//! What is open: looked at every few seconds, a bounded part at a time, and told as gauges.
//!
//! Reads only, beside the writer. A figure is of the last look that came to its end; no scrape
//! looks at the store.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{Metrics, Scope, leases};
use crate::{
    clock::{Clock, Timestamp},
    gap,
    intent::IntentId,
    policy::Policies,
    record::{Outcome, ResultKind, Standing, codec},
    ruling::standing,
    store::{self, Error, Page, Store, Stored},
};

/// How often it is looked.
const EVERY: Duration = Duration::from_secs(5);
/// How much of one operation is read each time; the next time goes on from there.
const PART: Part = Part { page: 500, pages_max: 10 };
/// How many looks it takes until the memories of a shared store are read again.
const MEMORIES_EVERY: u32 = 12;
/// Longest time for one page.
const PATIENCE: Duration = Duration::from_secs(2);

/// Looks at what is open.
pub struct Backlog {
    store: Arc<dyn Store>,
    policies: Arc<Policies>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    looks: BTreeMap<Scope, Look>,
    part: Part,
    /// Looks until the memories are read again.
    memories_in: u32,
    had_gap: bool,
}

/// A bounded part of a look.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Records of one page.
    page: usize,
    /// How many pages.
    pages_max: usize,
}

/// One look through an operation, and what the last one found.
#[derive(Debug, Default)]
struct Look {
    cursor: Vec<u8>,
    open: Open,
    last: Option<Open>,
}

/// What is open of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// Intents with a live lease.
    pub(super) in_progress: u64,
    /// Intents of which nobody knows the outcome.
    pub(super) unresolved: u64,
    /// Since when that has been so of one of them.
    pub(super) unresolved_since: Option<Timestamp>,
    /// First claim of the oldest intent that does not expire and is not in progress.
    pub(super) unreconciled_since: Option<Timestamp>,
    /// Size of all records, and of their results.
    pub(super) bytes: u64,
}

impl Backlog {
    /// Of the operations that have a policy.
    pub fn new(
        store: Arc<dyn Store>,
        policies: Arc<Policies>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let (looks, part) = (BTreeMap::new(), PART);
        let (memories_in, had_gap) = (0, false);
        Self { store, policies, clock, metrics, looks, part, memories_in, had_gap }
    }

    /// Looks again and again.
    pub async fn watch(mut self) {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(cause) = self.look().await {
                tracing::warn!(%cause, "what is open could not be looked at; its gauges are old");
            }
        }
    }

    /// Looks a part further through each operation.
    pub async fn look(&mut self) -> Result<(), Error> {
        let scopes = self.scopes();
        self.forget_all_but(&scopes);
        let mut done = self.look_for_gaps(&scopes).await;
        let now = self.clock.now();
        self.metrics.keys_looked(now);
        for scope in scopes {
            let look = self.looks.entry(scope.clone()).or_default();
            if done.is_ok() {
                done = look.go_on(self.part, &*self.store, &scope, &self.metrics, now).await;
            }
            // Ages rise, whether the store answers or not.
            if let Some(open) = &look.last {
                self.metrics.looked(&scope, open, self.clock.now());
            }
        }
        done
    }

    /// A gap is told for every operation that has a policy, used since the restore or not.
    async fn look_for_gaps(&mut self, scopes: &[Scope]) -> Result<(), Error> {
        if let Some(left) = self.memories_in.checked_sub(1) {
            self.memories_in = left;
            return Ok(());
        }
        let memories = timeout(PATIENCE, self.store.memories(None)).await;
        let memories = memories.map_err(|_| slow())??;
        self.memories_in = if self.store.is_shared() { MEMORIES_EVERY - 1 } else { 0 };
        let mut open = Vec::new();
        for scope in scopes {
            let (namespace, operation) = scope.names();
            let has_gap = gap::is_open(&memories, namespace, operation);
            self.metrics.remembered(scope, has_gap);
            open.extend(has_gap.then(|| format!("{namespace}/{operation}")));
        }
        if !open.is_empty() && !self.had_gap {
            let operations = open.join(", ");
            tracing::warn!(operations, "a memory gap is open: see `onced memory show`");
        }
        self.had_gap = !open.is_empty();
        Ok(())
    }

    fn scopes(&self) -> Vec<Scope> {
        let policies = self.policies.current();
        policies.iter().map(|(namespace, operation, _)| Scope::of(namespace, operation)).collect()
    }

    fn forget_all_but(&mut self, scopes: &[Scope]) {
        let metrics = &self.metrics;
        self.looks.retain(|scope, _| {
            let stays = scopes.contains(scope);
            if !stays {
                metrics.forget(scope);
            }
            stays
        });
    }
}

impl Look {
    async fn go_on(
        &mut self,
        part: Part,
        store: &dyn Store,
        scope: &Scope,
        metrics: &Metrics,
        now: Timestamp,
    ) -> Result<(), Error> {
        for _ in 0..part.pages_max {
            let listing = self.page(part.page, store, scope).await?;
            for (intent, stored) in &listing.found {
                self.open.add(stored);
                self.note_leases(scope, intent, stored, metrics, now);
            }
            let Some(cursor) = listing.next else {
                self.end(scope, metrics);
                break;
            };
            self.cursor = cursor;
        }
        Ok(())
    }

    async fn page(
        &self,
        size: usize,
        store: &dyn Store,
        scope: &Scope,
    ) -> Result<store::Listing, Error> {
        let (namespace, operation) = scope.names();
        let (namespace, operation) = (namespace.to_owned(), Some(operation.to_owned()));
        let page = Page { cursor: self.cursor.clone(), size };
        timeout(PATIENCE, store.unreconciled(&store::Scope { namespace, operation }, &page))
            .await
            .map_err(|_| slow())?
    }

    /// What had ended before the first look is no news.
    fn note_leases(
        &self,
        scope: &Scope,
        intent: &IntentId,
        stored: &Stored,
        metrics: &Metrics,
        now: Timestamp,
    ) {
        let ended = leases::ended(stored);
        if self.last.is_some() {
            metrics.count_leases(scope, intent, ended, now);
        } else {
            ended.for_each(|token| {
                metrics.leases().is_new(scope, intent, token);
            });
        }
    }

    fn end(&mut self, scope: &Scope, metrics: &Metrics) {
        self.cursor.clear();
        self.last = Some(std::mem::take(&mut self.open));
        metrics.leases().turn(scope);
    }
}

impl Open {
    fn add(&mut self, stored: &Stored) {
        let record = &stored.record;
        self.bytes += codec::encode(record).len() as u64 + result_bytes(stored);
        match standing(stored) {
            Standing::Live => {
                self.in_progress += 1;
                return;
            }
            Standing::Over | Standing::Unknown => {
                self.unresolved += 1;
                older(&mut self.unresolved_since, record.lease_end);
            }
            Standing::Released | Standing::Succeeded | Standing::Failed => {}
        }
        older(&mut self.unreconciled_since, record.first_claim_time);
    }
}

fn slow() -> Error {
    Error::Unavailable("a page took too long".to_owned())
}

fn older(oldest: &mut Option<Timestamp>, time: Timestamp) {
    *oldest = Some(oldest.map_or(time, |oldest| oldest.min(time)));
}

fn result_bytes(stored: &Stored) -> u64 {
    match stored.record.settlement().map(|settlement| &settlement.outcome) {
        Some(Outcome::Succeeded(success)) => match &success.result {
            ResultKind::Given(info) => info.length,
            ResultKind::NoneGiven
            | ResultKind::Omitted
            | ResultKind::NeverKnown
            | ResultKind::Erased => 0,
        },
        // The details of a failure lie in its record.
        Some(Outcome::Failed(_)) | None => 0,
    }
}

#[cfg(test)]
mod tests;
