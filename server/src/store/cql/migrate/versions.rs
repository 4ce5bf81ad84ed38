//! The table `schema_version`: which version the tables have, and who is changing them.
//!
//! Written by conditional writes alone. It is made under a race that `IF NOT EXISTS` does not
//! settle everywhere: two nodes that make a table at the same time can give it two ids, and never
//! agree again. So its id is not left to them.

use scylla::{
    client::session::Session,
    deserialize::row::DeserializeRow,
    errors::ExecutionError,
    response::query_result::QueryResult,
    serialize::row::SerializeRow,
    statement::{Consistency, SerialConsistency},
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{PAUSE, TRIES, change};
use crate::store::{
    Error,
    cql::{
        connect,
        facts::{Keyspace, Unanswered},
        fault, layout,
        options::Options,
        rows::Answered,
    },
};

/// How long a claim lasts if it is neither kept nor given back, in seconds: longer than one change.
const CLAIM_SECONDS: i32 = 120;
/// The row of the version, and that of the claim.
const SCHEMA: &str = "schema";
const CLAIM: &str = "claim";
const ABOUT: &str = "the version of its tables";

/// The table, as one process uses it.
pub(in crate::store::cql) struct Versions<'s> {
    session: &'s Session,
    keyspace: &'s str,
    level: Consistency,
    claimant: Uuid,
}

impl<'s> Versions<'s> {
    pub(in crate::store::cql) fn of(session: &'s Session, options: &'s Options) -> Self {
        let level = match connect::serial(options) {
            SerialConsistency::Serial => Consistency::Serial,
            SerialConsistency::LocalSerial => Consistency::LocalSerial,
        };
        Self { session, keyspace: &options.keyspace, level, claimant: Uuid::new_v4() }
    }

    fn table(&self) -> String {
        format!("{}.{}", self.keyspace, layout::VERSIONS)
    }

    /// Makes the table if it is not there.
    pub(super) async fn make(&self) -> Result<(), Unanswered> {
        let (table, id) = (self.table(), id(self.keyspace));
        let make = format!(
            "CREATE TABLE IF NOT EXISTS {table} (part text PRIMARY KEY, version int, claimant \
             uuid) WITH id = {id}"
        );
        change(self.session, &make).await
    }

    /// The version; none if there is none, or no table that could tell.
    pub(in crate::store::cql) async fn read_if_there(
        &self,
        keyspace: &Keyspace,
    ) -> Result<Option<i32>, Unanswered> {
        if keyspace.tables.contains_key(layout::VERSIONS) { self.read().await } else { Ok(None) }
    }

    /// The version, as it is agreed on.
    pub(super) async fn read(&self) -> Result<Option<i32>, Unanswered> {
        let row: Option<(Option<i32>,)> = self.row("version", SCHEMA).await?;
        Ok(row.and_then(|(version,)| version))
    }

    async fn holder(&self) -> Result<Option<Uuid>, Unanswered> {
        let row: Option<(Option<Uuid>,)> = self.row("claimant", CLAIM).await?;
        Ok(row.and_then(|(claimant,)| claimant))
    }

    /// A read at this level writes too: many at once make each other fail, and are sent again.
    async fn row<R>(&self, column: &str, part: &str) -> Result<Option<R>, Unanswered>
    where
        R: for<'r> DeserializeRow<'r, 'r>,
    {
        let look = format!("SELECT {column} FROM {} WHERE part = ?", self.table());
        let mut failed = None;
        for _ in 0..TRIES {
            match self.ask(&look, (part,)).await {
                Ok(answer) => return first(answer),
                Err(cause) => failed = Some(cause),
            }
            self.pause().await;
        }
        Err(Unanswered::new(ABOUT, failed.expect("it was tried")))
    }

    /// Prepared, so that it is sent to the one coordinator of its key.
    async fn ask(
        &self,
        statement: &str,
        values: impl SerializeRow,
    ) -> Result<QueryResult, ExecutionError> {
        let mut prepared = self.session.prepare(statement).await?;
        if statement.starts_with("SELECT") {
            prepared.set_consistency(self.level);
        }
        self.session.execute_unpaged(&prepared, values).await
    }

