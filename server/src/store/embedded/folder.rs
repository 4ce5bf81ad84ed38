//! The data folder: one process owns it, and whoever cannot says why.
//!
//! Never waits for another owner, and never repairs what it finds.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::fault::is_corruption;

const DATABASE: &str = "onced.sqlite";
const LOCK: &str = "onced.lock";
const RESERVE: &str = "onced.reserve";
const STAGED: &str = "onced.restoring";

/// Why an engine cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process owns the folder.
    #[error("another process uses the data folder {0}")]
    InUse(PathBuf),
    /// The folder or a file in it cannot be written.
    #[error("the data folder {folder} cannot be written: {cause}")]
    ReadOnly {
        /// Which.
        folder: PathBuf,
        /// As the system says it.
        cause: String,
    },
    /// The file is not this engine's, or damaged.
    #[error("the database is damaged or not onced's: {0}; restore a backup")]
    Corrupt(String),
    /// The file was written by a newer version.
    #[error("the database has layout {found}; this version knows {known}: use a newer version")]
    NewerLayout {
        /// The file's.
        found: i64,
        /// This version's.
        known: i64,
    },
    /// The SQLite inside can lose what it committed.
    #[error("SQLite {found} is too old: 3.51.3 is the first without the WAL-reset fault")]
    SqliteTooOld {
        /// Its version.
        found: String,
    },
    /// The file is a backup: it has forgotten what came after it, and nobody was told.
    #[error("{0} is a backup, and no store: `onced restore` makes one of it")]
    IsBackup(PathBuf),
    /// A restore was cut off before there was a store.
    #[error("a restore was cut off in {0}: run it again, or remove the folder's onced.restoring")]
    CutOff(PathBuf),
    /// The file system cannot promise that what was committed stays.
    #[error("the database cannot be made durable: {0}")]
    NotDurable(String),
    /// Anything else that the system refuses.
    #[error("the data folder {folder} cannot be used: {cause}")]
    System {
        /// Which.
        folder: PathBuf,
        /// As the system says it.
        cause: io::Error,
    },
    /// Anything else that SQLite refuses.
    #[error("the database cannot be opened: {0}")]
    Sqlite(rusqlite::Error),
}

impl OpenError {
    pub(super) fn from_sqlite(error: rusqlite::Error) -> Self {
        if is_corruption(&error) { Self::Corrupt(error.to_string()) } else { Self::Sqlite(error) }
    }
}

/// An owned data folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Held as long as this lives; the system lets go of it with the process.
    _lock: File,
}

impl Folder {
    /// Makes the folder if need be, and owns it.
    pub(super) fn take(path: &Path) -> Result<Self, OpenError> {
        let fault = |cause| classify(path, cause);
        fs::create_dir_all(path).map_err(fault)?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(cause)) => Err(fault(cause)),
        }
    }

    pub(super) fn database(&self) -> PathBuf {
        Self::database_in(&self.path)
    }

    /// The database in a folder that nobody needs to own.
    pub(super) fn database_in(folder: &Path) -> PathBuf {
        folder.join(DATABASE)
    }

    /// What becomes the database once a restore is done.
    pub(super) fn staged(&self) -> PathBuf {
        self.path.join(STAGED)
    }

    pub(super) fn reserve(&self) -> PathBuf {
        self.path.join(RESERVE)
    }

    /// What a refusal of the system means here.
    pub(super) fn fault(&self, cause: io::Error) -> OpenError {
        classify(&self.path, cause)
    }

    /// Makes the names of new files durable, and the folder's own.
    pub(super) fn sync(&self) -> Result<(), OpenError> {
        let parent =
            self.path.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
        for folder in [Some(self.path.clone()), parent].into_iter().flatten() {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| self.fault(e))?;
        }
        Ok(())
    }

    /// Fails if the database is there and may not be written.
    pub(super) fn check_writable(&self) -> Result<(), OpenError> {
        match File::options().write(true).open(self.database()) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(self.fault(cause)),
            _ => Ok(()),
        }
    }
}

fn classify(folder: &Path, cause: io::Error) -> OpenError {
    let folder = folder.to_owned();
    match cause.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::ReadOnly { folder, cause: cause.to_string() }
        }
        _ => OpenError::System { folder, cause },
    }
}
