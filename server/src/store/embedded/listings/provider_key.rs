//! Which names a provider key can stand for: it is made of the head of an identity.
//!
//! A range, not an answer: the record says which key was forwarded.

use data_encoding::BASE32_NOPAD;
use uuid::Uuid;

use crate::store::embedded::names::Name;

/// The first and the last name that the key can stand for; none if it is not of either form.
pub(super) fn names(key: &str) -> Option<(Name, Name)> {
    let head = match key.strip_prefix("once1-") {
        Some(text) => BASE32_NOPAD.decode(text.to_uppercase().as_bytes()).ok()?,
        // The seventh byte holds the UUID's version.
        None => Uuid::try_parse(key).ok()?.as_bytes()[..6].to_vec(),
    };
    Some((filled(&head, 0x00)?, filled(&head, 0xff)?))
}

fn filled(head: &[u8], rest: u8) -> Option<Name> {
    let mut name = [rest; 16];
    let known = head.len().min(name.len());
    name[..known].copy_from_slice(&head[..known]);
    Some(name)
}
