//! Grants and the terms of the current one, on disk.

use onced_proto::store::v1 as layout;

use super::{
    super::{AttemptEnd, EffectClass, Grant, Terms},
    field::{Fault, claimant, required, span, span_micros, time, token, uuid_bytes},
};
use crate::clock::Timestamp;

impl From<&Grant> for layout::Grant {
    fn from(grant: &Grant) -> Self {
        Self {
            token: Some(grant.token.0),
            attempt: Some(grant.attempt),
            claimant: grant.claimant.map(|claimant| uuid_bytes(claimant.0)),
            holder: grant.holder.clone(),
            claim_time_micros: Some(grant.claim_time.0),
            end: layout::AttemptEnd::from(grant.end).into(),
            end_time_micros: grant.end_time.map(|time| time.0),
        }
    }
}

impl TryFrom<layout::Grant> for Grant {
    type Error = Fault;

    fn try_from(cell: layout::Grant) -> Result<Self, Fault> {
        let claimant = |bytes: bytes::Bytes| claimant(&bytes, "a grant's claimant is not a UUID");
        Ok(Self {
            token: token(cell.token, "a grant's token is missing or not positive")?,
            attempt: required(cell.attempt, "a grant's attempt is missing")?,
            claimant: cell.claimant.map(claimant).transpose()?,
            holder: cell.holder,
            claim_time: time(cell.claim_time_micros, "a grant's time is missing")?,
            end: end_from(cell.end)?,
            end_time: cell.end_time_micros.map(Timestamp),
        })
    }
}

impl From<AttemptEnd> for layout::AttemptEnd {
    fn from(end: AttemptEnd) -> Self {
        match end {
            AttemptEnd::Open => Self::Open,
            AttemptEnd::Unresolved => Self::Unresolved,
            AttemptEnd::Released => Self::Released,
            AttemptEnd::Cleared => Self::Cleared,
            AttemptEnd::Failed => Self::Failed,
            AttemptEnd::Succeeded => Self::Succeeded,
        }
    }
}

fn end_from(cell: i32) -> Result<AttemptEnd, Fault> {
    match layout::AttemptEnd::try_from(cell) {
        Ok(layout::AttemptEnd::Open) => Ok(AttemptEnd::Open),
        Ok(layout::AttemptEnd::Unresolved) => Ok(AttemptEnd::Unresolved),
        Ok(layout::AttemptEnd::Released) => Ok(AttemptEnd::Released),
        Ok(layout::AttemptEnd::Cleared) => Ok(AttemptEnd::Cleared),
        Ok(layout::AttemptEnd::Failed) => Ok(AttemptEnd::Failed),
        Ok(layout::AttemptEnd::Succeeded) => Ok(AttemptEnd::Succeeded),
        Ok(layout::AttemptEnd::Unspecified) | Err(_) => {
            Err(Fault("the end of an attempt is none that is known"))
        }
    }
}

impl From<&Terms> for layout::Terms {
    fn from(terms: &Terms) -> Self {
        Self {
            effect_class: layout::EffectClass::from(terms.effect_class).into(),
            provider_window_micros: terms.provider_window.map(span_micros),
            lease_micros: Some(span_micros(terms.lease)),
            max_lease_micros: Some(span_micros(terms.max_lease)),
            max_hold_micros: Some(span_micros(terms.max_hold)),
            effect_timeout_micros: Some(span_micros(terms.effect_timeout)),
            evidence_delay_micros: Some(span_micros(terms.evidence_delay)),
            retention_micros: Some(span_micros(terms.retention)),
            result_retention_micros: Some(span_micros(terms.result_retention)),
            reconcile: Some(terms.reconcile),
        }
    }
}

impl TryFrom<layout::Terms> for Terms {
    type Error = Fault;

    fn try_from(cell: layout::Terms) -> Result<Self, Fault> {
        let window = |micros| span(Some(micros), "its provider window is negative");
        Ok(Self {
            effect_class: class_from(cell.effect_class)?,
            provider_window: cell.provider_window_micros.map(window).transpose()?,
            lease: span(cell.lease_micros, "its lease is missing or negative")?,
            max_lease: span(cell.max_lease_micros, "its longest lease is missing or negative")?,
            max_hold: span(cell.max_hold_micros, "its longest hold is missing or negative")?,
            effect_timeout: span(
                cell.effect_timeout_micros,
                "its effect timeout is missing or negative",
            )?,
            evidence_delay: span(
                cell.evidence_delay_micros,
                "its evidence delay is missing or negative",
            )?,
            retention: span(cell.retention_micros, "its retention is missing or negative")?,
            result_retention: span(
                cell.result_retention_micros,
                "its result retention is missing or negative",
            )?,
            reconcile: required(cell.reconcile, "whether it is reconciled is missing")?,
        })
    }
}

impl From<EffectClass> for layout::EffectClass {
    fn from(class: EffectClass) -> Self {
        match class {
            EffectClass::NaturallyIdempotent => Self::NaturallyIdempotent,
            EffectClass::Keyed => Self::Keyed,
            EffectClass::Accumulative => Self::Accumulative,
            EffectClass::External => Self::External,
        }
    }
}

fn class_from(cell: i32) -> Result<EffectClass, Fault> {
    match layout::EffectClass::try_from(cell) {
        Ok(layout::EffectClass::NaturallyIdempotent) => Ok(EffectClass::NaturallyIdempotent),
        Ok(layout::EffectClass::Keyed) => Ok(EffectClass::Keyed),
        Ok(layout::EffectClass::Accumulative) => Ok(EffectClass::Accumulative),
        Ok(layout::EffectClass::External) => Ok(EffectClass::External),
        Ok(layout::EffectClass::Unspecified) | Err(_) => {
            Err(Fault("its effect class is none that is known"))
        }
    }
}
