//! What was seen of one contender at one kind of work, slice by slice.

use std::time::Duration;

use serde::Serialize;

use crate::{
    contender::{Kind, Operations, STAMPEDE, Work},
    measure::{Slice, median},
    usage::Usage,
};

/// One slice.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Measured {
    #[serde(flatten)]
    pub(super) slice: Slice,
    /// Keys claimed, settled or asked for in a second.
    pub(super) keys_per_second: f64,
    /// Processor time of the callers for each key, in microseconds.
    pub(super) callers_cpu_micros: f64,
    /// The same of the server's processes.
    pub(super) server_cpu_micros: Option<f64>,
    /// Memory of the server's processes at the end of it, in bytes.
    pub(super) server_resident_bytes: Option<u64>,
    /// Processors that the other servers used meanwhile, though nobody called them.
    pub(super) others_processors: f64,
    /// What each stampede, or each key of other work, cost the store.
    pub(super) store: Option<Operations>,
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
impl Measured {
    pub(super) fn of(
        work: Work,
        slice: Slice,
        own_micros: u64,
        server: Option<Usage>,
        asked: Option<Operations>,
    ) -> Self {
        let keys_per_call = work.keys_per_call() as f64;
        let keys = slice.calls as f64 * keys_per_call;
        let rounds = if work == Work::Stampede { keys / STAMPEDE as f64 } else { keys };
        Self {
            keys_per_second: slice.per_second * keys_per_call,
            callers_cpu_micros: own_micros as f64 / keys,
            server_cpu_micros: server.map(|it| it.cpu_micros as f64 / keys),
            server_resident_bytes: server.map(|it| it.resident_bytes),
            others_processors: 0.0,
            store: asked.map(|asked| asked.each(rounds)),
            slice,
        }
    }

    pub(super) fn while_others(self, used_micros: u64, elapsed: Duration) -> Self {
        Self { others_processors: used_micros as f64 / elapsed.as_micros() as f64, ..self }
    }
}

/// A contender and its slices, one for each round.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) contender: Kind,
    /// How it does this work.
    pub(super) form: &'static str,
    /// The middle of its figures over the rounds, once all are over.
    pub(super) middle: Option<Middle>,
    pub(super) slices: Vec<Measured>,
}

/// Medians over the rounds. Ratios are taken within each round.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Middle {
    pub(super) keys_per_second: f64,
    pub(super) p50_millis: f64,
    pub(super) p99_millis: f64,
    pub(super) callers_cpu_micros: f64,
    pub(super) server_cpu_micros: Option<f64>,
    pub(super) server_resident_mib: Option<f64>,
    /// The rate of onced over this one's.
    pub(super) onced_rate_over_it: Option<f64>,
    /// The median latency of onced over this one's.
    pub(super) onced_p50_over_it: Option<f64>,
    /// Calls of the store for each stampede, or for each key.
    pub(super) store_calls: Option<f64>,
    pub(super) store_writes: Option<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "microseconds and bytes far below 2^52")]
impl Middle {
    /// Of a contender, beside onced if that took part.
    pub(super) fn of(row: &Row, onced: Option<&Row>) -> Self {
        let p50 = |it: &Measured| it.slice.p50_micros as f64;
        let mib = |it: &Measured| Some(it.server_resident_bytes? as f64 / 1_048_576.0);
        Self {
            keys_per_second: row.middle_of(|it| it.keys_per_second),
            p50_millis: row.middle_of(|it| p50(it) / 1e3),
            p99_millis: row.middle_of(|it| it.slice.p99_micros as f64 / 1e3),
            callers_cpu_micros: row.middle_of(|it| it.callers_cpu_micros),
            server_cpu_micros: row.middle_if_any(|it| it.server_cpu_micros),
            server_resident_mib: row.middle_if_any(mib),
            onced_rate_over_it: onced.map(|onced| onced.ratio(row, |it| it.keys_per_second)),
            onced_p50_over_it: onced.map(|onced| onced.ratio(row, p50)),
            store_calls: row.middle_if_any(|it| Some(it.store?.calls)),
            store_writes: row.middle_if_any(|it| Some(it.store?.conditional_writes)),
        }
    }
}

impl Row {
    fn middle_of(&self, figure: impl Fn(&Measured) -> f64) -> f64 {
        median(self.slices.iter().map(figure))
    }

    fn ratio(&self, other: &Self, figure: impl Fn(&Measured) -> f64) -> f64 {
        let pairs = self.slices.iter().zip(&other.slices);
        median(pairs.map(|(it, other)| figure(it) / figure(other)))
    }

    fn middle_if_any(&self, figure: impl Fn(&Measured) -> Option<f64>) -> Option<f64> {
        let seen: Vec<f64> = self.slices.iter().filter_map(figure).collect();
        (!seen.is_empty()).then(|| median(seen))
    }
}

#[cfg(test)]
mod tests;
