//! What can go wrong inside the engine, split by what is to be done about it.

use rusqlite::ErrorCode;

use crate::store::Error;

/// Why one call, or its whole group, was not applied.
#[derive(Debug)]
pub(super) enum Fault {
    /// This call alone: the rest of its group goes on.
    Call(Error),
    /// The file: the group cannot go on.
    File(rusqlite::Error),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        if is_about_one_row(&error) { Self::Call(corrupt(&error)) } else { Self::File(error) }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<Fault> for Error {
    /// Of a read: surely nothing happened.
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Call(error) => error,
            Fault::File(error) if is_corruption(&error) => corrupt(&error),
            Fault::File(error) => Self::Unavailable(error.to_string()),
        }
    }
}

/// The row does not hold what its columns promise, or refuses what it is given.
fn is_about_one_row(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..)
    ) || matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch)
    )
}

/// The file is not what SQLite wrote.
pub(super) fn is_corruption(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// The disk is full.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
}

/// Somebody else holds the file.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn corrupt(error: &rusqlite::Error) -> Error {
    Error::Corrupt(error.to_string())
}
