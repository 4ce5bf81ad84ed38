//! What a failed request may have done.

use scylla::{
    errors::{DbError, ExecutionError, RequestAttemptError},
    statement::Consistency,
};

use crate::store::Error;

/// Of a conditional write: unless it surely did not happen, it may have.
pub(super) fn of_write(error: &ExecutionError) -> Error {
    if never_happened(error) {
        Error::Unavailable(error.to_string())
    } else {
        Error::Uncertain(error.to_string())
    }
}

/// Of a read, or of a plain write that can be repeated: nothing that matters.
pub(super) fn of_read(error: &impl std::fmt::Display) -> Error {
    Error::Unavailable(error.to_string())
}

/// A row that is not as the schema says.
pub(super) fn of_row(error: &impl std::fmt::Display) -> Error {
    Error::Corrupt(format!("the row is not as the schema says: {error}"))
}

fn never_happened(error: &ExecutionError) -> bool {
    match error {
        ExecutionError::BadQuery(_)
        | ExecutionError::EmptyPlan
        | ExecutionError::PrepareError(_)
        | ExecutionError::ConnectionPoolError(_) => true,
        ExecutionError::LastAttemptError(error) => was_never_begun(error),
        _ => false,
    }
}

fn was_never_begun(error: &RequestAttemptError) -> bool {
    match error {
        RequestAttemptError::SerializationError(_)
        | RequestAttemptError::CqlRequestSerialization(_)
        | RequestAttemptError::UnableToAllocStreamId => true,
        RequestAttemptError::DbError(error, _) => was_refused(error),
        _ => false,
    }
}

fn was_refused(error: &DbError) -> bool {
    match error {
        // At another level, it is the end of a write that was agreed on already.
        DbError::Unavailable { consistency, .. } => {
            matches!(consistency, Consistency::Serial | Consistency::LocalSerial)
        }
        DbError::RateLimitReached { rejected_by_coordinator, .. } => *rejected_by_coordinator,
        DbError::SyntaxError
        | DbError::Invalid
        | DbError::Unauthorized
        | DbError::AuthenticationError
        | DbError::ConfigError
        | DbError::ProtocolError => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
