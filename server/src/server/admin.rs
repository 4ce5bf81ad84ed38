//! The admin port: whether the process lives, whether it wants traffic, and its metrics. Plain
//! HTTP, nothing secret.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::health::Health;
use crate::telemetry::Metrics;

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves the pages until `stopped`.
pub(super) async fn serve(
    listener: TcpListener,
    health: Health,
    metrics: Arc<Metrics>,
    stopped: CancellationToken,
) -> std::io::Result<()> {
    let pages = Router::new()
        .route("/livez", get(|| async { "ok\n" }))
        .route("/readyz", get(readyz).with_state(health))
        .route("/metrics", get(page).with_state(metrics));
    axum::serve(listener, pages).with_graceful_shutdown(stopped.cancelled_owned()).await
}

async fn readyz(State(health): State<Health>) -> (StatusCode, String) {
    match health.ready() {
        Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
        Err(unready) => (StatusCode::SERVICE_UNAVAILABLE, format!("{unready}\n")),
    }
}

async fn page(State(metrics): State<Arc<Metrics>>, headers: HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("application/openmetrics-text")) {
        ([(header::CONTENT_TYPE, OPENMETRICS)], metrics.openmetrics()).into_response()
    } else {
        ([(header::CONTENT_TYPE, PROMETHEUS)], metrics.prometheus()).into_response()
    }
}
