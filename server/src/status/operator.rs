//! What operators are told: they may know the cause.

use tonic::Status;

use crate::{keeper, store};

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
