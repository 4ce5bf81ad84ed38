//! Any bytes in the place of a stored record: read or refused, never a panic, and what is read can
//! be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onced::{
    record::codec::{decode, encode},
    store::Error,
};

fuzz_target!(|bytes: &[u8]| {
    match decode(bytes) {
        Ok(record) => assert_eq!(decode(&encode(&record)), Ok(record)),
        Err(Error::Corrupt(_) | Error::FormatTooNew(_)) => {}
        Err(other) => panic!("a decoder has no other error: {other}"),
    }
});
