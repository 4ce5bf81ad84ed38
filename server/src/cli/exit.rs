//! Exit codes. They are fixed: scripts branch on them.
//!
//! The rule that everything here serves: 0 from `claim` and `reclaim` means "perform the effect",
//! and nothing but a fresh grant does.

use std::process::ExitCode;

use onced_proto::v1::{Completed, Granted, Ruling, completed::Outcome, ruling::Verdict};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// What is said at the foot of `--help`.
pub(super) const LEGEND: &str = "\
Exit codes of claim and reclaim:
   0  granted: perform the effect      12  unknown or disputed: find out
  10  completed: it succeeded before   13  granted, but repeated or over: no act
  11  in progress: ask again later     14  completed: it finally failed before
Of every command: 0 done, 64 usage, 69 unavailable, 70 refused.";

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; for a ruling: granted, go ahead.
    Done = 0,
    /// It succeeded before.
    Succeeded = 10,
    /// Somebody is at it.
    InProgress = 11,
    /// Nobody knows, it is disputed, or the answer is not understood.
    Unknown = 12,
    /// Granted, but to an earlier send, or with the lease over: do not act.
    Repeated = 13,
    /// It finally failed before.
    Failed = 14,
    /// Not all was done: of an export, or of a batch.
    Incomplete = 15,
    /// `run`: the command surely did nothing; it may be run again.
    NotApplied = 16,
    /// `run`: the command was run, and what became of it is not on record.
    Unrecorded = 17,
    /// `doctor`: something is wrong.
    Findings = 18,
    /// The command line, a file or a field of the request is wrong.
    Usage = 64,
    /// No answer, or none for now.
    Unavailable = 69,
    /// Refused, or a fault on this side.
    Refused = 70,
}

impl Exit {
    /// Whether `run` says something of its own by this code, so that no command may.
    pub(super) fn is_of_run(code: u8) -> bool {
        [
            Self::InProgress,
            Self::Unknown,
            Self::Repeated,
            Self::Failed,
            Self::NotApplied,
            Self::Unrecorded,
            Self::Usage,
            Self::Unavailable,
            Self::Refused,
        ]
        .iter()
        .any(|own| *own as u8 == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What the caller knows of a grant that the answer alone does not tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrantCheck {
    /// The claimant was made for this very call, so that an earlier send can only be its own.
    pub(super) claimant_is_ours: bool,
    /// The lease, counted from before the answered send, is over.
    pub(super) lease_is_over: bool,
}

impl Exit {
    /// The code of a ruling. No ruling, or one that is not understood, is unknown.
    pub(super) fn of_ruling(ruling: Option<&Ruling>, check: GrantCheck) -> Self {
        match ruling.and_then(|ruling| ruling.verdict.as_ref()) {
            Some(Verdict::Granted(granted)) => Self::of_grant(granted, check),
            Some(Verdict::Completed(completed)) => Self::of_completed(completed),
            Some(Verdict::InProgress(_)) => Self::InProgress,
            Some(Verdict::Unknown(_)) | None => Self::Unknown,
        }
    }

    fn of_grant(granted: &Granted, check: GrantCheck) -> Self {
        let stale = granted.repeated && !check.claimant_is_ours;
        if stale || check.lease_is_over { Self::Repeated } else { Self::Done }
    }

    fn of_completed(completed: &Completed) -> Self {
        match (&completed.outcome, completed.disputed) {
            (_, true) | (None, _) => Self::Unknown,
            (Some(Outcome::Succeeded(_)), false) => Self::Succeeded,
            (Some(Outcome::Failed(_)), false) => Self::Failed,
        }
    }

    /// The code of a call that was refused or got no answer.
    pub(super) fn of_status(status: &Status) -> Self {
        match status.code() {
            Code::Ok => Self::Done,
            Code::InvalidArgument => Self::Usage,
            Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::Internal
            | Code::ResourceExhausted => Self::Unavailable,
            Code::NotFound
            | Code::AlreadyExists
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::DataLoss
            | Code::Unauthenticated => Self::Refused,
        }
    }

    /// The same for a call that asks for a ruling: there, IN_PROGRESS is one.
    pub(super) fn of_refused_ruling(status: &Status) -> Self {
        let in_progress =
            status.code() == Code::Aborted && reason(status) == Some("IN_PROGRESS".into());
        if in_progress { Self::InProgress } else { Self::of_status(status) }
    }
}

/// The reason in a status, if it is one of onced.
pub(super) fn reason(status: &Status) -> Option<String> {
    let info = status.get_details_error_info()?;
    (info.domain == "onced.v1").then_some(info.reason)
}

#[cfg(test)]
mod tests;
