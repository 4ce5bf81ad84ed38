//! Payloads: a hash, or what to make one of.

use onced_proto::v1::{self, payload::Payload as Given};

use super::{BYTES_MAX, Faults};
use crate::payload::{Payload, PayloadHash};

/// A payload that must be there.
pub(super) fn required(faults: &mut Faults, given: Option<v1::Payload>) -> Option<Payload> {
    match given {
        None => faults.none("payload", "is required"),
        Some(given) => payload(faults, given),
    }
}

/// A payload that may be there.
pub(super) fn optional(faults: &mut Faults, given: Option<v1::Payload>) -> Option<Payload> {
    payload(faults, given?)
}

fn payload(faults: &mut Faults, given: v1::Payload) -> Option<Payload> {
    match given.payload {
        None => faults.none("payload", "needs hash, bytes or json"),
        Some(Given::Hash(text)) => match PayloadHash::parse(&text) {
            Ok(hash) => Some(Payload::from_hash(hash)),
            Err(fault) => faults.none("payload.hash", fault),
        },
        Some(Given::Bytes(bytes)) => {
            faults.size("payload.bytes", bytes.len(), BYTES_MAX);
            (bytes.len() <= BYTES_MAX).then(|| Payload::from_bytes(bytes))
        }
        Some(Given::Json(text)) => {
            faults.size("payload.json", text.len(), BYTES_MAX);
            if text.len() > BYTES_MAX {
                return None;
            }
            match Payload::from_json(&text) {
                Ok(payload) => Some(payload),
                Err(fault) => faults.none("payload.json", fault),
            }
        }
    }
}
