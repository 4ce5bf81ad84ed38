use std::sync::{Arc, Mutex};

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    trace::{SdkTracerProvider, SpanData, SpanExporter},
};
use tracing_subscriber::layer::SubscriberExt;

use super::*;

const ORIGINAL: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const CALLER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Kept {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().unwrap().extend(batch);
        Ok(())
    }
}

fn exported(act: impl FnOnce()) -> SpanData {
    let kept = Kept::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(kept.clone()).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, act);
    let mut spans = kept.0.lock().unwrap();
    assert_eq!(spans.len(), 1);
    spans.remove(0)
}

fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", CALLER.parse().unwrap());
    headers
}

#[test]
fn a_replay_belongs_to_its_callers_trace_and_is_linked_to_the_original() {
    let span = exported(|| {
        let span = of_call("onced.v1.ClaimService/Claim", &headers());
        span.in_scope(|| {
            ruled("once1-abc", "completed");
            link(ORIGINAL);
            end(Code::Ok);
        });
    });
    assert_eq!(span.name, "onced.v1.ClaimService/Claim");
    let trace = span.span_context.trace_id().to_string();
    assert_eq!(trace, "0af7651916cd43dd8448eb211c80319c");
    let links: Vec<String> =
        span.links.iter().map(|link| link.span_context.trace_id().to_string()).collect();
    assert_eq!(links, ["4bf92f3577b34da6a3ce929d0e0e4736"]);
    let attributes: Vec<(&str, String)> =
        span.attributes.iter().map(|kv| (kv.key.as_str(), kv.value.to_string())).collect();
    for expected in [("onced.intent", "once1-abc"), ("onced.verdict", "completed")] {
        assert!(attributes.contains(&(expected.0, expected.1.to_owned())), "{attributes:?}");
    }
}

#[test]
fn only_a_fault_of_the_server_turns_a_span_red() {
    use opentelemetry::trace::Status;
    let ended = |code| exported(|| of_call("m", &HeaderMap::new()).in_scope(|| end(code))).status;
    for code in [Code::Ok, Code::Aborted, Code::FailedPrecondition, Code::InvalidArgument] {
        assert_eq!(ended(code), Status::Unset, "{code:?}");
    }
    assert!(matches!(ended(Code::Unavailable), Status::Error { .. }));
}
