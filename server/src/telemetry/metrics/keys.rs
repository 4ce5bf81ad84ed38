//! Gauges of how many keys an operation had of late.

use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::{Labels, family};
use crate::telemetry::key_use::Window;

type Levels = Family<Labels, Gauge>;

/// One gauge for each thing that is told.
pub(super) struct Gauges {
    claimed: Levels,
    again: Levels,
}

impl Gauges {
    /// All without a value.
    pub(super) fn registered(r: &mut Registry) -> Self {
        Self {
            claimed: family(r, "onced_keys_claimed", "Distinct keys claimed of late, about"),
            again: family(r, "onced_keys_claimed_again", "Those of them claimed again, about"),
        }
    }

    /// Tells what there was.
    pub(super) fn set(&self, labels: &Labels, window: &Window) {
        for (gauge, value) in [(&self.claimed, window.keys), (&self.again, window.keys_again)] {
            gauge.get_or_create(labels).set(i64::try_from(value).unwrap_or(i64::MAX));
        }
    }

    /// Tells nothing of it any more.
    pub(super) fn remove(&self, labels: &Labels) {
        self.claimed.remove(labels);
        self.again.remove(labels);
    }
}
