//! The one loop around the decision procedure: assume or look, rule, compare-and-set; if the set is
//! lost, rule again on the record that won. Bounded in rounds and time.
//!
//! Holds no lock across a store call: what two callers of one key may do is decided by the store's
//! conditional write alone. The caches only save looks; every write names the revision it was
//! judged on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use self::{holds::Holds, memories::Memories, recent::Recent, waiters::Waiters};
use crate::{
    clock::{Clock, Timestamp},
    intent::{Identity, IntentId, ProviderKeyForm},
    ruling::{Given, Request, Ruling, Verdict, rule},
    store::{self, Lease, LeaseWrite, Look, Memory, Set, Store, Stored, Write},
};

mod call;
mod holds;
mod memories;
mod recent;
mod waiters;

pub use self::{
    call::{Answered, Ask, Error, Room},
    holds::{Held, Hold},
    waiters::Changes,
};

/// How often a lost write is ruled on again before the key counts as contended.
const ROUNDS_MAX: usize = 16;
/// Shortest pause between two looks of one that waits.
const LOOK_PAUSE_MIN: Duration = Duration::from_millis(10);
/// How long before its deadline a call is answered that nothing definite is known.
const ANSWER_MARGIN: Duration = Duration::from_millis(5);
/// How long the work of a call goes on after its caller stopped waiting, to bring an uncertain
/// write to an end.
const AFTERCARE: Duration = Duration::from_secs(10);

/// Rules on requests, one key at a time.
#[derive(Clone)]
pub struct Keeper {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    holds: Holds,
    memories: Memories,
    recent: Recent,
    waiters: Waiters,
}

impl Keeper {
    /// A keeper over one store; `clock` is the one that the store judges leases by, or close to it.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let inner = Inner {
            store,
            clock,
            holds: Holds::default(),
            memories: Memories::default(),
            recent: Recent::new(),
            waiters: Waiters::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Rules on one request. Its work is not cancelled with its caller: a write that was begun is
    /// brought to an end.
    pub async fn ask(&self, ask: Ask) -> Result<Answered, Error> {
        let until = ask.deadline.checked_sub(ANSWER_MARGIN).unwrap_or(ask.deadline);
        let inner = Arc::clone(&self.inner);
        let uncertain = Arc::new(AtomicBool::new(false));
        let doubt = Arc::clone(&uncertain);
        let work = async move { inner.answer(&ask, &doubt).await };
        match timeout_at(until, tokio::spawn(work.in_current_span())).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(panic)) => Err(store::Error::Uncertain(panic.to_string()).into()),
            Err(_) if uncertain.load(Ordering::SeqCst) => {
                Err(store::Error::Uncertain("no definite answer came in time".to_owned()).into())
            }
            Err(_) => Err(Error::Deadline),
        }
    }

    /// Rules on a Claim; while somebody else is at it, holds the call until the ruling changes,
    /// `until` is reached or `stop` is set. Waiting alone grants nothing; what is being ruled on is
    /// brought to its end.
    pub async fn ask_waiting(
        &self,
        mut ask: Ask,
        until: Instant,
        stop: &CancellationToken,
    ) -> Result<Answered, Error> {
        let mut changes = self.inner.waiters.subscribe(ask.intent.identity());
        loop {
            let answered = self.ask(ask.clone()).await?;
            let Verdict::InProgress { own_token: None } = answered.verdict else {
                return Ok(answered);
            };
            if Instant::now() >= until || stop.is_cancelled() {
                return Ok(answered);
            }
            ask.likely_duplicate = true;
            let pause = lease_left(answered.stored.as_ref()).max(LOOK_PAUSE_MIN);
            tokio::select! {
                () = changes.next(until.min(Instant::now() + pause)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// The store that it keeps.
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.inner.store)
    }

    /// Believes nothing that it has learned from the store: others have written to it.
    pub fn forget(&self) {
        self.inner.memories.forget();
        self.inner.recent.forget();
    }

    /// Tells of writes of this process to `intent` from now on.
    pub fn changes(&self, intent: &IntentId) -> Changes {
        self.inner.waiters.subscribe(intent.identity())
    }
}

fn lease_left(stored: Option<&Stored>) -> Duration {
    match stored.map(|stored| stored.lease) {
        Some(Lease::Live { left }) => left,
        Some(Lease::Over) | None => Duration::ZERO,
    }
}

/// What a ruling is made on.
struct View {
    stored: Option<Stored>,
    /// Nothing that was answered before this call is missing from it.
    linearizable: bool,
    /// Not later than the look: what is left of a lease counts from here.
    looked: Instant,
}

impl View {
    /// Believed without a look.
    fn believed(stored: Option<Stored>) -> Self {
        Self { stored, linearizable: false, looked: Instant::now() }
    }
}

/// One request under way.
struct Case<'a> {
    ask: &'a Ask,
    identity: Identity,
    memory: Memory,
    /// A write was sent, and nobody knows whether it was applied.
    doubt: &'a AtomicBool,
}

