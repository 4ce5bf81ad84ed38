//! Gauges of what is open of an operation.

use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::{Labels, Open, family};
use crate::clock::Timestamp;

type Levels = Family<Labels, Gauge>;

/// One gauge for each thing that is told.
pub(super) struct Gauges {
    in_progress: Levels,
    unresolved: Levels,
    unresolved_age: Levels,
    unreconciled_age: Levels,
    unreconciled_bytes: Levels,
    memory_gap: Levels,
}

impl Gauges {
    /// All without a value.
    pub(super) fn registered(r: &mut Registry) -> Self {
        Self {
            in_progress: family(r, "onced_in_progress", "Intents with a live lease"),
            unresolved: family(r, "onced_unresolved", "Intents of which nobody knows the outcome"),
            unresolved_age: family(
                r,
                "onced_oldest_unresolved_age_seconds",
                "How long the longest of them has been so",
            ),
            unreconciled_age: family(
                r,
                "onced_oldest_unreconciled_age_seconds",
                "Since the first claim of the oldest intent still to be compared or resolved",
            ),
            unreconciled_bytes: family(
                r,
                "onced_unreconciled_bytes",
                "Size of the records and results that do not expire",
            ),
            memory_gap: family(
                r,
                "onced_memory_gap_open",
                "Whether a restore has left a memory gap that nobody has accepted",
            ),
        }
    }

    /// Tells what is open of an operation.
    pub(super) fn set(&self, labels: &Labels, open: &Open, now: Timestamp) {
        let age = |oldest: Option<Timestamp>| oldest.map_or(0, |since| now.since(since).as_secs());
        for (gauge, value) in [
            (&self.in_progress, open.in_progress),
            (&self.unresolved, open.unresolved),
            (&self.unresolved_age, age(open.unresolved_since)),
            (&self.unreconciled_age, age(open.unreconciled_since)),
            (&self.unreconciled_bytes, open.bytes),
        ] {
            gauge.get_or_create(labels).set(i64::try_from(value).unwrap_or(i64::MAX));
        }
    }

    /// Tells whether its memory has a gap.
    pub(super) fn set_gap(&self, labels: &Labels, is_open: bool) {
        self.memory_gap.get_or_create(labels).set(i64::from(is_open));
    }

    /// Tells nothing of it any more.
    pub(super) fn remove(&self, labels: &Labels) {
        for gauge in [
            &self.in_progress,
            &self.unresolved,
            &self.unresolved_age,
            &self.unreconciled_age,
            &self.unreconciled_bytes,
            &self.memory_gap,
        ] {
            gauge.remove(labels);
        }
    }
}
