//! Requests with defaults: `ClaimRequest { holder, ..claim(&intent) }` says only what matters.

use std::time::Duration;

use onced_proto::v1::{
    self, BatchClaimRequest, ClaimRequest, CompleteRequest, Content, Evidence, Failed, GetRequest,
    IntentId, NotAppliedReason, OutcomeUnknown, Payload, ReclaimRequest, ReleaseRequest,
    RenewRequest, Succeeded, WatchRequest, complete_request::Outcome, content::Body, evidence,
    payload, release_request::Grant,
};
use prost_types::Timestamp;

/// What every request asks for unless it says otherwise.
pub const PAYLOAD: &str = r#"{"amount":100}"#;

/// An intent of `payments/charge`.
pub fn charge(key: &str) -> IntentId {
    intent("payments", "charge", key)
}

/// Any intent.
pub fn intent(namespace: &str, operation: &str, key: &str) -> IntentId {
    IntentId { namespace: namespace.into(), operation: operation.into(), key: key.into() }
}

/// A JSON payload.
pub fn json(text: &str) -> Option<Payload> {
    Some(Payload { payload: Some(payload::Payload::Json(text.to_owned())) })
}

/// A payload of raw bytes.
pub fn bytes(bytes: impl Into<bytes::Bytes>) -> Option<Payload> {
    Some(Payload { payload: Some(payload::Payload::Bytes(bytes.into())) })
}

/// A payload by its hash.
pub fn hash(text: &str) -> Option<Payload> {
    Some(Payload { payload: Some(payload::Payload::Hash(text.to_owned())) })
}

/// A fresh claimant.
pub fn claimant() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// A span as the wire has it.
pub fn span(span: Duration) -> Option<prost_types::Duration> {
    Some(span.try_into().expect("a span"))
}

/// A Claim by a fresh claimant.
pub fn claim(intent: &IntentId) -> ClaimRequest {
    ClaimRequest {
        intent: Some(intent.clone()),
        claimant: claimant(),
        payload: json(PAYLOAD),
        ..ClaimRequest::default()
    }
}

/// A Claim that waits.
pub fn waiting_claim(intent: &IntentId) -> ClaimRequest {
    let strategy = v1::InProgressStrategy::Wait.into();
    ClaimRequest { in_progress_strategy: strategy, ..claim(intent) }
}

/// A batch of Claims.
pub fn batch<'a>(intents: impl IntoIterator<Item = &'a IntentId>) -> BatchClaimRequest {
    BatchClaimRequest { requests: intents.into_iter().map(claim).collect() }
}

/// A report.
pub fn complete(intent: &IntentId, token: i64, outcome: Outcome) -> CompleteRequest {
    CompleteRequest {
        intent: Some(intent.clone()),
        fencing_token: token,
        outcome: Some(outcome),
        payload: None,
    }
}

/// It succeeded, with a text as its result.
pub fn succeeded(result: &str) -> Outcome {
    succeeded_with(Some(text(result)))
}

/// It succeeded, with a result or none.
pub fn succeeded_with(result: Option<Content>) -> Outcome {
    Outcome::Succeeded(Succeeded { result, ..Succeeded::default() })
}

/// It failed.
pub fn failed(kind: &str) -> Outcome {
    Outcome::Failed(Failed { r#type: kind.to_owned(), ..Failed::default() })
}

/// The holder does not know.
pub fn unknown() -> Outcome {
    Outcome::Unknown(OutcomeUnknown::default())
}

/// Text as a result.
pub fn text(text: &str) -> Content {
    Content { body: Some(Body::Text(text.to_owned())), content_type: String::new() }
}

/// Bytes as a result.
pub fn raw(bytes: impl Into<bytes::Bytes>) -> Content {
    Content { body: Some(Body::Bytes(bytes.into())), content_type: String::new() }
}

/// A Get without a payload.
pub fn get(intent: &IntentId) -> GetRequest {
    GetRequest { intent: Some(intent.clone()), payload: None }
}

/// A Get that compares the default payload.
pub fn get_whole(intent: &IntentId) -> GetRequest {
    GetRequest { payload: json(PAYLOAD), ..get(intent) }
}

/// A Renew.
pub fn renew(intent: &IntentId, token: i64) -> RenewRequest {
    RenewRequest { intent: Some(intent.clone()), fencing_token: token, lease: None }
}

/// A Release by token: it was not started.
pub fn release(intent: &IntentId, token: i64) -> ReleaseRequest {
    released(intent, Grant::FencingToken(token))
}

/// A Release of what a lost answer may have granted.
pub fn release_by_claimant(intent: &IntentId, claimant: &str) -> ReleaseRequest {
    released(intent, Grant::Claimant(claimant.to_owned()))
}

fn released(intent: &IntentId, grant: Grant) -> ReleaseRequest {
    ReleaseRequest {
        intent: Some(intent.clone()),
        grant: Some(grant),
        reason: NotAppliedReason::NotStarted.into(),
        message: String::new(),
    }
}

/// A Reclaim without evidence.
pub fn reclaim(intent: &IntentId) -> ReclaimRequest {
    ReclaimRequest {
        intent: Some(intent.clone()),
        claimant: claimant(),
        payload: json(PAYLOAD),
        reason: "the holder died".to_owned(),
        ..ReclaimRequest::default()
    }
}

/// A Reclaim with evidence, judged on an etag.
pub fn reclaim_with(intent: &IntentId, etag: &str, finding: evidence::Finding) -> ReclaimRequest {
    let evidence = Evidence {
        finding: Some(finding),
        observe_time: Some(Timestamp { seconds: 1_772_000_000, nanos: 0 }),
        reference: "ticket 1".to_owned(),
    };
    ReclaimRequest { etag: etag.to_owned(), evidence: Some(evidence), ..reclaim(intent) }
}

/// The provider does not have it.
pub fn not_applied() -> evidence::Finding {
    evidence::Finding::NotApplied(v1::NotApplied::default())
}

/// The provider has it.
pub fn applied() -> evidence::Finding {
    evidence::Finding::Applied(Succeeded::default())
}

/// A Watch without a payload.
pub fn watch(intent: &IntentId) -> WatchRequest {
    WatchRequest { intent: Some(intent.clone()), payload: None }
}

/// A Watch that compares the default payload.
pub fn watch_whole(intent: &IntentId) -> WatchRequest {
    WatchRequest { payload: json(PAYLOAD), ..watch(intent) }
}
