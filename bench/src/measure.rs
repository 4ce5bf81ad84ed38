//! Closed-loop load: so many callers, each sending its next call when the last was answered, for a
//! bounded time.

use std::{future::Future, time::Duration};

use anyhow::Result;
use hdrhistogram::Histogram;
use serde::Serialize;
use tokio::{task::JoinSet, time::Instant};

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
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let per_second = all.len() as f64 / start.elapsed().as_secs_f64();
    Ok(Slice {
        calls: all.len(),
        per_second,
        p50_micros: all.value_at_quantile(0.50),
        p99_micros: all.value_at_quantile(0.99),
    })
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
