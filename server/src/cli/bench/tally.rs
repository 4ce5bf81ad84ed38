//! What was measured: latencies by call, and failures by code.

use std::{collections::BTreeMap, time::Duration};

use hdrhistogram::Histogram;

/// Longest latency that is told apart, in microseconds: ten minutes.
const MICROS_MAX: u64 = 600_000_000;

/// What one worker, or all of them, measured.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Intents, or duplicates, that were worked off.
    pub(super) intents: u64,
    /// Records that stand in the store now, and did not before.
    pub(super) records: u64,
    /// By the name of the call.
    pub(super) calls: BTreeMap<&'static str, Histogram<u64>>,
    /// How often, by code.
    pub(super) errors: BTreeMap<String, u64>,
}

impl Tally {
    /// A call was answered.
    pub(super) fn answered(&mut self, call: &'static str, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(MICROS_MAX);
        self.calls.entry(call).or_insert_with(latencies).saturating_record(micros.max(1));
    }

    /// A call, or a part of it, failed.
    pub(super) fn failed(&mut self, code: String) {
        *self.errors.entry(code).or_default() += 1;
    }

    /// How often something failed.
    pub(super) fn failures(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Takes in what another one has.
    pub(super) fn join(&mut self, other: Self) {
        self.intents += other.intents;
        self.records += other.records;
        for (call, took) in other.calls {
            let own = self.calls.entry(call).or_insert_with(latencies);
            own.add(took).unwrap_or_else(|_| unreachable!("all have the same bounds"));
        }
        for (code, times) in other.errors {
            *self.errors.entry(code).or_default() += times;
        }
    }
}

fn latencies() -> Histogram<u64> {
    Histogram::new_with_bounds(1, MICROS_MAX, 3)
        .unwrap_or_else(|_| unreachable!("bounds and precision are fixed"))
}
