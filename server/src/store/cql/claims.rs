//! Records in the table `claims`: looks, and the one way to write.
//!
//! What a ruling was judged on is the condition of the write; the lease is a cell of its own that
//! ends by itself, so that the row outlives it and nobody has to judge it.

use std::{sync::Arc, time::Duration};

use scylla::{
    client::session::Session,
    errors::PrepareError,
    statement::{SerialConsistency, batch::Batch, prepared::PreparedStatement},
};
use tokio::time::Instant;

use super::{
    fault,
    index::Index,
    lwt::{Lwt, Tally},
    rows::{self, Answered, Bare, Cells, Full},
    statements::Statements,
    values::{
        Lives, Values, claimant, condition, int, key, life, needs_look, record_values,
        result_values, uuid,
    },
};
use crate::{
    clock::Clock,
    intent::IntentId,
    record::{Record, State},
    store::{Error, Expected, LeaseWrite, Set, Stored, Write},
};

/// A conditional write is sent so soon after its hint, or not at all: a sweep takes an older hint
/// for a loser's.
const HINT_HOLDS: Duration = Duration::from_secs(60);

/// The table.
pub(super) struct Claims {
    session: Arc<Session>,
    statements: Statements,
    clock: Arc<dyn Clock>,
    margin: u32,
    tally: Tally,
}

/// Nothing was sent yet: it surely did not happen.
fn check_hint(hinted: Instant) -> Result<(), Error> {
    if hinted.elapsed() > HINT_HOLDS {
        return Err(Error::Unavailable("too long after what leads to the record".to_owned()));
    }
    Ok(())
}

impl Claims {
    pub(super) async fn prepare(
        session: &Arc<Session>,
        keyspace: &str,
        serial: SerialConsistency,
        clock: Arc<dyn Clock>,
        margin: u32,
        tally: Tally,
    ) -> Result<Self, PrepareError> {
        let table = format!("{keyspace}.claims");
        let statements = Statements::prepare(session, &table, serial).await?;
        Ok(Self { session: Arc::clone(session), statements, clock, margin, tally })
    }

    /// The record by a plain read: it may miss a write that is under way.
    pub(super) async fn look(&self, intent: &IntentId) -> Result<Option<Stored>, Error> {
        let row: Option<Full> = self.select(&self.statements.look, intent).await?;
        row.map_or(Ok(None), |row| rows::stored(row, self.margin))
    }

    /// The same without its result.
    pub(super) async fn look_bare(&self, intent: &IntentId) -> Result<Option<Stored>, Error> {
        let row: Option<Bare> = self.select(&self.statements.look_bare, intent).await?;
        row.map_or(Ok(None), |row| rows::stored_bare(row, self.margin))
    }

    /// The record after every write that was answered.
    pub(super) async fn look_fresh(&self, intent: &IntentId) -> Result<Option<Stored>, Error> {
        self.tally.count(Lwt::Read);
        let row: Option<Full> = self.select(&self.statements.look_fresh, intent).await?;
        row.map_or(Ok(None), |row| rows::stored(row, self.margin))
    }

    async fn select<R>(
        &self,
        statement: &PreparedStatement,
        intent: &IntentId,
    ) -> Result<Option<R>, Error>
    where
        R: for<'frame, 'metadata> scylla::deserialize::row::DeserializeRow<'frame, 'metadata>,
    {
        let key = (intent.namespace(), intent.operation(), intent.key());
        let result = self.session.execute_unpaged(statement, key).await;
        let rows = result.map_err(|error| fault::of_read(&error))?.into_rows_result();
        let rows = rows.map_err(|error| fault::of_row(&error))?;
        rows.maybe_first_row().map_err(|error| fault::of_row(&error))
    }

    /// Writes if the row is still as it was judged.
    pub(super) async fn compare_and_set(
        &self,
        intent: &IntentId,
        write: &Write,
        index: &Index,
    ) -> Result<Set, Error> {
        let lives = match self.lives(intent, write).await? {
            Ok(lives) => lives,
            Err(standing) => return Ok(Set::Lost(standing)),
        };
        let hinted = Instant::now();
        index.before(intent, write, lives.expires_in()).await?;
        check_hint(hinted)?;
        let takes_none =
            write.expected == Expected::None && matches!(write.lease, LeaseWrite::Start(_));
        if !takes_none {
            return self.update(intent, write, &lives).await;
        }
        match self.send(&self.insert(intent, write, &lives)).await? {
            Answered::Applied => Ok(Set::Applied),
            Answered::Refused(row) => match row.record()? {
                // A row that has outlived its record.
                None => self.update(intent, write, &lives).await,
                Some(record) => Ok(Set::Lost(self.standing(intent, write, &row, record).await?)),
            },
        }
    }

