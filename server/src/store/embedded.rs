//! The embedded engine: one SQLite file, one writer that commits in groups, a few readers.
//!
//! Judges leases on its own clock at the moment of the write, and expiry by that clock too, never
//! by what was swept. Answers a write only after its commit. Never goes on after a failed commit.

use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::{
    apply::Applied,
    call::{Asked, Call, Proposal},
    folder::Folder,
    names::Names,
    readers::{Readers, Seen},
    writer::Writer,
};
use super::{
    Answer, Error, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Store, Stored,
    Trouble, Write,
};
use crate::{
    clock::{Clock, SystemClock, Timestamp},
    intent::IntentId,
    record::Revision,
};

mod apply;
mod backup;
mod call;
mod digest;
mod fault;
mod folder;
mod high_water;
mod listings;
mod memory;
mod names;
mod readers;
mod reserve;
mod restore;
mod rows;
mod schema;
mod sweeper;
mod writer;

pub use self::{
    backup::{BackedUp, BackupError, PARTIAL},
    folder::OpenError,
    restore::{RestoreError, Restored, restore},
};

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where its files are. Made if it is not there.
    pub folder: PathBuf,
    /// The clock that judges; the machine's, not below the latest time on file, if absent.
    pub clock: Option<Arc<dyn Clock>>,
    /// Disk space kept back for reports, in bytes.
    pub reserve_bytes: u64,
    /// Largest size of the database file, in bytes; beyond it the disk counts as full.
    pub size_limit_bytes: Option<u64>,
    /// Connections that read at the same time.
    pub readers: usize,
    /// Fewest names of rows that are kept in memory before they are merged into their table.
    pub names_kept: usize,
    /// How often an idle engine looks for what has expired.
    pub sweep_interval: Duration,
}

impl Options {
    /// The defaults, in `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            clock: None,
            reserve_bytes: 64 << 20,
            size_limit_bytes: None,
            readers: 4,
            names_kept: 1 << 16,
            sweep_interval: Duration::from_secs(1),
        }
    }
}

/// One open engine. Dropping it closes the file after what was under way.
#[derive(Debug)]
pub struct Embedded {
    calls: Option<mpsc::Sender<Call>>,
    writer: Option<JoinHandle<()>>,
    readers: Arc<Readers>,
    names: Arc<Names>,
    clock: Arc<dyn Clock>,
    poison: CancellationToken,
    full: Arc<AtomicBool>,
    folder: Folder,
}

impl Embedded {
    /// Opens the engine; leases that were live when it last ended are counted anew, whole.
    pub fn open(options: &Options) -> Result<Self, OpenError> {
        let folder = Folder::take(&options.folder)?;
        if restore::is_cut_off(&folder).map_err(|cause| folder.fault(cause))? {
            return Err(OpenError::CutOff(options.folder.clone()));
        }
        let connection = schema::open(&folder)?;
        if restore::is_copy(&connection).map_err(OpenError::from_sqlite)? {
            return Err(OpenError::IsBackup(folder.database()));
        }
        let clock = clock(options, &connection)?;
        let poison = CancellationToken::new();
        let names = Names::load(&connection, options.names_kept).map_err(OpenError::from_sqlite)?;
        names.guard(&connection).map_err(OpenError::from_sqlite)?;
        let readers = Readers::open(&folder, &names, options.readers, &clock, &poison)?;
        let writer = Writer::new(connection, &names, &folder, options, &clock, &poison)?;
        let full = writer.fullness();
        let (calls, waiting) = mpsc::channel();
        let writer = writer.start(waiting).map_err(|cause| folder.fault(cause))?;
        let (calls, writer) = (Some(calls), Some(writer));
        Ok(Self { calls, writer, readers, names, clock, poison, full, folder })
    }

    /// The clock that judges leases: rulings are to be made on the same.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }

    /// Returns once a commit has failed: nobody knows what is on disk until it is opened again.
    pub fn poisoned(&self) -> impl Future<Output = ()> + Send + use<> {
        self.poison.clone().cancelled_owned()
    }

    /// Writes a consistent copy to `path`, which must not exist, while calls go on. It has all that
    /// was answered before.
    pub async fn backup(&self, path: &Path) -> Result<BackedUp, BackupError> {
        backup::copy(self.folder.database(), path.to_owned(), self.clock()).await
    }

    /// Asks the writer.
    async fn ask<Q, A>(&self, question: Q, call: fn(Asked<Q, A>) -> Call) -> Result<A, Error> {
        let (reply, answer) = oneshot::channel();
        let calls = self.calls.as_ref().ok_or_else(stopped)?;
        calls.send(call(Asked::new(question, reply))).map_err(|_| stopped())?;
        answer.await.unwrap_or_else(|_| Err(Error::Uncertain("the writer ended".to_owned())))
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        drop(self.calls.take());
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has poisoned the engine already.
            let _ = writer.join();
        }
    }
}

