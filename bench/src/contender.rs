//! What takes part: one trait for every system, so that each gets the very same questions.
//!
//! A contender answers for itself how it does a kind of work and when it counts something as
//! durable. Where it has no honest equivalent it says so, and is left out of that work.

use std::{future::Future, path::Path, pin::Pin};

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde::Serialize;

mod echo;
mod etcd;
mod http;
mod journal;
mod metrics;
mod onced;
mod postgres;
mod redis;
mod restate;
mod temporal;
mod unary;

pub(crate) use self::{metrics::Operations, onced::Onced};

/// A future of what a contender answers.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Work {
    /// A claim of a key that nobody has used.
    Fresh,
    /// The same, and the report of its success: one effect.
    Settle,
    /// A claim of what is settled.
    Duplicate,
    /// A thousand claims of one fresh key at once.
    Stampede,
    /// A hundred fresh claims in one call.
    Batch,
}

/// Claims of one stampede.
pub(crate) const STAMPEDE: usize = 1_000;
/// Claims of one batch.
pub(crate) const BATCH: usize = 100;

impl Work {
    /// All, as the command line calls them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ["fresh", "settle", "duplicate", "stampede", "batch"].into_iter()
    }

    /// As tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh claim",
            Self::Settle => "claim + complete",
            Self::Duplicate => "settled duplicate",
            Self::Stampede => "stampede of 1 000",
            Self::Batch => "batch of 100",
        }
    }

    /// How many keys one call is about.
    pub(crate) fn keys_per_call(self) -> usize {
        if self == Self::Batch { BATCH } else { 1 }
    }

    /// How many callers: a batch holds many claims, so that fewer are needed to fill a server.
    pub(crate) fn callers(self, in_flight: usize) -> usize {
        match self {
            Self::Fresh | Self::Settle | Self::Duplicate => in_flight,
            Self::Stampede => STAMPEDE,
            Self::Batch => in_flight.div_ceil(8),
        }
    }
}

/// What is said of a contender once.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct About {
    /// As it tells its version.
    pub(crate) version: String,
    /// When it counts something as durable.
    pub(crate) durability: &'static str,
    /// How it is called.
    pub(crate) clients: &'static str,
    /// Whether it holds the keys that are to be there before.
    pub(crate) is_loaded: bool,
}

/// One system under comparison.
pub(crate) trait Contender: Send + Sync {
    /// What is to be said of it.
    fn about(&self) -> About;

    /// How it does a kind of work; nothing where it has no honest equivalent.
    fn form(&self, work: Work) -> Option<&'static str>;

    /// Claims a key; whether this call was the one that won it.
    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool>;

    /// Claims a fresh key and reports its success; fails if it is not won.
    fn settle<'a>(&'a self, _caller: usize, _key: &'a str) -> Answer<'a, ()> {
        Box::pin(async { bail!("it has no outcomes") })
    }

    /// Claims a settled key; fails unless the answer has its outcome.
    fn duplicate<'a>(&'a self, _caller: usize, _key: &'a str) -> Answer<'a, ()> {
        Box::pin(async { bail!("it has no outcomes") })
    }

    /// Claims many fresh keys in one call; how many were won.
    fn batch<'a>(&'a self, _caller: usize, _keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(async { bail!("it has no batches") })
    }

    /// Its processes, whose children count too; none if it works in this one.
    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Whether it tells a claim that wins from one that does not: floors do not.
    fn judges(&self) -> bool {
        true
    }

    /// What it asked of its store so far, if it counts that.
    fn operations(&self) -> Answer<'_, Option<Operations>> {
        Box::pin(async { Ok(None) })
    }
}

/// Who can take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The floor of the wire.
    Echo,
    /// The floor of the disk.
    Fdatasync,
    /// onced on the embedded engine, a process of its own.
    Onced,
    /// Redis, every write on disk.
    Redis,
    /// PostgreSQL, a table with a primary key.
    Postgres,
    /// etcd, one node.
    Etcd,
    /// Restate, one node, idempotency keys.
    Restate,
    /// Temporal's server for development, workflow ids.
    Temporal,
}

impl Kind {
    /// All, as the command line calls them.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ["echo", "fdatasync", "onced", "redis", "postgres", "etcd", "restate", "temporal"]
            .into_iter()
    }

    /// As tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Fdatasync => "fdatasync",
            Self::Onced => "onced",
            Self::Redis => "Redis",
            Self::Postgres => "PostgreSQL",
            Self::Etcd => "etcd",
            Self::Restate => "Restate",
            Self::Temporal => "Temporal",
        }
    }

    /// Starts it in a folder of its own, with so many settled keys if it can be given them.
    pub(crate) async fn start(self, folder: &Path, keys: u64) -> Result<Box<dyn Contender>> {
        Ok(match self {
            Self::Echo => Box::new(echo::Echo::start().await?),
            Self::Fdatasync => Box::new(journal::Journal::create(&folder.join("journal"))?),
            Self::Onced => Box::new(Onced::start(folder, keys).await?),
            Self::Redis => Box::new(redis::Redis::start(folder, keys).await?),
            Self::Postgres => Box::new(postgres::Postgres::start(folder, keys).await?),
            Self::Etcd => Box::new(etcd::Etcd::start(folder).await?),
            Self::Restate => Box::new(restate::Restate::start(folder).await?),
            Self::Temporal => Box::new(temporal::Temporal::start(folder).await?),
        })
    }
}
