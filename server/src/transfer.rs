//! Carries records from one store to another: each lands by a conditional write, under the revision
//! and the tokens that it has.
//!
//! Knows no wire. Never touches a record that is not an earlier version of the one that is carried,
//! and never makes a lease, a retention or a memory shorter than it was.

use std::{num::NonZeroU32, time::Duration};

use crate::{
    intent::IntentId,
    store::{
        Error, Expected, Expiry, Lease, LeaseExpected, LeaseWrite, Look, ResultWrite, Set, Store,
        Stored, Write,
    },
};

mod history;
mod memory;
mod tally;

pub use self::{memory::remember, tally::Tally};

/// How often a record is tried whose row changes meanwhile, or whose write is in doubt.
const TRIES_MAX: u32 = 8;
/// First pause after a write in doubt; doubled each time.
const PAUSE_MIN: Duration = Duration::from_millis(20);

/// What became of a carried record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landed {
    /// It stands now, where there was none.
    Imported,
    /// It stands now, in place of an earlier version.
    Replaced,
    /// It stood already, or a later version.
    Present,
    /// Another record stands, and stays.
    Conflict,
}

/// Brings one record into a store. After an error nothing is known; it may be carried again.
pub async fn land(store: &dyn Store, intent: &IntentId, carried: &Stored) -> Result<Landed, Error> {
    let mut standing = store.load(intent, Look::Recent).await?;
    let mut pause = PAUSE_MIN;
    for _ in 0..TRIES_MAX {
        let write = match judged(standing.as_ref(), carried) {
            Judged::Stands => return Ok(Landed::Present),
            Judged::Write(expected) => written(carried, expected),
            Judged::Differs => {
                // A refusal rests on a look that misses nothing.
                let fresh = store.load(intent, Look::Fresh).await?;
                if revision(fresh.as_ref()) == revision(standing.as_ref()) {
                    return Ok(Landed::Conflict);
                }
                standing = fresh;
                continue;
            }
        };
        match store.compare_and_set(intent, &write).await {
            Ok(Set::Applied) if write.expected == Expected::None => return Ok(Landed::Imported),
            Ok(Set::Applied) => return Ok(Landed::Replaced),
            Ok(Set::Lost(row)) => standing = row,
            // The same bytes again: only then the first sending can apply no more.
            Err(Error::Uncertain(_)) => {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            Err(error) => return Err(error),
        }
    }
    Err(Error::Contended)
}

fn revision(stored: Option<&Stored>) -> Option<crate::record::Revision> {
    stored.map(|stored| stored.record.revision)
}

/// What is to be done about a carried record.
enum Judged {
    Write(Expected),
    Stands,
    Differs,
}

fn judged(standing: Option<&Stored>, carried: &Stored) -> Judged {
    let Some(standing) = standing else { return Judged::Write(Expected::None) };
    let (stands, carried) = (&standing.record, &carried.record);
    if stands.revision == carried.revision || history::follows(carried, stands) {
        Judged::Stands
    } else if history::follows(stands, carried) {
        Judged::Write(Expected::Revision { revision: stands.revision, lease: LeaseExpected::Any })
    } else {
        Judged::Differs
    }
}

/// All that it was, with what is left of it.
fn written(carried: &Stored, expected: Expected) -> Write {
    Write {
        expected,
        record: carried.record.clone(),
        result: carried.result.clone().map_or(ResultWrite::Clear, ResultWrite::Set),
        lease: match carried.lease {
            Lease::Live { left } => LeaseWrite::Start(at_least(left)),
            Lease::Over => LeaseWrite::Clear,
        },
        expiry: expiry(carried.expires_in),
        result_expiry: match carried.result {
            Some(_) => expiry(carried.result_expires_in),
            None => Expiry::Never,
        },
    }
}

fn expiry(left: Option<Duration>) -> Expiry {
    left.map_or(Expiry::Never, |left| Expiry::After(at_least(left)))
}

/// Whole seconds, rounded up.
fn at_least(span: Duration) -> NonZeroU32 {
    let more = u64::from(span.subsec_nanos() > 0);
    let seconds = u32::try_from(span.as_secs().saturating_add(more)).unwrap_or(u32::MAX);
    NonZeroU32::new(seconds).unwrap_or(NonZeroU32::MIN)
}

#[cfg(test)]
mod tests;
