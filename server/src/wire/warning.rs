//! What looks wrong about a Claim, without crying wolf: a key that is surely made per attempt, and
//! what else the caller should know. Never a reason to refuse.

use std::time::Duration;

use onced_proto::v1::{self, WarningType};

use crate::{clock::Timestamp, record::Claimant};

mod clock;

/// A reading this far from now is one of this very call.
const RECENT: Duration = Duration::from_secs(600);

/// What is surely wrong about a key: it holds this call's own id, or a clock reading of the last
/// minutes.
pub fn key_warnings(
    key: &str,
    claimant: Claimant,
    traceparent: Option<&str>,
    now: Timestamp,
) -> Vec<v1::Warning> {
    let mut warnings = Vec::new();
    if has_call_id(key, claimant, traceparent) {
        warnings.push(warning(
            WarningType::KeyHasCallId,
            "the key holds this call's claimant or trace id: it is made anew for each attempt",
        ));
    }
    if clock::readings(key).any(|reading| is_recent(reading, now)) {
        warnings.push(warning(
            WarningType::KeyHasClock,
            "the key holds the time of this call: it is made anew for each attempt",
        ));
    }
    warnings
}

/// The wanted lease was shortened.
pub fn lease_shortened() -> v1::Warning {
    warning(WarningType::LeaseShortened, "the wanted lease was shortened to the policy's longest")
}

/// There was no payload hash to compare with.
pub fn hash_unchecked() -> v1::Warning {
    warning(WarningType::HashUnchecked, "the record has no payload hash: nothing was compared")
}

fn warning(kind: WarningType, message: &str) -> v1::Warning {
    v1::Warning { r#type: kind.into(), message: message.to_owned() }
}

fn has_call_id(key: &str, claimant: Claimant, traceparent: Option<&str>) -> bool {
    let key = key.to_ascii_lowercase();
    let uuid = claimant.0;
    key.contains(&uuid.hyphenated().to_string())
        || key.contains(&uuid.simple().to_string())
        || traceparent.and_then(trace_id).is_some_and(|id| key.contains(id))
}

/// The trace id of a W3C traceparent.
pub fn trace_id(traceparent: &str) -> Option<&str> {
    traceparent.split('-').nth(1).filter(|id| id.len() == 32)
}

fn is_recent(reading: Timestamp, now: Timestamp) -> bool {
    reading.since(now) <= RECENT && now.since(reading) <= RECENT
}

#[cfg(test)]
mod tests;
