//! In which partition a hint or a late report stands.

use std::ops::Range;

use crate::{clock::Timestamp, intent::IntentId};

/// Partitions of one bucket of hints, so that one hour is not one hot partition.
pub(super) const SHARDS: i32 = 8;

const HOUR: i64 = 3_600_000_000;
const HOURS_OF_DAY: i64 = 24;

/// Which table an entry of `buckets` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `hints`, by hour.
    Hints,
    /// `late_reports`, by day.
    Late,
}

impl Kind {
    /// As it stands in the table.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Hints => "hints",
            Self::Late => "late",
        }
    }
}

/// An hour or a day since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Bucket(pub(super) i64);

impl Bucket {
    /// The hour of a first claim.
    pub(super) fn hour_of(time: Timestamp) -> Self {
        Self(time.0.max(0) / HOUR)
    }

    /// The day of a late report.
    pub(super) fn day_of(time: Timestamp) -> Self {
        Self(Self::hour_of(time).0 / HOURS_OF_DAY)
    }

    /// Where the hints of this hour are carried to: one partition for its whole day.
    pub(super) fn carried(self) -> Self {
        Self(-1 - self.0 / HOURS_OF_DAY)
    }

    /// The times of this hour.
    pub(super) fn hour(self) -> Range<i64> {
        let start = self.0.saturating_mul(HOUR);
        start..start.saturating_add(HOUR)
    }

    /// The times of this day.
    pub(super) fn day(self) -> Range<i64> {
        let start = Self(self.0.saturating_mul(HOURS_OF_DAY)).hour().start;
        start..start.saturating_add(HOURS_OF_DAY * HOUR)
    }

    /// Whether it is its turn: what stands long is looked at once a day, each at another hour.
    pub(super) fn is_due(self, now: Timestamp) -> bool {
        (Self::hour_of(now).0 - self.0) % HOURS_OF_DAY == 0
    }
}

/// The shard of an intent.
pub(super) fn shard(intent: &IntentId) -> i32 {
    i32::from(intent.identity().0[0]) % SHARDS
}

#[cfg(test)]
mod tests;
