//! A gap opens over every operation at once: a store is put back as a whole.

use super::{
    TRIES_MAX,
    audit::{Entry, OPENED},
    mark_name, marked, opened, opened_mark,
};
use crate::{
    clock::Timestamp,
    intent::RESERVED_NAMESPACE,
    store::{Error, Memory, Remembered, Store},
};

/// What was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// How many operations with a memory of their own.
    pub operations: usize,
    /// From when on the memory is whole.
    pub start: Timestamp,
}

/// What stands in place of each memory once the gap is open: the mark first, so that no operation
/// that begins meanwhile begins without it. None of the reserved namespace but the marks.
pub(crate) fn rows(memories: &[Remembered], since: Timestamp, now: Timestamp) -> Vec<Change> {
    let is_open = memories.iter().any(|it| is_of_operation(it) && it.memory.gap);
    let marks = memories.iter().filter(|it| marked(it).is_some());
    let name = mark_name(None);
    let all = marks.clone().find(|it| it.operation == name).map(|it| it.memory.clone());
    let mark = Remembered {
        namespace: RESERVED_NAMESPACE.to_owned(),
        operation: name.clone(),
        memory: opened_mark(all.as_ref(), is_open, since, now),
    };
    let mut rows = vec![Change { expected: all, stands: mark }];
    let others = marks.filter(|it| it.operation != name);
    rows.extend(others.map(|it| of(it, opened_mark(Some(&it.memory), is_open, since, now))));
    let operations = memories.iter().filter(|it| is_of_operation(it));
    rows.extend(operations.map(|it| of(it, opened(&it.memory, now))));
    rows
}

/// A memory in place of another.
pub(crate) struct Change {
    pub(crate) expected: Option<Memory>,
    pub(crate) stands: Remembered,
}

fn of(before: &Remembered, memory: Memory) -> Change {
    Change {
        expected: Some(before.memory.clone()),
        stands: Remembered { memory, ..before.clone() },
    }
}

pub(crate) fn is_of_operation(remembered: &Remembered) -> bool {
    remembered.namespace != RESERVED_NAMESPACE
}

/// Opens it in a store that was put back from a copy made at `since`. Not in one step: after an
/// error it is to be opened again, before anybody is served.
pub async fn open(
    store: &dyn Store,
    since: Timestamp,
    now: Timestamp,
    reason: &str,
) -> Result<Opened, Error> {
    audit_row(now, reason).keep(store).await?;
    for _ in 0..TRIES_MAX {
        if let Some(opened) = try_open(store, since, now).await? {
            return Ok(opened);
        }
    }
    Err(Error::Contended)
}

pub(crate) fn audit_row(now: Timestamp, reason: &str) -> Entry {
    let (done, reason) = (OPENED.to_owned(), reason.to_owned());
    Entry { time: now, done, namespace: String::new(), operation: String::new(), reason }
}

/// Nothing if a memory moved meanwhile.
async fn try_open(
    store: &dyn Store,
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<Opened>, Error> {
    let memories = store.memories(None).await?;
    let mut start = now;
    for Change { expected, stands } in rows(&memories, since, now) {
        let Remembered { namespace, operation, memory } = stands;
        let expected = expected.map(|memory| memory.revision);
        let set = store.set_memory(&namespace, &operation, expected, &memory).await?;
        if set.revision != memory.revision {
            return Ok(None);
        }
        start = start.max(memory.start);
    }
    let operations = memories.iter().filter(|it| is_of_operation(it)).count();
    Ok(Some(Opened { operations, start }))
}
