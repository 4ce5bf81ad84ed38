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

use self::{
    case::Case,
    flights::{Boarded, Flight, Flights, Shown},
    holds::Holds,
    memories::Memories,
    recent::Recent,
    view::{Ruled, View, Written, after_loss, is_over, told_first, was_applied},
    waiters::Waiters,
};
use crate::{
    clock::{Clock, Timestamp},
    ruling::{Request, Ruling, Verdict, rule},
    store::{self, Answer, Lease, LeaseWrite, Look, Set, Store, Stored, Trouble, Write},
};

mod call;
mod case;
mod flights;
mod holds;
mod memories;
mod recent;
mod view;
mod waiters;

pub use self::{
    call::{Answered, Ask, Error, Room},
    holds::{Held, Hold, held_among},
    memories::Past,
    waiters::{Changes, Known},
};

/// How often a lost write is ruled on again before the key counts as contended.
const ROUNDS_MAX: usize = 16;
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
    recent: Arc<Recent>,
    waiters: Waiters,
    glances: Flights,
    looks: Flights,
    writes: Flights,
}

impl Keeper {
    /// A keeper over one store; `clock` is the one that the store judges leases by, or close to it.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let recent = Arc::new(Recent::new());
        let inner = Inner {
            waiters: Waiters::new(Arc::clone(&store), Arc::clone(&recent)),
            store,
            clock,
            holds: Holds::default(),
            memories: Memories::default(),
            recent,
            glances: Flights::default(),
            looks: Flights::default(),
            writes: Flights::default(),
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
        let mut changes = self.changes(&ask.intent);
        loop {
            let began = Instant::now();
            let answered = self.ask(ask.clone()).await?;
            let Verdict::InProgress { own_token: None } = answered.verdict else {
                return Ok(answered);
            };
            let until = until.min(waiters::last_ruling(ask.deadline, began.elapsed()));
            if Instant::now() >= until || stop.is_cancelled() {
                return Ok(answered);
            }
            ask.likely_duplicate = true;
            let (known, left) = seen(answered.stored.as_ref());
            let wake = self.patience(left).map_or(until, |pause| until.min(Instant::now() + pause));
            tokio::select! {
                () = changes.next(known, wake) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// The store that it keeps.
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.inner.store)
    }
}

/// What was seen, and what is left of its lease.
fn seen(stored: Option<&Stored>) -> (Known, Duration) {
    let left = match stored.map(|stored| stored.lease) {
        Some(Lease::Live { left }) => left,
        Some(Lease::Over) | None => Duration::ZERO,
    };
    (Known::of(stored), left)
}

impl Inner {
    async fn answer(&self, ask: &Ask, doubt: &AtomicBool) -> Result<Answered, Error> {
        let _under_way = self.holds.admit(&*self.store, ask).await?;
        self.check_clock(ask)?;
        let past = self.memories.of(&*self.store, &*self.clock, ask).await?;
        let case = Case { ask, identity: ask.intent.identity(), past, doubt };
        let ruled = self.ruled(&case).await.map_err(|error| case.in_doubt(error))?;
        let Ruled { verdict, stored, waited, now } = ruled;
        let clock_bound = self.clock_bound();
        Ok(Answered { verdict, stored, waited, now, past: case.past, clock_bound })
    }

    /// No lease starts on a clock that is off: tokens and memory follow it.
    fn check_clock(&self, ask: &Ask) -> Result<(), Error> {
        let may_start = matches!(ask.request, Request::Claim(_) | Request::Reclaim(_));
        match self.store.trouble().filter(|trouble| may_start && trouble.bars_leases()) {
            Some(trouble) => Err(store::Error::Unavailable(trouble.to_string()).into()),
            None => Ok(()),
        }
    }

    async fn ruled(&self, case: &Case<'_>) -> Result<Ruled, Error> {
        let (mut view, mut flight) = self.first_view(case).await?;
        let mut own = None;
        for _ in 0..ROUNDS_MAX {
            let now = self.clock.now();
            let ruling = self.rule_on(&view, case, now);
            let Some(write) = ruling.write else {
                let firm = view.linearizable || ruling.verdict == Verdict::Completed;
                if firm && !is_over(&ruling.verdict, view.looked) {
                    let waited = view.looked.duration_since(case.ask.received);
                    let verdict = told_first(ruling.verdict, view.stored.as_ref(), own);
                    let stored = view.stored;
                    return Ok(Ruled { verdict, stored, waited, now });
                }
                drop(flight.take());
                view = self.look(case, Look::Fresh).await?;
                continue;
            };
            if case.shares() && flight.is_none() {
                // Ruled again when its turn has come: a write carries the time that it is sent at.
                match self.board(case, &self.writes).await? {
                    Boarded::Leads(led) => flight = Some(led),
                    Boarded::Shares(shown) => view = self.shared(case, shown).await?,
                }
                continue;
            }
            let sent = self.write(case, &view, ruling.verdict, &write, now, flight.take());
            match sent.await? {
                Written::Answer(ruled) => return Ok(*ruled),
                Written::Again(next) => {
                    own = case.doubt.load(Ordering::SeqCst).then_some(write.record.revision);
                    view = *next;
                }
            }
        }
        Err(store::Error::Contended.into())
    }

