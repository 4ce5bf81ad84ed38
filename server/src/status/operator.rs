//! What operators are told: they may know the cause.

use onced_proto::v1::ErrorReason;
use tonic::Status;

use super::Told;
use crate::{
    keeper,
    store::{self, embedded::BackupError},
};

/// The store failed under a call that is about no single intent.
pub fn failed(error: &store::Error) -> Status {
    tracing::warn!(%error, "the store failed under an operator's call");
    let mut told = super::store::told(&keeper::Error::Store(error.clone()));
    told.message = error.to_string();
    told.status()
}

/// Records are to be imported into a namespace that takes calls.
pub fn not_sealed(namespace: &str) -> Status {
    Status::failed_precondition(format!(
        "records are taken only into a namespace that is sealed here, and {namespace} is not"
    ))
}

/// The store is none that this server could copy.
pub fn no_backup() -> Status {
    Status::failed_precondition(
        "the records lie in a cluster, which makes its own snapshots: take one there; once one is \
         put back, run `onced memory reset` before any server is started",
    )
}

/// One backup at a time.
pub fn backup_under_way() -> Status {
    Status::aborted("another backup is under way")
}

/// There is no copy.
pub fn not_backed_up(error: &BackupError) -> Status {
    tracing::warn!(%error, "no backup");
    let told = error.to_string();
    match error {
        BackupError::Exists(_) => Status::already_exists(told),
        BackupError::NoRoom { .. } => Status::failed_precondition(told),
        BackupError::Damaged(_) => Status::data_loss(told),
        BackupError::System(_) | BackupError::Sqlite(_) => Status::unavailable(told),
    }
}

/// A memory was judged that stands no more.
pub fn memory_moved(etag: &str) -> Status {
    Told::new(ErrorReason::EtagMismatch, "the memory has moved on since it was listed")
        .with("etag", etag)
        .status()
}

/// There is nothing to accept.
pub fn no_memory() -> Status {
    Status::not_found("nothing is remembered of it, and nothing was restored")
}
