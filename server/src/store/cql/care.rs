//! What an engine does beside its calls: it compares clocks, sweeps, and once a week reads it all.
//!
//! Every process does so for itself; two at once do no harm.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use scylla::{
    client::session::Session,
    cluster::Node,
    errors::PrepareError,
    policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy},
    statement::prepared::PreparedStatement,
    value::CqlTimestamp,
};
use tokio::time::sleep;
use uuid::Uuid;

use super::{CLOCK_BOUND, Cql, fault, rows::Answered};
use crate::{
    clock::{Clock, Timestamp},
    store::{Error, Trouble},
};

const COMPARE_EVERY: Duration = Duration::from_secs(5);
const SWEEP_EVERY: Duration = Duration::from_secs(600);
/// So many comparisons in a row that nobody answered.
const SILENCES_MAX: u32 = 3;
/// An audit that has not ended by then may be begun by somebody else.
const AUDIT_TAKES: i32 = 86_400;
const AUDIT_EVERY: i32 = 7 * 86_400;

/// The statements of it, and what was found last.
pub(super) struct Care {
    session: Arc<Session>,
    their_time: PreparedStatement,
    our_tables: PreparedStatement,
    take_audit: PreparedStatement,
    end_audit: PreparedStatement,
    margin: Duration,
    found: Mutex<Found>,
}

/// Two facts that do not stand for each other: a cluster that falls silent does not set a clock
/// right.
#[derive(Default)]
struct Found {
    off: Option<Duration>,
    is_silent: bool,
}

impl Care {
    pub(super) async fn prepare(
        session: &Arc<Session>,
        keyspace: &str,
        margin: Duration,
    ) -> Result<Self, PrepareError> {
        let tables = format!("SELECT revision FROM {keyspace}.memory LIMIT 1");
        let duties = format!("{keyspace}.duties");
        let take =
            format!("INSERT INTO {duties} (name, holder) VALUES (?, ?) IF NOT EXISTS USING TTL ?");
        let end =
            format!("UPDATE {duties} USING TTL ? SET holder = ? WHERE name = ? IF holder = ?");
        Ok(Self {
            session: Arc::clone(session),
            their_time: session.prepare("SELECT toTimestamp(now()) FROM system.local").await?,
            our_tables: session.prepare(tables).await?,
            take_audit: session.prepare(take).await?,
            end_audit: session.prepare(end).await?,
            margin,
            found: Mutex::default(),
        })
    }

    /// What keeps this process from granting, as far as the last comparison found.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        self.found().trouble()
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares this process's clock with that of every node that answers, and those with each
    /// other; fails if none does, or if the tables do not.
    pub(super) async fn compare(&self, clock: &dyn Clock) -> Result<(), Error> {
        self.session
            .execute_unpaged(&self.our_tables, ())
            .await
            .map_err(|error| fault::of_read(&error))?;
        let state = self.session.get_cluster_state();
        let mut seen = Vec::new();
        let mut silent = Error::Unavailable("the cluster has no node".to_owned());
        for node in state.get_nodes_info() {
            match self.offset(clock, node).await {
                Ok(offset) => seen.push(offset),
                Err(error) => silent = error,
            }
        }
        if seen.is_empty() {
            return Err(silent);
        }
        let apart = apart(&seen);
        if apart > self.margin {
            let apart = apart.as_millis();
            tracing::warn!(apart, "nodes' clocks are {apart} ms apart: leases may end early");
        }
        let by = off(&seen);
        self.found().off = (by > CLOCK_BOUND).then_some(by);
        Ok(())
    }

