//! What became of an effect, and how that came to be known.

use bytes::Bytes;

use crate::clock::Timestamp;

/// An outcome and how it came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// What became of it.
    pub outcome: Outcome,
    /// Which attempt; 0 where no attempt is known.
    pub attempt: u32,
    /// When it was recorded.
    pub complete_time: Timestamp,
    /// Who said so.
    pub source: Source,
    /// It was reported after its lease had ended.
    pub late: bool,
}

/// Succeeded or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Succeeded(Success),
    /// It finally failed and surely had no effect.
    Failed(Failure),
}

impl Outcome {
    /// The provider's own id, if it was told.
    pub fn provider_reference(&self) -> Option<&str> {
        let reference = match self {
            Self::Succeeded(success) => &success.provider_reference,
            Self::Failed(failure) => &failure.provider_reference,
        };
        (!reference.is_empty()).then_some(reference)
    }
}

/// How an outcome became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The holder reported it.
    Holder,
    /// The provider was asked.
    Reconciliation,
    /// An operator resolved it.
    Operator,
}

/// It happened. The bytes of its result are stored beside the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    /// What is known of the result.
    pub result: ResultKind,
    /// What it moved, if told.
    pub amount: Option<Money>,
    /// The provider's own id; empty if not told.
    pub provider_reference: String,
}

/// What is known of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// The effect returns nothing.
    NoneGiven,
    /// There was one, and the holder left it out.
    Omitted,
    /// Nobody but the holder ever knew it.
    NeverKnown,
    /// It was erased on request.
    Erased,
    /// It was given, empty or not; the bytes are kept for the result retention.
    Given(ContentInfo),
}

/// All of a content but its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentInfo {
    /// How many bytes.
    pub length: u64,
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
    /// Media type; empty if not told.
    pub content_type: String,
    /// It was given as text.
    pub text: bool,
}

/// Bytes with their type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes, replayed as given.
    pub body: Bytes,
    /// They were given as text.
    pub text: bool,
    /// Media type; empty if not told.
    pub content_type: String,
}

/// It finally failed and surely had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Machine-readable class: `card_declined`.
    pub kind: String,
    /// For people.
    pub message: String,
    /// What a caller needs to raise the same error again.
    pub detail: Option<Content>,
    /// The provider's own id of the refusal; empty if not told.
    pub provider_reference: String,
}

/// An amount in a currency; the shape of google.type.Money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    /// ISO 4217 code.
    pub currency_code: String,
    /// Whole units.
    pub units: i64,
    /// Billionths of a unit, of the same sign.
    pub nanos: i32,
}
