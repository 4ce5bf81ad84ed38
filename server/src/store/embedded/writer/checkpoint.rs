//! Moves what is committed from the log into the file.
//!
//! Done by the writer and not by SQLite's own hook, which hides failures: a page that was not
//! synced would be lost with the log.

use super::{Failure, Writer};
use crate::store::embedded::fault::{is_busy, is_full};

/// About how many bytes are logged before they are moved.
const BYTES: u64 = 32 << 20;

impl Writer {
    /// Moves what is logged, if it is much; on a full disk always, so that the log need not grow.
    pub(super) fn checkpoint(&mut self) -> Result<(), Failure> {
        let enough = if self.reserve.is_reached() { 1 } else { BYTES };
        if self.logged_bytes < enough {
            return Ok(());
        }
        self.logged_bytes = 0;
        // What readers still need stays in the log.
        match self.file.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
            // The log keeps everything meanwhile.
            Err(error) if is_busy(&error) || is_full(&error) => Ok(()),
            done => Ok(done?),
        }
    }
}
