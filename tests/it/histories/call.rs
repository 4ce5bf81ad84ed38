//! Calls as they were seen from outside: what was asked, what was told, and when.
//!
//! Judges nothing.

use bytes::Bytes;
use onced_proto::v1::{
    self, CompleteRequest, State, complete_request, completed, content::Body, ruling::Verdict,
};
use onced_tests::harness::Refusal;
use uuid::Uuid;

/// Microseconds since the start of a run, on the clock of the callers.
pub(crate) type Moment = u64;

/// What is asked of one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Claim(Uuid),
    Reclaim(Uuid),
    Complete(i64, Said),
    Renew(i64),
    Release(i64),
    /// Release by claimant: take back what my lost answer may have granted.
    TakeBack(Uuid),
    Get,
}

/// What is reported of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Said {
    Succeeded(Bytes),
    Failed(String),
    Unknown,
    Released,
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Promised until a moment on the caller's own clock.
    Granted {
        token: i64,
        attempt: usize,
        repeated: bool,
        until: Moment,
    },
    Completed {
        said: Said,
        disputed: bool,
    },
    /// With the caller's own token; 0 where another is at it.
    InProgress(i64),
    /// The same.
    Unknown(i64),
    /// A report is taken.
    Taken,
    Renewed {
        until: Moment,
    },
    Seen {
        state: State,
        attempt: usize,
        said: Option<Said>,
    },
    /// By its reason.
    Refused(String),
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) asked: Asked,
    pub(crate) invoked: Moment,
    /// Absent if the answer was lost.
    pub(crate) told: Option<Told>,
    /// When the answer came. If it was lost: the last moment at which the call can have had an
    /// effect.
    pub(crate) end: Moment,
}

impl Said {
    pub(crate) fn request(&self, intent: &v1::IntentId, token: i64) -> CompleteRequest {
        use onced_tests::harness::request::{complete, failed, raw, succeeded_with, unknown};
        let outcome: complete_request::Outcome = match self {
            Self::Succeeded(bytes) => succeeded_with(Some(raw(bytes.clone()))),
            Self::Failed(kind) => failed(kind),
            Self::Unknown => unknown(),
            Self::Released => panic!("a Release is a call of its own"),
        };
        complete(intent, token, outcome)
    }

    fn of(completed: &v1::Completed) -> Self {
        match completed.outcome.as_ref().expect("an outcome") {
            completed::Outcome::Failed(failed) => Self::Failed(failed.r#type.clone()),
            completed::Outcome::Succeeded(succeeded) => match succeeded.result.as_ref() {
                Some(v1::Content { body: Some(Body::Bytes(bytes)), .. }) => {
                    Self::Succeeded(bytes.clone())
                }
                other => panic!("not the bytes that were reported: {other:?}"),
            },
        }
    }
}

impl Told {
    /// A ruling on a call that was sent at `invoked`.
    pub(crate) fn of_ruling(ruling: v1::Ruling, invoked: Moment) -> Self {
        match ruling.verdict.expect("a verdict") {
            Verdict::Granted(granted) => Self::Granted {
                token: granted.fencing_token,
                attempt: usize::try_from(granted.attempt).expect("a count"),
                repeated: granted.repeated,
                until: invoked + micros(granted.waited) + micros(granted.lease),
            },
            Verdict::Completed(completed) => {
                Self::Completed { said: Said::of(&completed), disputed: completed.disputed }
            }
            Verdict::InProgress(in_progress) => Self::InProgress(in_progress.fencing_token),
            Verdict::Unknown(unknown) => Self::Unknown(unknown.fencing_token),
        }
    }

    pub(crate) fn of_renewal(renewed: &v1::RenewResponse, invoked: Moment) -> Self {
        Self::Renewed { until: invoked + micros(renewed.lease) }
    }

    pub(crate) fn of_intent(intent: &v1::Intent) -> Self {
        Self::Seen {
            state: intent.state(),
            attempt: usize::try_from(intent.attempt).expect("a count"),
            said: intent.completed.as_ref().map(Said::of),
        }
    }

    /// A refusal that is definite; none if the call may have had an effect.
    pub(crate) fn of_refusal(refusal: &Refusal) -> Option<Self> {
        let lost = ["", "STORE_UNCERTAIN", "DEADLINE"].contains(&refusal.reason.as_str());
        (!lost).then(|| Self::Refused(refusal.reason.clone()))
    }
}

fn micros(span: Option<prost_types::Duration>) -> Moment {
    let span = std::time::Duration::try_from(span.unwrap_or_default()).expect("a span");
    u64::try_from(span.as_micros()).expect("a span of this age")
}
