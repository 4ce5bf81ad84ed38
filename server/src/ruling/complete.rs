//! Complete.

use super::{Complete, Given, Ruling};
use crate::{clock::Timestamp, store::Stored};

pub(super) fn rule(
    _stored: Option<&Stored>,
    _complete: &Complete,
    _given: &Given<'_>,
    _now: Timestamp,
) -> Ruling {
    todo!("next commit")
}
