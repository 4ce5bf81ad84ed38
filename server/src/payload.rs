//! What was asked for: the payload, its hash, and the comparison of two of them.
//!
//! Never keeps a payload beyond its comparison, and never folds or trims one: two payloads are the
//! same if their scheme says so.

use std::fmt;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

mod canonical;
#[cfg(test)]
mod tests;

/// The scheme of raw bytes.
pub const SHA256: &str = "sha256";
/// The scheme of JSON: RFC 8785 canonical form, then SHA-256.
pub const JCS_SHA256: &str = "jcs-sha256";

/// Longest name of a scheme, in characters.
const SCHEME_CHARACTERS_MAX: usize = 32;
/// Longest digest of a scheme that only the callers know, in characters: 512 bits.
const DIGEST_CHARACTERS_MAX: usize = 128;
/// Length of a SHA-256 in hexadecimal.
const SHA256_CHARACTERS: usize = 64;

/// A payload's digest with the scheme that made it: `sha256:9f86…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PayloadHash {
    /// `sha256`, `jcs-sha256`, or one that only the callers know.
    pub scheme: String,
    /// Lower-case hexadecimal.
    pub digest: String,
}

impl PayloadHash {
    /// Reads `<scheme>:<digest>`. Otherwise says what is wrong, as the end of a sentence about it.
    ///
    /// A scheme is 1 to 32 characters of `[a-z0-9-]`, a digest is whole bytes in lower-case
    /// hexadecimal: 32 for the schemes that the server knows, 1 to 64 for all others. Upper case is
    /// refused, since digests are compared as text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, digest) = text
            .split_once(':')
            .ok_or_else(|| "is not <scheme>:<lower-case hex digest>".to_owned())?;
        match scheme_fault(scheme).or_else(|| digest_fault(scheme, digest)) {
            None => Ok(Self { scheme: scheme.to_owned(), digest: digest.to_owned() }),
            Some(fault) => Err(fault),
        }
    }

    fn of(scheme: &str, bytes: &[u8]) -> Self {
        Self { scheme: scheme.to_owned(), digest: HEXLOWER.encode(&Sha256::digest(bytes)) }
    }
}

fn scheme_fault(scheme: &str) -> Option<String> {
    let known = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    if scheme.is_empty() || scheme.len() > SCHEME_CHARACTERS_MAX || !scheme.chars().all(known) {
        return Some(format!(
            "has a scheme that is not 1 to {SCHEME_CHARACTERS_MAX} characters of a-z, 0-9 and '-'"
        ));
    }
    None
}

fn digest_fault(scheme: &str, digest: &str) -> Option<String> {
    if !digest.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')) {
        return Some("has a digest that is not lower-case hexadecimal".to_owned());
    }
    let length = digest.len();
    match scheme {
        SHA256 | JCS_SHA256 if length != SHA256_CHARACTERS => {
            Some(format!("has a digest of {length} characters; {scheme} has {SHA256_CHARACTERS}"))
        }
        _ if length == 0 || length > DIGEST_CHARACTERS_MAX || !length.is_multiple_of(2) => {
            Some(format!(
                "has a digest of {length} characters; \
             an even number from 2 to {DIGEST_CHARACTERS_MAX} is allowed"
            ))
        }
        _ => None,
    }
}

impl fmt::Display for PayloadHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.digest)
    }
}

/// A payload as given: its hash, and its bytes where the caller sent them raw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    hash: PayloadHash,
    bytes: Option<Bytes>,
}

/// How a payload compares with a stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same.
    Same,
    /// Another.
    Differs,
    /// The schemes differ: neither the same nor another.
    SchemeDiffers,
}

impl Payload {
    /// A payload of which the caller sent the hash alone.
    pub fn from_hash(hash: PayloadHash) -> Self {
        Self { hash, bytes: None }
    }

    /// A payload that the caller sent as raw bytes.
    pub fn from_bytes(bytes: Bytes) -> Self {
        Self { hash: PayloadHash::of(SHA256, &bytes), bytes: Some(bytes) }
    }

    /// A payload that the caller sent as a JSON text.
    ///
    /// Otherwise says why it is not I-JSON, as the end of a sentence about it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let canonical = canonical::canonical(text)?;
        Ok(Self::from_hash(PayloadHash::of(JCS_SHA256, &canonical)))
    }

    /// Its hash, as given or made from what was given.
    pub fn hash(&self) -> &PayloadHash {
        &self.hash
    }

    /// Compares with a stored hash; raw bytes are hashed again by the stored scheme where that
    /// differs.
    pub fn compare(&self, stored: &PayloadHash) -> Comparison {
        if self.hash.scheme == stored.scheme {
            return same_scheme(&self.hash, stored);
        }
        match self.read_as(&stored.scheme) {
            Some(hash) => same_scheme(&hash, stored),
            None => Comparison::SchemeDiffers,
        }
    }

    /// Its hash by another scheme, where the raw bytes are at hand and are of that kind.
    fn read_as(&self, scheme: &str) -> Option<PayloadHash> {
        let bytes = self.bytes.as_ref().filter(|_| scheme == JCS_SHA256)?;
        let text = std::str::from_utf8(bytes).ok()?;
        Self::from_json(text).ok().map(|payload| payload.hash)
    }
}

fn same_scheme(given: &PayloadHash, stored: &PayloadHash) -> Comparison {
    if given.digest == stored.digest { Comparison::Same } else { Comparison::Differs }
}
