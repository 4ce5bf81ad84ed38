//! Where logs and spans go: lines on standard error, and spans to a collector if one is configured.

use std::io::{self, IsTerminal};

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::ParseError,
    layer::SubscriberExt,
    registry::LookupSpan,
    util::{SubscriberInitExt, TryInitError},
};

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For machines: one JSON object a line.
    Json,
}

/// Why logs cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The filter is not one.
    #[error("the log filter is not valid: {0}")]
    Filter(#[from] ParseError),
    /// The collector cannot be sent to.
    #[error("spans cannot be exported: {0}")]
    Exporter(#[from] opentelemetry_otlp::ExporterBuildError),
    /// It was begun twice.
    #[error(transparent)]
    Begun(#[from] TryInitError),
}

/// Sends what is left of the spans when it is dropped.
#[derive(Debug, Default)]
#[must_use = "spans are lost when this is dropped"]
pub struct Flush(Option<SdkTracerProvider>);

impl Drop for Flush {
    fn drop(&mut self) {
        if let Some(provider) = self.0.take() {
            let _ = provider.shutdown();
        }
    }
}

/// Begins to write logs, and to export spans if there is an `endpoint` (OTLP over gRPC). Once per
/// process.
pub fn begin(format: Format, filter: &str, endpoint: Option<&str>) -> Result<Flush, Error> {
    let provider = endpoint.map(exporting).transpose()?;
    let spans = provider
        .as_ref()
        .map(|provider| tracing_opentelemetry::layer().with_tracer(provider.tracer("onced")));
    tracing_subscriber::registry()
        .with(EnvFilter::try_new(filter)?)
        .with(lines(format))
        .with(spans)
        .try_init()?;
    Ok(Flush(provider))
}

fn exporting(endpoint: &str) -> Result<SdkTracerProvider, Error> {
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build()?;
    let resource = Resource::builder().with_service_name("onced").build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build())
}

fn lines<S>(format: Format) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    // Colours are for eyes: in a file they are noise. NO_COLOR is heeded where they would be shown.
    let lines = if io::stderr().is_terminal() { lines } else { lines.with_ansi(false) };
    match format {
        Format::Text => lines.boxed(),
        Format::Json => lines.json().flatten_event(true).boxed(),
    }
}