/// Whether there is a store in a folder.
pub fn is_store(folder: &Path) -> bool {
    Folder::database_in(folder).is_file()
}

fn clock(options: &Options, file: &rusqlite::Connection) -> Result<Arc<dyn Clock>, OpenError> {
    let high_water = high_water::read(file).map_err(OpenError::from_sqlite)?;
    let system = || Arc::new(SystemClock::not_before(high_water)) as Arc<dyn Clock>;
    Ok(options.clock.clone().unwrap_or_else(system))
}

fn stopped() -> Error {
    Error::Unavailable("the engine has stopped".to_owned())
}

impl Store for Embedded {
    fn load<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            match (self.readers.load(intent).await?, look) {
                // A write judged before that end may be on its way to the disk: stand in line.
                (Seen::TimePassed(_), Look::Fresh) => {
                    Ok(self.ask(intent.clone(), Call::Look).await?.map(|stored| *stored))
                }
                (Seen::Firm(stored) | Seen::TimePassed(stored), _) => Ok(stored),
            }
        })
    }

    fn compare_and_set<'a>(&'a self, intent: &'a IntentId, write: &'a Write) -> Answer<'a, Set> {
        Box::pin(async move {
            let proposal = Box::new(Proposal::new(intent, write));
            match self.ask(proposal, Call::Set).await? {
                // A grant that is over before it can be told is no grant.
                Applied::Written { lease_end: Some(end) } if end <= self.clock.now() => {
                    Ok(Set::Lost(self.load(intent, Look::Fresh).await?))
                }
                Applied::Written { .. } => Ok(Set::Applied),
                Applied::Lost(standing) => Ok(Set::Lost(standing.map(|stored| *stored))),
            }
        })
    }

    fn unreconciled<'a>(&'a self, scope: &'a Scope, page: &'a Page) -> Answer<'a, Listing> {
        let (scope, page) = (scope.clone(), page.clone());
        Box::pin(
            self.readers.read(move |file, now| listings::unreconciled(file, &scope, &page, now)),
        )
    }

    fn late_reports<'a>(
        &'a self,
        scope: &'a Scope,
        since: Timestamp,
        page: &'a Page,
    ) -> Answer<'a, Listing> {
        let (scope, page) = (scope.clone(), page.clone());
        Box::pin(
            self.readers
                .read(move |file, now| listings::late_reports(file, &scope, since, &page, now)),
        )
    }

    fn find<'a>(&'a self, namespace: &'a str, by: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        let (namespace, by) = (namespace.to_owned(), by.clone());
        let names = Arc::clone(&self.names);
        Box::pin(
            self.readers.read(move |file, now| listings::find(file, &names, &namespace, &by, now)),
        )
    }

    fn any_unsettled<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, bool> {
        let (namespace, operation) = (namespace.to_owned(), operation.to_owned());
        Box::pin(
            self.readers
                .read(move |file, now| listings::any_unsettled(file, &namespace, &operation, now)),
        )
    }

    fn memory<'a>(&'a self, namespace: &'a str, operation: &'a str) -> Answer<'a, Option<Memory>> {
        let (namespace, operation) = (namespace.to_owned(), operation.to_owned());
        Box::pin(self.readers.read(move |file, _| memory::read(file, &namespace, &operation)))
    }

    fn set_memory<'a>(
        &'a self,
        namespace: &'a str,
        operation: &'a str,
        expected: Option<Revision>,
        memory: &'a Memory,
    ) -> Answer<'a, Memory> {
        let proposal = memory::Proposal {
            namespace: namespace.to_owned(),
            operation: operation.to_owned(),
            expected,
            memory: memory.clone(),
        };
        Box::pin(self.ask(Box::new(proposal), Call::SetMemory))
    }

    fn scan<'a>(&'a self, namespace: Option<&'a str>, page: &'a Page) -> Answer<'a, Listing> {
        let (namespace, page) = (namespace.map(str::to_owned), page.clone());
        Box::pin(
            self.readers
                .read(move |file, now| listings::scan(file, namespace.as_deref(), &page, now)),
        )
    }

    fn memories<'a>(&'a self, namespace: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        let namespace = namespace.map(str::to_owned);
        Box::pin(self.readers.read(move |file, _| memory::all(file, namespace.as_deref())))
    }

    fn clock_bound(&self) -> Duration {
        Duration::ZERO
    }

    fn trouble(&self) -> Option<Trouble> {
        if self.poison.is_cancelled() {
            return Some(Trouble::Stopped);
        }
        self.full.load(Ordering::Acquire).then_some(Trouble::DiskReserve)
    }
}

#[cfg(test)]
mod tests;
