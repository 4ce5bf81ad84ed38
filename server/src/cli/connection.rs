//! Where the server is, and how a call is sent to it: again, unchanged, while nothing definite
//! came.
//!
//! Every call of the service is safe to send again after a transport failure; a definite refusal
//! never is sent again.

use std::{error::Error, sync::Arc, time::Duration};

use clap::{Args, ValueEnum};
use onced_client::Connection as Client;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Request, Response, Status};
use tonic_types::StatusExt;
use uuid::Uuid;

use super::span;

/// Most sends of one call.
const SENDS_MAX: u32 = 5;
/// Longest wait for the answer to one send, apart from what the server holds it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// First pause between two sends; doubled each time.
const PAUSE_MIN: Duration = Duration::from_millis(100);

/// Where the server is, how long to try, how to print.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Connection and output")]
pub(super) struct Connection {
    /// Defaults from onced.toml [env: ONCED_PROFILE]
    #[arg(long, value_name = "NAME", env = "ONCED_PROFILE", hide_env = true)]
    pub(super) profile: Option<String>,
    /// Where onced is [env: ONCED_ENDPOINT]
    #[arg(long, value_name = "URL", default_value = super::ENDPOINT, env = "ONCED_ENDPOINT")]
    #[arg(hide_env = true, hide_default_value = true, value_parser = endpoint)]
    pub(super) endpoint: String,
    /// For all sends; --wait comes on top
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = span::parse)]
    pub(super) timeout: Duration,
    /// text, or json as grpcurl prints it
    #[arg(long, value_enum, hide_possible_values = true, value_name = "FORM")]
    #[arg(default_value_t = Output::Text)]
    pub(super) output: Output,
}

/// An address that can be spoken to. Plain text under a name that promises more is refused.
fn endpoint(text: &str) -> Result<String, String> {
    let is_tls = text.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
    if is_tls {
        return Err(format!("TLS is not there yet; write http://{}", &text[8..]));
    }
    let uri = text.parse::<http::Uri>().ok();
    let sendable = uri.is_some_and(|uri| {
        let has_host = uri.host().is_some_and(|host| !host.is_empty());
        uri.scheme_str() == Some("http") && has_host && has_port_or_none(&uri)
    });
    if sendable {
        Ok(text.to_owned())
    } else {
        Err(format!("write it with scheme, host and port: {}", super::ENDPOINT))
    }
}

/// A port that is no number is kept by the parser, and left out by whoever asks for it.
fn has_port_or_none(uri: &http::Uri) -> bool {
    let after_host = uri.authority().and_then(|authority| authority.as_str().rsplit_once(':'));
    match after_host {
        Some((_, port)) if !port.ends_with(']') => uri.port_u16().is_some(),
        _ => true,
    }
}

/// How answers and errors are printed: for people, or in the protobuf JSON mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    Text,
    Json,
}

/// An answer, and when the send that it answers left.
#[derive(Debug)]
pub(super) struct Answer<A> {
    /// The message.
    pub(super) message: A,
    /// Just before that send; a lease counts from here.
    pub(super) sent_at: Instant,
    /// It answers a call that had been sent before, by this process and without an answer.
    pub(super) is_resend: bool,
}

impl Connection {
    /// Sends `request` until something definite comes back or the time is over. `hold` is how long
    /// the server may rightly hold the call.
    pub(super) async fn ask<Q: Clone, A>(
        &self,
        request: Q,
        hold: Duration,
        send: impl AsyncFn(Client, Request<Q>) -> Result<Response<A>, Status>,
    ) -> Result<Answer<A>, Status> {
        let client = onced_client::connect(&self.endpoint)
            .map_err(|fault| Status::invalid_argument(format!("--endpoint: {fault}")))?;
        let deadline = Instant::now() + self.timeout.saturating_add(hold);
        let (mut sends, mut is_unheard) = (1, true);
        loop {
            let sent_at = Instant::now();
            let limit = deadline.duration_since(sent_at).min(ANSWER_TIMEOUT.saturating_add(hold));
            let status = match send_once(&client, request.clone(), limit, &send).await {
                Ok(message) => return Ok(Answer { message, sent_at, is_resend: sends > 1 }),
                Err(status) => status,
            };
            is_unheard &= is_connect_refused(&status);
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(pause) = pause_before_resend(&status, sends, left) else {
                return Err(if is_unheard { unheard(&self.endpoint) } else { status });
            };
            sleep(pause).await;
            sends += 1;
        }
    }
}

async fn send_once<Q, A>(
    client: &Client,
    message: Q,
    limit: Duration,
    send: &impl AsyncFn(Client, Request<Q>) -> Result<Response<A>, Status>,
) -> Result<A, Status> {
    let mut request = Request::new(message);
    request.set_timeout(limit);
    match timeout(limit, send(client.clone(), request)).await {
        Ok(answer) => answer.map(Response::into_inner),
        Err(_) => Err(Status::deadline_exceeded(format!(
            "no answer within {}",
            humantime::format_duration(limit)
        ))),
    }
}

/// Every connect was refused, so that no server can have heard of the call.
#[derive(Debug, thiserror::Error)]
#[error("nothing was sent")]
struct Unheard;

/// The answer in place of one where nothing listens.
fn unheard(endpoint: &str) -> Status {
    let told = format!("nothing answers at {endpoint}: is `onced serve` running? else --endpoint");
    let mut status = Status::unavailable(told);
    status.set_source(Arc::new(Unheard));
    status
}

/// Whether it is sure that no server has heard of the call.
pub(super) fn is_unheard(status: &Status) -> bool {
    status.source().is_some_and(<dyn Error>::is::<Unheard>)
}

fn is_connect_refused(status: &Status) -> bool {
    std::iter::successors(status.source(), |&cause| cause.source())
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
}

/// How long to wait before the next send; none if the call is to be given up.
fn pause_before_resend(status: &Status, sends: u32, left: Duration) -> Option<Duration> {
    if !is_indefinite(status.code()) || sends >= SENDS_MAX {
        return None;
    }
    let backoff = jittered(PAUSE_MIN * 2_u32.pow(sends - 1));
    let asked = status.get_details_retry_info().and_then(|info| info.retry_delay);
    let pause = backoff.max(asked.unwrap_or_default());
    (pause < left).then_some(pause)
}

/// Whether the call may or may not have been carried out.
fn is_indefinite(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Unknown
            | Code::Internal
    )
}

/// Between half and all of `pause`, so that many callers do not come back together.
fn jittered(pause: Duration) -> Duration {
    let random = f64::from(Uuid::new_v4().as_bytes()[0]) / 255.0;
    pause.mul_f64(0.5 + random / 2.0)
}

#[cfg(test)]
mod tests;
