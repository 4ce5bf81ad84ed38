//! Any bytes as a request from the wire: refused with its violations, or taken; never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onced::{
    clock::Timestamp,
    wire::request::{self, Limits},
};
use onced_proto::v1;
use prost::Message;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { now: Timestamp(1_764_000_000_000_000), result_bytes_max: 65_536 };
    if let Ok(claim) = v1::ClaimRequest::decode(bytes) {
        told(request::claim(claim, None, &limits));
    }
    if let Ok(complete) = v1::CompleteRequest::decode(bytes) {
        told(request::complete(complete, &limits));
    }
    if let Ok(reclaim) = v1::ReclaimRequest::decode(bytes) {
        told(request::reclaim(reclaim, String::new(), None, &limits));
    }
    if let Ok(get) = v1::GetRequest::decode(bytes) {
        told(request::get(get));
    }
    if let Ok(renew) = v1::RenewRequest::decode(bytes) {
        told(request::renew(renew));
    }
    if let Ok(release) = v1::ReleaseRequest::decode(bytes) {
        told(request::release(release));
    }
});

/// Whatever is refused is refused for a reason.
fn told<T>(judged: Result<T, Vec<onced::violation::Violation>>) {
    if let Err(violations) = judged {
        assert!(!violations.is_empty(), "refused without a violation");
    }
}
