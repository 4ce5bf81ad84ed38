//! Rows of claims: how they are read, and how each statement changes one.
//!
//! Never takes a row for another intent's: the names are compared on every hit. Never judges.

use std::time::Duration;

use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use uuid::Uuid;

use super::{
    call::{Cell, Proposal},
    fault::Fault,
    names::{self, Names},
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{Revision, codec},
    store::{Error, Lease, Stored},
};

/// The columns of a [`Row`] with its result.
pub(super) const WHOLE: &str = "id, namespace, operation, key, revision, lease_end, expires_at,
    result_expires_at, first_claim_time, last_late_report, record, result IS NOT NULL, result";
/// The columns of a [`Row`] without the bytes of its result.
pub(super) const BARE: &str = "id, namespace, operation, key, revision, lease_end, expires_at,
    result_expires_at, first_claim_time, last_late_report, record, result IS NOT NULL, NULL";

/// One row.
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) ends: Ends,
    pub(super) revision: Revision,
    pub(super) first_claim_time: i64,
    pub(super) last_late_report: Option<i64>,
    names: [String; 3],
    record: Vec<u8>,
    result: Option<Vec<u8>>,
}

/// When what is on a row ends; none: never, or there is no such thing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    pub(super) lease: Option<Timestamp>,
    pub(super) row: Option<Timestamp>,
    pub(super) result: Option<Timestamp>,
    pub(super) has_result: bool,
}

impl Ends {
    /// The row has expired.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        has_come(self.row, now)
    }

    /// There is a result that has not expired.
    pub(super) fn keeps_result(&self, now: Timestamp) -> bool {
        self.has_result && !has_come(self.result, now)
    }

    /// The lease.
    pub(super) fn lease(&self, now: Timestamp) -> Lease {
        match self.lease {
            Some(end) if end > now => Lease::Live { left: end.since(now) },
            Some(_) | None => Lease::Over,
        }
    }

    /// Something on the row has ended by time alone, without a write.
    pub(super) fn any_has_come(&self, now: Timestamp) -> bool {
        [self.lease, self.row, self.result].into_iter().any(|end| has_come(end, now))
    }
}

fn has_come(end: Option<Timestamp>, now: Timestamp) -> bool {
    end.is_some_and(|end| end <= now)
}

fn left(end: Option<Timestamp>, now: Timestamp) -> Option<Duration> {
    end.map(|end| end.since(now))
}

impl Row {
    /// Reads the columns of [`WHOLE`] or [`BARE`].
    pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let time =
            |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
        Ok(Self {
            id: row.get(0)?,
            names: [row.get(1)?, row.get(2)?, row.get(3)?],
            revision: Revision(Uuid::from_bytes(row.get(4)?)),
            ends: Ends {
                lease: time(5)?,
                row: time(6)?,
                result: time(7)?,
                has_result: row.get(11)?,
            },
            first_claim_time: row.get(8)?,
            last_late_report: row.get(9)?,
            record: row.get(10)?,
            result: row.get(12)?,
        })
    }

    /// What it holds at `now`, if it has not expired.
    pub(super) fn stored(self, now: Timestamp) -> Result<Option<Stored>, Error> {
        if self.ends.is_expired(now) {
            return Ok(None);
        }
        let record = codec::decode(&self.record)?;
        if record.revision != self.revision {
            return Err(Error::Corrupt("the record is not of its row's revision".to_owned()));
        }
        let kept = self.ends.keeps_result(now);
        Ok(Some(Stored {
            record,
            result: self.result.filter(|_| kept).map(Into::into),
            lease: self.ends.lease(now),
            expires_in: left(self.ends.row, now),
            result_expires_in: left(self.ends.result.filter(|_| kept), now),
        }))
    }

    /// The same, with whose it is.
    pub(super) fn named(self, now: Timestamp) -> Result<Option<(IntentId, Stored)>, Error> {
        let [namespace, operation, key] = self.names.clone();
        let intent = IntentId::new("", namespace, operation, key)
            .map_err(|_| Error::Corrupt("the row's names are not an intent's".to_owned()))?;
        Ok(self.stored(now)?.map(|stored| (intent, stored)))
    }

    fn is_of(&self, intent: &IntentId) -> bool {
        self.names == [intent.namespace(), intent.operation(), intent.key()]
    }
}

