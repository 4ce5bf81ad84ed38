//! Puts a copy in place of a lost store, with the memory gap open over every operation.
//!
//! Nothing stands under the database's name before all of it is done: whenever it is cut off,
//! there is no store, or the restored one with its gap. Never writes over records, and never into
//! a folder that a process has open.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, params};

use super::{
    backup::{self, beside, remove},
    digest,
    fault::Fault,
    folder::{Folder, OpenError},
    high_water, memory,
};
use crate::{
    clock::Timestamp,
    gap,
    store::{Error, Memory, Remembered},
};

mod judge;

/// What is said in the audit of a gap that a restore has opened.
const REASON: &str = "a backup was restored";

/// Why nothing was restored. The folder has no store then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The copy is none, or there is no place for it: everything that is wrong.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// The folder cannot be had.
    #[error(transparent)]
    Folder(#[from] OpenError),
    /// The system refuses.
    #[error("the backup cannot be put in place: {0}")]
    System(#[from] io::Error),
    /// SQLite refuses.
    #[error("the backup cannot be put in place: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A memory in it cannot be read.
    #[error("the memory in it cannot be opened: {0}")]
    Memory(#[from] Error),
}

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// How many records.
    pub records: u64,
    /// How many operations have a memory of their own; the gap is open over all others too.
    pub operations: usize,
    /// As of when the copy was made.
    pub backup_time: Timestamp,
    /// From when on the memory is whole.
    pub memory_start: Timestamp,
    /// The latest time that the copy has seen.
    pub high_water: Timestamp,
    /// What is remembered, and what the server keeps for itself.
    pub memories: Vec<Remembered>,
}

/// Restores the copy at `from` into `folder`, at `now`, or at the latest time that the copy has
/// seen.
pub fn restore(from: &Path, folder: &Path, now: Timestamp) -> Result<Restored, RestoreError> {
    let (copy, mut wrong) = match judge::copy(from) {
        Ok(copy) => (Some(copy), Vec::new()),
        Err(wrong) => (None, wrong),
    };
    wrong.extend(judge::place(folder));
    let (Some(copy), true) = (copy, wrong.is_empty()) else {
        return Err(RestoreError::Refused(wrong));
    };
    let owned = Folder::take(folder)?;
    // Again, now that nobody else can put one there.
    let wrong = judge::place(folder);
    if !wrong.is_empty() {
        return Err(RestoreError::Refused(wrong));
    }
    let staged = owned.staged();
    let restored = stage(from, &staged, &copy, now)?;
    fs::rename(&staged, owned.database())?;
    owned.sync()?;
    Ok(restored)
}

/// A whole store under another name.
fn stage(
    from: &Path,
    staged: &Path,
    copy: &judge::Copy,
    now: Timestamp,
) -> Result<Restored, RestoreError> {
    clear(staged)?;
    io::copy(&mut File::open(from)?, &mut backup::create(staged)?)?;
    let file = Connection::open_with_flags(staged, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    file.execute_batch(
        "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;",
    )?;
    let high_water = high_water::read(&file)?;
    let now = now.max(high_water).max(copy.time);
    let restored = Restored {
        records: copy.records,
        operations: open_gap(&file, copy.time, now)?,
        backup_time: copy.time,
        memory_start: now,
        high_water: high_water.max(copy.time),
        memories: memory::all(&file, None).map_err(Error::from)?,
    };
    let wrong = backup::faults(&file, "quick_check")?;
    file.close().map_err(|(_, cause)| cause)?;
    if !wrong.is_empty() {
        return Err(RestoreError::Refused(judge::damaged(staged, &wrong)));
    }
    File::open(staged)?.sync_all()?;
    Ok(restored)
}

/// What an earlier restore has left that was cut off.
fn clear(staged: &Path) -> io::Result<()> {
    remove(staged)?;
    remove(&beside(staged, "-journal"))
}

/// In one transaction: the gap, its audit, the time, and the end of being a copy.
fn open_gap(file: &Connection, since: Timestamp, now: Timestamp) -> Result<usize, RestoreError> {
    let transaction = file.unchecked_transaction()?;
    let memories = memory::all(file, None).map_err(Error::from)?;
    for change in gap::rows(&memories, since, now) {
        put(file, &change.stands).map_err(Error::from)?;
    }
    put(file, &gap::audit_row(now, REASON).row()).map_err(Error::from)?;
    high_water::write(file, now)?;
    digest::remove(file)?;
    file.execute("DELETE FROM meta WHERE name = 'backup_time'", [])?;
    transaction.commit()?;
    Ok(memories.iter().filter(|it| gap::is_of_operation(it)).count())
}

/// Nobody else writes here.
fn put(file: &Connection, remembered: &Remembered) -> Result<(), Fault> {
    let Remembered { namespace, operation, memory } = remembered;
    file.execute(
        "DELETE FROM memory WHERE namespace = ?1 AND operation = ?2",
        params![namespace, operation],
    )?;
    let (namespace, operation) = (namespace.clone(), operation.clone());
    let proposal =
        memory::Proposal { namespace, operation, expected: None, memory: memory.clone() };
    memory::apply(file, &proposal).map(|_: Memory| ())
}

/// Whether a restore was cut off here.
pub(super) fn is_cut_off(folder: &Folder) -> io::Result<bool> {
    folder.staged().try_exists()
}

/// Whether the file at `path` is a copy and no store.
pub(super) fn is_copy(file: &Connection) -> rusqlite::Result<bool> {
    Ok(backup::time(file)?.is_some())
}

/// The files that a store may have in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let database = Folder::database_in(folder);
    let logs = ["-wal", "-shm", "-journal"].map(|more| beside(&database, more));
    [vec![database], logs.to_vec()].concat()
}

#[cfg(test)]
mod tests;
