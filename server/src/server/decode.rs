//! Messages that cannot be read: bytes that are not UTF-8 in a text, or a message that is too
//! large. Both are the caller's fault, and tonic's decoder says INTERNAL and OUT_OF_RANGE: put
//! right here.

use http::Response;
use tonic::{Code, Status, body::Body};

use crate::{status::Denial, violation::Violation};

/// How prost's decoding errors begin.
const UNREADABLE: &str = "failed to decode Protobuf message: ";
/// How tonic's refusal of a large message begins.
const TOO_LARGE: &str = "Error, decoded message length too large";
/// Present in a head that is also the end.
const STATUS: &str = "grpc-status";
/// Present on every status that this server made itself.
const DETAILS: &str = "grpc-status-details-bin";

/// The same response, or what should have been said about an unreadable request.
pub(super) fn corrected(response: Response<Body>) -> Response<Body> {
    match fault(&response) {
        Some(violation) => Denial::Malformed(vec![violation]).status().into_http(),
        None => response,
    }
}

fn fault(response: &Response<Body>) -> Option<Violation> {
    let headers = response.headers();
    if !headers.contains_key(STATUS) || headers.contains_key(DETAILS) {
        return None;
    }
    let status = Status::from_header_map(headers)?;
    match status.code() {
        Code::Internal => Some(unreadable(status.message().strip_prefix(UNREADABLE)?)),
        Code::OutOfRange if status.message().starts_with(TOO_LARGE) => {
            Some(Violation::new("", "request", "is larger than 4 MiB"))
        }
        _ => None,
    }
}

/// `IntentId.key: ClaimRequest.intent: invalid string value: …`, innermost first, names the field
/// `intent.key`.
fn unreadable(message: &str) -> Violation {
    let is_field = |part: &&str| part.contains('.') && !part.contains(' ');
    let mut fields: Vec<&str> = message
        .split(": ")
        .take_while(is_field)
        .filter_map(|part| part.split_once('.').map(|(_, field)| field))
        .collect();
    fields.reverse();
    let field = if fields.is_empty() { "request".to_owned() } else { fields.join(".") };
    let fault =
        if message.contains("UTF-8") { "is not UTF-8" } else { "is not a well-formed message" };
    Violation::new("", &field, fault)
}

#[cfg(test)]
mod tests;
