//! Leases that ended before their holder had said what became of the effect: which those are, and
//! each of them once.
//!
//! Reads records as they are. Decides nothing about intents.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
};

use super::Scope;
use crate::{
    intent::IntentId,
    record::{Answer, AttemptEnd, FencingToken, Grant, Record, State},
    store::Stored,
};

/// Most attempts of one operation that are kept in mind; further ones are not counted.
const KNOWN_MAX: usize = 1 << 20;

/// The attempts of a record whose lease ended without an outcome.
pub(super) fn ended(stored: &Stored) -> impl Iterator<Item = FencingToken> {
    let grants = stored.record.grants.iter();
    grants.filter(|grant| has_ended(stored, grant)).map(|grant| grant.token)
}

/// Those of them that the record's last write put an end to.
pub(super) fn ended_by_its_write(stored: &Stored) -> impl Iterator<Item = FencingToken> {
    let record = &stored.record;
    let grants = record.grants.iter().filter(|grant| grant.end_time == Some(record.written));
    grants.filter(|grant| has_ended(stored, grant)).map(|grant| grant.token)
}

fn has_ended(stored: &Stored, grant: &Grant) -> bool {
    let record = &stored.record;
    if told(record, grant, true) {
        return true;
    }
    match grant.end {
        AttemptEnd::Open => {
            let is_current = record.token() == Some(grant.token);
            is_current && record.state == State::Claimed && !stored.lease.is_live()
        }
        AttemptEnd::Unresolved => !told(record, grant, false),
        AttemptEnd::Released | AttemptEnd::Cleared | AttemptEnd::Failed | AttemptEnd::Succeeded => {
            false
        }
    }
}

/// Its holder's word was taken, in time or late.
fn told(record: &Record, grant: &Grant, late: bool) -> bool {
    let answer = Answer::Recorded { late };
    record.reports.iter().any(|report| report.token == grant.token && report.answer == answer)
}

/// Which attempts are known to have ended so. Keeps in mind what was named since the last look but
/// one.
#[derive(Debug, Default)]
pub(super) struct Leases {
    known: Mutex<HashMap<Scope, Known>>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Known {
    before: HashSet<u64>,
    now: HashSet<u64>,
}

impl Leases {
    /// Notes an attempt; whether it was not known.
    pub(super) fn is_new(&self, scope: &Scope, intent: &IntentId, token: FencingToken) -> bool {
        let names = (intent.namespace(), intent.operation(), intent.key());
        let attempt = self.hasher.hash_one((names, token));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { before, now } = known.entry(scope.clone()).or_default();
        if now.len() >= KNOWN_MAX {
            return false;
        }
        now.insert(attempt) && !before.contains(&attempt)
    }

    /// An operation was looked through: what was not named since the last time is forgotten.
    pub(super) fn turn(&self, scope: &Scope) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Known { before, now }) = known.get_mut(scope) {
            *before = std::mem::take(now);
        }
    }

    /// Forgets all attempts of an operation.
    pub(super) fn forget(&self, scope: &Scope) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(scope);
    }
}
