//! Results that are lost, mixed up, or kept for too long.

use onced::store::{Expiry, ResultWrite, Write};

use super::Flaw;

/// A write that is not about the result takes it away.
pub struct DroppedOnKeep;

/// An empty result is none.
pub struct EmptyIsNone;

/// A result lives as long as its record.
pub struct ExpiryIgnored;

/// A result that was erased stays.
pub struct NeverCleared;

/// The first result stands for good.
pub struct FilledInOnce;

/// A result is text, and ends with its first zero byte.
pub struct EndsAtZero;

impl Flaw for DroppedOnKeep {
    fn spoiled(&self, write: &Write) -> Write {
        match write.result {
            ResultWrite::Keep => Write { result: ResultWrite::Clear, ..write.clone() },
            ResultWrite::Clear | ResultWrite::Set(_) => write.clone(),
        }
    }
}

impl Flaw for EmptyIsNone {
    fn spoiled(&self, write: &Write) -> Write {
        match &write.result {
            ResultWrite::Set(bytes) if bytes.is_empty() => {
                Write { result: ResultWrite::Clear, ..write.clone() }
            }
            ResultWrite::Set(_) | ResultWrite::Keep | ResultWrite::Clear => write.clone(),
        }
    }
}

impl Flaw for ExpiryIgnored {
    fn spoiled(&self, write: &Write) -> Write {
        Write { result_expiry: Expiry::Never, ..write.clone() }
    }
}

impl Flaw for NeverCleared {
    fn spoiled(&self, write: &Write) -> Write {
        match write.result {
            ResultWrite::Clear => Write { result: ResultWrite::Keep, ..write.clone() },
            ResultWrite::Keep | ResultWrite::Set(_) => write.clone(),
        }
    }
}

impl Flaw for FilledInOnce {
    fn spoiled(&self, write: &Write) -> Write {
        let settled_before = write.record.version > 2;
        match write.result {
            ResultWrite::Set(_) if settled_before => {
                Write { result: ResultWrite::Keep, ..write.clone() }
            }
            ResultWrite::Set(_) | ResultWrite::Keep | ResultWrite::Clear => write.clone(),
        }
    }
}

impl Flaw for EndsAtZero {
    fn spoiled(&self, write: &Write) -> Write {
        match &write.result {
            ResultWrite::Set(bytes) => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                Write { result: ResultWrite::Set(bytes.slice(..end)), ..write.clone() }
            }
            ResultWrite::Keep | ResultWrite::Clear => write.clone(),
        }
    }
}
