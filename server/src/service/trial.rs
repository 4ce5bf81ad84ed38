//! A service over a real engine in a folder of its own, for tests.

use std::sync::Arc;

use onced_proto::v1;
use tempfile::TempDir;
use uuid::Uuid;

use super::{Bounds, Claims, Service};
use crate::{
    keeper::Keeper,
    policy::{Mode, Policies},
    server::{Drain, Parts},
    store::{Store, embedded},
    telemetry::{Measured, Metrics},
};

/// All that a service needs.
pub(crate) struct Trial {
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) clock: Arc<dyn crate::clock::Clock>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) bounds: Bounds,
    _folder: TempDir,
}

impl Trial {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = embedded::Embedded::open(&embedded::Options::at(folder.path())).unwrap();
        let clock = engine.clock();
        let metrics = Arc::new(Metrics::new());
        let store: Arc<dyn Store> = Arc::new(Measured::new(engine, metrics.clone()));
        let policies = Arc::new(Policies::open(None, Mode::Dev, store.clone()).unwrap());
        let keeper = Arc::new(Keeper::new(store, clock.clone()));
        Self { keeper, policies, clock, metrics, bounds: Bounds::default(), _folder: folder }
    }

    pub(crate) fn service(&self) -> Arc<Service> {
        Arc::new(Service::new(
            self.keeper.clone(),
            self.policies.clone(),
            self.clock.clone(),
            self.bounds.clone(),
            self.metrics.clone(),
        ))
    }

    pub(crate) fn claims(&self) -> Claims {
        Claims(self.service())
    }

    pub(crate) fn parts(&self, drain: Drain) -> Parts {
        Parts {
            keeper: self.keeper.clone(),
            policies: self.policies.clone(),
            clock: self.clock.clone(),
            bounds: self.bounds.clone(),
            metrics: self.metrics.clone(),
            drain,
            backups: None,
        }
    }
}

pub(crate) fn id(key: &str) -> v1::IntentId {
    v1::IntentId {
        namespace: "payments".to_owned(),
        operation: "charge".to_owned(),
        key: key.to_owned(),
    }
}

pub(crate) fn payload(text: &str) -> v1::Payload {
    let bytes = v1::payload::Payload::Bytes(text.to_owned().into());
    v1::Payload { payload: Some(bytes) }
}

/// A Claim by a claimant of its own.
pub(crate) fn claim(key: &str) -> v1::ClaimRequest {
    v1::ClaimRequest {
        intent: Some(id(key)),
        claimant: Uuid::new_v4().to_string(),
        holder: "pod-1".to_owned(),
        payload: Some(payload("10 EUR")),
        ..v1::ClaimRequest::default()
    }
}

pub(crate) fn waiting(key: &str) -> v1::ClaimRequest {
    let mut request = claim(key);
    request.set_in_progress_strategy(v1::InProgressStrategy::Wait);
    request
}

/// A success with this text as its result.
pub(crate) fn success(key: &str, token: i64, text: &str) -> v1::CompleteRequest {
    let body = Some(v1::content::Body::Text(text.to_owned()));
    let result = Some(v1::Content { body, content_type: "text/plain".to_owned() });
    let succeeded = v1::Succeeded { result, ..v1::Succeeded::default() };
    v1::CompleteRequest {
        intent: Some(id(key)),
        fencing_token: token,
        payload: None,
        outcome: Some(v1::complete_request::Outcome::Succeeded(succeeded)),
    }
}

#[track_caller]
pub(crate) fn granted(ruling: Option<v1::Ruling>) -> v1::Granted {
    match ruling.and_then(|ruling| ruling.verdict) {
        Some(v1::ruling::Verdict::Granted(granted)) => granted,
        other => panic!("not granted: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn completed(ruling: Option<v1::Ruling>) -> v1::Completed {
    match ruling.and_then(|ruling| ruling.verdict) {
        Some(v1::ruling::Verdict::Completed(completed)) => completed,
        other => panic!("not completed: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn in_progress(ruling: Option<v1::Ruling>) -> v1::InProgress {
    match ruling.and_then(|ruling| ruling.verdict) {
        Some(v1::ruling::Verdict::InProgress(in_progress)) => in_progress,
        other => panic!("not in progress: {other:?}"),
    }
}

/// The text of a completed success.
#[track_caller]
pub(crate) fn text(completed: &v1::Completed) -> &str {
    let Some(v1::completed::Outcome::Succeeded(succeeded)) = &completed.outcome else {
        panic!("no success: {completed:?}");
    };
    match succeeded.result.as_ref().and_then(|result| result.body.as_ref()) {
        Some(v1::content::Body::Text(text)) => text,
        other => panic!("no text: {other:?}"),
    }
}

/// The reason and the metadata of a status.
#[track_caller]
pub(crate) fn reason(
    status: &tonic::Status,
) -> (String, std::collections::HashMap<String, String>) {
    use tonic_types::StatusExt;
    let info = status.get_details_error_info().expect("every status tells its reason");
    assert_eq!(info.domain, crate::status::DOMAIN);
    (info.reason, info.metadata)
}

/// The fields of a status's violations.
pub(crate) fn fields(status: &tonic::Status) -> Vec<String> {
    use tonic_types::StatusExt;
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations);
    violations.unwrap_or_default().into_iter().map(|violation| violation.field).collect()
}
