//! Answers taken apart: the verdict that a test expects, or the refusal with its details.

use std::{collections::HashMap, time::Duration};

use onced_proto::v1::{self, ErrorReason, completed::Outcome, ruling::Verdict};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Why a call got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status code.
    pub code: Code,
    /// For people.
    pub message: String,
    /// `ErrorInfo.reason`; empty without one.
    pub reason: String,
    /// `ErrorInfo.domain`.
    pub domain: String,
    /// `ErrorInfo.metadata`.
    pub metadata: HashMap<String, String>,
    /// `BadRequest`: field and description, in their order.
    pub violations: Vec<(String, String)>,
    /// `RetryInfo`.
    pub retry: Option<Duration>,
    /// The pushback trailer, in milliseconds.
    pub pushback: Option<u64>,
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info();
        let violations = details.bad_request().map(|bad| bad.field_violations.clone());
        let pushback = status.metadata().get("grpc-retry-pushback-ms");
        Self {
            code: status.code(),
            message: status.message().to_owned(),
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            domain: info.map(|info| info.domain.clone()).unwrap_or_default(),
            metadata: info.map(|info| info.metadata.clone()).unwrap_or_default(),
            violations: violations
                .into_iter()
                .flatten()
                .map(|violation| (violation.field, violation.description))
                .collect(),
            retry: details.retry_info().and_then(|info| info.retry_delay),
            pushback: pushback.and_then(|text| text.to_str().ok()?.parse().ok()),
        }
    }
}

impl Refusal {
    /// A refusal that came as a message: that of one item of a batch.
    pub fn of_message(message: tonic_types::Status) -> Self {
        let details = prost::Message::encode_to_vec(&message);
        Status::with_details(message.code.into(), message.message, details.into()).into()
    }

    /// Expects this reason, and no other.
    #[track_caller]
    pub fn is(&self, reason: ErrorReason) -> &Self {
        let name = reason.as_str_name().trim_start_matches("ERROR_REASON_");
        assert_eq!(self.reason, name, "{self:?}");
        assert_eq!(self.domain, "onced.v1");
        self
    }

    /// Expects a metadata key; answers its value.
    #[track_caller]
    pub fn told(&self, key: &str) -> &str {
        let value = self.metadata.get(key);
        value.unwrap_or_else(|| panic!("nothing is told under {key}: {self:?}"))
    }

    /// The fields that are violated, in their order.
    pub fn fields(&self) -> Vec<&str> {
        self.violations.iter().map(|(field, _)| field.as_str()).collect()
    }
}

/// Expects a verdict, and fails showing the one that is there.
pub trait RulingExt: Sized {
    /// The verdict.
    fn into_verdict(self) -> Verdict;

    /// Expects a grant.
    #[track_caller]
    fn granted(self) -> v1::Granted {
        match self.into_verdict() {
            Verdict::Granted(granted) => granted,
            other => panic!("not granted, but {other:?}"),
        }
    }

    /// Expects an outcome.
    #[track_caller]
    fn completed(self) -> v1::Completed {
        match self.into_verdict() {
            Verdict::Completed(completed) => completed,
            other => panic!("not completed, but {other:?}"),
        }
    }

    /// Expects a success.
    #[track_caller]
    fn succeeded(self) -> v1::Succeeded {
        match self.completed().outcome {
            Some(Outcome::Succeeded(succeeded)) => succeeded,
            other => panic!("not succeeded, but {other:?}"),
        }
    }

    /// Expects a failure.
    #[track_caller]
    fn failed(self) -> v1::Failed {
        match self.completed().outcome {
            Some(Outcome::Failed(failed)) => failed,
            other => panic!("not failed, but {other:?}"),
        }
    }

    /// Expects that somebody is at it.
    #[track_caller]
    fn in_progress(self) -> v1::InProgress {
        match self.into_verdict() {
            Verdict::InProgress(in_progress) => in_progress,
            other => panic!("not in progress, but {other:?}"),
        }
    }

    /// Expects that nobody knows.
    #[track_caller]
    fn unknown(self) -> v1::Unknown {
        match self.into_verdict() {
            Verdict::Unknown(unknown) => unknown,
            other => panic!("not unknown, but {other:?}"),
        }
    }
}

impl RulingExt for v1::Ruling {
    #[track_caller]
    fn into_verdict(self) -> Verdict {
        self.verdict.expect("a verdict")
    }
}

impl RulingExt for Verdict {
    fn into_verdict(self) -> Verdict {
        self
    }
}
