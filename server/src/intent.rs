//! What an intent is: its three names, its identity, and the provider key derived from them.
//!
//! Never changes a name: two intents are the same if and only if all parts are equal, byte for
//! byte.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};
use unicode_general_category::{GeneralCategory, get_general_category};
use uuid::Uuid;

use crate::violation::Violation;

/// Longest namespace or operation, in characters.
pub const NAME_CHARACTERS_MAX: usize = 128;
/// Longest key, in bytes of UTF-8.
pub const KEY_BYTES_MAX: usize = 512;
/// The namespace of the server's own claims; refused to callers.
pub const RESERVED_NAMESPACE: &str = "_onced";

/// An intent's three names, valid by construction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntentId {
    namespace: String,
    operation: String,
    key: String,
}

impl IntentId {
    /// Takes the names if all three are valid; otherwise every violation, under `path`.
    pub fn new(
        path: &str,
        namespace: impl Into<String>,
        operation: impl Into<String>,
        key: impl Into<String>,
    ) -> Result<Self, Vec<Violation>> {
        let intent =
            Self { namespace: namespace.into(), operation: operation.into(), key: key.into() };
        let violations: Vec<Violation> = [
            name_fault(&intent.namespace).map(|fault| Violation::new(path, "namespace", fault)),
            name_fault(&intent.operation).map(|fault| Violation::new(path, "operation", fault)),
            key_fault(&intent.key).map(|fault| Violation::new(path, "key", fault)),
        ]
        .into_iter()
        .flatten()
        .collect();
        if violations.is_empty() { Ok(intent) } else { Err(violations) }
    }

    /// Who owns the key.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The kind of effect.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The initiator's name for the intent.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The digest that stands for the intent. Its making never changes (golden vectors).
    pub fn identity(&self) -> Identity {
        let mut hasher = Sha256::new_with_prefix(b"onced.v1\0");
        for name in [&self.namespace, &self.operation, &self.key] {
            let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
            hasher.update(length.to_be_bytes());
            hasher.update(name.as_bytes());
        }
        Identity(hasher.finalize().into())
    }
}

/// SHA-256 over the names of an intent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity(pub [u8; 32]);

impl Identity {
    /// The key to forward to the provider, in the form that the policy asks for.
    pub fn provider_key(&self, form: ProviderKeyForm) -> String {
        match form {
            ProviderKeyForm::Text => {
                format!("once1-{}", BASE32_NOPAD.encode(&self.0[..20]).to_lowercase())
            }
            ProviderKeyForm::Uuid => {
                let mut head = [0; 16];
                head.copy_from_slice(&self.0[..16]);
                Uuid::new_v8(head).to_string()
            }
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.provider_key(ProviderKeyForm::Text))
    }
}

/// Form of the provider key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProviderKeyForm {
    /// `once1-` and 32 characters of base32.
    #[default]
    Text,
    /// A UUID of version 8.
    Uuid,
}

/// What is wrong with a namespace or an operation, if anything.
pub fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is required".to_owned());
    }
    let characters = name.chars().count();
    if characters > NAME_CHARACTERS_MAX {
        return Some(format!("has {characters} characters; at most {NAME_CHARACTERS_MAX}"));
    }
    name.chars()
        .find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '-'))
        .map(|c| format!("holds {c:?}; only a-z, 0-9, '.', '_' and '-' are allowed"))
}

fn key_fault(key: &str) -> Option<String> {
    if key.is_empty() {
        return Some("is required".to_owned());
    }
    if key.len() > KEY_BYTES_MAX {
        return Some(format!("has {} bytes; at most {KEY_BYTES_MAX}", key.len()));
    }
    if let Some(control) = key.chars().find(|c| c.is_control()) {
        return Some(format!("holds the control character {control:?}"));
    }
    key.chars().all(is_blank).then(|| "is blank".to_owned())
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || get_general_category(c) == GeneralCategory::Format
}

#[cfg(test)]
mod tests;
