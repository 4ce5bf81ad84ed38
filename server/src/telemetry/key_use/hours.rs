//! The last two days of one operation, hour by hour.
//!
//! An hour takes its room when something happens in it, and gives it to the same hour two days
//! later. A count that comes in that very moment may be lost.

use std::sync::{
    Mutex, OnceLock, PoisonError,
    atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
};

use super::{Used, sketch::Sketch};
use crate::clock::Timestamp;

/// How many are kept.
pub(super) const HOURS: u32 = 48;
/// An hour, in microseconds.
const HOUR: i64 = 3_600_000_000;
const COUNTS: usize = 6;

/// What is counted beside the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Count {
    /// Rulings on Claims.
    Claims,
    /// Keys that were granted for the first time.
    FirstGrants,
    /// Claims of another call that were answered with the outcome.
    Replays,
    /// Calls that were refused since their key stands for another payload.
    KeyReused,
    /// Attempts whose lease ended before their outcome was reported.
    LeasesEnded,
    /// Claims whose key looked made for this one call.
    Warned,
}

/// A stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// When it began.
    pub start: Timestamp,
    /// About how many distinct keys were claimed.
    pub keys: u64,
    /// About how many of those were claimed by a call that was not the first to do so.
    pub keys_again: u64,
    counts: [u64; COUNTS],
}

impl Window {
    /// How often that happened.
    pub fn count(&self, what: Count) -> u64 {
        self.counts[what as usize]
    }
}

/// The hours of one operation.
pub(super) struct Hours {
    slots: [OnceLock<Box<Hour>>; HOURS as usize],
    turning: Mutex<()>,
}

/// What happened in an hour.
#[derive(Default)]
pub(super) struct Hour {
    /// Which, since the Unix epoch.
    number: AtomicI64,
    counts: [AtomicU64; COUNTS],
    keys: Sketch,
    keys_again: Sketch,
}

impl Default for Hours {
    fn default() -> Self {
        Self { slots: [const { OnceLock::new() }; HOURS as usize], turning: Mutex::default() }
    }
}

impl Hours {
    /// The hour of that moment.
    pub(super) fn at(&self, now: Timestamp) -> &Hour {
        let number = number(now);
        let place = usize::try_from(number.rem_euclid(HOURS.into())).unwrap_or(0);
        let hour = self.slots[place].get_or_init(|| {
            let hour = Hour::default();
            hour.number.store(number, Relaxed);
            Box::new(hour)
        });
        if hour.number.load(Relaxed) < number {
            self.turn(hour, number);
        }
        hour
    }

    fn turn(&self, hour: &Hour, number: i64) {
        let _turning = self.turning.lock().unwrap_or_else(PoisonError::into_inner);
        if hour.number.load(Relaxed) < number {
            hour.clear();
            hour.number.store(number, Relaxed);
        }
    }

    /// All hours that are not over for two days.
    pub(super) fn used(&self, now: Timestamp) -> Used {
        let oldest = number(now) - i64::from(HOURS);
        let hours = self.slots.iter().filter_map(OnceLock::get);
        let mut hours: Vec<&Hour> = hours.map(Box::as_ref).collect();
        hours.retain(|hour| hour.number.load(Relaxed) > oldest);
        hours.sort_by_key(|hour| hour.number.load(Relaxed));
        let whole = Hour::default();
        for hour in &hours {
            whole.join(hour);
        }
        let whole_start = hours.first().map_or(now, |first| first.window().start);
        let whole = Window { start: whole_start, ..whole.window() };
        Used { hours: hours.into_iter().map(Hour::window).collect(), whole }
    }
}

impl Hour {
    /// A key was claimed.
    pub(super) fn claimed(&self, hash: u64, again: bool) {
        self.keys.add(hash);
        if again {
            self.keys_again.add(hash);
        }
    }

    /// It happened so often.
    pub(super) fn add(&self, what: Count, times: u64) {
        if times > 0 {
            self.counts[what as usize].fetch_add(times, Relaxed);
        }
    }

    fn join(&self, other: &Self) {
        self.keys.join(&other.keys);
        self.keys_again.join(&other.keys_again);
        for (own, other) in self.counts.iter().zip(&other.counts) {
            own.fetch_add(other.load(Relaxed), Relaxed);
        }
    }

    fn clear(&self) {
        self.keys.clear();
        self.keys_again.clear();
        for count in &self.counts {
            count.store(0, Relaxed);
        }
    }

    fn window(&self) -> Window {
        let keys = self.keys.count();
        Window {
            start: Timestamp(self.number.load(Relaxed).saturating_mul(HOUR)),
            keys,
            keys_again: self.keys_again.count().min(keys),
            counts: std::array::from_fn(|place| self.counts[place].load(Relaxed)),
        }
    }
}

fn number(now: Timestamp) -> i64 {
    now.0.div_euclid(HOUR)
}
