//! The memory gap: a store that was put back from a copy has forgotten what was granted after it.
//!
//! Says what a memory becomes when a gap opens and when it is closed, and keeps the mark of
//! operations that have no memory of their own: among the memories of the reserved namespace, so
//! that every engine has it and every replica sees it. Judges no intent, and no gap ends by itself.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    intent::RESERVED_NAMESPACE,
    record::Revision,
    store::{Error, Memory, Remembered, Store},
};

mod audit;
mod closing;
mod opening;

pub(crate) use self::opening::{audit_row, is_of_operation, rows};
pub use self::{
    audit::{CLOSED, Entry, REASON_MAX, entry},
    closing::{Closed, Judged, close},
    opening::{Opened, open},
};

/// What the operation of a memory begins with that stands for all operations without one of their
/// own; then comes their namespace, or nothing for all of them.
const OTHERS: &str = "others:";
/// How often a memory is set that changes meanwhile.
const TRIES_MAX: u32 = 8;

/// The operation, in the reserved namespace, of the mark of a namespace; without one, of all.
pub fn mark_name(namespace: Option<&str>) -> String {
    format!("{OTHERS}{}", namespace.unwrap_or_default())
}

/// Whose mark it is, if it is one: of a namespace, or, empty, of all.
pub fn marked(remembered: &Remembered) -> Option<&str> {
    let is_reserved = remembered.namespace == RESERVED_NAMESPACE;
    remembered.operation.strip_prefix(OTHERS).filter(|_| is_reserved)
}

/// The mark that holds for a namespace: its own and that of all, joined.
pub async fn mark(store: &dyn Store, namespace: &str) -> Result<Option<Memory>, Error> {
    let all = store.memory(RESERVED_NAMESPACE, &mark_name(None)).await?;
    if namespace.is_empty() {
        return Ok(all);
    }
    let own = store.memory(RESERVED_NAMESPACE, &mark_name(Some(namespace))).await?;
    Ok(match (own, all) {
        (Some(own), Some(all)) => Some(joined_marks(&own, &all)),
        (own, all) => own.or(all),
    })
}

/// The mark that holds for a namespace, among memories that were listed.
pub fn mark_among(memories: &[Remembered], namespace: &str) -> Option<Memory> {
    let holds = |name: &str| name.is_empty() || name == namespace;
    let marks = memories.iter().filter(|it| marked(it).is_some_and(holds));
    marks.map(|it| it.memory.clone()).reduce(|one, other| joined_marks(&one, &other))
}

/// Whether the gap of an operation is open, by its own memory or by the mark of all others.
pub fn is_open(memories: &[Remembered], namespace: &str, operation: &str) -> bool {
    let own = memories.iter().find(|it| it.namespace == namespace && it.operation == operation);
    match own {
        Some(own) => own.memory.gap,
        None => mark_among(memories, namespace).is_some_and(|mark| mark.gap),
    }
}

/// Of two marks: what either may have forgotten is forgotten.
pub fn joined_marks(one: &Memory, other: &Memory) -> Memory {
    let start = one.start.max(other.start);
    let since = forgotten_since(Some(one)).min(forgotten_since(Some(other)));
    Memory {
        revision: one.revision,
        start,
        smallest_retention: start.since(since),
        restored: one.restored || other.restored,
        gap: one.gap || other.gap,
    }
}

/// Since when grants may be forgotten: since the copy was made. Nobody knows without a mark, so
/// that it may be ever so long.
pub fn forgotten_since(mark: Option<&Memory>) -> Timestamp {
    // A mark forgets no sooner than others; it keeps there how much is forgotten.
    mark.map_or(Timestamp::default(), |mark| mark.start.before(mark.smallest_retention))
}

/// The memory of an operation that has none of its own, where there is a mark.
pub fn of_others(mark: &Memory) -> Memory {
    Memory { smallest_retention: std::time::Duration::MAX, ..mark.clone() }
}

/// The memory once a gap has opened at `now`.
pub fn opened(memory: &Memory, now: Timestamp) -> Memory {
    Memory {
        revision: Revision(Uuid::new_v4()),
        start: memory.start.max(now),
        smallest_retention: memory.smallest_retention,
        restored: true,
        gap: true,
    }
}

/// The mark once a gap has opened at `now`, of a copy that was made at `since`. A gap that nobody
/// has closed goes on in this one.
pub fn opened_mark(
    standing: Option<&Memory>,
    is_open: bool,
    since: Timestamp,
    now: Timestamp,
) -> Memory {
    let start = standing.map_or(now, |mark| mark.start.max(now));
    let before = standing.filter(|mark| is_open || mark.gap);
    let since = before.map_or(since, |mark| since.min(forgotten_since(Some(mark))));
    Memory {
        revision: Revision(Uuid::new_v4()),
        start,
        smallest_retention: start.since(since),
        restored: true,
        gap: true,
    }
}

/// The memory once its gap is closed. Its start stays: what was sent before stays too old.
fn closed(memory: &Memory) -> Memory {
    Memory { revision: Revision(Uuid::new_v4()), gap: false, ..memory.clone() }
}

#[cfg(test)]
mod tests;
