//! How far back the store remembers each operation, in the table `memory`.

use std::{sync::Arc, time::Duration};

use futures_util::TryStreamExt;
use scylla::{
    client::session::Session,
    errors::PrepareError,
    statement::{Consistency, SerialConsistency, prepared::PreparedStatement},
};
use uuid::Uuid;

use super::{fault, rows::Answered};
use crate::{
    clock::Timestamp,
    record::Revision,
    store::{Error, Memory, Remembered},
};

/// The table.
pub(super) struct Memories {
    session: Arc<Session>,
    read: PreparedStatement,
    all: PreparedStatement,
    insert: PreparedStatement,
    update: PreparedStatement,
}

type Row = (Uuid, i64, i64, bool, bool);
/// The same, with whose it is.
type Whole = (Uuid, i64, i64, bool, bool, String, String);

impl Memories {
    pub(super) async fn prepare(
        session: &Arc<Session>,
        keyspace: &str,
        serial: SerialConsistency,
    ) -> Result<Self, PrepareError> {
        let columns = "revision, start, smallest_retention, restored, gap";
        let key = "namespace = ? AND operation = ?";
        let read = format!("SELECT {columns} FROM {keyspace}.memory WHERE {key}");
        let all = format!("SELECT {columns}, namespace, operation FROM {keyspace}.memory");
        let insert = format!(
            "INSERT INTO {keyspace}.memory ({columns}, namespace, operation)
             VALUES (?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS"
        );
        let update = format!(
            "UPDATE {keyspace}.memory
             SET revision = ?, start = ?, smallest_retention = ?, restored = ?, gap = ?
             WHERE {key} IF revision = ?"
        );
        let mut read = session.prepare(read).await?;
        read.set_consistency(match serial {
            SerialConsistency::Serial => Consistency::Serial,
            SerialConsistency::LocalSerial => Consistency::LocalSerial,
        });
        let all = session.prepare(all).await?;
        let (insert, update) = (session.prepare(insert).await?, session.prepare(update).await?);
        Ok(Self { session: Arc::clone(session), read, all, insert, update })
    }

    pub(super) async fn read(
        &self,
        namespace: &str,
        operation: &str,
    ) -> Result<Option<Memory>, Error> {
        let result = self.session.execute_unpaged(&self.read, (namespace, operation)).await;
        let rows = result.map_err(|error| fault::of_read(&error))?.into_rows_result();
        let rows = rows.map_err(|error| fault::of_row(&error))?;
        let row: Option<Row> = rows.maybe_first_row().map_err(|error| fault::of_row(&error))?;
        Ok(row.map(memory))
    }

    /// Of every operation, one row each. A quorum has what was answered.
    pub(super) async fn all(&self, namespace: Option<&str>) -> Result<Vec<Remembered>, Error> {
        let rows = self.session.execute_iter(self.all.clone(), ()).await;
        let rows = rows.map_err(|error| fault::of_read(&error))?;
        let rows = rows.rows_stream::<Whole>().map_err(|error| fault::of_row(&error))?;
        let all = rows.map_err(|error| fault::of_read(&error)).map_ok(remembered);
        let all: Vec<Remembered> = all.try_collect().await?;
        let is_wanted = |name: &str| namespace.is_none_or(|namespace| name == namespace);
        Ok(all.into_iter().filter(|found| is_wanted(&found.namespace)).collect())
    }

    /// Answers the one that then stands. Not being heard is no doubt here: the next call finds out.
    pub(super) async fn set(
        &self,
        namespace: &str,
        operation: &str,
        expected: Option<Revision>,
        memory: &Memory,
    ) -> Result<Memory, Error> {
        let (start, retention) = (memory.start.0, micros(memory.smallest_retention));
        let set = (memory.revision.0, start, retention, memory.restored, memory.gap);
        let (revision, start, retention, restored, gap) = set;
        let result = match expected {
            None => {
                let row = (revision, start, retention, restored, gap, namespace, operation);
                self.session.execute_unpaged(&self.insert, row).await
            }
            Some(Revision(expected)) => {
                let row =
                    (revision, start, retention, restored, gap, namespace, operation, expected);
                self.session.execute_unpaged(&self.update, row).await
            }
        };
        let result = result.map_err(|error| fault::of_read(&error))?;
        match Answered::of(result).map_err(|error| fault::of_read(&error))? {
            Answered::Applied => Ok(memory.clone()),
            Answered::Refused(_) => self
                .read(namespace, operation)
                .await?
                .ok_or_else(|| Error::Corrupt("the memory of the operation is gone".to_owned())),
        }
    }
}

fn remembered(row: Whole) -> Remembered {
    let (revision, start, retention, restored, gap, namespace, operation) = row;
    let memory = memory((revision, start, retention, restored, gap));
    Remembered { namespace, operation, memory }
}

fn memory((revision, start, smallest_retention, restored, gap): Row) -> Memory {
    Memory {
        revision: Revision(revision),
        start: Timestamp(start),
        smallest_retention: Duration::from_micros(smallest_retention.unsigned_abs()),
        restored,
        gap,
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}
