//! What the memory of an operation is once another store's records have joined it.

use uuid::Uuid;

use crate::{
    gap,
    record::Revision,
    store::{Error, Memory, Remembered, Store},
};

/// How often a memory is set that changes meanwhile.
const TRIES_MAX: u32 = 8;

/// Brings a memory into a store; where there is one, the two are joined.
pub async fn remember(store: &dyn Store, carried: &Remembered) -> Result<(), Error> {
    let is_mark = gap::marked(carried).is_some();
    let Remembered { namespace, operation, memory: carried } = carried;
    let mut standing = store.memory(namespace, operation).await?;
    for _ in 0..TRIES_MAX {
        let joined = match &standing {
            None => carried.clone(),
            Some(standing) if is_mark => gap::joined_marks(standing, carried),
            Some(standing) => joined(standing, carried),
        };
        if standing.as_ref().is_some_and(|standing| says_the_same(standing, &joined)) {
            return Ok(());
        }
        let memory = Memory { revision: Revision(Uuid::new_v4()), ..joined };
        let expected = standing.map(|standing| standing.revision);
        let stands = store.set_memory(namespace, operation, expected, &memory).await?;
        if stands.revision == memory.revision {
            return Ok(());
        }
        standing = Some(stands);
    }
    Err(Error::Contended)
}

/// A first use forgets nothing, so that the earlier of two counts; the restore of a backup may have
/// forgotten what came before it, so that the later one does.
fn joined(one: &Memory, other: &Memory) -> Memory {
    let start = match (one.restored || one.gap, other.restored || other.gap) {
        (true, true) => one.start.max(other.start),
        (true, false) => one.start,
        (false, true) => other.start,
        (false, false) => one.start.min(other.start),
    };
    Memory {
        revision: one.revision,
        start,
        smallest_retention: one.smallest_retention.min(other.smallest_retention),
        restored: one.restored || other.restored,
        gap: one.gap || other.gap,
    }
}

fn says_the_same(one: &Memory, other: &Memory) -> bool {
    Memory { revision: other.revision, ..one.clone() } == *other
}

#[cfg(test)]
mod tests;
