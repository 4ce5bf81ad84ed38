//! Until when an intent is remembered.

use crate::{clock::Timestamp, record::Record, store::Stored};

const SECOND: i64 = 1_000_000;

/// When a record expires; never if absent. The same in every answer, whenever the store was looked
/// at.
///
/// What is left, as the store has it, and the time of the ruling are not of the same moment, so
/// their sum wavers. Yet the expiry was set in whole seconds, from the write that gave the record
/// its end, and the time of that is on the record. The store counts from its commit, a little
/// later: it never forgets before what is told here.
pub(super) fn expire_time(stored: &Stored, now: Timestamp) -> Option<Timestamp> {
    let seen = now.after(stored.expires_in?);
    let start = counted_from(&stored.record);
    let seconds = (seen.0 - start.0 + SECOND / 2).div_euclid(SECOND);
    Some(Timestamp(start.0 + seconds * SECOND))
}

/// The time of the write that set the expiry.
fn counted_from(record: &Record) -> Timestamp {
    let settled = record.settlement().map(|settlement| settlement.complete_time);
    let ended = || record.current().and_then(|grant| grant.end_time);
    record.reconcile_time.max(settled).or_else(ended).unwrap_or(record.written)
}

#[cfg(test)]
mod tests;
