//! Get: where does it stand? Touches nothing.

use super::{
    Get, Refusal, Ruling, Verdict,
    look::{check_hash, present},
};
use crate::store::Stored;

pub(super) fn rule(stored: Option<&Stored>, get: &Get) -> Ruling {
    let Some(stored) = present(stored) else { return Ruling::refuse(Refusal::KeyNotFound) };
    match get.payload.as_ref().map(|payload| check_hash(&stored.record, payload)) {
        Some(Err(refusal)) => Ruling::refuse(refusal),
        Some(Ok(())) | None => Ruling::answer(Verdict::Shown),
    }
}
