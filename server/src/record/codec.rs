//! The layout of a record on disk: one versioned protobuf message.
//!
//! Decoding never guesses: what is missing, unknown or left over makes the record unreadable, and
//! it says so without showing what the record holds.

use std::collections::BTreeMap;

use onced_proto::store::v1 as layout;
use prost::Message;

use self::field::{Fault, required, revision, time, uuid_bytes};
use super::Record;
use crate::{clock::Timestamp, payload::PayloadHash, store::Error};

mod audit;
mod field;
mod grant;
mod outcome;
mod report;
mod state;

/// The format that [`encode`] writes, and the newest that [`decode`] reads.
pub const FORMAT: u32 = 1;

/// The bytes to store. Spans are kept in whole microseconds.
pub fn encode(record: &Record) -> Vec<u8> {
    layout::Record::from(record).encode_to_vec()
}

/// The record that [`encode`] was given, by this version or an older one.
///
/// Fails with [`Error::FormatTooNew`] or [`Error::Corrupt`], never otherwise.
pub fn decode(bytes: &[u8]) -> Result<Record, Error> {
    let malformed = |_| corrupt(Fault("it is malformed"));
    let header = layout::Header::decode(bytes).map_err(malformed)?;
    match header.format {
        0 => Err(corrupt(Fault("it names no format"))),
        FORMAT => {
            let cell = layout::Record::decode(bytes).map_err(malformed)?;
            accounted_for(&cell, bytes).and_then(|()| Record::try_from(cell)).map_err(corrupt)
        }
        newer => Err(Error::FormatTooNew(newer)),
    }
}

fn corrupt(Fault(what): Fault) -> Error {
    Error::Corrupt(what.to_owned())
}

/// A field that this format does not know would be lost with the next write.
fn accounted_for(cell: &layout::Record, bytes: &[u8]) -> Result<(), Fault> {
    let known = cell.encoded_len() == bytes.len();
    if known { Ok(()) } else { Err(Fault("it holds parts that its format does not name")) }
}

impl From<&Record> for layout::Record {
    fn from(record: &Record) -> Self {
        Self {
            format: FORMAT,
            version: Some(record.version),
            write_time_micros: Some(record.written.0),
            payload_hash: record.payload_hash.as_ref().map(Into::into),
            state: Some((&record.state).into()),
            disputed: record.disputed,
            orphan: record.orphan,
            adopted: record.adopted,
            after_release: record.after_release,
            grants: record.grants.iter().map(Into::into).collect(),
            grants_since_release: Some(record.grants_since_release),
            token_used: record.token_used,
            holder: record.holder.clone(),
            labels: labels_to(&record.labels),
            terms: Some((&record.terms).into()),
            provider_key: record.provider_key.clone(),
            first_claim_time_micros: Some(record.first_claim_time.0),
            lease_end_time_micros: Some(record.lease_end.0),
            amount: record.amount.as_ref().map(Into::into),
            reconcile_time_micros: record.reconcile_time.map(|time| time.0),
            absence_seen_time_micros: record.absence_seen.map(|time| time.0),
            reports: record.reports.iter().map(Into::into).collect(),
            late_reports_cut: record.late_reports_cut,
            audit: record.audit.iter().map(Into::into).collect(),
            audit_cut: record.audit_cut,
            spent: record.spent.iter().map(Into::into).collect(),
            spent_cut: record.spent_cut,
            traceparent: record.traceparent.clone(),
            revision: uuid_bytes(record.revision.0),
        }
    }
}

impl TryFrom<layout::Record> for Record {
    type Error = Fault;

    fn try_from(cell: layout::Record) -> Result<Self, Fault> {
        Ok(Self {
            revision: revision(&cell.revision, "its revision is not a UUID")?,
            version: required(cell.version, "its version is missing")?,
            written: time(cell.write_time_micros, "its write time is missing")?,
            payload_hash: cell.payload_hash.map(TryInto::try_into).transpose()?,
            state: required(cell.state, "its state is missing")?.try_into()?,
            disputed: cell.disputed,
            orphan: cell.orphan,
            adopted: cell.adopted,
            after_release: cell.after_release,
            grants: all(cell.grants)?,
            grants_since_release: required(
                cell.grants_since_release,
                "its grants since release are missing",
            )?,
            token_used: cell.token_used,
            holder: cell.holder,
            labels: labels_from(cell.labels)?,
            terms: required(cell.terms, "its terms are missing")?.try_into()?,
            provider_key: cell.provider_key,
            first_claim_time: time(
                cell.first_claim_time_micros,
                "its first claim time is missing",
            )?,
            lease_end: time(cell.lease_end_time_micros, "its lease end is missing")?,
            amount: cell.amount.map(TryInto::try_into).transpose()?,
            reconcile_time: cell.reconcile_time_micros.map(Timestamp),
            absence_seen: cell.absence_seen_time_micros.map(Timestamp),
            reports: all(cell.reports)?,
            late_reports_cut: cell.late_reports_cut,
            audit: all(cell.audit)?,
            audit_cut: cell.audit_cut,
            spent: all(cell.spent)?,
            spent_cut: cell.spent_cut,
            traceparent: cell.traceparent,
        })
    }
}

fn all<Cell, Kept>(cells: Vec<Cell>) -> Result<Vec<Kept>, Fault>
where
    Kept: TryFrom<Cell, Error = Fault>,
{
    cells.into_iter().map(Kept::try_from).collect()
}

fn labels_to(labels: &BTreeMap<String, String>) -> Vec<layout::Label> {
    let label = |(name, value): (&String, &String)| layout::Label {
        name: name.clone(),
        value: value.clone(),
    };
    labels.iter().map(label).collect()
}

fn labels_from(cells: Vec<layout::Label>) -> Result<BTreeMap<String, String>, Fault> {
    let count = cells.len();
    let labels: BTreeMap<_, _> = cells.into_iter().map(|cell| (cell.name, cell.value)).collect();
    if labels.len() == count { Ok(labels) } else { Err(Fault("it has a label twice")) }
}

impl From<&PayloadHash> for layout::PayloadHash {
    fn from(hash: &PayloadHash) -> Self {
        Self { scheme: hash.scheme.clone(), digest: hash.digest.clone() }
    }
}

impl TryFrom<layout::PayloadHash> for PayloadHash {
    type Error = Fault;

    fn try_from(cell: layout::PayloadHash) -> Result<Self, Fault> {
        if cell.scheme.is_empty() || cell.digest.is_empty() {
            return Err(Fault("its payload hash is incomplete"));
        }
        Ok(Self { scheme: cell.scheme, digest: cell.digest })
    }
}

#[cfg(test)]
mod tests;
