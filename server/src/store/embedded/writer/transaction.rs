//! One transaction of the writer, and what its failure means.
//!
//! Never says "surely not" where the commit may have reached the disk.

use rusqlite::Connection;

use crate::store::embedded::{
    fault::{is_busy, is_full},
    names::Names,
};

/// Why a transaction did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Surely nothing happened: another connection writes.
    Busy,
    /// Surely nothing happened: the disk is full.
    Full,
    /// Surely nothing happened, but the file is not to be trusted further.
    Undone(rusqlite::Error),
    /// It may have reached the disk.
    Uncertain(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        if is_full(&error) { Self::Full } else { Self::Undone(error) }
    }
}

/// Does `work` in one transaction and makes it durable.
pub(super) fn commit(
    file: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<(), Failure> {
    match run(file, "BEGIN IMMEDIATE") {
        Err(error) if is_busy(&error) => return Err(Failure::Busy),
        begun => begun?,
    }
    work(file).map_err(|error| undone(file, error))?;
    run(file, "COMMIT").map_err(|error| match undone(file, error) {
        // A short write: the last frame, which makes the others count, is not in the log, and the
        // next commit starts at the same place.
        Failure::Full => Failure::Full,
        Failure::Undone(error) | Failure::Uncertain(error) => Failure::Uncertain(error),
        Failure::Busy => Failure::Busy,
    })
}

/// One call's part: undone alone if it says so.
pub(super) fn step(
    file: &Connection,
    names: &Names,
    call: impl FnOnce() -> rusqlite::Result<bool>,
) -> rusqlite::Result<()> {
    let added = names.added();
    run(file, "SAVEPOINT call")?;
    if !call()? {
        names.undo(added);
        run(file, "ROLLBACK TO call")?;
    }
    run(file, "RELEASE call")
}

/// Rolls back, unless SQLite has done so by itself.
fn undone(file: &Connection, error: rusqlite::Error) -> Failure {
    if !file.is_autocommit()
        && let Err(error) = run(file, "ROLLBACK")
    {
        return Failure::Undone(error);
    }
    error.into()
}

fn run(file: &Connection, statement: &str) -> rusqlite::Result<()> {
    file.prepare_cached(statement)?.execute([]).map(drop)
}
