//! The driver alone, with the session that the engine has: the same conditional batch on the same
//! table, with a record of the same size, of an intent that nobody has used.

use anyhow::{Context, Result, ensure};
use onced::store::cql::{Options, connect};
use scylla::{
    client::session::Session,
    statement::{
        batch::{Batch, BatchType},
        prepared::PreparedStatement,
    },
    value::{CqlValue, Row},
};
use uuid::Uuid;

const NAMESPACE: &str = "raw";
const OPERATION: &str = "charge";
/// As a grant of the default policy has it.
const LEASE_SECONDS: i32 = 33;

pub(super) struct Raw {
    session: Session,
    batch: Batch,
    hint: PreparedStatement,
    name: PreparedStatement,
    together: Batch,
    record: Vec<u8>,
}

impl Raw {
    /// Writes the record that the engine wrote of this intent.
    pub(super) async fn like(options: &Options, intent: (&str, &str, &str)) -> Result<Self> {
        let session = connect(options).await?;
        let keyspace = &options.keyspace;
        let look = format!(
            "SELECT record FROM {keyspace}.claims WHERE namespace = ? AND operation = ? AND key = ?"
        );
        let found = session.query_unpaged(look, intent).await?.into_rows_result()?;
        let (record,) = found.single_row::<(Vec<u8>,)>()?;
        let insert = format!(
            "INSERT INTO {keyspace}.claims (namespace, operation, key, lease) VALUES (?, ?, ?, ?) \
             IF NOT EXISTS USING TTL ?"
        );
        let update = format!(
            "UPDATE {keyspace}.claims USING TTL ? SET state = ?, record = ?, revision = ? \
             WHERE namespace = ? AND operation = ? AND key = ?"
        );
        let mut batch = Batch::default();
        batch.append_statement(session.prepare(insert).await?);
        batch.append_statement(session.prepare(update).await?);
        let hint = format!(
            "INSERT INTO {keyspace}.hints (namespace, operation, bucket, shard, first_claim, key, \
             revision, written) VALUES (?, ?, 1, ?, 1, ?, ?, 1)"
        );
        let name = format!(
            "INSERT INTO {keyspace}.intents_by_name (namespace, name, operation, key) \
             VALUES (?, ?, ?, ?) USING TTL 0"
        );
        let (hint, name) = (session.prepare(hint).await?, session.prepare(name).await?);
        let mut together = Batch::new(BatchType::Unlogged);
        together.append_statement(hint.clone());
        together.append_statement(name.clone());
        Ok(Self { session, batch, hint, name, together, record })
    }

    pub(super) async fn lwt(&self) -> Result<()> {
        self.write(&key(), Uuid::new_v4()).await
    }

    /// After a hint and a name, both at once.
    pub(super) async fn lwt_marked(&self) -> Result<()> {
        let (key, revision) = (key(), Uuid::new_v4());
        let shard = i32::from(revision.as_bytes()[0] % 8);
        let hint = (NAMESPACE, OPERATION, shard, &key, revision);
        let name = (NAMESPACE, format!("k:{}", Uuid::new_v4()), OPERATION, &key);
        tokio::try_join!(
            self.session.execute_unpaged(&self.hint, hint),
            self.session.execute_unpaged(&self.name, name),
        )?;
        self.write(&key, revision).await
    }

    /// The same in one request.
    pub(super) async fn lwt_together(&self) -> Result<()> {
        let (key, revision) = (key(), Uuid::new_v4());
        let shard = i32::from(revision.as_bytes()[0] % 8);
        let hint = (NAMESPACE, OPERATION, shard, &key, revision);
        let name = (NAMESPACE, format!("k:{}", Uuid::new_v4()), OPERATION, &key);
        self.session.batch(&self.together, (hint, name)).await?;
        self.write(&key, revision).await
    }

    async fn write(&self, key: &str, revision: Uuid) -> Result<()> {
        let lease = (NAMESPACE, OPERATION, key, Uuid::new_v4(), LEASE_SECONDS);
        let record = (0, "claimed", &self.record, revision, NAMESPACE, OPERATION, key);
        let answer = self.session.batch(&self.batch, (lease, record)).await?;
        let row: Row = answer.into_rows_result()?.first_row()?;
        let applied = row.columns.first().context("an answer without a column")?;
        ensure!(*applied == Some(CqlValue::Boolean(true)), "not applied: {applied:?}");
        Ok(())
    }
}

fn key() -> String {
    format!("charge:v1:{}", Uuid::new_v4())
}
