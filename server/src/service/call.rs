//! What a call says beside its message: its deadline, its trace, whether it was sent before, and by
//! whom.

use std::time::Duration;

use tokio::time::Instant;
use tonic::{Request, metadata::MetadataMap};

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    /// When it was received.
    pub received: Instant,
    /// When an answer is of no use any more.
    pub deadline: Instant,
    /// W3C traceparent, if it is well formed.
    pub traceparent: Option<String>,
    /// The client's transport sent it before.
    pub resent: bool,
    /// Who calls, as authenticated.
    pub principal: String,
}

/// When a call's deadline is over; set on the request before its message is read.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(pub Instant);

impl Call {
    /// Reads what a call says; without a deadline of its own it has `call_max`.
    pub fn of<T>(request: &Request<T>, call_max: Duration) -> Self {
        let received = Instant::now();
        let deadline = request.extensions().get::<Deadline>();
        Self {
            received,
            deadline: deadline.map_or(received + call_max, |deadline| deadline.0),
            traceparent: traceparent(request.metadata()),
            resent: resent(request.metadata()),
            principal: "anonymous".to_owned(),
        }
    }
}

fn traceparent(metadata: &MetadataMap) -> Option<String> {
    let text = metadata.get("traceparent")?.to_str().ok()?;
    is_traceparent(text).then(|| text.to_owned())
}

/// Version, trace id, parent id and flags, all lower-case hexadecimal, neither id all zeroes.
fn is_traceparent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths = [2, 32, 16, 2];
    let is_hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    parts.len() == lengths.len()
        && parts.iter().zip(lengths).all(|(part, length)| part.len() == length)
        && parts.iter().all(|part| part.bytes().all(is_hex))
        && parts[1..3].iter().all(|id| id.bytes().any(|c| c != b'0'))
}

fn resent(metadata: &MetadataMap) -> bool {
    let attempts = metadata.get("grpc-previous-rpc-attempts");
    attempts
        .and_then(|attempts| attempts.to_str().ok()?.parse::<u32>().ok())
        .is_some_and(|attempts| attempts > 0)
}

#[cfg(test)]
mod tests;
