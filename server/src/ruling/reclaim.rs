//! Reclaim.

use super::{Given, Reclaim, Ruling};
use crate::{clock::Timestamp, store::Stored};

pub(super) fn rule(
    _stored: Option<&Stored>,
    _reclaim: &Reclaim,
    _given: &Given<'_>,
    _now: Timestamp,
) -> Ruling {
    todo!("next commit")
}
