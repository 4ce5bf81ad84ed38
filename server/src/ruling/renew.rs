//! Renew.

use super::{Given, Renew, Ruling};
use crate::{clock::Timestamp, store::Stored};

pub(super) fn rule(
    _stored: Option<&Stored>,
    _renew: &Renew,
    _given: &Given<'_>,
    _now: Timestamp,
) -> Ruling {
    todo!("next commit")
}
