//! An online copy of the database, of one moment, while calls go on.
//!
//! Never writes over a file that is there, and never leaves half a copy under the name. A copy is
//! marked: it is no store until it was restored, since it has forgotten what came after it.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use rustix::fs::statvfs;

use super::digest;
use crate::clock::{Clock, Timestamp};

/// What a file ends with that is not whole yet.
pub const PARTIAL: &str = ".partial";
/// Disk that has to be left beside the copy.
const ROOM: u64 = 64 << 20;
/// How long the copy waits for a lock on the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file of this name is there.
    #[error("{0} is there already")]
    Exists(PathBuf),
    /// There is no room for it.
    #[error("the copy takes {needed} bytes beside {ROOM} that stay free, and {free} are free")]
    NoRoom {
        /// What it would take.
        needed: u64,
        /// What there is.
        free: u64,
    },
    /// What was written cannot be read again.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
    /// The copy cannot be written.
    #[error("the copy cannot be written: {0}")]
    System(#[from] io::Error),
    /// The database cannot be copied.
    #[error("the database cannot be copied: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// A copy that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    /// How many records it holds.
    pub records: u64,
    /// As of when: all that was answered before is in it.
    pub time: Timestamp,
}

/// Copies the database at `from` to `to`.
pub(super) async fn copy(
    from: PathBuf,
    to: PathBuf,
    clock: Arc<dyn Clock>,
) -> Result<BackedUp, BackupError> {
    let copied = tokio::task::spawn_blocking(move || copy_now(&from, &to, &*clock));
    copied.await.map_err(io::Error::other)?
}

fn copy_now(from: &Path, to: &Path, clock: &dyn Clock) -> Result<BackedUp, BackupError> {
    if to.try_exists()? {
        return Err(BackupError::Exists(to.to_owned()));
    }
    let partial = beside(to, PARTIAL);
    remove(&partial)?;
    let done = write(from, &partial, clock).and_then(|made| {
        fs::rename(&partial, to)?;
        sync_folder(to)?;
        Ok(made)
    });
    if done.is_err() {
        // What is wrong is told already.
        let _ = remove(&partial);
    }
    done
}

fn write(from: &Path, partial: &Path, clock: &dyn Clock) -> Result<BackedUp, BackupError> {
    let file = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    file.busy_timeout(PATIENCE)?;
    check_room(&file, partial)?;
    drop(create(partial)?);
    // Before the moment that is copied: what is forgotten was granted after it.
    let time = clock.now();
    file.execute("VACUUM INTO ?1", [partial.to_string_lossy()])?;
    let records = seal(partial, time)?;
    File::open(partial)?.sync_all()?;
    Ok(BackedUp { records, time })
}

/// Marks the copy as one, looks whether it is whole, and counts.
fn seal(partial: &Path, time: Timestamp) -> Result<u64, BackupError> {
    let copy = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    copy.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA trusted_schema = OFF;")?;
    copy.execute("INSERT INTO meta (name, value) VALUES ('backup_time', ?1)", [time.0])?;
    digest::note(&copy)?;
    if let Some(fault) = faults(&copy, "quick_check")?.into_iter().next() {
        return Err(BackupError::Damaged(fault));
    }
    let records: i64 = copy.query_row("SELECT count(*) FROM claims", [], |row| row.get(0))?;
    copy.close().map_err(|(_, cause)| cause)?;
    Ok(records.unsigned_abs())
}

fn check_room(file: &Connection, partial: &Path) -> Result<(), BackupError> {
    let number = |pragma| file.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let pages = number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
    let needed = pages.saturating_mul(number("PRAGMA page_size")?).unsigned_abs();
    let disk = statvfs(folder(partial)).map_err(io::Error::from)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free < needed.saturating_add(ROOM) {
        return Err(BackupError::NoRoom { needed, free });
    }
    Ok(())
}

/// What SQLite itself finds wrong with a file: a few lines at most.
pub(super) fn faults(file: &Connection, check: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = file.prepare(&format!("PRAGMA {check}(5)"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    lines.filter(|line| !matches!(line, Ok(line) if line == "ok")).collect()
}

/// When a copy was made; nothing of a file that is no copy.
pub(super) fn time(file: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let time = "SELECT value FROM meta WHERE name = 'backup_time'";
    file.query_row(time, [], |row| Ok(Timestamp(row.get(0)?))).optional()
}

/// The path with more at its end.
pub(super) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(more);
    PathBuf::from(name)
}

/// A new file for its owner alone: it holds results.
pub(super) fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Makes the name of a file durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder(path))?.sync_all()
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
