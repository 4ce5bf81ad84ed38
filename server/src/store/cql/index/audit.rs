//! The backstop: reads every row of `claims`, and gives a hint to each open record that has none.
//!
//! Slow on purpose: one piece of the ring at a time. Such a record means that something went wrong
//! before (a hint was lost, or its write came more than an hour late), so the caller should say so.

use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use super::{Index, Looks, ROWS, bucket::shard, mark::Hint, place};
use crate::{
    intent::IntentId,
    store::{Error, Look},
};

/// How much of the ring is read at once: one of 256 pieces.
const PIECE: i64 = 1 << 56;
const PIECES: std::ops::Range<i64> = -128..128;
/// Records that are looked at at once.
const AT_ONCE: usize = 8;

/// What an audit found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audited {
    /// Records there are.
    pub records: u64,
    /// Those that never expire.
    pub open: u64,
    /// Those that had no hint, and have one now.
    pub restored: u64,
}

type Row = (String, String, String, Option<Uuid>, Option<i32>);

impl Index {
    /// Reads the whole ring.
    pub(in crate::store::cql) async fn audit(&self, look: &dyn Looks) -> Result<Audited, Error> {
        let mut audited = Audited::default();
        for piece in PIECES {
            self.audit_piece(look, piece * PIECE, &mut audited).await?;
        }
        Ok(audited)
    }

    async fn audit_piece(
        &self,
        look: &dyn Looks,
        start: i64,
        audited: &mut Audited,
    ) -> Result<(), Error> {
        let values = (start, start.saturating_add(PIECE));
        let rows = self.stream::<Row>(&self.statements.claims, values).await?;
        let mut pages = rows.try_chunks(ROWS as usize).map_err(|error| error.1);
        while let Some(rows) = pages.try_next().await? {
            let records: Vec<_> = rows.into_iter().filter(|row| row.3.is_some()).collect();
            audited.records += records.len() as u64;
            let open = records.into_iter().filter(|row| row.4.is_none());
            let audits: Vec<_> = open.map(|row| self.audit_record(look, row)).collect();
            let found: Vec<Option<bool>> =
                stream::iter(audits).buffered(AT_ONCE).try_collect().await?;
            audited.open += found.iter().flatten().count() as u64;
            audited.restored += found.iter().filter(|found| **found == Some(true)).count() as u64;
        }
        Ok(())
    }

    /// Whether its hint was missing; nothing if it is not open any more.
    async fn audit_record(
        &self,
        look: &dyn Looks,
        (namespace, operation, key, ..): Row,
    ) -> Result<Option<bool>, Error> {
        let intent = place::intent(&namespace, &operation, &key)?;
        let stored = match look.look(&intent, Look::Recent).await {
            // It has no time by which it could be listed; whoever asks for it is told.
            Err(Error::Corrupt(_) | Error::FormatTooNew(_)) => None,
            stored => stored?,
        };
        let Some(stored) = stored.filter(|stored| stored.expires_in.is_none()) else {
            return Ok(None);
        };
        let hint = Hint::of(&intent, &stored.record, self.clock.now());
        if self.has_hint(&intent, &hint).await? {
            return Ok(Some(false));
        }
        self.mark_open(&intent, &stored.record, hint.written).await?;
        Ok(Some(true))
    }

    /// Of whatever revision: it stays as long as the record is open.
    async fn has_hint(&self, intent: &IntentId, hint: &Hint) -> Result<bool, Error> {
        for bucket in [hint.hour(), hint.hour().carried()] {
            let (namespace, operation) = (intent.namespace(), intent.operation());
            let (shard, first_claim) = (shard(intent), hint.first_claim.0);
            let values = (namespace, operation, bucket.0, shard, first_claim, intent.key());
            if !self.rows::<(Uuid,)>(&self.statements.hint, values).await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
