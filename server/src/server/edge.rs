//! What happens to every call before and after its service: deadline, span, duration, and answers
//! put right.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};
use tracing::Instrument;

use super::decode;
use crate::{
    service::call::Deadline,
    status::Denial,
    telemetry::{Metrics, span},
};

/// So much of a call's own time is kept for the way back, so that its end is told and not only
/// felt.
const RETURN: Duration = Duration::from_millis(20);

/// The layer.
#[derive(Clone)]
pub(super) struct Edge {
    call_max: Duration,
    metrics: Arc<Metrics>,
}

impl Edge {
    pub(super) fn new(call_max: Duration, metrics: Arc<Metrics>) -> Self {
        Self { call_max, metrics }
    }
}

impl<S> Layer<S> for Edge {
    type Service = Edged<S>;

    fn layer(&self, inner: S) -> Edged<S> {
        Edged { edge: self.clone(), inner }
    }
}

/// A service behind the layer.
#[derive(Clone)]
pub(super) struct Edged<S> {
    edge: Edge,
    inner: S,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Edged<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
    S::Error: 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let received = Instant::now();
        let deadline = received + time_for(request.headers(), self.edge.call_max);
        request.extensions_mut().insert(Deadline(deadline));
        let method = request.uri().path().trim_start_matches('/').to_owned();
        let span = span::of_call(&method, request.headers());
        let answer = span.in_scope(|| self.inner.call(request));
        let metrics = self.edge.metrics.clone();
        let ended = async move {
            let response = match timeout_at(deadline, answer).await {
                Ok(response) => decode::corrected(response?),
                Err(_) => Denial::Deadline.status().into_http(),
            };
            let code = code(response.headers());
            span::end(code);
            metrics.called(method_label(&method, code), span::code_name(code), received.elapsed());
            Ok(response)
        };
        Box::pin(ended.instrument(span))
    }
}

/// The time that a call has: its own, less the way back, or the longest.
fn time_for(headers: &HeaderMap, call_max: Duration) -> Duration {
    let own = headers.get("grpc-timeout").and_then(|text| timeout(text.to_str().ok()?));
    own.map_or(call_max, |own| own.saturating_sub(RETURN.min(own / 10)).min(call_max))
}

/// At most eight digits and a unit.
fn timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 3_600)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// The status of an answer whose end is its head; a stream that has begun is OK so far.
fn code(headers: &HeaderMap) -> Code {
    Status::from_header_map(headers).map_or(Code::Ok, |status| status.code())
}

/// A method that nobody serves is a caller's invention, and no label.
fn method_label(method: &str, code: Code) -> &str {
    let known = method.starts_with("onced.") || method.starts_with("grpc.");
    if known && code != Code::Unimplemented { method } else { "_OTHER" }
}

#[cfg(test)]
mod tests;
