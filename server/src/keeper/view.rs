//! What a ruling is made on, and what comes of it.

use std::time::Duration;

use tokio::time::Instant;

use super::Ask;
use crate::{
    clock::Timestamp,
    record::Revision,
    ruling::{Granted, Renewed, Verdict},
    store::{Error, Lease, Set, Stored, Write},
};

/// What a ruling is made on.
#[derive(Clone)]
pub(super) struct View {
    pub(super) stored: Option<Stored>,
    /// Nothing that was answered before this call is missing from it.
    pub(super) linearizable: bool,
    /// Not later than the look: what is left of a lease counts from here.
    pub(super) looked: Instant,
}

impl View {
    /// Believed without a look.
    pub(super) fn believed(stored: Option<Stored>) -> Self {
        Self { stored, linearizable: false, looked: Instant::now() }
    }

    /// What a write that was sent then showed, if it showed anything.
    pub(super) fn after(
        before: &Self,
        write: &Write,
        answer: &Result<Set, Error>,
        sent: Instant,
    ) -> Result<Self, Error> {
        let stored = match answer {
            Ok(Set::Applied) => Some(write.applied_on(before.stored.as_ref())),
            Ok(Set::Lost(row)) => row.clone(),
            Err(error) => return Err(error.clone()),
        };
        Ok(Self { stored, linearizable: true, looked: sent })
    }
}

/// An answer, before what it was ruled with is put to it.
pub(super) struct Ruled {
    pub(super) verdict: Verdict,
    pub(super) stored: Option<Stored>,
    pub(super) waited: Duration,
    pub(super) now: Timestamp,
}

/// What came of a write.
pub(super) enum Written {
    Answer(Box<Ruled>),
    /// Rule again, on this.
    Again(Box<View>),
}

impl Written {
    pub(super) fn again_on(row: Option<Stored>, looked: Instant) -> Self {
        Self::Again(Box::new(View { stored: row, linearizable: true, looked }))
    }

    pub(super) fn answer(
        verdict: Verdict,
        stored: Option<Stored>,
        waited: Duration,
        now: Timestamp,
    ) -> Self {
        Self::Answer(Box::new(Ruled { verdict, stored, waited, now }))
    }
}

/// A lost row that shows this write's own revision was written by it: an earlier, uncertain sending
/// was applied.
pub(super) fn after_loss(
    row: Option<Stored>,
    write: &Write,
    verdict: Verdict,
    ask: &Ask,
    sent: Instant,
    now: Timestamp,
) -> Written {
    let Some(mine) = row.as_ref().filter(|row| is_of(row, write)) else {
        return Written::again_on(row, sent);
    };
    let waited = sent.duration_since(ask.received);
    let verdict = match (verdict, mine.lease) {
        (Verdict::Granted(granted), Lease::Live { left }) => {
            Verdict::Granted(Granted { lease: left, ..granted })
        }
        (Verdict::Renewed(renewed), Lease::Live { left }) => {
            Verdict::Renewed(Renewed { lease: left, ..renewed })
        }
        (Verdict::Granted(_) | Verdict::Renewed(_), Lease::Over) => {
            return Written::again_on(row, sent);
        }
        (verdict, _) => verdict,
    };
    Written::answer(verdict, row, waited, now)
}

/// A grant that this call itself wrote is no repeat, though it was seen again before it is told.
pub(super) fn told_first(
    verdict: Verdict,
    stored: Option<&Stored>,
    own: Option<Revision>,
) -> Verdict {
    match verdict {
        Verdict::Granted(granted)
            if own.is_some() && stored.map(|stored| stored.record.revision) == own =>
        {
            Verdict::Granted(Granted { repeated: false, ..granted })
        }
        verdict => verdict,
    }
}

/// By this sending or by an earlier one.
pub(super) fn was_applied(set: &Set, write: &Write) -> bool {
    match set {
        Set::Applied => true,
        Set::Lost(row) => row.as_ref().is_some_and(|row| is_of(row, write)),
    }
}

fn is_of(row: &Stored, write: &Write) -> bool {
    row.record.revision == write.record.revision
}

/// The lease that it promises has ended since the look or the sending at `start`.
pub(super) fn is_over(verdict: &Verdict, start: Instant) -> bool {
    lease_of(verdict).is_some_and(|lease| start.elapsed() >= lease)
}

fn lease_of(verdict: &Verdict) -> Option<Duration> {
    match verdict {
        Verdict::Granted(granted) => Some(granted.lease),
        Verdict::Renewed(renewed) => Some(renewed.lease),
        _ => None,
    }
}
