//! The invariants by name, and how one is found broken.

use std::fmt;

use super::rules::Rules;

/// What was broken, and how it showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub invariant: Invariant,
    pub detail: String,
}

/// What always holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invariant {
    OneClaimantOneGrant,
    NoGrantOverSuccess,
    JudgedIsWrittenOn,
    PromiseIsShorterThanLease,
    OneLiveGrant,
    NoSilentGrant,
    NoTakeoverWithoutEvidence,
    EvidenceIsRipe,
    OwnAttemptOnly,
    OutcomeStays,
    EffectAtMostOnce,
    RecordIsTrue,
    NoEvidenceLost,
    SameAnswer,
    NoRepeatAfterUse,
    TokenIsOwn,
    TakenBackIsNotGranted,
    NeverStuck,
    OpenDoesNotExpire,
    ResultIsWhole,
    CopyMovesNothing,
    UnknownIsKept,
}

impl Broken {
    pub(super) fn new(invariant: Invariant, detail: impl Into<String>) -> Self {
        Self { invariant, detail: detail.into() }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.invariant, self.detail)
    }
}

impl Rules {
    /// Breaks off, unless it holds or another invariant alone is looked at.
    pub(super) fn must(
        &self,
        holds: bool,
        invariant: Invariant,
        detail: &str,
    ) -> Result<(), Broken> {
        let counts = self.only.is_none_or(|only| only == invariant);
        if holds || !counts { Ok(()) } else { Err(Broken::new(invariant, detail)) }
    }
}
