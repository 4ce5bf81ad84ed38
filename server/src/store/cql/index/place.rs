//! Where a listing goes on: after one intent, at one time.

use std::cmp::Ordering;

use crate::{
    intent::IntentId,
    store::{Error, Page},
};

/// An intent at the time by which it is listed. Ordered as listings are, the newest first where
/// reversed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Of its first claim, or of its late report.
    pub(super) time: i64,
    pub(super) operation: String,
    pub(super) key: String,
}

/// Which listing a cursor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Unreconciled = 1,
    LateReports = 2,
}

impl Place {
    /// Before every intent at this time and after.
    pub(super) fn start_of(time: i64) -> Self {
        Self { time, operation: String::new(), key: String::new() }
    }

    /// The intent, in this namespace.
    pub(super) fn intent(&self, namespace: &str) -> Result<IntentId, Error> {
        intent(namespace, &self.operation, &self.key)
    }

    /// Where it lies among the rows of an operation: what is listed after it, up or down, is past
    /// this row.
    pub(super) fn within(&self, operation: &str) -> (i64, &str) {
        match operation.cmp(&self.operation) {
            Ordering::Equal => (self.time, &self.key),
            Ordering::Greater => (self.time, ""),
            Ordering::Less => (self.time.saturating_add(1), ""),
        }
    }

    /// The page's cursor, if it has one.
    pub(super) fn read(of: Of, page: &Page) -> Result<Option<Self>, Error> {
        if page.cursor.is_empty() {
            return Ok(None);
        }
        Self::decode(of, &page.cursor).map(Some).ok_or_else(|| {
            Error::Corrupt("the cursor of the listing is not this engine's".to_owned())
        })
    }

    fn decode(of: Of, cursor: &[u8]) -> Option<Self> {
        let (&[tag], rest) = cursor.split_first_chunk()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (&length, rest) = rest.split_first_chunk()?;
        let (operation, key) = rest.split_at_checked(u16::from_be_bytes(length).into())?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        (tag == of as u8).then_some(())?;
        let (time, operation, key) = (i64::from_be_bytes(*time), text(operation)?, text(key)?);
        Some(Self { time, operation, key })
    }

    /// A cursor: the listing, the time, the operation and its length, the key.
    pub(super) fn cursor(&self, of: Of) -> Vec<u8> {
        let length = u16::try_from(self.operation.len()).unwrap_or(u16::MAX);
        let head = [&[of as u8][..], &self.time.to_be_bytes(), &length.to_be_bytes()].concat();
        [&head, self.operation.as_bytes(), self.key.as_bytes()].concat()
    }
}

/// The intent of these names, as they stand in a row.
pub(super) fn intent(namespace: &str, operation: &str, key: &str) -> Result<IntentId, Error> {
    IntentId::new("row", namespace, operation, key)
        .map_err(|_| Error::Corrupt("a row of the index names no intent".to_owned()))
}

#[cfg(test)]
mod tests;
