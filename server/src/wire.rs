//! The wire and the domain: requests are judged and taken apart here, answers put together.
//!
//! Everything that is wrong with a request is found before anything else is done with it. Decides
//! nothing about intents, and knows no status codes.

use onced_proto::v1;

use crate::{
    intent::IntentId,
    record::{Content, ContentInfo, EffectClass, Money, NotAppliedReason, Standing},
};

pub mod etag;
mod expiry;
pub mod intent;
pub mod memory;
pub mod outcome;
pub mod policy;
pub mod request;
pub mod ruling;
pub mod time;
pub mod transfer;
pub mod warning;

/// An intent's names.
pub fn id(intent: &IntentId) -> v1::IntentId {
    v1::IntentId {
        namespace: intent.namespace().to_owned(),
        operation: intent.operation().to_owned(),
        key: intent.key().to_owned(),
    }
}

/// Where an intent stands.
pub fn state(standing: Standing) -> v1::State {
    match standing {
        Standing::Live => v1::State::InProgress,
        Standing::Over | Standing::Unknown => v1::State::Unknown,
        Standing::Released => v1::State::Released,
        Standing::Succeeded => v1::State::Succeeded,
        Standing::Failed => v1::State::Failed,
    }
}

/// Kind of effect.
pub fn effect_class(class: EffectClass) -> v1::EffectClass {
    match class {
        EffectClass::NaturallyIdempotent => v1::EffectClass::NaturallyIdempotent,
        EffectClass::Keyed => v1::EffectClass::Keyed,
        EffectClass::Accumulative => v1::EffectClass::Accumulative,
        EffectClass::External => v1::EffectClass::External,
    }
}

/// Why a holder was certain.
pub fn not_applied(reason: NotAppliedReason) -> v1::NotAppliedReason {
    match reason {
        NotAppliedReason::NotStarted => v1::NotAppliedReason::NotStarted,
        NotAppliedReason::RejectedByTarget => v1::NotAppliedReason::RejectedByTarget,
        NotAppliedReason::RolledBack => v1::NotAppliedReason::RolledBack,
    }
}

/// An amount.
pub fn money(money: &Money) -> v1::Money {
    v1::Money { currency_code: money.currency_code.clone(), units: money.units, nanos: money.nanos }
}

/// Bytes with their type, in the arm in which they were given.
fn content(body: bytes::Bytes, text: bool, content_type: &str) -> v1::Content {
    use v1::content::Body;
    let body = match String::from_utf8(body.to_vec()) {
        Ok(text_body) if text => Body::Text(text_body),
        _ => Body::Bytes(body),
    };
    v1::Content { body: Some(body), content_type: content_type.to_owned() }
}

/// A stored content.
pub fn detail(detail: &Content) -> v1::Content {
    content(detail.body.clone(), detail.text, &detail.content_type)
}

/// A stored result.
pub fn result(info: &ContentInfo, bytes: bytes::Bytes) -> v1::Content {
    content(bytes, info.text, &info.content_type)
}

/// A count, as far as the wire can tell it.
pub fn count(count: impl TryInto<i32>) -> i32 {
    count.try_into().unwrap_or(i32::MAX)
}
