//! One span per call, in the trace of its caller; a replay is linked to the trace of the original.
//!
//! Only a fault of the server turns a span red: refusals and duplicates do not.

use std::collections::HashMap;

use http::HeaderMap;
use opentelemetry::{
    Context,
    propagation::{Extractor, TextMapPropagator},
    trace::{SpanContext, TraceContextExt},
};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tonic::Code;
use tracing::{Span, field::Empty};
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The span of a call.
pub fn of_call(method: &str, headers: &HeaderMap) -> Span {
    let span = tracing::info_span!(
        "call",
        otel.name = method,
        otel.kind = "server",
        otel.status_code = Empty,
        rpc.system.name = "grpc",
        rpc.method = method,
        rpc.status_code = Empty,
        onced.intent = Empty,
        onced.verdict = Empty,
    );
    let parent = TraceContextPropagator::new().extract(&Headers(headers));
    if parent.span().span_context().is_valid() {
        // Without an exporter there is no trace to belong to.
        let _ = span.set_parent(parent);
    }
    span
}

/// Notes how the present call ends.
pub fn end(code: Code) {
    let span = Span::current();
    span.record("rpc.status_code", code_name(code));
    if is_fault(code) {
        span.record("otel.status_code", "ERROR");
    }
}

/// Notes what was ruled in the present call, on the intent with this provider key.
pub fn ruled(provider_key: &str, verdict: &str) {
    let span = Span::current();
    span.record("onced.intent", provider_key);
    span.record("onced.verdict", verdict);
    tracing::debug!(intent = provider_key, verdict, "ruled");
}

/// Links the present call to the trace of the call that was granted.
pub fn link(traceparent: &str) {
    if let Some(original) = span_context(traceparent) {
        Span::current().add_link(original);
    }
}

fn span_context(traceparent: &str) -> Option<SpanContext> {
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let context: Context = TraceContextPropagator::new().extract(&carrier);
    Some(context.span().span_context().clone()).filter(SpanContext::is_valid)
}

/// The codes that say that the server is at fault.
fn is_fault(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}

/// A code as the semantic conventions write it.
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

#[cfg(test)]
mod tests;
