//! What a failing store tells its callers, and the log.

use std::time::Duration;

use onced_proto::v1::ErrorReason;

use super::{Told, deadline};
use crate::{
    keeper::{Error, Hold},
    store,
};

pub(super) fn told(error: &Error) -> Told {
    match error {
        Error::Store(store::Error::Unavailable(_)) => {
            Told::new(ErrorReason::StoreUnavailable, "the store is unavailable; nothing happened")
                .retry(Duration::from_millis(500))
        }
        Error::Store(store::Error::Uncertain(_)) => {
            Told::new(ErrorReason::StoreUncertain, "it may have happened: send the same call again")
                .retry(Duration::from_millis(100))
        }
        Error::Store(store::Error::Contended) => {
            Told::new(ErrorReason::Contended, "too many writers on this key")
                .retry(Duration::from_millis(50))
        }
        Error::Store(store::Error::Corrupt(_)) => {
            Told::new(ErrorReason::RecordCorrupt, "the record cannot be read")
        }
        Error::Store(store::Error::FormatTooNew(format)) => {
            Told::new(ErrorReason::FormatTooNew, "the record was written by a newer version")
                .with("format", format)
        }
        Error::Held(hold) => held(*hold),
        Error::Deadline => deadline(),
    }
}

/// Whoever asks again later is answered, here or where the namespace then is.
fn held(hold: Hold) -> Told {
    let (state, message) = match hold {
        Hold::Sealed => ("sealed", "the namespace moves: nothing is taken here for now"),
        Hold::Open | Hold::Frozen => ("frozen", "the namespace is frozen: no Claims for now"),
    };
    Told::new(ErrorReason::Draining, message)
        .with("namespace_state", &state)
        .retry(Duration::from_secs(1))
}

pub(super) fn log(error: &store::Error, provider_key: &str) {
    match error {
        store::Error::Unavailable(_) | store::Error::Uncertain(_) => {
            tracing::warn!(intent = provider_key, %error, "the store failed");
        }
        store::Error::Contended => tracing::info!(intent = provider_key, "{error}"),
        store::Error::Corrupt(_) | store::Error::FormatTooNew(_) => {
            tracing::error!(intent = provider_key, %error, "a record is unreadable");
        }
    }
}