impl Inner {
    async fn answer(&self, ask: &Ask, doubt: &AtomicBool) -> Result<Answered, Error> {
        let _under_way = self.holds.admit(&*self.store, ask).await?;
        let memory = self.memories.of(&*self.store, &*self.clock, ask).await?;
        let case = Case { ask, identity: ask.intent.identity(), memory, doubt };
        let Ruled { verdict, stored, waited, now } = self.ruled(&case).await?;
        let clock_bound = self.store.clock_bound();
        Ok(Answered { verdict, stored, waited, now, memory: case.memory, clock_bound })
    }

    async fn ruled(&self, case: &Case<'_>) -> Result<Ruled, Error> {
        let mut view = self.first_view(case).await?;
        for _ in 0..ROUNDS_MAX {
            let now = self.clock.now();
            let ruling = self.rule_on(&view, case, now);
            let Some(write) = ruling.write else {
                let firm = view.linearizable || ruling.verdict == Verdict::Completed;
                if firm && !is_over(&ruling.verdict, view.looked) {
                    let waited = view.looked.duration_since(case.ask.received);
                    let (verdict, stored) = (ruling.verdict, view.stored);
                    return Ok(Ruled { verdict, stored, waited, now });
                }
                view = self.look(case, Look::Fresh).await?;
                continue;
            };
            match self.write(case, &view, ruling.verdict, &write, now).await? {
                Written::Answer(ruled) => return Ok(*ruled),
                Written::Again(next) => view = *next,
            }
        }
        Err(store::Error::Contended.into())
    }

    /// A Claim assumes that there is no record, since its write finds out; everything else must
    /// look.
    async fn first_view(&self, case: &Case<'_>) -> Result<View, Error> {
        let is_claim = matches!(case.ask.request, Request::Claim(_));
        let cached = match case.ask.request {
            _ if case.ask.fresh => None,
            Request::Get(_) | Request::Resolve(_) | Request::Reclaim(_) => None,
            Request::Claim(_) => self.recent.settled(&case.identity),
            Request::Complete(_) | Request::Renew(_) | Request::Release(_) => {
                self.recent.open(&case.identity)
            }
        };
        match cached {
            Some(stored) => Ok(View::believed(Some(stored))),
            None if is_claim && !self.looks_old(case.ask) => Ok(View::believed(None)),
            None if is_claim => self.look(case, Look::Recent).await,
            None => self.look(case, Look::Fresh).await,
        }
    }

    fn looks_old(&self, ask: &Ask) -> bool {
        const A_WHILE: Duration = Duration::from_secs(60);
        let first_sent = match &ask.request {
            Request::Claim(claim) => claim.first_sent_time,
            _ => None,
        };
        ask.likely_duplicate
            || first_sent.is_some_and(|sent| sent.after(A_WHILE) < self.clock.now())
    }

    async fn look(&self, case: &Case<'_>, look: Look) -> Result<View, Error> {
        let looked = Instant::now();
        let stored = self.store.load(&case.ask.intent, look).await?;
        self.recent.saw(&case.identity, stored.as_ref());
        Ok(View { stored, linearizable: look == Look::Fresh, looked })
    }

    fn rule_on(&self, view: &View, case: &Case<'_>, now: Timestamp) -> Ruling {
        let policy = case.ask.policy.as_deref();
        let form = policy.map_or(ProviderKeyForm::Text, |policy| policy.provider_key);
        let given = Given {
            policy,
            memory: &case.memory,
            revision: Uuid::new_v4(),
            provider_key: &case.identity.provider_key(form),
            clock_bound: self.store.clock_bound(),
        };
        rule(view.stored.as_ref(), &case.ask.request, &given, now)
    }

