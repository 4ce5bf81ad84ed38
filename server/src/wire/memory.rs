//! How far back operations are remembered, for operators.

use onced_proto::admin::v1;

use super::time::{duration, timestamp};
use crate::{
    clock::Timestamp,
    gap::{self, Entry},
    intent::RESERVED_NAMESPACE,
    store::Remembered,
};

/// What is remembered of a namespace, or of all, in the order of names.
pub fn listed(mut all: Vec<Remembered>, namespace: Option<&str>) -> v1::ListMemoriesResponse {
    all.sort_by(|one, other| {
        (&one.namespace, &one.operation).cmp(&(&other.namespace, &other.operation))
    });
    let is_wanted = |of: &str| of.is_empty() || namespace.is_none_or(|wanted| wanted == of);
    let memories = all.iter().filter_map(|it| memory(it, &all));
    let mut changes: Vec<Entry> = all.iter().filter_map(gap::entry).collect();
    changes.sort_by_key(|entry| entry.time);
    v1::ListMemoriesResponse {
        memories: memories.filter(|it| is_wanted(&it.namespace)).collect(),
        changes: changes.into_iter().filter(|it| is_wanted(&it.namespace)).map(change).collect(),
    }
}

/// None of what the server keeps for itself, but what stands for all other operations.
fn memory(remembered: &Remembered, all: &[Remembered]) -> Option<v1::OperationMemory> {
    let Remembered { namespace, operation, memory } = remembered;
    let (namespace, operation, others) = match gap::marked(remembered) {
        Some(of) => (of, "", true),
        None if namespace == RESERVED_NAMESPACE => return None,
        None => (&**namespace, &**operation, false),
    };
    let since = gap::forgotten_since(gap::mark_among(all, namespace).as_ref());
    let is_known = memory.gap && since > Timestamp::default();
    Some(v1::OperationMemory {
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
        others,
        start_time: Some(timestamp(memory.start)),
        smallest_retention: (!others).then(|| duration(memory.smallest_retention)),
        restored: memory.restored,
        gap: memory.gap,
        forgotten_since_time: is_known.then(|| timestamp(since)),
        etag: memory.revision.0.to_string(),
    })
}

fn change(entry: Entry) -> v1::MemoryChange {
    let Entry { time, done, namespace, operation, reason } = entry;
    let (change_time, closed) = (Some(timestamp(time)), done == gap::CLOSED);
    v1::MemoryChange { change_time, closed, namespace, operation, reason }
}
