//! A store of one row, in memory, that fails as it is told.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use uuid::Uuid;

use crate::{
    clock::{Clock, ManualClock, Timestamp},
    intent::{IntentId, RESERVED_NAMESPACE},
    keeper::Ask,
    record::{Claimant, FencingToken, Revision},
    ruling::{Given, rule},
    store::{
        Answer, Error, Expected, Find, Lease, LeaseExpected, LeaseWrite, Listing, Look, Memory,
        Page, Remembered, Scope, Set, Store, Stored, Trouble, Write,
    },
};

/// What the next conditional write meets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    None,
    /// Applied, but the answer is lost.
    UncertainApplied,
    /// Not applied, and the answer is lost.
    UncertainLost,
    Unavailable,
    Contended,
    /// Applied at once, answered this much later.
    Slow(Duration),
    /// Somebody else writes first.
    Overtaken,
}

pub(super) struct Shelf {
    clock: Arc<ManualClock>,
    faults: Mutex<VecDeque<Fault>>,
    row: Mutex<Option<(Stored, Timestamp)>>,
    memory: Mutex<Option<Memory>>,
    writes: Mutex<Vec<Write>>,
    loads: AtomicUsize,
    lease_ends: Mutex<bool>,
    temper: Mutex<Temper>,
}

/// How the store is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Temper {
    /// Other processes write to it.
    pub(super) shared: bool,
    /// How much longer it holds a lease than it tells.
    pub(super) margin: Duration,
    /// How long every answer takes; it is of when it was asked.
    pub(super) lag: Duration,
    pub(super) trouble: Option<Trouble>,
    /// What a refused write guesses to be left of a lease.
    pub(super) guess: Option<Duration>,
    /// No look is answered.
    pub(super) blind: bool,
}

impl Shelf {
    pub(super) fn new(clock: Arc<ManualClock>, faults: impl IntoIterator<Item = Fault>) -> Self {
        Self {
            clock,
            faults: Mutex::new(faults.into_iter().collect()),
            row: Mutex::new(None),
            memory: Mutex::new(None),
            writes: Mutex::new(Vec::new()),
            loads: AtomicUsize::new(0),
            lease_ends: Mutex::new(false),
            temper: Mutex::default(),
        }
    }

    pub(super) fn is_now(&self, temper: Temper) {
        *self.temper.lock().unwrap() = temper;
    }

    fn temper(&self) -> Temper {
        *self.temper.lock().unwrap()
    }

    pub(super) fn row(&self) -> Option<Stored> {
        let row = self.row.lock().unwrap();
        let (stored, lease_end) = row.clone()?;
        let now = self.clock.now();
        let is_held = now < lease_end.after(self.temper().margin) && stored.lease.is_live();
        let lease = match lease_end.since(now) {
            left if is_held => Lease::Live { left },
            _ => Lease::Over,
        };
        Some(Stored { lease, ..stored })
    }

    pub(super) fn writes(&self) -> Vec<Write> {
        self.writes.lock().unwrap().clone()
    }

    pub(super) fn sets(&self) -> usize {
        self.writes.lock().unwrap().len()
    }

    pub(super) fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    pub(super) fn has_memory(&self) -> bool {
        self.memory.lock().unwrap().is_some()
    }

    pub(super) fn heal(&self) {
        self.faults.lock().unwrap().clear();
    }

    pub(super) fn end_lease_after_next_write(&self) {
        *self.lease_ends.lock().unwrap() = true;
    }

    /// A grant that another process made.
    pub(super) fn put_foreign_grant(&self) -> FencingToken {
        let memory = Memory {
            revision: Revision(Uuid::nil()),
            start: self.clock.now(),
            smallest_retention: Duration::from_secs(3_600),
            restored: false,
            gap: false,
        };
        let Ask { request, policy, .. } = ask(Claimant(Uuid::new_v4()));
        let given = Given {
            policy: policy.as_deref(),
            memory: &memory,
            forgotten_since: memory.start,
            revision: Uuid::new_v4(),
            provider_key: "once1-test",
            clock_bound: Duration::ZERO,
        };
        let write = rule(None, &request, &given, self.clock.now()).write.unwrap();
        self.apply(&write);
        write.record.token().unwrap()
    }

