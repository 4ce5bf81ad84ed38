//! Resolve.

use super::{Given, Resolve, Ruling};
use crate::{clock::Timestamp, store::Stored};

pub(super) fn rule(
    _stored: Option<&Stored>,
    _resolve: &Resolve,
    _given: &Given<'_>,
    _now: Timestamp,
) -> Ruling {
    todo!("next commit")
}
