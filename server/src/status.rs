//! Why a call gets no answer, told as a gRPC status: code, reason and details.
//!
//! The one place that knows status codes. Decides nothing, and never tells a caller the cause of an
//! internal fault: that is logged, once, with the intent named by its provider key.

use std::{collections::HashMap, time::Duration};

use onced_proto::v1::ErrorReason;
use tonic::{Code, Status, metadata::MetadataValue};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use crate::{
    clock::Timestamp,
    intent::{IntentId, ProviderKeyForm},
    keeper,
    ruling::Refusal,
    violation::Violation,
};

pub mod operator;
mod refusal;
mod store;

/// `ErrorInfo.domain` of every status.
pub const DOMAIN: &str = "onced.v1";
/// Trailer that tells a client's retry policy when to try again.
pub const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// Most bytes of violations in one status: in base64, with the rest, well under the 8 KiB of
/// metadata that the strictest clients take.
const VIOLATIONS_BYTES_MAX: usize = 4 << 10;
/// What one violation takes beside its texts, at most.
const VIOLATION_OVERHEAD: usize = 12;

/// Why a call gets no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The request is malformed: everything that is wrong with it.
    Malformed(Vec<Violation>),
    /// The ruling is a refusal.
    Refused {
        /// Which.
        refusal: Refusal,
        /// About which intent.
        intent: IntentId,
        /// When it was ruled.
        now: Timestamp,
    },
    /// There is no ruling.
    Failed {
        /// Why not.
        error: keeper::Error,
        /// About which intent.
        intent: IntentId,
    },
    /// No policy names the operation.
    OperationUnknown {
        /// Of which namespace.
        namespace: String,
        /// Which.
        operation: String,
    },
    /// Too many calls are in flight.
    Overloaded,
    /// This replica shuts down.
    Draining,
    /// The call's own deadline came first.
    Deadline,
}

/// A refusal before it is a status.
struct Told {
    reason: ErrorReason,
    message: String,
    metadata: Vec<(&'static str, String)>,
    retry: Option<Duration>,
    violations: Vec<Violation>,
}

impl Denial {
    /// Its reason, as in `ErrorInfo`: the name without the enum's prefix.
    pub fn reason(&self) -> &'static str {
        name(self.told().reason)
    }

    /// The status to answer with.
    pub fn status(&self) -> Status {
        self.told().status()
    }

    /// The same as a message, for one result of a batch.
    pub fn message(&self) -> tonic_types::Status {
        let status = self.status();
        prost::Message::decode(status.details()).unwrap_or_else(|_| tonic_types::Status {
            code: status.code().into(),
            message: status.message().to_owned(),
            details: Vec::new(),
        })
    }

    /// Logs the cause of an internal fault; a refusal and a full server are no faults.
    pub fn log(&self) {
        if let Self::Failed { error: keeper::Error::Store(error), intent } = self {
            let provider_key = intent.identity().provider_key(ProviderKeyForm::Text);
            store::log(error, &provider_key);
        }
    }

    fn told(&self) -> Told {
        match self {
            Self::Malformed(violations) => malformed(violations.clone()),
            Self::Refused { refusal, intent, now } => refusal::told(refusal, intent, *now),
            Self::Failed { error, .. } => store::told(error),
            Self::OperationUnknown { namespace, operation } => {
                operation_unknown(namespace, operation)
            }
            Self::Overloaded => Told::new(ErrorReason::Overloaded, "the server is too busy")
                .retry(Duration::from_secs(1)),
            Self::Draining => Told::new(ErrorReason::Draining, "this replica shuts down")
                .retry(Duration::from_millis(100)),
            Self::Deadline => deadline(),
        }
    }
}

fn malformed(violations: Vec<Violation>) -> Told {
    let mut told = Told::new(ErrorReason::InvalidField, "the request is not valid");
    told.violations = as_many_as_arrive(violations);
    told
}