    fn set(&self, write: &Write) -> Set {
        let row = self.row();
        let applies = match (write.expected, &row) {
            (Expected::None, row) => row.is_none(),
            (Expected::Revision { revision, lease }, Some(row)) => {
                let lease = match lease {
                    LeaseExpected::Any => true,
                    LeaseExpected::Live => row.lease.is_live(),
                    LeaseExpected::Over => !row.lease.is_live(),
                };
                row.record.revision == revision && lease
            }
            (Expected::Revision { .. }, None) => false,
        };
        if !applies {
            let guessed = self.temper().guess.map(|left| Lease::Live { left });
            return Set::Lost(row.map(|row| Stored { lease: guessed.unwrap_or(row.lease), ..row }));
        }
        self.apply(write);
        Set::Applied
    }

    fn apply(&self, write: &Write) {
        let now = self.clock.now();
        let mut row = self.row.lock().unwrap();
        let before = row.take();
        let kept_end = before.as_ref().map_or(now, |(_, end)| *end);
        let lease_end = match write.lease {
            LeaseWrite::Keep => kept_end,
            LeaseWrite::Clear => now,
            LeaseWrite::Start(seconds) => now.after(Duration::from_secs(seconds.get().into())),
        };
        let ended = std::mem::take(&mut *self.lease_ends.lock().unwrap());
        let stored = write.applied_on(before.as_ref().map(|(stored, _)| stored));
        *row = Some((stored, if ended { now } else { lease_end }));
    }

    fn overtake(&self) {
        if let Some((stored, _)) = &mut *self.row.lock().unwrap() {
            stored.record.revision = Revision(Uuid::new_v4());
            stored.record.version += 1;
        }
    }
}

fn ask(claimant: Claimant) -> Ask {
    super::ask(super::claim(claimant))
}

impl Store for Shelf {
    fn load<'a>(&'a self, _: &'a IntentId, _: Look) -> Answer<'a, Option<Stored>> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        let (row, temper) = (self.row(), self.temper());
        Box::pin(async move {
            tokio::time::sleep(temper.lag).await;
            let blind = || Error::Unavailable("no look is answered".to_owned());
            (!temper.blind).then_some(row).ok_or_else(blind)
        })
    }

    fn compare_and_set<'a>(&'a self, _: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        self.writes.lock().unwrap().push(write.clone());
        let fault = self.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
        Box::pin(async move {
            match fault {
                Fault::None => {
                    let set = self.set(write);
                    tokio::time::sleep(self.temper().lag).await;
                    Ok(set)
                }
                Fault::UncertainApplied => {
                    self.set(write);
                    Err(Error::Uncertain("the answer is lost".to_owned()))
                }
                Fault::UncertainLost => Err(Error::Uncertain("no answer".to_owned())),
                Fault::Unavailable => Err(Error::Unavailable("down".to_owned())),
                Fault::Contended => Err(Error::Contended),
                Fault::Slow(span) => {
                    let set = self.set(write);
                    tokio::time::sleep(span).await;
                    self.clock.advance(span);
                    Ok(set)
                }
                Fault::Overtaken => {
                    self.overtake();
                    Ok(self.set(write))
                }
            }
        })
    }

    fn unreconciled<'a>(&'a self, _: &'a Scope, _: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async { Ok(Listing::default()) })
    }

    fn late_reports<'a>(&'a self, _: &'a Scope, _: Timestamp, _: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async { Ok(Listing::default()) })
    }

    fn find<'a>(&'a self, _: &'a str, _: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn any_unsettled<'a>(&'a self, _: &'a str, _: &'a str) -> Answer<'a, bool> {
        Box::pin(async { Ok(self.row().is_some_and(|row| row.record.settlement().is_none())) })
    }

    fn memory<'a>(&'a self, namespace: &'a str, _: &'a str) -> Answer<'a, Option<Memory>> {
        let is_hold = namespace == RESERVED_NAMESPACE;
        Box::pin(async move { Ok(self.memory.lock().unwrap().clone().filter(|_| !is_hold)) })
    }

    fn set_memory<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        let mut stands = self.memory.lock().unwrap();
        if stands.as_ref().map(|memory| memory.revision) == expected {
            *stands = Some(memory.clone());
        }
        let answer = stands.clone().unwrap_or_else(|| memory.clone());
        Box::pin(async { Ok(answer) })
    }

    fn scan<'a>(&'a self, _: Option<&'a str>, _: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async { Ok(Listing::default()) })
    }

    fn memories<'a>(&'a self, _: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn clock_bound(&self) -> Duration {
        Duration::ZERO
    }

    fn is_shared(&self) -> bool {
        self.temper().shared
    }

    fn trouble(&self) -> Option<Trouble> {
        self.temper().trouble
    }
}
