//! What can be found wrong with an operation, and what to do about it.

use super::super::page::Tone;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// Each attempt has a key of its own.
    KeyPerAttempt,
    /// Two intents share a key.
    TooFewKeys,
    /// Attempts end without a word.
    LeasesEnd,
    /// Nobody knows what became of some intents.
    Unresolved,
    /// Two reports contradict each other.
    Disputed,
    /// A report came too late to count.
    LateReports,
    /// The store has forgotten a part of what it knew.
    MemoryGap,
    /// Duplicates can come after their intent is forgotten.
    MemoryTooShort,
}

/// How sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It may have another cause.
    Probable,
    /// There is no other.
    Certain,
}

/// A cause, and everything that points to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) cause: Cause,
    pub(super) certainty: Certainty,
    /// A sentence each.
    pub(super) signs: Vec<String>,
}

impl Finding {
    /// The tone of its page.
    pub(super) fn tone(&self) -> Tone {
        match self.certainty {
            Certainty::Certain => Tone::Bad,
            Certainty::Probable => Tone::Doubt,
        }
    }
}

impl Certainty {
    /// In a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Certain => "surely",
            Self::Probable => "probably",
        }
    }
}

impl Cause {
    /// Its name for scripts.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::KeyPerAttempt => "KEY_PER_ATTEMPT",
            Self::TooFewKeys => "TOO_FEW_KEYS",
            Self::LeasesEnd => "LEASES_END",
            Self::Unresolved => "UNRESOLVED",
            Self::Disputed => "DISPUTED",
            Self::LateReports => "LATE_REPORTS",
            Self::MemoryGap => "MEMORY_GAP",
            Self::MemoryTooShort => "MEMORY_TOO_SHORT",
        }
    }

    /// What it means.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::KeyPerAttempt => "each attempt has a key of its own: a retry acts again",
            Self::TooFewKeys => "intents share a key: the second never happens",
            Self::LeasesEnd => "attempts end without a word: nobody knows what they did",
            Self::Unresolved => "intents wait for somebody to find out what became of them",
            Self::Disputed => "outcomes are contradicted",
            Self::LateReports => {
                "reports came too late to count: an effect may have happened twice"
            }
            Self::MemoryGap => "the store has forgotten some of its last intents",
            Self::MemoryTooShort => "a duplicate can come after its intent is forgotten",
        }
    }

    /// What to do.
    pub(super) fn steps(self) -> &'static [&'static str] {
        match self {
            Self::KeyPerAttempt => &[
                "Find who makes the key: it must name the intent (an order id), and be made",
                "before the first attempt; no retrying layer may make another.",
                "If one payload is rightly asked for under several keys, put into it what",
                "tells them apart.",
            ],
            Self::TooFewKeys => &[
                "Put into the key what tells the intents apart (an order id, not a customer's),",
                "and leave out of the payload what differs between tries (times, trace ids).",
                "If every intent is sent many times on purpose, by many hosts, this is none.",
            ],
            Self::LeasesEnd => &[
                "Look whether workers die, or forget to call Complete when they fail.",
                "If the effect takes longer than the lease: renew it, or raise `lease`.",
            ],
            Self::Unresolved => &[
                "Ask the provider by the provider key, then: onced reclaim with evidence.",
                "onced get shows each; onced_oldest_unresolved_age_seconds is to be watched.",
            ],
            Self::Disputed => &["Compare each with the provider; onced get shows both reports."],
            Self::LateReports => &[
                "Compare each with the provider. The lease is too short for the effect, or",
                "it was taken over while the first was at it.",
            ],
            Self::MemoryGap => &[
                "Compare what was done since the backup with the provider, before anybody",
                "says that keys without a record are fresh.",
            ],
            Self::MemoryTooShort => &[
                "Raise `retention` before a window; what was forgotten stays so. Send",
                "first_sent_time with each claim: what is too old is then refused.",
            ],
        }
    }
}
