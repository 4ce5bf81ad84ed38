//! Who opened or closed a gap, and why: kept in the store, one row for each time, never changed.
//!
//! A row is a memory of the reserved namespace. Its start says when; its name says what and why.

use std::time::Duration;

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    intent::RESERVED_NAMESPACE,
    record::Revision,
    store::{Error, Memory, Remembered, Store},
};

/// What the operation of such a row begins with.
const AUDIT: &str = "audit:";
/// What is done by opening a gap.
pub(super) const OPENED: &str = "opened";
/// What is done by closing it.
pub const CLOSED: &str = "closed";
/// Most bytes of a reason.
pub const REASON_MAX: usize = 500;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub time: Timestamp,
    /// What was done: `opened` or `closed`.
    pub done: String,
    /// For which namespace; all if empty.
    pub namespace: String,
    /// For which operation; for those without a memory of their own if empty.
    pub operation: String,
    /// Why, as it was given.
    pub reason: String,
}

impl Entry {
    /// As a row. Names of intents have no `/`, so that the first ones are borders.
    pub(crate) fn row(&self) -> Remembered {
        let Self { time, done, namespace, operation, reason } = self;
        let name = format!("{AUDIT}{}/{done}/{namespace}/{operation}/{reason}", time.0);
        let memory = Memory {
            revision: Revision(Uuid::new_v4()),
            start: *time,
            smallest_retention: Duration::ZERO,
            restored: false,
            gap: false,
        };
        Remembered { namespace: RESERVED_NAMESPACE.to_owned(), operation: name, memory }
    }

    /// Writes it. Twice is once.
    pub(super) async fn keep(&self, store: &dyn Store) -> Result<(), Error> {
        let row = self.row();
        store.set_memory(&row.namespace, &row.operation, None, &row.memory).await.map(|_| ())
    }
}

/// The row of a memory, if it is one.
pub fn entry(remembered: &Remembered) -> Option<Entry> {
    let is_reserved = remembered.namespace == RESERVED_NAMESPACE;
    let text = remembered.operation.strip_prefix(AUDIT).filter(|_| is_reserved)?;
    let mut parts = text.splitn(5, '/').skip(1).map(str::to_owned);
    Some(Entry {
        time: remembered.memory.start,
        done: parts.next()?,
        namespace: parts.next()?,
        operation: parts.next()?,
        reason: parts.next()?,
    })
}
