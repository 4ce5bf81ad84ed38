//! Takes away what has expired, a slice at a time.
//!
//! Nothing rests on it: what has expired counts as gone whether it was swept or not.

use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::clock::Timestamp;

/// Most rows of one slice.
const ROWS_MAX: u32 = 256;
/// Time between two slices while there is more to sweep.
const PACE: Duration = Duration::from_millis(20);

/// When the next slice is due.
#[derive(Debug)]
pub(super) struct Sweeper {
    interval: Duration,
    last: Instant,
    more: bool,
}

impl Sweeper {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, last: Instant::now(), more: false }
    }

    /// How long until the next slice.
    pub(super) fn patience(&self) -> Duration {
        let wait = if self.more { PACE } else { self.interval };
        wait.saturating_sub(self.last.elapsed())
    }

    /// Starts a slice; there is no more until it says so.
    pub(super) fn start(&mut self) {
        self.last = Instant::now();
        self.more = false;
    }

    /// A slice took away so many rows.
    pub(super) fn swept(&mut self, rows: usize) {
        self.more = rows >= ROWS_MAX as usize;
    }
}

/// Something has expired.
pub(super) fn is_needed(file: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let any = "SELECT EXISTS (SELECT 1 FROM claims WHERE expires_at <= ?1)
             OR EXISTS (SELECT 1 FROM claims WHERE result_expires_at <= ?1)";
    file.prepare_cached(any)?.query_row([now.0], |row| row.get(0))
}

/// Sweeps one slice; how many rows it took.
pub(super) fn slice(file: &Connection, now: Timestamp) -> rusqlite::Result<usize> {
    let rows = file
        .prepare_cached(
            "DELETE FROM claims WHERE id IN
                 (SELECT id FROM claims WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )?
        .execute(params![now.0, ROWS_MAX])?;
    let results = file
        .prepare_cached(
            "UPDATE claims SET result = NULL, result_expires_at = NULL WHERE id IN
                 (SELECT id FROM claims WHERE result_expires_at <= ?1
                  ORDER BY result_expires_at LIMIT ?2)",
        )?
        .execute(params![now.0, ROWS_MAX])?;
    Ok(rows.max(results))
}
