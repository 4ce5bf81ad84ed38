//! Namespaces that are held while they move to another store: no grants, or nothing at all.
//!
//! Kept in the store, among the memories of the reserved namespace, so that a restart does not end
//! it and every replica sees it. A replica believes what it read for a second, and no longer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Mutex as Turns,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::{AFTERCARE, Ask, Error, Keeper};
use crate::{
    clock::Timestamp,
    intent::RESERVED_NAMESPACE,
    record::Revision,
    ruling::Request,
    store::{self, Memory, Remembered, Store},
};

/// How long what was read is believed: another replica may have set it.
const BELIEVED_FOR: Duration = Duration::from_secs(1);
/// When the first who comes reads it again, while the others still believe it.
const READ_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// How long a store may be at a request that nobody waits for any more.
const UNHEARD: Duration = Duration::from_secs(5);
/// Namespaces that are remembered; anybody can name new ones.
const REMEMBERED_MAX: usize = 10_000;
/// Seals whose first sight is remembered.
const SEALS_MAX: usize = 1_000;
/// What the operation of a memory begins with that is a hold; then comes the namespace, or nothing
/// for all of them.
const NAME: &str = "hold:";

/// What is still taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// Everything.
    #[default]
    Open,
    /// No Claim and no Reclaim.
    Frozen,
    /// Nothing: neither grants nor reports nor looks.
    Sealed,
}

impl Hold {
    fn takes(self, request: &Request) -> bool {
        match self {
            Self::Open => true,
            Self::Frozen => !matches!(request, Request::Claim(_) | Request::Reclaim(_)),
            Self::Sealed => false,
        }
    }

    fn of(memory: &Memory) -> Self {
        match (memory.gap, memory.restored) {
            (true, _) => Self::Sealed,
            (false, true) => Self::Frozen,
            (false, false) => Self::Open,
        }
    }

    fn memory(self, now: Timestamp) -> Memory {
        Memory {
            revision: Revision(Uuid::new_v4()),
            start: now,
            smallest_retention: Duration::ZERO,
            restored: self >= Self::Frozen,
            gap: self == Self::Sealed,
        }
    }
}

/// A hold, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// Which.
    pub hold: Hold,
    /// On the clock of whoever set it.
    pub since: Timestamp,
}

/// A call under way.
pub(super) type UnderWay = Arc<DropGuard>;

/// The holds as this process knows them.
#[derive(Debug)]
pub(super) struct Holds {
    known: Mutex<HashMap<String, Arc<Known>>>,
    under_way: Mutex<UnderWay>,
    /// When this process first saw each seal, by when it was set.
    seals: Mutex<HashMap<Timestamp, Instant>>,
}

/// Of one namespace.
#[derive(Debug, Default)]
struct Known {
    read: Mutex<Option<(Hold, Instant)>>,
    turns: Turns<()>,
}

impl Default for Holds {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            under_way: Mutex::new(under_way()),
            seals: Mutex::default(),
        }
    }
}

fn under_way() -> UnderWay {
    Arc::new(CancellationToken::new().drop_guard())
}

impl Holds {
    /// Admits a request, unless its namespace is held against it. It counts as under way before the
    /// hold is read, so that none slips past one who waits for those under way.
    pub(super) async fn admit(&self, store: &dyn Store, ask: &Ask) -> Result<UnderWay, Error> {
        let under_way = locked(&self.under_way).clone();
        let hold = self.of(store, ask.intent.namespace()).await?;
        if hold.takes(&ask.request) { Ok(under_way) } else { Err(Error::Held(hold)) }
    }

    async fn of(&self, store: &dyn Store, namespace: &str) -> Result<Hold, store::Error> {
        let known = self.known(namespace);
        match known.believed() {
            Some((hold, age)) if age < READ_AGAIN_AFTER => Ok(hold),
            Some((hold, _)) => match known.turns.try_lock() {
                Ok(_turn) => match known.read(store, namespace).await {
                    Err(error) if known.believed().is_none() => Err(error),
                    read => Ok(read.unwrap_or(hold)),
                },
                Err(_) => Ok(hold),
            },
            None => {
                let _turn = known.turns.lock().await;
                match known.believed() {
                    Some((hold, _)) => Ok(hold),
                    None => known.read(store, namespace).await,
                }
            }
        }
    }

    fn known(&self, namespace: &str) -> Arc<Known> {
        let mut all = locked(&self.known);
        if let Some(known) = all.get(namespace) {
            return Arc::clone(known);
        }
        if all.len() >= REMEMBERED_MAX {
            all.clear();
        }
        Arc::clone(all.entry(namespace.to_owned()).or_default())
    }

    fn saw(&self, held: Held) -> Instant {
        let mut seals = locked(&self.seals);
        if seals.len() >= SEALS_MAX {
            seals.clear();
        }
        *seals.entry(held.since).or_insert_with(Instant::now)
    }

