//! One contender in a run: what it has settled, and its slices of load.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Result, ensure};
use tokio::task::JoinSet;

use super::row::Measured;
use crate::{
    claims::fresh_key,
    contender::{BATCH, Contender, Kind, Work},
    keys,
    measure::{Slice, load, stampede},
    usage::Usage,
};

const SETTLING: usize = 32;

/// One that takes part.
pub(super) struct Entrant {
    pub(super) kind: Kind,
    pub(super) contender: Arc<dyn Contender>,
    known: Arc<Known>,
}

/// Keys that are settled there.
struct Known {
    loaded: u64,
    settled: Vec<String>,
    turn: AtomicU64,
}

impl Known {
    /// Of those that were there before any; of those that it settled itself one after the other.
    fn next(&self) -> String {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        if self.loaded > 0 {
            return keys::any_loaded(turn, self.loaded);
        }
        let place = usize::try_from(turn).unwrap_or_default() % self.settled.len().max(1);
        self.settled.get(place).cloned().unwrap_or_else(fresh_key)
    }
}

impl Entrant {
    /// Starts it, and settles keys where it was given none.
    pub(super) async fn start(kind: Kind, folder: &Path, keys: u64, count: usize) -> Result<Self> {
        let contender: Arc<dyn Contender> = kind.start(folder, keys).await?.into();
        let loaded = if contender.about().is_loaded { keys } else { 0 };
        let has_outcomes = contender.judges() && contender.form(Work::Duplicate).is_some();
        let count = if loaded == 0 && has_outcomes { count } else { 0 };
        let settled = settle(&contender, count).await?;
        let known = Arc::new(Known { loaded, settled, turn: AtomicU64::new(0) });
        Ok(Self { kind, contender, known })
    }

    /// One slice of load, and what the processors and the memory had to do with it.
    pub(super) async fn slice(
        &self,
        work: Work,
        in_flight: usize,
        span: Duration,
    ) -> Result<Option<Measured>> {
        let Some(_) = self.contender.form(work) else { return Ok(None) };
        let servers = self.contender.processes();
        let operations = self.contender.operations().await?;
        let (own, before) = (Usage::own_cpu_micros()?, Usage::of(&servers)?);
        let slice = self.load(work, in_flight, span).await?;
        let (own, after) = (Usage::own_cpu_micros()? - own, Usage::of(&servers)?);
        let asked = match (operations, self.contender.operations().await?) {
            (Some(before), Some(after)) => Some(after.since(before)),
            _ => None,
        };
        let spent = Usage { cpu_micros: after.cpu_micros - before.cpu_micros, ..after };
        let spent = (!servers.is_empty()).then_some(spent);
        Ok(Some(Measured::of(work, slice, own, spent, asked)))
    }

    async fn load(&self, work: Work, in_flight: usize, span: Duration) -> Result<Slice> {
        let (contender, known) = (Arc::clone(&self.contender), Arc::clone(&self.known));
        if work == Work::Stampede {
            return stampede(span, contender).await;
        }
        let call = move |caller| {
            let (contender, known) = (Arc::clone(&contender), Arc::clone(&known));
            async move { once(&*contender, &known, work, caller).await }
        };
        load(work.callers(in_flight), span, call).await
    }
}

async fn once(contender: &dyn Contender, known: &Known, work: Work, caller: usize) -> Result<()> {
    match work {
        Work::Fresh | Work::Stampede => {
            ensure!(contender.claim(caller, &fresh_key()).await?, "a fresh key was not won");
        }
        Work::Settle => contender.settle(caller, &fresh_key()).await?,
        Work::Duplicate => contender.duplicate(caller, &known.next()).await?,
        Work::Batch => {
            let keys: Vec<String> = (0..BATCH).map(|_| fresh_key()).collect();
            let won = contender.batch(caller, &keys).await?;
            ensure!(won == BATCH, "of {BATCH} fresh keys {won} were won");
        }
    }
    Ok(())
}

async fn settle(contender: &Arc<dyn Contender>, count: usize) -> Result<Vec<String>> {
    let mut callers = JoinSet::new();
    for caller in 0..SETTLING {
        let contender = Arc::clone(contender);
        callers.spawn(async move {
            let mut keys = Vec::new();
            for _ in 0..count.div_ceil(SETTLING) {
                let key = fresh_key();
                contender.settle(caller, &key).await?;
                keys.push(key);
            }
            anyhow::Ok(keys)
        });
    }
    let mut settled = Vec::new();
    while let Some(keys) = callers.join_next().await {
        settled.extend(keys??);
    }
    Ok(settled)
}
