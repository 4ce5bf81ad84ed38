//! How callers use their keys: of each operation and hour, how many distinct keys there were, how
//! many of them came again, and what that led to.
//!
//! In memory alone, of bounded size, and free of locks where nothing is new: a duplicate must write
//! nothing. Shows no key, and judges nothing.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use super::Scope;
use crate::{
    clock::Timestamp,
    keeper::Answered,
    record::Claimant,
    ruling::{Request, Verdict},
};

mod hours;
mod sketch;

use self::hours::Hours;
pub use self::hours::{Count, Window};

/// Most operations that are told apart; further ones are counted together.
const OPERATIONS_MAX: usize = 256;

/// How the keys of all operations are used.
#[derive(Default)]
pub struct KeyUse {
    operations: RwLock<HashMap<Scope, Arc<Hours>>>,
    hasher: RandomState,
}

/// The use of one operation's keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The hours in which there was any, oldest first.
    pub hours: Vec<Window>,
    /// All of them together.
    pub whole: Window,
}

/// What a Claim says of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It was claimed for the first time.
    First,
    /// Another call had claimed it.
    Again,
    /// The same call had: it was sent again on its way.
    Resent,
}

impl KeyUse {
    /// How long something is kept in mind.
    pub const KEPT: Duration = Duration::from_secs(3_600 * hours::HOURS as u64);

    /// A Claim was ruled on. Anything else is no use of a key.
    pub fn ruled(&self, scope: &Scope, key: &str, request: &Request, answered: &Answered) {
        let Request::Claim(claim) = request else { return };
        let Some(seen) = seen(claim.claimant, answered) else { return };
        let hash = self.hasher.hash_one(key);
        let replayed = seen == Seen::Again && answered.verdict == Verdict::Completed;
        self.with(scope, |hours| {
            let hour = hours.at(answered.now);
            hour.claimed(hash, seen == Seen::Again);
            hour.add(Count::Claims, 1);
            hour.add(Count::FirstGrants, u64::from(seen == Seen::First));
            hour.add(Count::Replays, u64::from(replayed));
        });
    }

    /// So many of something happened.
    pub fn count(&self, scope: &Scope, what: Count, times: u64, now: Timestamp) {
        if times > 0 {
            self.with(scope, |hours| hours.at(now).add(what, times));
        }
    }

    /// What is known of an operation.
    pub fn used(&self, scope: &Scope, now: Timestamp) -> Used {
        let operations = self.operations.read().unwrap_or_else(PoisonError::into_inner);
        operations.get(scope).map(|hours| hours.used(now)).unwrap_or_default()
    }

    /// All operations together by which keys were used.
    pub(super) fn whole(&self, now: Timestamp) -> Vec<(Scope, Window)> {
        let operations = self.operations.read().unwrap_or_else(PoisonError::into_inner);
        let whole = operations.iter().map(|(scope, hours)| (scope.clone(), hours.used(now).whole));
        whole.collect()
    }

    /// Forgets an operation.
    pub(super) fn forget(&self, scope: &Scope) {
        self.operations.write().unwrap_or_else(PoisonError::into_inner).remove(scope);
    }

    fn with(&self, scope: &Scope, note: impl FnOnce(&Hours)) {
        let operations = self.operations.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(hours) = operations.get(scope) {
            return note(hours);
        }
        drop(operations);
        note(&self.begun(scope));
    }

    fn begun(&self, scope: &Scope) -> Arc<Hours> {
        let mut operations = self.operations.write().unwrap_or_else(PoisonError::into_inner);
        let has_room = operations.len() < OPERATIONS_MAX || operations.contains_key(scope);
        let scope = if has_room { scope.clone() } else { Scope::other() };
        operations.entry(scope).or_default().clone()
    }
}

/// A key without a record tells nothing.
fn seen(claimant: Claimant, answered: &Answered) -> Option<Seen> {
    let record = &answered.stored.as_ref()?.record;
    match &answered.verdict {
        Verdict::Granted(granted) if granted.repeated => Some(Seen::Resent),
        Verdict::Granted(granted) if granted.attempt == 1 => Some(Seen::First),
        Verdict::Granted(_) => Some(Seen::Again),
        Verdict::Completed | Verdict::InProgress { .. } | Verdict::Unknown(_) => {
            let own = record.grants.iter().any(|grant| grant.claimant == Some(claimant));
            Some(if own { Seen::Resent } else { Seen::Again })
        }
        Verdict::Reported { .. }
        | Verdict::Shown
        | Verdict::Renewed(_)
        | Verdict::Released { .. }
        | Verdict::Resolved
        | Verdict::Refused(_) => None,
    }
}

#[cfg(test)]
mod tests;
