//! Records that this process wrote or saw of late. Saves looks, decides nothing: a write made on a
//! cached record names its revision, and a refusal never rests on it.

use std::{
    cmp::Ordering,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use quick_cache::{Weighter, sync::Cache};
use tokio::time::Instant;

use crate::{
    intent::Identity,
    record::{Failure, Outcome, Record, ResultKind, Said, Source, State, Success},
    store::{Lease, Stored},
};

/// How long a settled record is answered from memory.
const SETTLED_FOR: Duration = Duration::from_secs(60);
/// Room for records and results, in bytes.
const ROOM: u64 = 64 << 20;
const RECORDS_EXPECTED: usize = 50_000;
const STRIPES: usize = 64;

pub(super) struct Recent {
    records: Cache<Identity, Known, Weight>,
    /// Makes "only newer" hold where two tasks learn of one key at once.
    stripes: [Mutex<()>; STRIPES],
}

#[derive(Clone, Debug)]
struct Known {
    stored: Stored,
    at: Instant,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Identity, Known> for Weight {
    fn weight(&self, _: &Identity, known: &Known) -> u64 {
        const FIXED: usize = 1_000;
        let result = known.stored.result.as_ref().map_or(0, bytes::Bytes::len);
        (FIXED + result + texts(&known.stored.record)) as u64
    }
}

/// About how many bytes a record takes beside its fixed part: all that a caller can make long.
fn texts(record: &Record) -> usize {
    const EACH: usize = 128;
    let grants = record.grants.iter().map(|grant| EACH + grant.holder.len());
    let reports = record.reports.iter().map(|report| EACH + said(&report.said));
    let audit = record
        .audit
        .iter()
        .map(|entry| EACH + entry.principal.len() + entry.reason.len() + entry.reference.len());
    let labels = record.labels.iter().map(|(name, value)| EACH + name.len() + value.len());
    let told = record.settlement().map_or(0, |settlement| outcome(&settlement.outcome));
    told + grants.chain(reports).chain(audit).chain(labels).sum::<usize>()
}

fn said(said: &Said) -> usize {
    match said {
        Said::Succeeded(told) => success(told),
        Said::Failed(told) => failure(told),
        Said::Unknown | Said::Released(_) => 0,
    }
}

fn outcome(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Succeeded(told) => success(told),
        Outcome::Failed(told) => failure(told),
    }
}

fn success(success: &Success) -> usize {
    let content_type = match &success.result {
        ResultKind::Given(info) => info.content_type.len(),
        ResultKind::NoneGiven
        | ResultKind::Omitted
        | ResultKind::NeverKnown
        | ResultKind::Erased => 0,
    };
    content_type + success.provider_reference.len()
}

fn failure(failure: &Failure) -> usize {
    let detail = failure.detail.as_ref();
    let detail = detail.map_or(0, |detail| detail.body.len() + detail.content_type.len());
    detail + failure.kind.len() + failure.message.len() + failure.provider_reference.len()
}

impl Recent {
    pub(super) fn new() -> Self {
        Self {
            records: Cache::with_weighter(RECORDS_EXPECTED, ROOM, Weight),
            stripes: std::array::from_fn(|_| Mutex::new(())),
        }
    }

    pub(super) fn forget(&self) {
        self.records.clear();
    }

    /// A record settled by its holder's own word, with what has passed taken off its times.
    pub(super) fn settled(&self, identity: &Identity) -> Option<Stored> {
        let known = self.records.get(identity).filter(|known| is_final(&known.stored.record))?;
        let age = known.at.elapsed();
        if age >= SETTLED_FOR {
            return None;
        }
        let stored = aged(known.stored, age);
        let is_kept = |left: Option<Duration>| left != Some(Duration::ZERO);
        (is_kept(stored.expires_in) && is_kept(stored.result_expires_in)).then_some(stored)
    }

    /// A record that is open, as this process wrote it.
    pub(super) fn open(&self, identity: &Identity) -> Option<Stored> {
        let known = self.records.get(identity)?;
        let age = known.at.elapsed();
        (known.stored.record.state == State::Claimed).then(|| aged(known.stored, age))
    }

    /// This stands now: this process wrote it.
    pub(super) fn wrote(&self, identity: &Identity, stored: &Stored) {
        let record = &stored.record;
        let keep = record.state == State::Claimed || is_final(record);
        self.learn(identity, stored, keep);
    }

    /// This was seen in the store.
    pub(super) fn saw(&self, identity: &Identity, stored: Option<&Stored>) {
        match stored {
            Some(stored) => self.learn(identity, stored, is_final(&stored.record)),
            None => {
                self.records.remove(identity);
            }
        }
    }

    fn learn(&self, identity: &Identity, stored: &Stored, keep: bool) {
        let stripe = &self.stripes[usize::from(identity.0[0]) % STRIPES];
        let _held = stripe.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.records.get(identity).map(|known| known.stored.record);
        let is_open = |known: &Record| known.state == State::Claimed;
        let as_good = |known: Record| match known.version.cmp(&stored.record.version) {
            Ordering::Greater => true,
            Ordering::Equal => is_open(&known),
            Ordering::Less => false,
        };
        if known.is_some_and(as_good) {
            return;
        }
        if keep {
            let known = Known { stored: stored.clone(), at: Instant::now() };
            self.records.insert(*identity, known);
        } else {
            self.records.remove(identity);
        }
    }
}

/// Settled by its holder's own report, and nobody contradicts it.
fn is_final(record: &Record) -> bool {
    let marked = record.disputed || record.orphan || record.adopted || record.after_release;
    let own_word = |settlement: &crate::record::Settlement| match settlement.outcome {
        Outcome::Succeeded(_) | Outcome::Failed(_) => settlement.source == Source::Holder,
    };
    !marked && record.settlement().is_some_and(own_word)
}

fn aged(stored: Stored, age: Duration) -> Stored {
    let less = |left: Option<Duration>| left.map(|left| left.saturating_sub(age));
    let lease = match stored.lease {
        Lease::Live { left } => left
            .checked_sub(age)
            .filter(|left| !left.is_zero())
            .map_or(Lease::Over, |left| Lease::Live { left }),
        Lease::Over => Lease::Over,
    };
    Stored {
        lease,
        expires_in: less(stored.expires_in),
        result_expires_in: less(stored.result_expires_in),
        ..stored
    }
}

#[cfg(test)]
mod tests;
