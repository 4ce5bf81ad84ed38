//! What the keeper is asked, and what it answers.

use std::{sync::Arc, time::Duration};

use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use uuid::Uuid;

use super::{Hold, Past};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    policy::Policy,
    ruling::{Given, Request, Verdict},
    store::{self, Stored},
};

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
    /// Room that its work takes to its end, whether or not its caller still waits; none is asked of
    /// reports.
    pub room: Option<Room>,
}

/// A share of the load that is let in, given back when it is dropped.
pub type Room = Arc<OwnedSemaphorePermit>;

/// The answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What the caller is told.
    pub verdict: Verdict,
    /// The record as it then stands, with its result.
    pub stored: Option<Stored>,
    /// From the receipt of the call to the first sending of the write, or to the look where there
    /// was none.
    pub waited: Duration,
    /// The time of the ruling.
    pub now: Timestamp,
    /// How far back the operation was remembered.
    pub past: Past,
    /// By how much the clocks that judge leases may differ from `now`.
    pub clock_bound: Duration,
}

impl Answered {
    /// What it was ruled with, for those who show the record.
    pub fn given<'a>(&'a self, policy: Option<&'a Policy>) -> Given<'a> {
        Given {
            policy,
            memory: &self.past.memory,
            forgotten_since: self.past.forgotten_since,
            revision: Uuid::nil(),
            provider_key: "",
            clock_bound: self.clock_bound,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Its namespace takes no such call for now; nothing happened.
    #[error("the namespace is held: {0:?}")]
    Held(Hold),
    /// The deadline came first; it may have happened.
    #[error("the deadline is over")]
    Deadline,
}