    async fn board<'a>(&self, case: &Case<'_>, flights: &'a Flights) -> Result<Boarded<'a>, Error> {
        let boarded = timeout_at(case.ask.deadline, flights.board(case.identity)).await;
        boarded.map_err(|_| Error::Deadline)
    }

    /// What another caller's write showed. What is left of a lease is for others to wait by; to its
    /// own claimant it is a promise, and is looked at anew.
    async fn shared(&self, case: &Case<'_>, shown: Shown) -> Result<View, Error> {
        let view = Arc::unwrap_or_clone(shown?);
        if case.holds_lease_of(view.stored.as_ref()) {
            return Ok(self.look_alone(case, Look::Fresh).await?);
        }
        Ok(view)
    }

    /// By how much clocks may differ: a replica that knows itself to be off judges by that too.
    fn clock_bound(&self) -> Duration {
        let off = match self.store.trouble() {
            Some(Trouble::ClockOff { by }) => by,
            _ => Duration::ZERO,
        };
        self.store.clock_bound() + off
    }

    /// A Claim assumes that there is no record, since its write finds out; everything else must
    /// look.
    async fn first_view(&self, case: &Case<'_>) -> Result<(View, Option<Flight<'_>>), Error> {
        let cached = match case.ask.request {
            _ if case.ask.fresh => None,
            Request::Get(_) | Request::Resolve(_) | Request::Reclaim(_) => None,
            Request::Claim(_) => self.recent.settled(&case.identity),
            Request::Complete(_) | Request::Renew(_) | Request::Release(_) => {
                self.recent.open(&case.identity)
            }
        };
        let is_blind = matches!(case.ask.request, Request::Claim(_)) && !self.looks_old(case.ask);
        match cached {
            Some(stored) => Ok((View::believed(Some(stored)), None)),
            None if is_blind => match self.board(case, &self.writes).await? {
                Boarded::Leads(flight) => Ok((View::believed(None), Some(flight))),
                Boarded::Shares(shown) => Ok((self.shared(case, shown).await?, None)),
            },
            None => Ok((self.look(case, case.first_look()).await?, None)),
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
        let flights = match look {
            Look::Recent => &self.glances,
            Look::Fresh => &self.looks,
        };
        if !case.shares() {
            return Ok(self.look_alone(case, look).await?);
        }
        match self.board(case, flights).await? {
            Boarded::Shares(shown) => Ok(Arc::unwrap_or_clone(shown?)),
            Boarded::Leads(flight) => {
                let shown = self.look_alone(case, look).await;
                flight.land(|| shown.clone());
                Ok(shown?)
            }
        }
    }

    async fn look_alone(&self, case: &Case<'_>, look: Look) -> Result<View, store::Error> {
        let looked = Instant::now();
        let stored = self.store.load(&case.ask.intent, look).await?;
        self.recent.saw(&case.identity, stored.as_ref());
        Ok(View { stored, linearizable: look == Look::Fresh, looked })
    }

    fn rule_on(&self, view: &View, case: &Case<'_>, now: Timestamp) -> Ruling {
        let provider_key = case.provider_key();
        let given = case.given(&provider_key, self.clock_bound());
        rule(view.stored.as_ref(), &case.ask.request, &given, now)
    }

    async fn write(
        &self,
        case: &Case<'_>,
        view: &View,
        verdict: Verdict,
        write: &Write,
        now: Timestamp,
        flight: Option<Flight<'_>>,
    ) -> Result<Written, Error> {
        let sent = Instant::now();
        let starts_lease = matches!(write.lease, LeaseWrite::Start(_));
        if starts_lease && sent >= case.ask.deadline {
            return Err(Error::Deadline);
        }
        let waited = sent.duration_since(case.ask.received);
        let landed = |answer: &Result<Set, store::Error>| match (answer, flight) {
            (_, None) | (Err(store::Error::Uncertain(_)), _) => {}
            (answer, Some(flight)) => flight.land(|| View::after(view, write, answer, sent)),
        };
        let answer = self.apply(case, write, landed).await?;
        case.doubt.store(was_applied(&answer, write), Ordering::SeqCst);
        let written = match answer {
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

    /// A shared store that is slow is heard no longer than that. One of this process alone always
    /// ends.
    async fn try_until(&self, until: Instant, set: Answer<'_, Set>) -> Result<Set, store::Error> {
        if !self.store.is_shared() {
            return set.await;
        }
        let late = |_| store::Error::Uncertain("no answer came in time".to_owned());
        timeout_at(until, set).await.map_err(late)?
    }

    /// Applies a write; an uncertain one is issued again, the same bytes, until the answer is
    /// definite. Once uncertain, only a definite answer ends it.
    async fn apply(
        &self,
        case: &Case<'_>,
        write: &Write,
        first: impl FnOnce(&Result<Set, store::Error>),
    ) -> Result<Set, Error> {
        let until = case.ask.deadline + AFTERCARE;
        let mut first = Some(first);
        let mut uncertain = None;
        let mut pause = Duration::from_millis(20);
        loop {
            let set =
                self.try_until(until, self.store.compare_and_set(&case.ask.intent, write)).await;
            if let Some(first) = first.take() {
                first(&set);
            }
            match (set, &uncertain) {
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

#[cfg(test)]
mod tests;
