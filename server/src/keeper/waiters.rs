//! Who waits for which intent, and how they are woken.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::intent::Identity;

type Channels = Mutex<HashMap<Identity, watch::Sender<()>>>;

/// The intents that somebody waits for.
#[derive(Debug, Default)]
pub(super) struct Waiters(Arc<Channels>);

/// Writes of this process to one intent, from its making on.
#[derive(Debug)]
pub struct Changes {
    identity: Identity,
    channels: Arc<Channels>,
    news: Option<watch::Receiver<()>>,
}

impl Waiters {
    pub(super) fn subscribe(&self, identity: Identity) -> Changes {
        let mut channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = channels.entry(identity).or_insert_with(|| watch::channel(()).0);
        let news = Some(sender.subscribe());
        Changes { identity, channels: Arc::clone(&self.0), news }
    }

    pub(super) fn tell(&self, identity: &Identity) {
        let channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = channels.get(identity) {
            sender.send_replace(());
        }
    }
}

impl Changes {
    /// Returns after a write since the last call, or at `until`.
    pub async fn next(&mut self, until: Instant) {
        if let Some(news) = &mut self.news {
            // Either end is a reason to look again.
            let _ = timeout_at(until, news.changed()).await;
        }
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.news = None;
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if channels.get(&self.identity).is_some_and(|sender| sender.receiver_count() == 0) {
            channels.remove(&self.identity);
        }
    }
}
