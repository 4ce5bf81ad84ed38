//! The cluster engine: ScyllaDB or Cassandra, through lightweight transactions.
//!
//! Every change of a record is one conditional write that names the revision it was judged on; what
//! is written plainly beside it (hints, names) only helps to find records again and decides nothing.

use std::{sync::Arc, time::Duration};

use self::{claims::Claims, memory::Memories};
use super::{Answer, Error, Find, Listing, Look, Memory, Page, Scope, Set, Store, Stored, Write};
use crate::{
    clock::{Clock, Timestamp},
    intent::IntentId,
    record::Revision,
};

mod claims;
mod connect;
mod fault;
mod lwt;
mod memory;
pub mod options;
mod routing;
mod rows;
mod statements;

pub use self::{
    connect::ConnectError,
    lwt::{Lwt, Tally},
    options::Options,
};

/// The tables, as statements that end in a semicolon.
pub const SCHEMA: &str = include_str!("cql/schema.cql");
/// By how much a replica's clock may differ from those of the cluster, and still grant.
const CLOCK_BOUND: Duration = Duration::from_secs(60);

/// One session with a cluster. Any number of processes may share it.
pub struct Cql {
    claims: Claims,
    memories: Memories,
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
        let claims = Claims::prepare(&session, keyspace, serial, clock, margin, tally).await?;
        let memories = Memories::prepare(&session, keyspace, serial).await?;
        Ok(Self { claims, memories })
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
        Box::pin(self.claims.compare_and_set(intent, write))
    }

    fn unreconciled<'a>(&'a self, _scope: &'a Scope, _page: &'a Page) -> Answer<'a, Listing> {
        Box::pin(async { Err(Error::Contended) })
    }

    fn late_reports<'a>(
        &'a self,
        _scope: &'a Scope,
        _since: Timestamp,
        _page: &'a Page,
    ) -> Answer<'a, Listing> {
        Box::pin(async { Err(Error::Contended) })
    }

    fn find<'a>(
        &'a self,
        _namespace: &'a str,
        _by: &'a Find,
    ) -> Answer<'a, Vec<(IntentId, Stored)>> {
        Box::pin(async { Err(Error::Contended) })
    }

    fn any_unsettled<'a>(&'a self, _namespace: &'a str, _operation: &'a str) -> Answer<'a, bool> {
        Box::pin(async { Err(Error::Contended) })
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

    fn clock_bound(&self) -> Duration {
        CLOCK_BOUND
    }
}
