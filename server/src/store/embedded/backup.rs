//! An online copy of the database, of one moment, while calls go on.
//!
//! Never writes over a file that is there, and never leaves half a copy under the name.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file of this name is there.
    #[error("{0} is there already")]
    Exists(PathBuf),
    /// The copy cannot be written.
    #[error("the copy cannot be written: {0}")]
    System(#[from] io::Error),
    /// The database cannot be copied.
    #[error("the database cannot be copied: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// Copies the database at `from` to `to`.
pub(super) async fn copy(from: PathBuf, to: PathBuf) -> Result<(), BackupError> {
    let copied = tokio::task::spawn_blocking(move || copy_now(&from, &to));
    copied.await.map_err(io::Error::other)?
}

fn copy_now(from: &Path, to: &Path) -> Result<(), BackupError> {
    if to.try_exists()? {
        return Err(BackupError::Exists(to.to_owned()));
    }
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    if partial.try_exists()? {
        fs::remove_file(&partial)?;
    }
    let file = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    file.execute("VACUUM INTO ?1", [partial.to_string_lossy()])?;
    File::open(&partial)?.sync_all()?;
    fs::rename(&partial, to)?;
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?)
}
