//! The cluster engine: ScyllaDB or Cassandra, through lightweight transactions.
//!
//! Every change of a record is one conditional write that names the revision it was judged on.
//! What is written plainly beside it (hints, names) helps to find records again, and decides
//! nothing.

use std::{sync::Arc, time::Duration};

use self::{
    care::Care,
    claims::Claims,
    index::{Index, Looks},
    memory::Memories,
};
use super::{
    Answer, Error, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored,
    Trouble, Write,
};
use crate::{
    clock::{Clock, Timestamp},
    intent::IntentId,
    record::Revision,
};

mod care;
mod checks;
mod claims;
mod connect;
mod facts;
mod fault;
mod index;
mod inspect;
mod layout;
mod lwt;
mod memory;
mod migrate;
pub mod options;
mod routing;
mod rows;
mod statements;
mod values;

pub use self::{
    connect::{ConnectError, connect},
    index::{Audited, Swept},
    inspect::{Unfit, inspect},
    lwt::{Lwt, Tally},
    migrate::{Migrated, migrate},
    options::Options,
};

/// Cassandra refuses an expiry beyond this: its deletion times are seconds in 31 bits.
pub const LAST_EXPIRY: Timestamp = Timestamp(2_147_483_646_000_000);
/// The tables, as statements that end in a semicolon.
pub const SCHEMA: &str = include_str!("cql/schema.cql");
/// By how much a replica's clock may differ from those of the cluster, and still grant.
const CLOCK_BOUND: Duration = Duration::from_secs(60);

/// One session with a cluster. Any number of processes may share it.
pub struct Cql {
    claims: Claims,
    index: Index,
    clock: Arc<dyn Clock>,
    memories: Memories,
    care: Care,
}

/// Why an engine cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no session.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The tables are not as they must be.
    #[error("the tables cannot be used: {0}")]
    Prepare(#[from] scylla::errors::PrepareError),
}

impl Cql {
    /// Opens the engine over tables that are there; `clock` is this replica's own.
    pub async fn open(
        options: &Options,
        clock: Arc<dyn Clock>,
        tally: Tally,
    ) -> Result<Self, OpenError> {
        let session = Arc::new(connect::connect(options).await?);
        let (keyspace, serial) = (&options.keyspace, connect::serial(options));
        let margin = options.clock_margin;
        let index = Index::prepare(&session, keyspace, Arc::clone(&clock)).await?;
        let shown = Arc::clone(&clock);
        let claims = Claims::prepare(&session, keyspace, serial, clock, margin, tally).await?;
        let memories = Memories::prepare(&session, keyspace, serial).await?;
        let care = Care::prepare(&session, keyspace, Duration::from_secs(margin.into())).await?;
        Ok(Self { claims, index, clock: shown, memories, care })
    }
}

impl Cql {
    /// Takes away what no longer leads to an open record. Any process may, at any time.
    pub async fn sweep(&self) -> Result<Swept, Error> {
        self.index.sweep(&self.claims, self.clock.now()).await
    }

    /// Reads every record, and gives a hint to each open one that has none.
    pub async fn audit(&self) -> Result<Audited, Error> {
        self.index.audit(&self.claims).await
    }
}

impl Looks for Claims {
    fn look<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            match look {
                Look::Recent => self.look_bare(intent).await,
                Look::Fresh => self.look_fresh(intent).await,
            }
        })
    }
}

impl Store for Cql {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            match look {
                Look::Recent => self.claims.look(intent).await,
                Look::Fresh => self.claims.look_fresh(intent).await,
            }
        })
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        Box::pin(self.claims.compare_and_set(intent, write, &self.index))
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(self.index.unreconciled(&self.claims, scope, page))
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(self.index.late_reports(&self.claims, scope, since, page))
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(self.index.find(&self.claims, namespace, by))
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        Box::pin(self.index.any_unsettled(&self.claims, namespace, operation))
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        Box::pin(self.memories.read(namespace, operation))
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        Box::pin(self.memories.set(namespace, operation, expected, memory))
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(self.index.scan(&self.claims, namespace, page))
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        Box::pin(self.memories.all(namespace))
    }

    fn clock_bound(&self) -> Duration {
        CLOCK_BOUND
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn trouble(&self) -> Option<Trouble> {
        self.care.trouble()
    }
}
