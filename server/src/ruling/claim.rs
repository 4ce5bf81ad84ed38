//! Claim.

use super::{Claim, Given, Ruling};
use crate::{clock::Timestamp, store::Stored};

pub(super) fn rule(
    _stored: Option<&Stored>,
    _claim: &Claim,
    _given: &Given<'_>,
    _now: Timestamp,
) -> Ruling {
    todo!("next commit")
}