    /// Not in step with the others.
    pub(super) async fn pause(&self) {
        let share = u32::from(self.claimant.as_bytes()[0]) + 1;
        tokio::time::sleep(PAUSE + PAUSE * share / 256).await;
    }

    /// Whether this process is the one that may change the tables now.
    pub(super) async fn claim(&self) -> Result<bool, Unanswered> {
        let insert = format!(
            "INSERT INTO {} (part, claimant) VALUES (?, ?) IF NOT EXISTS USING TTL \
             {CLAIM_SECONDS}",
            self.table()
        );
        // Whatever the answer, or none: the row tells whose it is.
        let _ = self.write(&insert, (CLAIM, self.claimant)).await;
        Ok(self.holder().await? == Some(self.claimant))
    }

    /// Makes the claim last on; false if it is lost.
    pub(super) async fn keep_claim(&self) -> Result<bool, Unanswered> {
        let update = format!(
            "UPDATE {} USING TTL {CLAIM_SECONDS} SET claimant = ? WHERE part = ? IF claimant = \
             ?",
            self.table()
        );
        self.surely(&update, (self.claimant, CLAIM, self.claimant)).await
    }

    /// Lets the next one in.
    pub(super) async fn give_back(&self) -> Result<(), Unanswered> {
        let delete = format!("DELETE FROM {} WHERE part = ? IF claimant = ?", self.table());
        self.surely(&delete, (CLAIM, self.claimant)).await.map(|_| ())
    }

    /// Notes that the tables have this version, if they had the one before.
    pub(super) async fn advance(&self, version: i32) -> Result<(), Unanswered> {
        let before = Some(version - 1).filter(|before| *before > 0);
        let update = format!(
            "UPDATE {} USING TTL 0 SET version = ? WHERE part = ? IF version = ?",
            self.table()
        );
        self.surely(&update, (version, SCHEMA, before)).await?;
        let now = self.read().await?;
        if now == Some(version) {
            return Ok(());
        }
        Err(Unanswered::new(ABOUT, format!("it is {now:?} where {version} was written")))
    }

    /// Whether it was applied, by now or by an earlier try: each can be sent again.
    async fn surely(
        &self,
        statement: &str,
        values: impl SerializeRow + Clone,
    ) -> Result<bool, Unanswered> {
        let mut failed = None;
        for _ in 0..TRIES {
            match self.write(statement, values.clone()).await {
                Ok(applied) => return Ok(applied),
                Err(cause) => failed = Some(cause),
            }
            self.pause().await;
        }
        Err(Unanswered::new(ABOUT, failed.expect("it was tried")))
    }

    async fn write(&self, statement: &str, values: impl SerializeRow) -> Result<bool, Error> {
        let result = self.ask(statement, values).await;
        let answered = Answered::of(result.map_err(|error| fault::of_write(&error))?)?;
        Ok(matches!(answered, Answered::Applied))
    }
}

fn first<R>(answer: QueryResult) -> Result<Option<R>, Unanswered>
where
    R: for<'r> DeserializeRow<'r, 'r>,
{
    let failed = |cause: Box<dyn std::error::Error + Send + Sync>| Unanswered::new(ABOUT, cause);
    let rows = answer.into_rows_result().map_err(|e| failed(e.into()))?;
    rows.maybe_first_row().map_err(|e| failed(e.into()))
}

/// The same for everybody, and another in every keyspace.
fn id(keyspace: &str) -> Uuid {
    let digest = Sha256::digest(format!("onced.v1\0{keyspace}.{}", layout::VERSIONS));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::id;

    #[test]
    fn the_id_of_the_table_is_the_same_for_all_and_differs_between_keyspaces() {
        assert_eq!(id("onced"), id("onced"));
        assert_ne!(id("onced"), id("onced2"));
        assert_eq!(id("onced").get_version_num(), 8);
    }
}
