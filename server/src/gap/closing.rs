//! A gap is closed by a person who says why, on the very memory that she judged.

use super::{
    TRIES_MAX,
    audit::{CLOSED, Entry},
    closed, mark, mark_name, of_others,
};
use crate::{
    clock::Timestamp,
    intent::RESERVED_NAMESPACE,
    record::Revision,
    store::{Error, Memory, Store},
};

/// Which memory was judged, and why its gap may be closed.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Of which namespace; all, with an empty operation, if empty.
    pub namespace: String,
    /// Of which operation; those without a memory of their own if empty.
    pub operation: String,
    /// The very memory; the one that stands if absent.
    pub revision: Option<Revision>,
    /// Why it is safe.
    pub reason: String,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// It is closed.
    Now(Memory),
    /// It was not open.
    Already(Memory),
    /// Another memory stands than the one that was judged.
    Moved(Memory),
    /// Nothing is remembered of it, and nothing was restored.
    Unknown,
}

/// Closes a gap. Its row in the audit is written first.
pub async fn close(store: &dyn Store, judged: &Judged, now: Timestamp) -> Result<Closed, Error> {
    for _ in 0..TRIES_MAX {
        let Some((standing, expected)) = standing(store, judged).await? else {
            return Ok(Closed::Unknown);
        };
        if !standing.gap {
            return Ok(Closed::Already(standing));
        }
        if judged.revision.is_some_and(|revision| Some(revision) != expected) {
            return Ok(Closed::Moved(standing));
        }
        entry(judged, now).keep(store).await?;
        let memory = closed(&standing);
        let (namespace, operation) = place(judged);
        let stands = store.set_memory(&namespace, &operation, expected, &memory).await?;
        if stands.revision == memory.revision {
            return Ok(Closed::Now(memory));
        }
    }
    Err(Error::Contended)
}

/// The memory that is meant, and the revision that its row has, if there is a row.
async fn standing(
    store: &dyn Store,
    judged: &Judged,
) -> Result<Option<(Memory, Option<Revision>)>, Error> {
    let (namespace, operation) = place(judged);
    if let Some(memory) = store.memory(&namespace, &operation).await? {
        let revision = memory.revision;
        return Ok(Some((memory, Some(revision))));
    }
    if judged.operation.is_empty() {
        return Ok(None);
    }
    Ok(mark(store, &namespace).await?.map(|mark| (of_others(&mark), None)))
}

/// Where its row is.
fn place(judged: &Judged) -> (String, String) {
    if judged.operation.is_empty() {
        let namespace = Some(&*judged.namespace).filter(|name| !name.is_empty());
        return (RESERVED_NAMESPACE.to_owned(), mark_name(namespace));
    }
    (judged.namespace.clone(), judged.operation.clone())
}

fn entry(judged: &Judged, now: Timestamp) -> Entry {
    Entry {
        time: now,
        done: CLOSED.to_owned(),
        namespace: judged.namespace.clone(),
        operation: judged.operation.clone(),
        reason: judged.reason.clone(),
    }
}
