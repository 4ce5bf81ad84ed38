//! Rows of `claims` as the store contract wants them.

use std::time::Duration;

use bytes::Bytes;
use scylla::{
    response::query_result::QueryResult,
    value::{CqlValue, Row},
};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    record::{Record, Revision, codec},
    store::{Error, Lease, Stored},
};

/// A whole row and what is left of its cells, in seconds.
pub(super) type Full = (
    Option<Uuid>,
    Option<Uuid>,
    Option<Vec<u8>>,
    Option<Vec<u8>>,
    Option<i32>,
    Option<i32>,
    Option<i32>,
);

/// The same without the result.
pub(super) type Bare = (Option<Uuid>, Option<Uuid>, Option<Vec<u8>>, Option<i32>, Option<i32>);

/// The record of a row; none where only a marker or a result is left of one.
pub(super) fn stored(row: Full, margin: u32) -> Result<Option<Stored>, Error> {
    let (lease, revision, record, result, lease_left, record_left, result_left) = row;
    let Some(record) = record_of(revision, record)? else { return Ok(None) };
    Ok(Some(Stored {
        record,
        result_expires_in: result.as_ref().and(result_left).map(seconds),
        result: result.map(Bytes::from),
        lease: lease_of(lease, lease_left, margin),
        expires_in: record_left.map(seconds),
    }))
}

/// The same without the result.
pub(super) fn stored_bare(row: Bare, margin: u32) -> Result<Option<Stored>, Error> {
    let (lease, revision, record, lease_left, record_left) = row;
    stored((lease, revision, record, None, lease_left, record_left, None), margin)
}

fn record_of(revision: Option<Uuid>, record: Option<Vec<u8>>) -> Result<Option<Record>, Error> {
    let Some(revision) = revision else { return Ok(None) };
    let record = record.ok_or_else(|| Error::Corrupt("its row holds no record".to_owned()))?;
    let record = codec::decode(&record)?;
    if record.revision == Revision(revision) {
        Ok(Some(record))
    } else {
        Err(Error::Corrupt("its row has another revision".to_owned()))
    }
}

/// A cell lives up to a second less than it was given, and clocks differ: so much is not promised.
fn lease_of(holder: Option<Uuid>, left: Option<i32>, margin: u32) -> Lease {
    if holder.is_none() {
        return Lease::Over;
    }
    let kept_back = Duration::from_secs(u64::from(margin) + 1);
    Lease::Live { left: left.map_or(Duration::ZERO, seconds).saturating_sub(kept_back) }
}

fn seconds(seconds: i32) -> Duration {
    Duration::from_secs(seconds.unsigned_abs().into())
}

/// What a conditional write was answered.
pub(super) enum Answered {
    /// It was applied.
    Applied,
    /// It was not; the row, where it was told.
    Refused(Cells),
}

/// The cells of a row by their columns' names.
pub(super) struct Cells(Vec<(String, Option<CqlValue>)>);

impl Answered {
    /// Of the first row, whatever its columns are: engines differ in how many they tell.
    pub(super) fn of(result: QueryResult) -> Result<Self, Error> {
        let unclear = |error: &dyn std::fmt::Display| Error::Uncertain(error.to_string());
        let rows = result.into_rows_result().map_err(|error| unclear(&error))?;
        let names: Vec<_> = rows.column_specs().iter().map(|spec| spec.name().to_owned()).collect();
        let row: Row = rows.first_row().map_err(|error| unclear(&error))?;
        Self::of_first(&names, row.columns)
    }

    fn of_first(names: &[impl AsRef<str>], cells: Vec<Option<CqlValue>>) -> Result<Self, Error> {
        let names = names.iter().map(|name| name.as_ref().to_owned());
        let cells = Cells(names.zip(cells).collect());
        match cells.get("[applied]") {
            Some(CqlValue::Boolean(true)) => Ok(Self::Applied),
            Some(CqlValue::Boolean(false)) => Ok(Self::Refused(cells)),
            _ => Err(Error::Uncertain("the answer does not say whether it applied".to_owned())),
        }
    }
}

impl Cells {
    fn get(&self, name: &str) -> Option<&CqlValue> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, cell)| cell.as_ref())
    }

    /// Who holds the lease.
    pub(super) fn lease(&self) -> Option<Uuid> {
        self.get("lease").and_then(CqlValue::as_uuid)
    }

    /// The record, if the row has one.
    pub(super) fn record(&self) -> Result<Option<Record>, Error> {
        let revision = self.get("revision").and_then(CqlValue::as_uuid);
        record_of(revision, self.get("record").and_then(CqlValue::as_blob).cloned())
    }
}

/// A row whose lease somebody else holds, as a refused write tells it: without what is left, which
/// is estimated from the record, for the pause before the next look alone.
pub(super) fn held(record: Record, now: Timestamp) -> Stored {
    let left = record.lease_end.since(now).min(record.terms.max_lease);
    let lease = Lease::Live { left };
    Stored { record, result: None, lease, expires_in: None, result_expires_in: None }
}

#[cfg(test)]
mod tests;
