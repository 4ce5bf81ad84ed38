//! One call, applied inside the writer's transaction: judged and written at the same moment.
//!
//! Never answers: what it did stands only once the group is committed.

use std::time::Duration;

use rusqlite::Connection;

use super::{
    call::Proposal,
    fault::Fault,
    names::Names,
    rows::{self, BARE, Ends, Row, WHOLE},
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Revision,
    store::{Expected, Expiry, LeaseExpected, LeaseWrite, ResultWrite, Stored},
};

/// What became of a conditional write, should the group be committed.
pub(super) enum Applied {
    /// It stands; a lease that it started ends then.
    Written {
        /// End of the lease that it started.
        lease_end: Option<Timestamp>,
    },
    /// It does not.
    Lost(Option<Box<Stored>>),
}

/// Writes if the record is still the one that was judged.
pub(super) fn compare_and_set(
    file: &Connection,
    names: &Names,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<Applied, Fault> {
    match proposal.expected {
        Expected::None => create(file, names, proposal, now),
        Expected::Revision { revision, lease } => {
            replace(file, names, proposal, revision, lease, now)
        }
    }
}

/// The record as it stands in the order of the writes.
pub(super) fn look(
    file: &Connection,
    names: &Names,
    intent: &IntentId,
    now: Timestamp,
) -> Result<Option<Box<Stored>>, Fault> {
    match rows::of(file, names, intent, WHOLE)? {
        Some(row) => Ok(row.stored(now)?.map(Box::new)),
        None => Ok(None),
    }
}

fn create(
    file: &Connection,
    names: &Names,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<Applied, Fault> {
    let ends = new_ends(proposal, &NOTHING, now);
    let lease_seconds = started(proposal.lease);
    if rows::insert(file, names, proposal, lease_seconds, &ends)? {
        return Ok(written(proposal, &ends));
    }
    match rows::of(file, names, &proposal.intent, BARE)? {
        Some(row) if row.ends.is_expired(now) => {
            rows::remove(file, row.id)?;
            rows::insert(file, names, proposal, lease_seconds, &ends)?;
            Ok(written(proposal, &ends))
        }
        _ => lost(file, names, proposal, now),
    }
}

fn replace(
    file: &Connection,
    names: &Names,
    proposal: &Proposal,
    revision: Revision,
    lease: LeaseExpected,
    now: Timestamp,
) -> Result<Applied, Fault> {
    match rows::of(file, names, &proposal.intent, BARE)? {
        Some(row) if is_as_judged(&row, revision, lease, now) => {
            overwrite(file, &row, proposal, now)
        }
        _ => lost(file, names, proposal, now),
    }
}

fn is_as_judged(row: &Row, revision: Revision, lease: LeaseExpected, now: Timestamp) -> bool {
    let lease_is_so = match lease {
        LeaseExpected::Any => true,
        LeaseExpected::Live => row.ends.lease(now).is_live(),
        LeaseExpected::Over => !row.ends.lease(now).is_live(),
    };
    row.revision == revision && lease_is_so && !row.ends.is_expired(now)
}

fn overwrite(
    file: &Connection,
    row: &Row,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<Applied, Fault> {
    let ends = new_ends(proposal, &row.ends, now);
    rows::update(file, row.id, proposal, &ends)?;
    if let Some(seconds) = started(proposal.lease) {
        rows::set_lease_length(file, row.id, seconds)?;
    }
    // An expired result that nobody swept yet must not come back with a new expiry.
    if ends.has_result != row.ends.has_result || matches!(proposal.result, ResultWrite::Set(_)) {
        rows::set_result(file, row.id, &proposal.new_result())?;
    }
    Ok(written(proposal, &ends))
}

fn lost(
    file: &Connection,
    names: &Names,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<Applied, Fault> {
    Ok(Applied::Lost(look(file, names, &proposal.intent, now)?))
}

fn written(proposal: &Proposal, ends: &Ends) -> Applied {
    let lease_end = started(proposal.lease).and(ends.lease);
    Applied::Written { lease_end }
}

const NOTHING: Ends = Ends { lease: None, row: None, result: None, has_result: false };

/// When what is written ends, given what stood there.
fn new_ends(proposal: &Proposal, before: &Ends, now: Timestamp) -> Ends {
    let kept = before.keeps_result(now);
    let has_result = match proposal.result {
        ResultWrite::Keep => kept,
        ResultWrite::Clear => false,
        ResultWrite::Set(_) => true,
    };
    let lease = match proposal.lease {
        LeaseWrite::Keep => before.lease,
        LeaseWrite::Clear => None,
        LeaseWrite::Start(seconds) => Some(seconds_later(now, seconds.get())),
    };
    let result = expiry(proposal.result_expiry, before.result.filter(|_| kept), now);
    Ends {
        lease,
        row: expiry(proposal.expiry, before.row, now),
        result: result.filter(|_| has_result),
        has_result,
    }
}

fn expiry(wanted: Expiry, before: Option<Timestamp>, now: Timestamp) -> Option<Timestamp> {
    match wanted {
        Expiry::Never => None,
        Expiry::Keep => before,
        Expiry::After(seconds) => Some(seconds_later(now, seconds.get())),
    }
}

fn started(lease: LeaseWrite) -> Option<u32> {
    match lease {
        LeaseWrite::Start(seconds) => Some(seconds.get()),
        LeaseWrite::Keep | LeaseWrite::Clear => None,
    }
}

fn seconds_later(now: Timestamp, seconds: u32) -> Timestamp {
    now.after(Duration::from_secs(seconds.into()))
}
