//! What was asked for: the payload, its hash, and the comparison of two of them.

use std::fmt;

use bytes::Bytes;

/// A payload's digest with the scheme that made it: `sha256:9f86…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PayloadHash {
    /// `sha256`, `jcs-sha256`, or one that only the callers know.
    pub scheme: String,
    /// Lower-case hexadecimal.
    pub digest: String,
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

    /// Its hash, as given or made from what was given.
    pub fn hash(&self) -> &PayloadHash {
        &self.hash
    }

    /// Compares with a stored hash; raw bytes are hashed again by the stored scheme where that differs.
    pub fn compare(&self, stored: &PayloadHash) -> Comparison {
        if self.hash.scheme != stored.scheme {
            return Comparison::SchemeDiffers;
        }
        if self.hash.digest == stored.digest { Comparison::Same } else { Comparison::Differs }
    }
}
