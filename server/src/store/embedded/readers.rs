//! A few connections that only read, beside the writer.
//!
//! What was answered before is seen: each look is a snapshot of its own, taken after the call came.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{
    fault::Fault,
    folder::{Folder, OpenError},
    names::Names,
    rows::{self, WHOLE},
    schema, stopped,
};
use crate::{
    clock::{Clock, Timestamp},
    intent::IntentId,
    store::{Error, Stored},
};

/// The connections that nobody uses just now.
#[derive(Debug)]
pub(super) struct Readers {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
    names: Arc<Names>,
    clock: Arc<dyn Clock>,
    poison: CancellationToken,
}

/// What a look saw.
pub(super) enum Seen {
    /// It was so at one moment of the look.
    Firm(Option<Stored>),
    /// Something ended by time alone; a write judged before that end may still be under way.
    TimePassed(Option<Stored>),
}

impl Readers {
    pub(super) fn open(
        folder: &Folder,
        names: &Arc<Names>,
        count: usize,
        clock: &Arc<dyn Clock>,
        poison: &CancellationToken,
    ) -> Result<Arc<Self>, OpenError> {
        let idle: Vec<_> =
            (0..count.max(1)).map(|_| schema::connect_reader(folder)).collect::<Result<_, _>>()?;
        Ok(Arc::new(Self {
            permits: Arc::new(Semaphore::new(idle.len())),
            idle: Mutex::new(idle),
            names: Arc::clone(names),
            clock: Arc::clone(clock),
            poison: poison.clone(),
        }))
    }

    /// The record of an intent.
    pub(super) async fn load(self: &Arc<Self>, intent: &IntentId) -> Result<Seen, Error> {
        let (intent, clock) = (intent.clone(), Arc::clone(&self.clock));
        let names = Arc::clone(&self.names);
        self.read(move |file, _| {
            let row = rows::of(file, &names, &intent, WHOLE)?;
            // Judged after the row was read: a lease that is live now was live then.
            let now = clock.now();
            match row {
                Some(row) if row.ends.any_has_come(now) => Ok(Seen::TimePassed(row.stored(now)?)),
                Some(row) => Ok(Seen::Firm(row.stored(now)?)),
                None => Ok(Seen::Firm(None)),
            }
        })
        .await
    }

    /// Does `work` on a connection, at the time of its start.
    pub(super) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection, Timestamp) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Error> {
        if self.poison.is_cancelled() {
            return Err(stopped());
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| stopped())?;
        let readers = Arc::clone(self);
        let read = tokio::task::spawn_blocking(move || {
            let answer = readers.work(work);
            // Not before: whoever asked may be gone, and the connection still in use.
            drop(permit);
            answer
        });
        read.await.map_err(|cause| Error::Unavailable(cause.to_string()))?
    }

    fn work<T>(
        &self,
        work: impl FnOnce(&Connection, Timestamp) -> Result<T, Fault>,
    ) -> Result<T, Error> {
        let file = self.idle().pop().ok_or_else(stopped)?;
        let answer = work(&file, self.clock.now());
        self.idle().push(file);
        Ok(answer?)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