    async fn write(
        &self,
        case: &Case<'_>,
        view: &View,
        verdict: Verdict,
        write: &Write,
        now: Timestamp,
    ) -> Result<Written, Error> {
        let sent = Instant::now();
        let starts_lease = matches!(write.lease, LeaseWrite::Start(_));
        if starts_lease && sent >= case.ask.deadline {
            return Err(Error::Deadline);
        }
        let waited = sent.duration_since(case.ask.received);
        let written = match self.apply(case, write).await? {
            Set::Applied => {
                let stored = write.applied_on(view.stored.as_ref());
                self.recent.wrote(&case.identity, &stored);
                self.waiters.tell(&case.identity);
                Written::answer(verdict, Some(stored), waited, now)
            }
            Set::Lost(row) => {
                self.recent.saw(&case.identity, row.as_ref());
                after_loss(row, write, verdict, case.ask, sent, now)
            }
        };
        match written {
            Written::Answer(ruled) if is_over(&ruled.verdict, sent) => {
                Ok(Written::Again(Box::new(self.look(case, Look::Fresh).await?)))
            }
            written => Ok(written),
        }
    }

    /// Applies a write; an uncertain one is issued again, the same bytes, until the answer is
    /// definite. Once uncertain, only a definite answer ends it.
    async fn apply(&self, case: &Case<'_>, write: &Write) -> Result<Set, Error> {
        let until = case.ask.deadline + AFTERCARE;
        let mut uncertain = None;
        let mut pause = Duration::from_millis(20);
        loop {
            match (self.store.compare_and_set(&case.ask.intent, write).await, &uncertain) {
                (Ok(set), _) => return Ok(set),
                (Err(store::Error::Uncertain(error)), _) => uncertain = Some(error),
                (Err(error), None) => return Err(error.into()),
                (Err(_), Some(_)) => {}
            }
            case.doubt.store(true, Ordering::SeqCst);
            let next = Instant::now() + pause;
            if next >= until {
                return Err(store::Error::Uncertain(uncertain.unwrap_or_default()).into());
            }
            sleep_until(next).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }
}

/// An answer, before what it was ruled with is put to it.
struct Ruled {
    verdict: Verdict,
    stored: Option<Stored>,
    waited: Duration,
    now: Timestamp,
}

/// What came of a write.
enum Written {
    Answer(Box<Ruled>),
    /// Rule again, on this.
    Again(Box<View>),
}

impl Written {
    fn again_on(row: Option<Stored>, looked: Instant) -> Self {
        Self::Again(Box::new(View { stored: row, linearizable: true, looked }))
    }

    fn answer(verdict: Verdict, stored: Option<Stored>, waited: Duration, now: Timestamp) -> Self {
        Self::Answer(Box::new(Ruled { verdict, stored, waited, now }))
    }
}

/// A lost row that shows this write's own revision was written by it: an earlier, uncertain sending
/// was applied.
fn after_loss(
    row: Option<Stored>,
    write: &Write,
    verdict: Verdict,
    ask: &Ask,
    sent: Instant,
    now: Timestamp,
) -> Written {
    let is_mine = |row: &Stored| row.record.revision == write.record.revision;
    let Some(mine) = row.as_ref().filter(|row| is_mine(row)) else {
        return Written::again_on(row, sent);
    };
    let waited = sent.duration_since(ask.received);
    let verdict = match (verdict, mine.lease) {
        (Verdict::Granted(granted), Lease::Live { left }) => {
            Verdict::Granted(crate::ruling::Granted { lease: left, ..granted })
        }
        (Verdict::Renewed(renewed), Lease::Live { left }) => {
            Verdict::Renewed(crate::ruling::Renewed { lease: left, ..renewed })
        }
        (Verdict::Granted(_) | Verdict::Renewed(_), Lease::Over) => {
            return Written::again_on(row, sent);
        }
        (verdict, _) => verdict,
    };
    Written::answer(verdict, row, waited, now)
}

/// The lease that it promises has ended since the look or the sending at `start`.
fn is_over(verdict: &Verdict, start: Instant) -> bool {
    lease_of(verdict).is_some_and(|lease| start.elapsed() >= lease)
}

fn lease_of(verdict: &Verdict) -> Option<Duration> {
    match verdict {
        Verdict::Granted(granted) => Some(granted.lease),
        Verdict::Renewed(renewed) => Some(renewed.lease),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
