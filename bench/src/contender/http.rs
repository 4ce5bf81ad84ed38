//! HTTP POSTs over connections that are held open.

use anyhow::{Result, ensure};
use bytes::Bytes;
use http::{Request, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use tonic::{body::Body, transport::Channel};
use tower::ServiceExt as _;

/// Sends a JSON document; what is answered, which has to be a success.
pub(super) async fn post(
    channel: &Channel,
    path: &str,
    headers: &[(&'static str, &str)],
    document: String,
) -> Result<Bytes> {
    let mut request = Request::post(path).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::new(Full::new(Bytes::from(document))))?;
    let answer = channel.clone().oneshot(request).await?;
    let status = answer.status();
    let body = answer.into_body().collect().await?.to_bytes();
    ensure!(status.is_success(), "{status}: {}", String::from_utf8_lossy(&body));
    Ok(body)
}
