//! The latest time that the file has seen: no clock starts below it, and what it says about leases.
//!
//! A lease that ended after the mark was live, as far as the file tells, when the process ended: it
//! is counted anew, whole. One that ended before the mark stays over. The mark moves with every
//! commit, and by itself soon after a lease has ended.

use rusqlite::{Connection, params};

use crate::clock::Timestamp;

/// Counts the leases anew that were live at the mark, and moves the mark to `now`.
pub(super) fn start(file: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let transaction = file.unchecked_transaction()?;
    file.execute(
        "UPDATE claims SET lease_end = ?1 + lease_seconds * 1000000 WHERE lease_end > ?2",
        params![now.0, read(file)?.0],
    )?;
    write(file, now)?;
    transaction.commit()
}

/// The mark on file.
pub(super) fn read(file: &Connection) -> rusqlite::Result<Timestamp> {
    let mark = "SELECT value FROM meta WHERE name = 'high_water'";
    file.prepare_cached(mark)?.query_row([], |row| Ok(Timestamp(row.get(0)?)))
}

/// Moves the mark on file.
pub(super) fn write(file: &Connection, now: Timestamp) -> rusqlite::Result<()> {
    let mark = "UPDATE meta SET value = max(value, ?1) WHERE name = 'high_water'";
    file.prepare_cached(mark)?.execute([now.0])?;
    Ok(())
}

/// A lease has ended since the mark.
pub(super) fn is_behind(file: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let ended = "SELECT EXISTS (SELECT 1 FROM claims WHERE lease_end > ?1 AND lease_end <= ?2)";
    file.prepare_cached(ended)?.query_row([read(file)?.0, now.0], |row| row.get(0))
}
