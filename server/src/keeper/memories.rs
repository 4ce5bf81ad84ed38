//! How far back each operation is remembered: read once, and set at an operation's first use.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use tokio::{
    sync::{Mutex as Turns, OwnedMutexGuard},
    time::{Instant, timeout_at},
};
use uuid::Uuid;

use super::Ask;
use crate::{
    clock::{Clock, Timestamp},
    gap,
    policy::Policy,
    record::Revision,
    ruling::Request,
    store::{Error, Memory, Store},
};

/// How long a memory is believed: another process may have moved it.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// What is remembered of an operation, and what may be forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// How far back it is remembered.
    pub memory: Memory,
    /// Since when grants may be forgotten, where the memory has a gap.
    pub forgotten_since: Timestamp,
}

/// By operation, what was learned and when.
type Operations = HashMap<String, (Past, Instant)>;

/// By namespace and operation.
type Lines = HashMap<(String, String), Arc<Turns<()>>>;

/// By namespace.
#[derive(Debug, Default)]
pub(super) struct Memories {
    known: RwLock<HashMap<String, Operations>>,
    /// Of an operation that is not known one call looks, and the others wait for what it finds.
    turns: Mutex<Lines>,
}

impl Memories {
    /// The past of the operation asked about. Its first Claim, under a policy, begins its memory.
    pub(super) async fn of(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        ask: &Ask,
    ) -> Result<Past, Error> {
        let (namespace, operation) = (ask.intent.namespace(), ask.intent.operation());
        // Nothing else begins it, since nothing else is refused where the clock is off.
        let begins = matches!(ask.request, Request::Claim(_) | Request::Reclaim(_));
        let policy = ask.policy.as_deref().filter(|_| begins);
        let enough = |past: &Past| {
            policy.is_none_or(|policy| past.memory.smallest_retention <= policy.retention)
        };
        if let Some(past) = self.known(namespace, operation).filter(enough) {
            return Ok(past);
        }
        let _turn = match policy {
            Some(_) => Some(self.turn(namespace, operation, ask.deadline).await?),
            None => None,
        };
        if let Some(past) = self.known(namespace, operation).filter(enough) {
            return Ok(past);
        }
        self.look(store, clock, (namespace, operation), policy).await
    }

    async fn look(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        (namespace, operation): (&str, &str),
        policy: Option<&Policy>,
    ) -> Result<Past, Error> {
        let found = store.memory(namespace, operation).await?;
        let mark = match &found {
            Some(memory) if !memory.gap => None,
            Some(_) | None => gap::mark(store, namespace).await?,
        };
        let is_kept = found.is_some() || policy.is_some();
        let memory = match (found, policy) {
            (None, None) => unused(mark.as_ref(), clock),
            (Some(memory), None) => memory,
            (found, Some(policy)) => {
                let (expected, memory) = match found {
                    Some(memory) => (Some(memory.revision), memory),
                    None => (None, unused(mark.as_ref(), clock)),
                };
                begin(store, (namespace, operation), expected, memory, policy).await?
            }
        };
        let past = Past { memory, forgotten_since: gap::forgotten_since(mark.as_ref()) };
        if is_kept {
            self.learn(namespace, operation, &past);
        }
        Ok(past)
    }

    /// Believes nothing from now on.
    pub(super) fn forget(&self) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn turn(
        &self,
        namespace: &str,
        operation: &str,
        deadline: Instant,
    ) -> Result<OwnedMutexGuard<()>, Error> {
        let turns = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            let names = (namespace.to_owned(), operation.to_owned());
            Arc::clone(turns.entry(names).or_default())
        };
        let slow = |_| Error::Unavailable("the memory could not be read in time".to_owned());
        timeout_at(deadline, turns.lock_owned()).await.map_err(slow)
    }

    fn known(&self, namespace: &str, operation: &str) -> Option<Past> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let (past, learned) = known.get(namespace)?.get(operation)?;
        (learned.elapsed() < BELIEVED_FOR).then(|| past.clone())
    }

    fn learn(&self, namespace: &str, operation: &str, past: &Past) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(namespace.to_owned())
            .or_default()
            .insert(operation.to_owned(), (past.clone(), Instant::now()));
    }
}

/// Sets it at the first use; lowers the smallest retention where the policy was lowered.
async fn begin(
    store: &dyn Store,
    (namespace, operation): (&str, &str),
    expected: Option<Revision>,
    memory: Memory,
    policy: &Policy,
) -> Result<Memory, Error> {
    if expected.is_some() && memory.smallest_retention <= policy.retention {
        return Ok(memory);
    }
    let memory = Memory {
        revision: Revision(Uuid::new_v4()),
        smallest_retention: policy.retention,
        ..memory
    };
    store.set_memory(namespace, operation, expected, &memory).await
}

/// Of an operation that has no memory yet. In a store that was put back it may have been used all
/// the same, after the copy was made.
fn unused(mark: Option<&Memory>, clock: &dyn Clock) -> Memory {
    mark.map_or_else(
        || Memory {
            revision: Revision(Uuid::nil()),
            start: clock.now(),
            smallest_retention: Duration::MAX,
            restored: false,
            gap: false,
        },
        gap::of_others,
    )
}
