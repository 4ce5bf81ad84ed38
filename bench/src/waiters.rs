//! The memory of onced with many Claims that wait for others' outcomes.

use std::{fmt, path::PathBuf, time::Duration};

use anyhow::{Result, bail, ensure};
use clap::Args;
use onced_proto::v1::{ClaimRequest, InProgressStrategy, ruling::Verdict};
use serde::Serialize;
use tokio::{task::JoinSet, time::Instant};

use crate::{
    claims::{Claims, fresh_key, request_of},
    contender::{Contender as _, Onced},
    usage::Usage,
};

/// What it is to stay below, with everything in it.
const RESIDENT_MAX_MIB: u64 = 200;
/// Below what an HTTP/2 server lets be under way on one connection.
const WAITERS_PER_CONNECTION: usize = 100;
/// Fewer than the Claims that a server lets be under way before they wait.
const WAVE: usize = 1_000;

/// Claims that wait on keys which others hold.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many.
    #[arg(long, default_value_t = 10_000)]
    waiters: usize,
    /// On how many held keys.
    #[arg(long, default_value_t = 100)]
    held: usize,
    /// Settled keys that are there before.
    #[arg(long, default_value_t = 0)]
    keys_before: u64,
    /// Where the files go; a folder of their own is made and removed.
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was seen.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    waiters: usize,
    held: usize,
    keys_before: u64,
    /// Memory of the server, in MiB: after its start,
    started_mib: u64,
    /// with all of them waiting,
    waiting_mib: u64,
    /// and after all have their answers.
    answered_mib: u64,
    /// Seconds from the first report of an outcome to the last answer.
    answered_seconds: f64,
}

/// Holds keys, lets others wait, tells the outcomes, and counts that all heard of them.
pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let folder = tempfile::Builder::new().prefix("onced-bench-").tempdir_in(&arguments.folder)?;
    let onced = Onced::start(folder.path(), arguments.keys_before).await?;
    let started_mib = resident_mib(&onced)?;
    let connections = arguments.waiters.div_ceil(WAITERS_PER_CONNECTION) + 1;
    let claims = Claims::connect_by(onced.address, connections).await?;
    let held = hold(&claims, arguments.held).await?;
    let mut waiting = JoinSet::new();
    for waiter in 0..arguments.waiters {
        let key = held[waiter % held.len()].0.clone();
        let claims = claims.clone();
        waiting.spawn(async move { claims.ask(waiter, wait_for(&key)).await });
        if waiting.len() % WAVE == 0 {
            all_wait(&onced, waiting.len()).await?;
        }
    }
    all_wait(&onced, arguments.waiters).await?;
    let waiting_mib = resident_mib(&onced)?;
    let end = Instant::now();
    for (key, token) in &held {
        // The last connection has no waiters on it.
        claims.complete(connections - 1, key, *token, String::new()).await?;
    }
    while let Some(answer) = waiting.join_next().await {
        let verdict = answer??;
        ensure!(matches!(verdict, Some(Verdict::Completed(_))), "not heard of: {verdict:?}");
    }
    Ok(Report {
        waiters: arguments.waiters,
        held: held.len(),
        keys_before: arguments.keys_before,
        started_mib,
        waiting_mib,
        answered_mib: resident_mib(&onced)?,
        answered_seconds: end.elapsed().as_secs_f64(),
    })
}

async fn hold(claims: &Claims, count: usize) -> Result<Vec<(String, i64)>> {
    let mut held = Vec::new();
    for _ in 0..count {
        let key = fresh_key();
        let token = claims.granted(0, &key).await?;
        held.push((key, token));
    }
    Ok(held)
}

fn wait_for(key: &str) -> ClaimRequest {
    ClaimRequest { in_progress_strategy: InProgressStrategy::Wait.into(), ..request_of(key) }
}

/// Returns once the server counts all of them as waiting.
async fn all_wait(onced: &Onced, count: usize) -> Result<()> {
    let end = Instant::now() + Duration::from_secs(8);
    loop {
        let waiting = onced.metrics().await?.sum("onced_waiters", "");
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        if waiting >= count as f64 {
            return Ok(());
        }
        if Instant::now() > end {
            bail!("of {count} Claims only {waiting} wait");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn resident_mib(onced: &Onced) -> Result<u64> {
    Ok(Usage::of(&onced.processes())?.resident_bytes >> 20)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiters, held, keys_before, .. } = self;
        writeln!(f, "{waiters} waiting Claims on {held} held keys, {keys_before} keys before")?;
        writeln!(f, "| | MiB |\n|---|---|")?;
        writeln!(f, "| after the start | {} |", self.started_mib)?;
        writeln!(f, "| all waiting | {} |", self.waiting_mib)?;
        writeln!(f, "| all answered | {} |", self.answered_mib)?;
        let is_kept = if self.waiting_mib < RESIDENT_MAX_MIB { "kept" } else { "missed" };
        writeln!(f, "\nBelow {RESIDENT_MAX_MIB} MiB is wanted: {is_kept}.")?;
        write!(f, "All had the outcome {:.2} s after the first report.", self.answered_seconds)
    }
}