    /// Believes nothing, and returns when every call that was under way is over.
    async fn turn(&self) {
        locked(&self.known).clear();
        let before = std::mem::replace(&mut *locked(&self.under_way), under_way());
        let over = before.token().clone();
        drop(before);
        over.cancelled().await;
    }
}

impl Known {
    /// What was read not too long ago, and how long ago.
    fn believed(&self) -> Option<(Hold, Duration)> {
        let (hold, read) = (*locked(&self.read))?;
        Some((hold, read.elapsed())).filter(|(_, age)| *age < BELIEVED_FOR)
    }

    async fn read(&self, store: &dyn Store, namespace: &str) -> Result<Hold, store::Error> {
        // Before the look: it may be as old as that.
        let begun = Instant::now();
        let held = look(store, namespace).await?;
        *locked(&self.read) = Some((held.hold, begun));
        Ok(held.hold)
    }
}

/// The stricter of the namespace's own hold and that of all.
async fn look(store: &dyn Store, namespace: &str) -> Result<Held, store::Error> {
    let own = async { Ok::<_, store::Error>(of_name(store, Some(namespace)).await?.0) };
    let all = async { Ok::<_, store::Error>(of_name(store, None).await?.0) };
    let (own, all) = tokio::try_join!(own, all)?;
    Ok(own.max(all))
}

async fn of_name(
    store: &dyn Store,
    namespace: Option<&str>,
) -> Result<(Held, Option<Revision>), store::Error> {
    let found = store.memory(RESERVED_NAMESPACE, &name(namespace)).await?;
    let held = found.as_ref().map(|it| Held { hold: Hold::of(it), since: it.start });
    Ok((held.unwrap_or_default(), found.map(|found| found.revision)))
}

fn name(namespace: Option<&str>) -> String {
    format!("{NAME}{}", namespace.unwrap_or_default())
}

/// The namespaces that are held by a hold of their own, among memories that were listed; empty for
/// the hold of all.
pub fn held_among(memories: &[Remembered]) -> impl Iterator<Item = &str> {
    let reserved = memories.iter().filter(|it| it.namespace == RESERVED_NAMESPACE);
    let held = reserved.filter(|it| Hold::of(&it.memory) > Hold::Open);
    held.filter_map(|it| it.operation.strip_prefix(NAME))
}

impl Keeper {
    /// How a namespace is held now, past all caches; without one, how all of them are.
    pub async fn held(&self, namespace: Option<&str>) -> Result<Held, store::Error> {
        match namespace {
            Some(namespace) => look(&*self.inner.store, namespace).await,
            None => Ok(of_name(&*self.inner.store, None).await?.0),
        }
    }

    /// The namespaces that are held by a hold of their own.
    pub async fn held_alone(&self) -> Result<Vec<String>, store::Error> {
        let memories = self.inner.store.memories(Some(RESERVED_NAMESPACE)).await?;
        Ok(held_among(&memories).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Holds a namespace, or all of them; a freeze does not lift a seal. Every replica obeys when
    /// this returns, and of this one's calls none is under way that it would not take.
    pub async fn hold(&self, namespace: Option<&str>, hold: Hold) -> Result<(), store::Error> {
        let store = &*self.inner.store;
        let (stands, expected) = of_name(store, namespace).await?;
        let hold = if hold == Hold::Frozen { hold.max(stands.hold) } else { hold };
        if stands.hold != hold {
            let memory = hold.memory(self.inner.clock.now());
            let stands =
                store.set_memory(RESERVED_NAMESPACE, &name(namespace), expected, &memory).await?;
            if stands.revision != memory.revision && Hold::of(&stands) != hold {
                return Err(store::Error::Contended);
            }
        }
        let (stands, _) = of_name(store, namespace).await?;
        if stands.hold == Hold::Sealed {
            self.inner.holds.saw(stands);
        }
        sleep(BELIEVED_FOR).await;
        self.inner.holds.turn().await;
        Ok(())
    }

    /// Whether a namespace, or all of them, is sealed; if so, returns when nothing can be under way
    /// any more that was taken before, here or by another replica. No clock of another one counts.
    pub async fn sealed(
        &self,
        namespace: Option<&str>,
        call_max: Duration,
    ) -> Result<bool, store::Error> {
        let held = self.held(namespace).await?;
        if held.hold != Hold::Sealed {
            return Ok(false);
        }
        let seen = self.inner.holds.saw(held);
        if let Some(settle) = self.others_settle_in(call_max) {
            sleep_until(seen + BELIEVED_FOR + settle).await;
        }
        self.inner.holds.turn().await;
        Ok(true)
    }

    /// Believes nothing that it has learned from the store: others have written to it.
    pub fn forget(&self) {
        self.inner.memories.forget();
        self.inner.recent.forget();
    }

    /// For how long a call of another replica can be under way beyond its own time; nothing where
    /// there is no other.
    pub fn others_settle_in(&self, call_max: Duration) -> Option<Duration> {
        self.inner.store.is_shared().then_some(call_max + AFTERCARE + UNHEARD)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
