//! Who waits for which intent, and how they hear of news: of a write of this process at once; of
//! another's, where the store is shared, by looks. One of them looks for all.
//!
//! Tells that something is new, never what: who hears of it asks.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, sleep_until, timeout_at},
};
use uuid::Uuid;

use super::{Keeper, recent::Recent};
use crate::{
    intent::{Identity, IntentId},
    record::Revision,
    store::{Look, Store, Stored},
};

/// Shortest pause between two looks of one that waits.
const LOOK_PAUSE_MIN: Duration = Duration::from_millis(10);
/// Pause between two looks at a lease that is held with nothing left of it.
const SPENT_LEASE_PAUSE: Duration = Duration::from_secs(1);
/// Shortest and longest pause between two looks at one intent.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Most looks under way at one time, of all intents.
const LOOKS_MAX: usize = 64;

/// The intents that somebody waits for.
pub(super) struct Waiters {
    eyes: Arc<Eyes>,
    channels: Arc<Channels>,
}

type Channels = Mutex<HashMap<Identity, Arc<Channel>>>;

/// What looks are made with.
struct Eyes {
    store: Arc<dyn Store>,
    recent: Arc<Recent>,
    looks: Semaphore,
}

/// One intent that somebody waits for.
struct Channel {
    news: watch::Sender<News>,
    /// Whoever holds it looks for all.
    pace: tokio::sync::Mutex<Pace>,
}

#[derive(Clone, Copy, Debug, Default)]
struct News {
    /// How often this process wrote.
    writes: u64,
    /// What the last look showed.
    seen: Option<Known>,
}

/// What can be new about an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    revision: Option<Revision>,
    is_live: bool,
}

/// When the next look is due.
struct Pace {
    due: Instant,
    pause: Duration,
}

/// News of one intent, from its making on.
pub struct Changes {
    intent: IntentId,
    identity: Identity,
    eyes: Arc<Eyes>,
    channels: Arc<Channels>,
    channel: Arc<Channel>,
    news: Option<watch::Receiver<News>>,
    writes: u64,
}

impl Known {
    /// What this shows.
    pub fn of(stored: Option<&Stored>) -> Self {
        Self {
            revision: stored.map(|stored| stored.record.revision),
            is_live: stored.is_some_and(|stored| stored.lease.is_live()),
        }
    }
}

impl Waiters {
    pub(super) fn new(store: Arc<dyn Store>, recent: Arc<Recent>) -> Self {
        let eyes = Eyes { store, recent, looks: Semaphore::new(LOOKS_MAX) };
        Self { eyes: Arc::new(eyes), channels: Arc::default() }
    }

    pub(super) fn subscribe(&self, intent: &IntentId) -> Changes {
        let identity = intent.identity();
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = Arc::clone(channels.entry(identity).or_insert_with(Channel::new));
        let news = channel.news.subscribe();
        let writes = news.borrow().writes;
        Changes {
            intent: intent.clone(),
            identity,
            eyes: Arc::clone(&self.eyes),
            channels: Arc::clone(&self.channels),
            channel,
            news: Some(news),
            writes,
        }
    }

    /// This process wrote.
    pub(super) fn tell(&self, identity: &Identity) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = channels.get(identity) {
            channel.news.send_modify(|news| news.writes += 1);
        }
    }
}

impl Channel {
    fn new() -> Arc<Self> {
        Arc::new(Self { news: watch::Sender::default(), pace: Pace::new().into() })
    }

    /// Looks, again and again.
    async fn poll(&self, eyes: &Eyes, intent: &IntentId) {
        let mut pace = self.pace.lock().await;
        loop {
            sleep_until(pace.due).await;
            // First of all: who takes over from one that goes away in the middle looks in its turn.
            pace.step();
            if self.look(eyes, intent).await {
                *pace = Pace::new();
            }
        }
    }

    /// Whether it showed something else than the one before.
    async fn look(&self, eyes: &Eyes, intent: &IntentId) -> bool {
        let Ok(_turn) = eyes.looks.acquire().await else { return false };
        let Ok(stored) = eyes.store.load(intent, Look::Recent).await else { return false };
        eyes.recent.saw(&intent.identity(), stored.as_ref());
        let seen = Some(Known::of(stored.as_ref()));
        let before = self.news.borrow().seen;
        self.news.send_if_modified(|news| std::mem::replace(&mut news.seen, seen) != seen);
        before.is_some() && before != seen
    }
}

impl Pace {
    fn new() -> Self {
        Self { due: Instant::now() + jittered(PAUSE.0), pause: PAUSE.0 }
    }

    fn step(&mut self) {
        self.pause = (self.pause * 2).min(PAUSE.1);
        self.due = Instant::now() + jittered(self.pause);
    }
}

/// A quarter more or less: replicas do not look in step.
fn jittered(pause: Duration) -> Duration {
    let chance = u32::try_from(Uuid::new_v4().as_u64_pair().1 % 501).unwrap_or_default();
    pause * (750 + chance) / 1_000
}

impl Changes {
    /// Returns when this process has written since the last call, when there is something else than
    /// is `known`, or at `until`.
    pub async fn next(&mut self, known: Known, until: Instant) {
        let Some(news) = &mut self.news else { return };
        let heard = hear(news, &mut self.writes, known);
        let polls = async {
            if self.eyes.store.is_shared() {
                self.channel.poll(&self.eyes, &self.intent).await;
            }
            std::future::pending::<()>().await;
        };
        let either = async {
            tokio::select! {
                () = heard => {}
                () = polls => {}
            }
        };
        // Either end is a reason to look again.
        let _ = timeout_at(until, either).await;
    }
}

async fn hear(news: &mut watch::Receiver<News>, writes: &mut u64, known: Known) {
    while news.changed().await.is_ok() {
        let now = *news.borrow_and_update();
        if std::mem::replace(writes, now.writes) != now.writes {
            return;
        }
        if now.seen.is_some_and(|seen| seen != known) {
            return;
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.news = None;
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if channels.get(&self.identity).is_some_and(|channel| channel.news.receiver_count() == 0) {
            channels.remove(&self.identity);
        }
    }
}

impl Keeper {
    /// Tells of news of `intent` from now on.
    pub fn changes(&self, intent: &IntentId) -> Changes {
        self.inner.waiters.subscribe(intent)
    }

    /// After how long to look again at a lease with so much left, if nothing new is heard: it ends
    /// without a write. None where news tells of that too: with nothing left, in a shared store.
    pub fn patience(&self, left: Duration) -> Option<Duration> {
        match left.is_zero() {
            true if self.inner.store.is_shared() => None,
            true => Some(SPENT_LEASE_PAUSE),
            false => Some(left.max(LOOK_PAUSE_MIN)),
        }
    }
}
