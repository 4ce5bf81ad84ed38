//! The one loop around the decision procedure: assume or load, rule, compare-and-set; if the set is lost, rule again on
//! the record that won. Bounded.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{
    clock::{Clock, Timestamp},
    intent::IntentId,
    policy::Policy,
    ruling::{Request, Verdict},
    store::{self, Store, Stored},
};

/// Rules on requests, one key at a time.
pub struct Keeper {
    _store: Arc<dyn Store>,
    _clock: Arc<dyn Clock>,
}

/// One request and the bounds it is ruled in.
#[derive(Clone, Debug)]
pub struct Ask {
    /// About which intent.
    pub intent: IntentId,
    /// What is asked.
    pub request: Request,
    /// The operation's policy today, if it has one.
    pub policy: Option<Arc<Policy>>,
    /// When the call was received.
    pub received: Instant,
    /// When an answer is of no use any more.
    pub deadline: Instant,
    /// The caller thinks that it was sent before: look first.
    pub likely_duplicate: bool,
    /// Look past the caches.
    pub fresh: bool,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What the caller is told.
    pub verdict: Verdict,
    /// The record as it then stands, with its result.
    pub stored: Option<Stored>,
    /// From the receipt of the call to the sending of the write, or to the look where there was none.
    pub waited: Duration,
    /// The time of the ruling.
    pub now: Timestamp,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The deadline came first; it may have happened.
    #[error("the deadline is over")]
    Deadline,
}

impl Keeper {
    /// A keeper over one store.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { _store: store, _clock: clock }
    }

    /// Rules on one request. Not cancelled with its caller: the work goes on in a task of its own.
    pub async fn ask(&self, _ask: Ask) -> Result<Answered, Error> {
        todo!("next commit")
    }

    /// Rules on a Claim; while somebody else is at it, holds the call until the ruling changes or `until` is reached.
    pub async fn ask_waiting(&self, _ask: Ask, _until: Instant) -> Result<Answered, Error> {
        todo!("next commit")
    }

    /// Returns at the next write of `intent` in this process after `seen` (a record's version; none: no record), at
    /// the end of its lease, or at `until`.
    pub async fn changed(&self, _intent: &IntentId, _seen: Option<u64>, _until: Instant) {
        todo!("next commit")
    }
}
