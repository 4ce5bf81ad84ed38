//! Single values of the layout: what must be there is there, in its range and of its length.
//!
//! Never fills in a default.

use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

use super::super::{Claimant, FencingToken, Revision};
use crate::clock::Timestamp;

/// Why a record cannot be read. Says which part, never what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub(super) &'static str);

pub(super) fn required<T>(value: Option<T>, fault: &'static str) -> Result<T, Fault> {
    value.ok_or(Fault(fault))
}

pub(super) fn time(micros: Option<i64>, fault: &'static str) -> Result<Timestamp, Fault> {
    required(micros, fault).map(Timestamp)
}

pub(super) fn span(micros: Option<i64>, fault: &'static str) -> Result<Duration, Fault> {
    let micros = u64::try_from(required(micros, fault)?).map_err(|_| Fault(fault))?;
    Ok(Duration::from_micros(micros))
}

/// Longer than 290 000 years counts as that long.
pub(super) fn span_micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

pub(super) fn token(token: Option<i64>, fault: &'static str) -> Result<FencingToken, Fault> {
    token.filter(|&token| token > 0).map(FencingToken).ok_or(Fault(fault))
}

pub(super) fn uuid(bytes: &[u8], fault: &'static str) -> Result<Uuid, Fault> {
    Uuid::from_slice(bytes).map_err(|_| Fault(fault))
}

pub(super) fn uuid_bytes(uuid: Uuid) -> Bytes {
    Bytes::copy_from_slice(uuid.as_bytes())
}

pub(super) fn revision(bytes: &[u8], fault: &'static str) -> Result<Revision, Fault> {
    uuid(bytes, fault).map(Revision)
}

pub(super) fn claimant(bytes: &[u8], fault: &'static str) -> Result<Claimant, Fault> {
    uuid(bytes, fault).map(Claimant)
}

pub(super) fn digest(bytes: &[u8], fault: &'static str) -> Result<[u8; 32], Fault> {
    bytes.try_into().map_err(|_| Fault(fault))
}

pub(super) fn digest_bytes(digest: &[u8; 32]) -> Bytes {
    Bytes::copy_from_slice(digest)
}