/// The first violations, and how many more there are: clients drop the whole status where its
/// trailer is too large for them.
fn as_many_as_arrive(mut violations: Vec<Violation>) -> Vec<Violation> {
    let mut bytes = 0;
    let fitting = violations.iter().take_while(|violation| {
        bytes += VIOLATION_OVERHEAD + violation.field.len() + violation.description.len();
        bytes <= VIOLATIONS_BYTES_MAX
    });
    let fitting = fitting.count();
    let more = violations.len() - fitting;
    violations.truncate(fitting);
    if more > 0 {
        violations.push(Violation::new("", "request", format!("has {more} more violations")));
    }
    violations
}

fn operation_unknown(namespace: &str, operation: &str) -> Told {
    Told::new(ErrorReason::OperationUnknown, "no policy names this operation")
        .with("namespace", namespace)
        .with("operation", operation)
}

fn deadline() -> Told {
    Told::new(
        ErrorReason::Deadline,
        "the deadline is over; it may have happened: send the same call again",
    )
}

impl Told {
    fn new(reason: ErrorReason, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { reason, message, metadata: Vec::new(), retry: None, violations: Vec::new() }
    }

    fn with(mut self, key: &'static str, value: &(impl ToString + ?Sized)) -> Self {
        self.metadata.push((key, value.to_string()));
        self
    }

    fn retry(mut self, after: Duration) -> Self {
        self.retry = Some(after);
        self
    }

    fn status(self) -> Status {
        let (code, retry) = (code(self.reason), self.retry);
        let message = self.message.clone();
        let mut status = Status::with_error_details(code, message, self.details());
        if let Some(after) = retry.filter(|_| code == Code::ResourceExhausted) {
            status.metadata_mut().insert(PUSHBACK, MetadataValue::from(millis(after)));
        }
        status
    }

    fn details(self) -> ErrorDetails {
        let metadata: HashMap<String, String> =
            self.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::new();
        details.set_error_info(name(self.reason), DOMAIN, metadata);
        if let Some(after) = self.retry {
            details.set_retry_info(Some(after));
        }
        if !self.violations.is_empty() {
            details.set_bad_request(self.violations.into_iter().map(field).collect::<Vec<_>>());
        }
        details
    }
}

/// The code of each reason.
fn code(reason: ErrorReason) -> Code {
    match reason {
        ErrorReason::Unspecified => Code::Unknown,
        ErrorReason::InvalidField => Code::InvalidArgument,
        ErrorReason::KeyReused
        | ErrorReason::HashSchemeDiffers
        | ErrorReason::ClaimantSpent
        | ErrorReason::HoldExhausted
        | ErrorReason::OutcomeConflict
        | ErrorReason::AlreadySettled
        | ErrorReason::EvidenceTooEarly
        | ErrorReason::IntentTooOld
        | ErrorReason::FormatTooNew => Code::FailedPrecondition,
        ErrorReason::InProgress
        | ErrorReason::Fenced
        | ErrorReason::LeaseLost
        | ErrorReason::EtagMismatch => Code::Aborted,
        ErrorReason::KeyNotFound | ErrorReason::OperationUnknown => Code::NotFound,
        ErrorReason::Quota | ErrorReason::Overloaded => Code::ResourceExhausted,
        ErrorReason::StoreUnavailable
        | ErrorReason::StoreUncertain
        | ErrorReason::Draining
        | ErrorReason::Contended => Code::Unavailable,
        ErrorReason::RecordCorrupt => Code::DataLoss,
        ErrorReason::Deadline => Code::DeadlineExceeded,
        ErrorReason::CredentialsInvalid => Code::Unauthenticated,
        ErrorReason::NotAllowed => Code::PermissionDenied,
    }
}

fn name(reason: ErrorReason) -> &'static str {
    let name = reason.as_str_name();
    name.strip_prefix("ERROR_REASON_").unwrap_or(name)
}

fn field(violation: Violation) -> FieldViolation {
    FieldViolation::new(violation.field, violation.description)
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
