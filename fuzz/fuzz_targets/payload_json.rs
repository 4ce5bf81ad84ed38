//! Any bytes as a JSON payload: hashed or refused, never a panic; what is hashed is JSON to another
//! reader too, and neither the way in nor whitespace changes the hash.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use onced::payload::{Comparison, Payload, PayloadHash};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = PayloadHash::parse(text);
    let Ok(payload) = Payload::from_json(text) else { return };
    let raw = Payload::from_bytes(Bytes::copy_from_slice(bytes));
    assert_eq!(raw.compare(payload.hash()), Comparison::Same);
    let value: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    let spaced = serde_json::to_string_pretty(&value).expect("it can be written");
    assert_eq!(Payload::from_json(&spaced).as_ref(), Ok(&payload));
});
