//! What was reported of an attempt, and the answer that it got.

use super::{Failure, FencingToken, Success};
use crate::clock::Timestamp;

/// One report and the answer that it got; sent again it gets that answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Under which token.
    pub token: FencingToken,
    /// Of what kind, and what it said, without the bytes of its result.
    pub said: Said,
    /// Digest of all that it said.
    pub digest: [u8; 32],
    /// What it was told.
    pub answer: Answer,
    /// When.
    pub time: Timestamp,
    /// An operator's verdict says that it was wrong.
    pub refuted: bool,
}

/// What a report says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It happened.
    Succeeded(Success),
    /// It finally failed without effect.
    Failed(Failure),
    /// The holder does not know.
    Unknown,
    /// It surely did not happen.
    Released(NotAppliedReason),
}

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// It happened.
    Succeeded,
    /// It finally failed without effect.
    Failed,
    /// The holder does not know.
    Unknown,
    /// It surely did not happen.
    Released,
}

impl Said {
    /// Its kind.
    pub fn kind(&self) -> ReportKind {
        match self {
            Self::Succeeded(_) => ReportKind::Succeeded,
            Self::Failed(_) => ReportKind::Failed,
            Self::Unknown => ReportKind::Unknown,
            Self::Released(_) => ReportKind::Released,
        }
    }

    /// The provider's own id, if it was told.
    pub fn provider_reference(&self) -> Option<&str> {
        let reference = match self {
            Self::Succeeded(success) => &success.provider_reference,
            Self::Failed(failure) => &failure.provider_reference,
            Self::Unknown | Self::Released(_) => return None,
        };
        (!reference.is_empty()).then_some(reference)
    }
}

/// What a report was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Taken.
    Recorded {
        /// It came after the end of its lease.
        late: bool,
    },
    /// Another outcome is recorded; kept as a late report.
    Conflict,
    /// Its token is not current; kept as a late report.
    Fenced,
}

impl Report {
    /// It came under a token, or with an outcome, that was not taken: evidence, never dropped.
    pub fn is_late(&self) -> bool {
        !matches!(self.answer, Answer::Recorded { .. })
    }

    /// It says that the effect happened, and nobody has said that this is wrong.
    pub fn is_standing_success(&self) -> bool {
        matches!(self.said, Said::Succeeded(_)) && !self.refuted
    }
}

/// Why a holder is certain that nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAppliedReason {
    /// The effect was never started.
    NotStarted,
    /// The target answered that it did not do it.
    RejectedByTarget,
    /// It was part of a local transaction that was rolled back.
    RolledBack,
}