/// The row of an intent, expired or not.
pub(super) fn of(
    file: &Connection,
    names: &Names,
    intent: &IntentId,
    columns: &str,
) -> Result<Option<Row>, Fault> {
    let identity = intent.identity().0;
    let name = names::name(&identity);
    let select = format!(
        "SELECT {columns} FROM claims WHERE identity = ?1 AND id IN
             (?2, ?3, (SELECT claim FROM names WHERE name = ?4))"
    );
    let mut statement = file.prepare_cached(&select)?;
    loop {
        let [latest, merging] = names.rows(&name);
        let parameters = params![identity, latest, merging, name];
        match statement.query_row(parameters, Row::read).optional()? {
            Some(row) if !row.is_of(intent) => {
                let fault = "the row of this identity is another intent's";
                return Err(Error::Corrupt(fault.to_owned()).into());
            }
            // Another row took its place since its name was looked up.
            None if names.rows(&name) != [latest, merging] => {}
            found => return Ok(found),
        }
    }
}

/// Every row that a statement finds.
pub(super) fn all(
    mut statement: CachedStatement<'_>,
    parameters: impl rusqlite::Params,
) -> Result<Vec<Row>, Fault> {
    let rows = statement.query_map(parameters, Row::read)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Adds a row; false if the intent has one.
pub(super) fn insert(
    file: &Connection,
    names: &Names,
    proposal: &Proposal,
    lease_seconds: Option<u32>,
    ends: &Ends,
) -> Result<bool, Fault> {
    let (intent, cell) = (&proposal.intent, &proposal.cell);
    let added = file
        .prepare_cached(
            "INSERT INTO claims (identity, namespace, operation, key, revision, lease_end,
                 lease_seconds, expires_at, result_expires_at, first_claim_time,
                 last_late_report, settled, record, result)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            proposal.identity,
            intent.namespace(),
            intent.operation(),
            intent.key(),
            cell.revision,
            micros(ends.lease),
            lease_seconds,
            micros(ends.row),
            micros(ends.result),
            cell.first_claim_time,
            cell.last_late_report,
            cell.settled,
            cell.record,
            proposal.new_result(),
        ])?;
    if added == 1 {
        let row = file.last_insert_rowid();
        names.add(names::name(&proposal.identity), row);
        refer(file, row, &proposal.references)?;
    }
    Ok(added == 1)
}

/// Writes a row's record and its ends, and leaves its lease's length and its result as they are.
pub(super) fn update(
    file: &Connection,
    id: i64,
    proposal: &Proposal,
    ends: &Ends,
) -> Result<(), Fault> {
    let Cell { revision, record, first_claim_time, last_late_report, settled } = &proposal.cell;
    file.prepare_cached(
        "UPDATE claims SET revision = ?2, lease_end = ?3, expires_at = ?4, result_expires_at = ?5,
             first_claim_time = ?6, last_late_report = ?7, settled = ?8, record = ?9
         WHERE id = ?1",
    )?
    .execute(params![
        id,
        revision,
        micros(ends.lease),
        micros(ends.row),
        micros(ends.result),
        first_claim_time,
        last_late_report,
        settled,
        record,
    ])?;
    refer(file, id, &proposal.references)
}

/// Writes a row's result, or takes it away.
pub(super) fn set_result(
    file: &Connection,
    id: i64,
    result: &rusqlite::types::Value,
) -> Result<(), Fault> {
    file.prepare_cached("UPDATE claims SET result = ?2 WHERE id = ?1")?
        .execute(params![id, result])?;
    Ok(())
}

/// Notes the length of the lease that a row now has.
pub(super) fn set_lease_length(file: &Connection, id: i64, seconds: u32) -> Result<(), Fault> {
    file.prepare_cached("UPDATE claims SET lease_seconds = ?2 WHERE id = ?1")?
        .execute(params![id, seconds])?;
    Ok(())
}

/// Takes a row away, with what refers to it.
pub(super) fn remove(file: &Connection, id: i64) -> Result<(), Fault> {
    file.prepare_cached("DELETE FROM claims WHERE id = ?1")?.execute([id])?;
    Ok(())
}

fn refer(file: &Connection, id: i64, references: &[String]) -> Result<(), Fault> {
    for reference in references {
        file.prepare_cached(
            "INSERT INTO provider_references (reference, claim) VALUES (?1, ?2)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![reference, id])?;
    }
    Ok(())
}

fn micros(time: Option<Timestamp>) -> Option<i64> {
    time.map(|time| time.0)
}
