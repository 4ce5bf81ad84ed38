//! How far back the store remembers each operation.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

use super::fault::Fault;
use crate::{
    clock::Timestamp,
    record::Revision,
    store::{Error, Memory, Remembered},
};

/// A conditional write of a memory.
pub(super) struct Proposal {
    pub(super) namespace: String,
    pub(super) operation: String,
    pub(super) expected: Option<Revision>,
    pub(super) memory: Memory,
}

/// The memory of an operation.
pub(super) fn read(
    file: &Connection,
    namespace: &str,
    operation: &str,
) -> Result<Option<Memory>, Fault> {
    let select = "SELECT revision, start, smallest_retention, restored, gap FROM memory
         WHERE namespace = ?1 AND operation = ?2";
    let mut statement = file.prepare_cached(select)?;
    Ok(statement.query_row([namespace, operation], from_row).optional()?)
}

/// The memory of every operation, of one namespace or of all.
pub(super) fn all(file: &Connection, namespace: Option<&str>) -> Result<Vec<Remembered>, Fault> {
    let select = "SELECT revision, start, smallest_retention, restored, gap, namespace, operation
         FROM memory WHERE ?1 IS NULL OR namespace = ?1";
    let mut statement = file.prepare_cached(select)?;
    let rows = statement.query_map([namespace], |row| {
        let (namespace, operation) = (row.get(5)?, row.get(6)?);
        Ok(Remembered { namespace, operation, memory: from_row(row)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Applies it if it still can, and answers what then stands.
pub(super) fn apply(file: &Connection, proposal: &Proposal) -> Result<Memory, Fault> {
    match proposal.expected {
        None => insert(file, proposal)?,
        Some(expected) => update(file, proposal, expected)?,
    }
    read(file, &proposal.namespace, &proposal.operation)?
        .ok_or_else(|| Error::Corrupt("the memory of the operation is gone".to_owned()).into())
}

fn insert(file: &Connection, proposal: &Proposal) -> Result<(), Fault> {
    let memory = &proposal.memory;
    file.prepare_cached(
        "INSERT INTO memory
             (namespace, operation, revision, start, smallest_retention, restored, gap)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (namespace, operation) DO NOTHING",
    )?
    .execute(params![
        proposal.namespace,
        proposal.operation,
        memory.revision.0.into_bytes(),
        memory.start.0,
        micros(memory.smallest_retention),
        memory.restored,
        memory.gap,
    ])?;
    Ok(())
}

fn update(file: &Connection, proposal: &Proposal, expected: Revision) -> Result<(), Fault> {
    let memory = &proposal.memory;
    file.prepare_cached(
        "UPDATE memory SET revision = ?4, start = ?5, smallest_retention = ?6, restored = ?7,
             gap = ?8
         WHERE namespace = ?1 AND operation = ?2 AND revision = ?3",
    )?
    .execute(params![
        proposal.namespace,
        proposal.operation,
        expected.0.into_bytes(),
        memory.revision.0.into_bytes(),
        memory.start.0,
        micros(memory.smallest_retention),
        memory.restored,
        memory.gap,
    ])?;
    Ok(())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        revision: Revision(Uuid::from_bytes(row.get(0)?)),
        start: Timestamp(row.get(1)?),
        smallest_retention: Duration::from_micros(row.get::<_, i64>(2)?.unsigned_abs()),
        restored: row.get(3)?,
        gap: row.get(4)?,
    })
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}
