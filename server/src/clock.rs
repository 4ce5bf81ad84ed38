//! The only place that reads a clock.
//!
//! Time runs forward only: wall clock once, at the start, then boot time, which counts suspension
//! too.

use std::{
    fmt,
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime},
};

use rustix::time::{ClockId, clock_gettime};

/// A point in time: microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros(span)))
    }

    /// This much earlier.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros(span)))
    }

    /// How long ago `earlier` was; zero if it was not.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// Tells the time. Injected everywhere, so that tests can move it.
pub trait Clock: Send + Sync + fmt::Debug + 'static {
    /// Now. Never earlier than an answer given before.
    fn now(&self) -> Timestamp;
}

/// The machine's clock: wall time at the start, boot time from then on.
#[derive(Debug)]
pub struct SystemClock {
    start: Timestamp,
    boot_start: Duration,
}

impl SystemClock {
    /// Starts at the wall clock, but not below `high_water`, the latest time that a store has seen.
    pub fn not_before(high_water: Timestamp) -> Self {
        Self { start: wall_clock().max(high_water), boot_start: boot_time() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        self.start.after(boot_time().saturating_sub(self.boot_start))
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now`.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Moves it forward.
    pub fn advance(&self, span: Duration) {
        self.0.fetch_add(micros(span), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that may")]
fn wall_clock() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::default().after(since_epoch)
}

fn boot_time() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
