//! What was seen, as a table for people and as JSON.

use std::fmt;

use serde::Serialize;

use crate::measure::{Slice, median};

/// All slices of one run, contender by contender.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// How many callers at a time.
    pub(crate) in_flight: usize,
    /// Keys in the store before the first slice.
    pub(crate) keys_before: u64,
    /// What was measured.
    pub(crate) contenders: Vec<Contender>,
}

/// One contender and its slices, in the order in which they were run.
#[derive(Debug, Serialize)]
pub(crate) struct Contender {
    /// Which.
    pub(crate) name: &'static str,
    /// One for each round.
    pub(crate) slices: Vec<Slice>,
}

impl Contender {
    /// A contender that was not run yet.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, slices: Vec::new() }
    }

    fn middle(&self, figure: impl Fn(&Slice) -> f64) -> f64 {
        median(self.slices.iter().map(figure))
    }
}

impl Report {
    /// The median over the rounds of one contender's rate over the slowest of the others' in the
    /// same round.
    pub(crate) fn ratio_to_slowest(&self, name: &str) -> f64 {
        let Some(subject) = self.contenders.iter().find(|contender| contender.name == name) else {
            return f64::NAN;
        };
        median(subject.slices.iter().enumerate().map(|(round, slice)| {
            let others = self.contenders.iter().filter(|contender| contender.name != name);
            let slowest =
                others.map(|other| other.slices[round].per_second).fold(f64::INFINITY, f64::min);
            slice.per_second / slowest
        }))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} in flight, {} keys before", self.in_flight, self.keys_before)?;
        writeln!(f, "{:<12} {:>10} {:>10} {:>10}", "", "per second", "p50 µs", "p99 µs")?;
        for contender in &self.contenders {
            #[expect(clippy::cast_precision_loss, reason = "microseconds far below 2^52")]
            let (p50, p99) = (
                contender.middle(|slice| slice.p50_micros as f64),
                contender.middle(|slice| slice.p99_micros as f64),
            );
            let rate = contender.middle(|slice| slice.per_second);
            writeln!(f, "{:<12} {rate:>10.0} {p50:>10.0} {p99:>10.0}", contender.name)?;
        }
        write!(f, "onced / slower of the others: {:.2}", self.ratio_to_slowest("onced"))
    }
}
