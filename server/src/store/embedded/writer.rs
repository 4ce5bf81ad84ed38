//! The one writer: takes all that waits, applies it in one transaction, commits, then answers.
//!
//! Never answers before the commit, refusals too: they may show what the same group wrote. Never
//! goes on after a commit that failed: only opening the file again tells what is on disk.

use std::{
    io,
    sync::{
        Arc,
        atomic::AtomicBool,
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
};

use rusqlite::Connection;
use tokio_util::sync::CancellationToken;

use self::transaction::Failure;
use super::{
    Options,
    call::Call,
    folder::{Folder, OpenError},
    high_water,
    names::Names,
    reserve::Reserve,
    stopped,
    sweeper::{self, Sweeper},
};
use crate::{
    clock::{Clock, Timestamp},
    store::Error,
};

mod checkpoint;
mod size_limit;
mod transaction;

/// Most calls of one group.
const GROUP_CALLS_MAX: usize = 512;
/// About the most bytes of one group.
const GROUP_BYTES_MAX: u64 = 16 << 20;

/// About how many bytes of pages every group logs, however small it is.
const GROUP_PAGES: u64 = 48 << 10;

/// The owner of the connection that writes.
pub(super) struct Writer {
    file: Connection,
    names: Arc<Names>,
    clock: Arc<dyn Clock>,
    poison: CancellationToken,
    reserve: Reserve,
    size_limit: Option<u64>,
    reserve_bytes: u64,
    sweeper: Sweeper,
    logged_bytes: u64,
}

impl Writer {
    /// Takes the connection over, and counts live leases anew.
    pub(super) fn new(
        file: Connection,
        names: &Arc<Names>,
        folder: &Folder,
        options: &Options,
        clock: &Arc<dyn Clock>,
        poison: &CancellationToken,
    ) -> Result<Self, OpenError> {
        high_water::start(&file, clock.now()).map_err(OpenError::from_sqlite)?;
        let writer = Self {
            file,
            names: Arc::clone(names),
            clock: Arc::clone(clock),
            poison: poison.clone(),
            reserve: Reserve::keep(folder.reserve(), options.reserve_bytes),
            size_limit: options.size_limit_bytes,
            reserve_bytes: options.reserve_bytes,
            sweeper: Sweeper::new(options.sweep_interval),
            logged_bytes: 0,
        };
        size_limit::set(&writer.file, writer.size_limit).map_err(OpenError::from_sqlite)?;
        Ok(writer)
    }

    /// Whether the disk was last found full.
    pub(super) fn fullness(&self) -> Arc<AtomicBool> {
        self.reserve.reached()
    }

    /// Works on a thread of its own until no more calls can come.
    pub(super) fn start(self, calls: Receiver<Call>) -> io::Result<JoinHandle<()>> {
        // However the thread ends, nobody is to wait for it.
        let end = self.poison.clone().drop_guard();
        thread::Builder::new().name("onced-writer".to_owned()).spawn(move || {
            let _end = end;
            self.run(&calls);
        })
    }

    fn run(mut self, calls: &Receiver<Call>) {
        loop {
            match calls.recv_timeout(self.sweeper.patience()) {
                Ok(first) => self.serve(gather(first, calls)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if !self.is_poisoned() {
                self.keep_house();
            }
        }
        self.close();
    }

    fn serve(&mut self, group: Vec<Call>) {
        if self.is_poisoned() {
            return refuse(group, &stopped());
        }
        let mut group = self.without_grants_if_full(group);
        match self.apply(&mut group) {
            Err(Failure::Full) => self.serve_on_reserve(group),
            done => self.answer(group, done),
        }
    }

    /// The disk is full: reports are taken on the reserve, grants are not.
    fn serve_on_reserve(&mut self, group: Vec<Call>) {
        self.reserve.reach();
        let mut group = self.without_grants_if_full(group);
        if group.is_empty() {
            return;
        }
        self.release_reserve();
        let done = self.checkpoint().and_then(|()| self.apply(&mut group));
        self.answer(group, done);
    }

    fn without_grants_if_full(&self, group: Vec<Call>) -> Vec<Call> {
        if !self.reserve.is_reached() {
            return group;
        }
        let (grants, rest) = group.into_iter().partition(Call::is_grant);
        refuse(grants, &full());
        rest
    }

    fn answer(&mut self, group: Vec<Call>, done: Result<(), Failure>) {
        match done {
            Ok(()) => group.into_iter().for_each(Call::answer),
            Err(failure) => {
                let error = self.judge(failure);
                refuse(group, &error);
            }
        }
    }

    fn apply(&mut self, group: &mut [Call]) -> Result<(), Failure> {
        let (clock, names) = (&self.clock, &self.names);
        let slice = names.slice(self.pace(group.len()));
        let before = self.file.total_changes();
        let done = transaction::commit(&self.file, |file| {
            for call in &mut *group {
                transaction::step(file, names, || call.apply(file, names, clock.now()))?;
            }
            slice.write(file)?;
            let wrote = file.total_changes() > before;
            if wrote { high_water::write(file, clock.now()) } else { Ok(()) }
        });
        if let Err(failure) = done {
            names.undo(0);
            return Err(failure);
        }
        names.committed(&slice);
        self.logged_bytes += GROUP_PAGES + group.iter().map(Call::weight).sum::<u64>();
        Ok(())
    }

    /// How many names are merged with so many calls: more than they can bring, and none on a disk
    /// that is full.
    fn pace(&self, calls: usize) -> usize {
        if self.reserve.is_reached() { 0 } else { 2 * calls }
    }

    /// What a failure means to those who asked; some mean the end of the engine.
    fn judge(&mut self, failure: Failure) -> Error {
        match failure {
            Failure::Busy => Error::Unavailable("another connection holds the file".to_owned()),
            Failure::Full => {
                self.reserve.reach();
                full()
            }
            Failure::Undone(cause) => {
                self.end(&cause);
                Error::Unavailable(cause.to_string())
            }
            Failure::Uncertain(cause) => {
                self.end(&cause);
                Error::Uncertain(cause.to_string())
            }
        }
    }

    fn end(&self, cause: &rusqlite::Error) {
        tracing::error!(%cause, "the engine stops: what is on disk shows when it is opened again");
        self.poison.cancel();
    }

    fn is_poisoned(&self) -> bool {
        self.poison.is_cancelled()
    }

    fn release_reserve(&mut self) {
        self.reserve.release();
        self.limit_size(self.size_limit.map(|limit| limit + self.reserve_bytes));
    }

    fn restore_reserve(&mut self) {
        if self.reserve.is_reached() {
            self.reserve.restore();
            self.limit_size(self.size_limit);
        }
    }

    fn limit_size(&self, limit: Option<u64>) {
        if let Err(cause) = size_limit::set(&self.file, limit) {
            tracing::warn!(%cause, "the size limit stays as it was");
        }
    }

    /// What is done between groups.
    fn keep_house(&mut self) {
        let mut done = self.checkpoint();
        if done.is_ok() && self.sweeper.patience().is_zero() {
            self.sweeper.start();
            self.restore_reserve();
            done = self.sweep(self.clock.now());
        }
        if let Err(failure) = done {
            // Nobody asked; the judgement alone matters.
            let _ = self.judge(failure);
        }
    }

    fn sweep(&mut self, now: Timestamp) -> Result<(), Failure> {
        if sweeper::is_needed(&self.file, now)? || high_water::is_behind(&self.file, now)? {
            let mut swept = 0;
            transaction::commit(&self.file, |file| {
                swept = sweeper::slice(file, now)?;
                high_water::write(file, now)
            })?;
            self.sweeper.swept(swept);
        }
        Ok(())
    }

    fn close(mut self) {
        if self.is_poisoned() {
            return;
        }
        let now = self.clock.now();
        if let Err(failure) = transaction::commit(&self.file, |file| high_water::write(file, now)) {
            let _ = self.judge(failure);
        }
    }
}

/// Everything that waits, within bounds.
fn gather(first: Call, calls: &Receiver<Call>) -> Vec<Call> {
    let mut bytes = first.weight();
    let mut group = vec![first];
    while group.len() < GROUP_CALLS_MAX && bytes < GROUP_BYTES_MAX {
        let Ok(next) = calls.try_recv() else { break };
        bytes += next.weight();
        group.push(next);
    }
    group
}

fn refuse(group: Vec<Call>, error: &Error) {
    for call in group {
        call.refuse(error.clone());
    }
}

fn full() -> Error {
    Error::Unavailable("the disk is full up to its reserve".to_owned())
}