    async fn update(&self, intent: &IntentId, write: &Write, lives: &Lives) -> Result<Set, Error> {
        match self.send(&self.updates(intent, write, lives)).await? {
            Answered::Applied => Ok(Set::Applied),
            Answered::Refused(_) => Ok(Set::Lost(self.look_fresh(intent).await?)),
        }
    }

    /// The row that refused an insert, with what is left of it where that matters.
    async fn standing(
        &self,
        intent: &IntentId,
        write: &Write,
        row: &Cells,
        record: Record,
    ) -> Result<Option<Stored>, Error> {
        let is_mine = record.revision == write.record.revision
            || row.lease() == Some(claimant(&write.record));
        if is_mine {
            return self.look_fresh(intent).await;
        }
        if row.lease().is_some() && record.state == State::Claimed {
            return Ok(Some(rows::held(record, self.clock.now())));
        }
        match self.look(intent).await? {
            Some(stored) if stored.record.revision == record.revision => Ok(Some(stored)),
            _ => self.look_fresh(intent).await,
        }
    }

    /// How long the written cells live; the row that stands, where it is not the one that was
    /// judged.
    async fn lives(
        &self,
        intent: &IntentId,
        write: &Write,
    ) -> Result<Result<Lives, Option<Stored>>, Error> {
        let Expected::Revision { revision, .. } = write.expected else {
            return Ok(Ok(Lives::of(write, None)));
        };
        if !needs_look(write) {
            return Ok(Ok(Lives::of(write, None)));
        }
        let is_judged = |stored: &Stored| stored.record.revision == revision;
        let mut stored = self.look(intent).await?;
        if !stored.as_ref().is_some_and(is_judged) {
            stored = self.look_fresh(intent).await?;
        }
        match stored {
            Some(stored) if is_judged(&stored) => Ok(Ok(Lives::of(write, Some(&stored)))),
            stored => Ok(Err(stored)),
        }
    }

    async fn send(&self, statements: &[(&PreparedStatement, Values)]) -> Result<Answered, Error> {
        let mut batch = Batch::default();
        for (statement, _) in statements {
            batch.append_statement((*statement).clone());
        }
        let values: Vec<_> = statements.iter().map(|(_, values)| values).collect();
        let result = self.session.batch(&batch, values).await;
        let answered = result.map_err(|error| fault::of_write(&error)).and_then(Answered::of);
        self.tally.count(match &answered {
            Ok(Answered::Applied) => Lwt::Applied,
            Ok(Answered::Refused(_)) => Lwt::Lost,
            Err(Error::Uncertain(_)) => Lwt::Uncertain,
            Err(_) => Lwt::Failed,
        });
        answered
    }

    fn insert(
        &self,
        intent: &IntentId,
        write: &Write,
        lives: &Lives,
    ) -> Vec<(&PreparedStatement, Values)> {
        let statements = &self.statements;
        let lease = [uuid(claimant(&write.record)), int(self.lease_life(write.lease))].map(Some);
        let mut sent = vec![(&statements.insert_lease, [key(intent), lease.into()].concat())];
        sent.push((&statements.set_record, record_values(intent, write, lives)));
        if let Some((Some(bytes), life)) = &lives.result {
            sent.push((&statements.set_result, result_values(intent, Some(bytes), *life)));
        }
        sent
    }

    fn updates(
        &self,
        intent: &IntentId,
        write: &Write,
        lives: &Lives,
    ) -> Vec<(&PreparedStatement, Values)> {
        let statements = &self.statements;
        let (condition, judged) = condition(write);
        let record = record_values(intent, write, lives);
        let mut sent = match write.lease {
            LeaseWrite::Keep => {
                vec![(statements.set_record_if(condition), [record, judged].concat())]
            }
            LeaseWrite::Clear | LeaseWrite::Start(_) => {
                let lease = self.lease_values(intent, write);
                vec![
                    (statements.set_lease(condition), [lease, judged].concat()),
                    (&statements.set_record, record),
                ]
            }
        };
        if let Some((bytes, life)) = &lives.result {
            sent.push((&statements.set_result, result_values(intent, bytes.as_deref(), *life)));
        }
        sent
    }

    fn lease_values(&self, intent: &IntentId, write: &Write) -> Values {
        let holder = match write.lease {
            LeaseWrite::Start(_) => Some(uuid(claimant(&write.record))),
            LeaseWrite::Keep | LeaseWrite::Clear => None,
        };
        [vec![Some(int(self.lease_life(write.lease))), holder], key(intent)].concat()
    }

    /// A cell lives up to a second less than it is given, and the nodes' clocks differ.
    fn lease_life(&self, lease: LeaseWrite) -> i32 {
        match lease {
            LeaseWrite::Start(seconds) => life(seconds.get().saturating_add(self.margin + 1)),
            LeaseWrite::Keep | LeaseWrite::Clear => 0,
        }
    }
}

#[cfg(test)]
mod tests;
