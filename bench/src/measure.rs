//! Closed-loop load: so many callers, each sending its next call when the last was answered, for a
//! bounded time.

use std::{future::Future, sync::Arc, time::Duration};

use anyhow::{Result, ensure};
use hdrhistogram::Histogram;
use serde::Serialize;
use tokio::{task::JoinSet, time::Instant};

use crate::{
    claims::fresh_key,
    contender::{Contender, STAMPEDE},
};

/// One slice of load on one contender.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Slice {
    /// Calls answered.
    pub(crate) calls: u64,
    /// Calls answered per second.
    pub(crate) per_second: f64,
    /// Median latency, in microseconds.
    pub(crate) p50_micros: u64,
    /// 99th percentile, in microseconds.
    pub(crate) p99_micros: u64,
}

impl Slice {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn of(latencies: &Histogram<u64>, elapsed: Duration) -> Self {
        Self {
            calls: latencies.len(),
            per_second: latencies.len() as f64 / elapsed.as_secs_f64(),
            p50_micros: latencies.value_at_quantile(0.50),
            p99_micros: latencies.value_at_quantile(0.99),
        }
    }
}

/// Runs `call` in `callers` loops for `span`; any call that fails ends the run.
pub(crate) async fn load<C, F>(callers: usize, span: Duration, call: C) -> Result<Slice>
where
    C: Fn(usize) -> F + Clone + Send + 'static,
    F: Future<Output = Result<()>> + Send,
{
    let start = Instant::now();
    let end = start + span;
    let mut loops = JoinSet::new();
    for caller in 0..callers {
        let call = call.clone();
        loops.spawn(async move {
            let mut latencies = latencies()?;
            while Instant::now() < end {
                let sent = Instant::now();
                call(caller).await?;
                latencies.record(u64::try_from(sent.elapsed().as_micros())?)?;
            }
            anyhow::Ok(latencies)
        });
    }
    let mut all = latencies()?;
    while let Some(done) = loops.join_next().await {
        all.add(done??)?;
    }
    Ok(Slice::of(&all, start.elapsed()))
}

/// Runs one stampede after the other for `span`: all claim one fresh key at the same moment, and
/// exactly one may win it.
pub(crate) async fn stampede(span: Duration, contender: Arc<dyn Contender>) -> Result<Slice> {
    let start = Instant::now();
    let mut all = latencies()?;
    while start.elapsed() < span {
        let key: Arc<str> = fresh_key().into();
        let mut callers = JoinSet::new();
        for caller in 0..STAMPEDE {
            let (contender, key) = (Arc::clone(&contender), Arc::clone(&key));
            callers.spawn(async move {
                let sent = Instant::now();
                let won = contender.claim(caller, &key).await?;
                anyhow::Ok((won, u64::try_from(sent.elapsed().as_micros())?))
            });
        }
        let mut winners = 0;
        while let Some(done) = callers.join_next().await {
            let (won, micros) = done??;
            winners += usize::from(won);
            all.record(micros)?;
        }
        ensure!(winners == 1 || !contender.judges(), "a key was won by {winners} callers");
    }
    Ok(Slice::of(&all, start.elapsed()))
}

fn latencies() -> Result<Histogram<u64>> {
    Ok(Histogram::new_with_bounds(1, 60_000_000, 3)?)
}

/// The middle of the values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
