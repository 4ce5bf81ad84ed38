//! How far back each operation is remembered: read once, and set at an operation's first use.

use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock},
    time::Duration,
};

use tokio::time::Instant;
use uuid::Uuid;

use super::Ask;
use crate::{
    clock::Clock,
    policy::Policy,
    record::Revision,
    ruling::Request,
    store::{Error, Memory, Store},
};

/// How long a memory is believed: another process may have moved it.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// By operation, what was learned and when.
type Operations = HashMap<String, (Memory, Instant)>;

/// By namespace.
#[derive(Debug, Default)]
pub(super) struct Memories(RwLock<HashMap<String, Operations>>);

impl Memories {
    /// The memory of the operation asked about. Its first Claim, under a policy, begins it.
    pub(super) async fn of(
        &self,
        store: &dyn Store,
        clock: &dyn Clock,
        ask: &Ask,
    ) -> Result<Memory, Error> {
        let (namespace, operation) = (ask.intent.namespace(), ask.intent.operation());
        // Nothing else begins it, since nothing else is refused where the clock is off.
        let begins = matches!(ask.request, Request::Claim(_) | Request::Reclaim(_));
        let policy = ask.policy.as_deref().filter(|_| begins);
        if let Some(memory) = self.known(namespace, operation)
            && policy.is_none_or(|policy| memory.smallest_retention <= policy.retention)
        {
            return Ok(memory);
        }
        let memory = match (store.memory(namespace, operation).await?, policy) {
            (None, None) => return Ok(no_memory(clock)),
            (Some(memory), None) => memory,
            (found, Some(policy)) => {
                begin(store, clock, namespace, operation, found, policy).await?
            }
        };
        self.learn(namespace, operation, &memory);
        Ok(memory)
    }

    /// Believes nothing from now on.
    pub(super) fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn known(&self, namespace: &str, operation: &str) -> Option<Memory> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (memory, learned) = known.get(namespace)?.get(operation)?;
        (learned.elapsed() < BELIEVED_FOR).then(|| memory.clone())
    }

    fn learn(&self, namespace: &str, operation: &str, memory: &Memory) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(namespace.to_owned())
            .or_default()
            .insert(operation.to_owned(), (memory.clone(), Instant::now()));
    }
}

/// Sets it at the first use; lowers the smallest retention where the policy was lowered.
async fn begin(
    store: &dyn Store,
    clock: &dyn Clock,
    namespace: &str,
    operation: &str,
    found: Option<Memory>,
    policy: &Policy,
) -> Result<Memory, Error> {
    let (expected, memory) = match found {
        Some(memory) if memory.smallest_retention <= policy.retention => return Ok(memory),
        Some(memory) => (Some(memory.revision), memory),
        None => (None, no_memory(clock)),
    };
    let memory = Memory {
        revision: Revision(Uuid::new_v4()),
        smallest_retention: policy.retention,
        ..memory
    };
    store.set_memory(namespace, operation, expected, &memory).await
}

fn no_memory(clock: &dyn Clock) -> Memory {
    Memory {
        revision: Revision(Uuid::nil()),
        start: clock.now(),
        smallest_retention: Duration::MAX,
        restored: false,
        gap: false,
    }
}
