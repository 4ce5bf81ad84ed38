//! What the statements on `claims` are bound with: cells, their lives, and the row that was judged.

use std::time::Duration;

use scylla::value::CqlValue;
use uuid::Uuid;

use super::statements::Condition;
use crate::{
    intent::IntentId,
    record::{Outcome, Record, State, codec},
    store::{Expected, Expiry, LeaseExpected, ResultWrite, Stored, Write},
};

/// The values of one statement.
pub(super) type Values = Vec<Option<CqlValue>>;

/// The lives of what a write leaves, in seconds; 0 is for ever.
pub(super) struct Lives {
    pub(super) record: i32,
    /// Rewritten where its life changes.
    pub(super) result: Option<(Option<Vec<u8>>, i32)>,
}

/// The write says "as before" of something whose life the row alone knows.
pub(super) fn needs_look(write: &Write) -> bool {
    let rewrites_result = write.result == ResultWrite::Keep && write.result_expiry != Expiry::Keep;
    let keeps_set_result =
        matches!(write.result, ResultWrite::Set(_)) && write.result_expiry == Expiry::Keep;
    write.expiry == Expiry::Keep || rewrites_result || keeps_set_result
}

impl Lives {
    /// Of the record; nothing if it never does.
    pub(super) fn expires_in(&self) -> Option<Duration> {
        (self.record > 0).then(|| Duration::from_secs(self.record.unsigned_abs().into()))
    }

    pub(super) fn of(write: &Write, before: Option<&Stored>) -> Self {
        let kept = before.and_then(|stored| stored.expires_in);
        let result_kept = before.and_then(|stored| stored.result_expires_in);
        let result_life = left(write.result_expiry, result_kept);
        let result = match &write.result {
            ResultWrite::Set(bytes) => Some((Some(bytes.to_vec()), result_life)),
            ResultWrite::Clear => Some((None, 0)),
            ResultWrite::Keep if write.result_expiry == Expiry::Keep => None,
            ResultWrite::Keep => before
                .and_then(|stored| stored.result.as_ref())
                .map(|bytes| (Some(bytes.to_vec()), result_life)),
        };
        Self { record: left(write.expiry, kept), result }
    }
}

/// Never 0 for what is to end: that would be for ever.
fn left(expiry: Expiry, kept: Option<Duration>) -> i32 {
    match (expiry, kept) {
        (Expiry::Never, _) | (Expiry::Keep, None) => 0,
        (Expiry::After(seconds), _) => life(seconds.get()),
        (Expiry::Keep, Some(left)) => {
            life(u32::try_from(left.as_secs()).unwrap_or(u32::MAX).max(1))
        }
    }
}

pub(super) fn life(seconds: u32) -> i32 {
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

/// What must hold of the row, and the values to compare it with.
pub(super) fn condition(write: &Write) -> (Condition, Values) {
    let Expected::Revision { revision, lease } = write.expected else {
        return (Condition::Absent, Vec::new());
    };
    match lease {
        LeaseExpected::Any => (Condition::Revision, vec![Some(uuid(revision.0))]),
        LeaseExpected::Over => (Condition::RevisionFree, vec![Some(uuid(revision.0))]),
        LeaseExpected::Live => (
            Condition::RevisionHeld,
            vec![Some(uuid(revision.0)), Some(uuid(claimant(&write.record)))],
        ),
    }
}

/// Who holds the lease of a record, if it is held.
pub(super) fn claimant(record: &Record) -> Uuid {
    let claimant = record.current().and_then(|grant| grant.claimant);
    claimant.map_or(Uuid::nil(), |claimant| claimant.0)
}

pub(super) fn record_values(intent: &IntentId, write: &Write, lives: &Lives) -> Values {
    let record = &write.record;
    let values = vec![
        Some(int(lives.record)),
        Some(CqlValue::Text(state(record).to_owned())),
        Some(CqlValue::Blob(codec::encode(record))),
        Some(uuid(record.revision.0)),
    ];
    [values, key(intent)].concat()
}

pub(super) fn result_values(intent: &IntentId, bytes: Option<&[u8]>, life: i32) -> Values {
    let bytes = bytes.map(|bytes| CqlValue::Blob(bytes.to_vec()));
    [vec![Some(int(life)), bytes], key(intent)].concat()
}

pub(super) fn key(intent: &IntentId) -> Values {
    [intent.namespace(), intent.operation(), intent.key()]
        .map(|name| Some(CqlValue::Text(name.to_owned())))
        .into()
}

pub(super) fn int(number: i32) -> CqlValue {
    CqlValue::Int(number)
}

pub(super) fn uuid(id: Uuid) -> CqlValue {
    CqlValue::Uuid(id)
}

/// For whoever reads the row by hand; nothing is decided by it.
fn state(record: &Record) -> &'static str {
    match record.state {
        State::Claimed => "claimed",
        State::Unknown(_) => "unknown",
        State::Released => "released",
        State::Settled(ref settlement) => match settlement.outcome {
            Outcome::Succeeded(_) => "succeeded",
            Outcome::Failed(_) => "failed",
        },
    }
}
