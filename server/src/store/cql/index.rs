//! How records in a cluster are found again: by their age while they are open, by late reports, and
//! by what the provider calls them.
//!
//! Plain rows, written before the conditional write that they point to. They decide nothing: every
//! hit is checked against the record, and one that leads nowhere is passed over. A write that was
//! refused here must not be sent, so that no open record stands without its hint.

use std::{sync::Arc, time::Duration};

use quick_cache::sync::Cache;
use scylla::{client::session::Session, errors::PrepareError};

use self::{
    bucket::{Bucket, Kind},
    mark::Entry,
    statements::Statements,
};
use crate::{
    clock::{Clock, Timestamp},
    intent::IntentId,
    store::{Answer, Look, Stored},
};

mod audit;
mod bucket;
mod entries;
mod listing;
mod looks;
mod mark;
mod merge;
mod names;
mod place;
mod plain;
mod scan;
mod statements;
mod sweep;

pub use self::{audit::Audited, sweep::Swept};

/// Rows of one partition that are read at once.
const ROWS: i32 = 256;
/// Requests of one call that are under way at once.
const AT_ONCE: usize = 32;
/// Entries of `buckets` that this process remembers having written.
const ENTRIES_REMEMBERED: usize = 4_096;
/// How much longer than its record a name is kept.
const NAME_OUTLIVES: Duration = Duration::from_secs(86_400);
/// For how long it need not write them again.
const ENTRY_FOR: Duration = Duration::from_secs(600);

/// The tables beside `claims` and `memory`.
pub(super) struct Index {
    session: Arc<Session>,
    statements: Statements,
    clock: Arc<dyn Clock>,
    entries: Cache<Entry, Timestamp>,
    name_outlives: Duration,
}

/// How a hit is checked: the record as it stands. The result is not asked for.
pub(super) trait Looks: Send + Sync {
    /// A plain look, or one that ends every conditional write that is in doubt.
    fn look<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>>;
}

impl Index {
    /// Prepares what is asked of the tables; `clock` says when a row was written, to all processes.
    pub(super) async fn prepare(
        session: &Arc<Session>,
        keyspace: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PrepareError> {
        Ok(Self {
            session: Arc::clone(session),
            statements: Statements::prepare(session, keyspace).await?,
            clock,
            entries: Cache::new(ENTRIES_REMEMBERED),
            name_outlives: NAME_OUTLIVES,
        })
    }
}

#[cfg(test)]
mod tests;