    /// A node's clock beside this process's.
    async fn offset(&self, clock: &dyn Clock, node: &Arc<Node>) -> Result<Offset, Error> {
        let mut asked = self.their_time.clone();
        let node = NodeIdentifier::Node(Arc::clone(node));
        let only = SingleTargetLoadBalancingPolicy::new(node, None);
        asked.set_load_balancing_policy(Some(only));
        let before = clock.now();
        let result = self.session.execute_unpaged(&asked, ()).await;
        let after = clock.now();
        let rows = result.map_err(|error| fault::of_read(&error))?.into_rows_result();
        let rows = rows.map_err(|error| fault::of_row(&error))?;
        let (CqlTimestamp(millis),) = rows.first_row().map_err(|error| fault::of_row(&error))?;
        let theirs = Timestamp(millis.saturating_mul(1_000));
        Ok(Offset { least: theirs.0 - after.0, most: theirs.0 - before.0 })
    }

    async fn keep_comparing(&self, clock: &dyn Clock) {
        let mut silences = 0;
        loop {
            sleep(COMPARE_EVERY).await;
            match self.compare(clock).await {
                Ok(()) => silences = 0,
                Err(error) => {
                    silences += 1;
                    tracing::warn!(%error, "the clocks could not be compared");
                }
            }
            self.found().is_silent = silences >= SILENCES_MAX;
        }
    }

    /// Whether the weekly audit falls to this process.
    async fn takes_audit(&self, holder: Uuid) -> Result<bool, Error> {
        let row = ("audit", holder, AUDIT_TAKES);
        let result = self.session.execute_unpaged(&self.take_audit, row).await;
        let answered = Answered::of(result.map_err(|error| fault::of_read(&error))?)?;
        Ok(matches!(answered, Answered::Applied))
    }

    async fn end_audit(&self, holder: Uuid) -> Result<(), Error> {
        let row = (AUDIT_EVERY, holder, "audit", holder);
        let result = self.session.execute_unpaged(&self.end_audit, row).await;
        result.map(|_| ()).map_err(|error| fault::of_read(&error))
    }
}

impl Found {
    fn trouble(&self) -> Option<Trouble> {
        let off = self.off.map(|by| Trouble::ClockOff { by });
        off.or(self.is_silent.then_some(Trouble::Unreachable))
    }
}

/// How far a node's clock is ahead of this process's, in microseconds, as surely as the answer's
/// way lets it be known.
#[derive(Clone, Copy)]
struct Offset {
    least: i64,
    most: i64,
}

/// By how much the clock is surely off one of theirs.
fn off(seen: &[Offset]) -> Duration {
    let each = seen.iter().map(|offset| offset.least.max(-offset.most));
    span(each.max().unwrap_or(0))
}

/// By how much two of theirs surely differ.
fn apart(seen: &[Offset]) -> Duration {
    let ahead = seen.iter().map(|offset| offset.least).max();
    let behind = seen.iter().map(|offset| offset.most).min();
    span(ahead.zip(behind).map_or(0, |(ahead, behind)| ahead - behind))
}

fn span(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

impl Cql {
    /// Compares clocks: to be done once before anything is granted.
    pub async fn compare_clocks(&self) -> Result<(), Error> {
        self.care.compare(&*self.clock).await
    }

    /// Cares for the store until it is dropped.
    pub async fn tend(&self) {
        tokio::join!(self.care.keep_comparing(&*self.clock), self.keep_sweeping());
    }

    async fn keep_sweeping(&self) {
        loop {
            sleep(jittered(SWEEP_EVERY)).await;
            match self.sweep().await {
                Ok(swept) => tracing::debug!(?swept, "swept"),
                Err(error) => tracing::warn!(%error, "the sweep did not end"),
            }
            if let Err(error) = self.audit_weekly().await {
                tracing::warn!(%error, "the audit did not end");
            }
        }
    }

    async fn audit_weekly(&self) -> Result<(), Error> {
        let holder = Uuid::new_v4();
        if self.care.takes_audit(holder).await? {
            let audited = self.audit().await?;
            tracing::info!(?audited, "audited");
            self.care.end_audit(holder).await?;
        }
        Ok(())
    }
}

/// Between a half and one and a half: processes that start together drift apart.
fn jittered(span: Duration) -> Duration {
    span / 2 + span.mul_f64(f64::from(Uuid::new_v4().as_bytes()[0]) / 255.0)
}

#[cfg(test)]
mod tests;
