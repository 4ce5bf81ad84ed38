//! What was seen with so many in flight, beside the raw conditional write.

use std::fmt;

use serde::Serialize;

use super::{contender::Contender, cpu::Cpu};
use crate::measure::{Slice, median};

/// One for each number of callers.
#[derive(Debug, Serialize)]
pub(crate) struct Tables(pub(super) Vec<Table>);

/// All slices with as many in flight.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    in_flight: usize,
    rows: Vec<Row>,
}

/// A contender and its slices, one for each round.
#[derive(Debug, Serialize)]
struct Row {
    contender: Contender,
    slices: Vec<Measured>,
}

#[derive(Clone, Debug, Serialize)]
struct Measured {
    #[serde(flatten)]
    slice: Slice,
    /// Processor time of this process for each call, in microseconds.
    own_cpu: f64,
    /// The same of the nodes together.
    nodes_cpu: f64,
}

impl Table {
    pub(super) fn new(in_flight: usize) -> Self {
        let row = |contender| Row { contender, slices: Vec::new() };
        Self { in_flight, rows: Contender::ALL.map(row).into() }
    }

    pub(super) fn push(&mut self, contender: Contender, slice: Slice, cpu: Cpu) {
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
        let [calls, own, nodes] = [slice.calls, cpu.own, cpu.nodes].map(|count| count as f64);
        let measured = Measured { slice, own_cpu: own / calls, nodes_cpu: nodes / calls };
        for row in self.rows.iter_mut().filter(|row| row.contender == contender) {
            row.slices.push(measured.clone());
        }
    }

    /// The middle over the rounds of a figure over that of the raw conditional write.
    fn ratio(&self, row: &Row, figure: impl Fn(&Measured) -> f64) -> f64 {
        let raw = &self.rows[0].slices;
        median(row.slices.iter().zip(raw).map(|(it, raw)| figure(it) / figure(raw)))
    }
}

impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|table| writeln!(f, "{table}"))
    }
}

impl Row {
    fn middle(&self, figure: impl Fn(&Measured) -> f64) -> f64 {
        median(self.slices.iter().map(figure))
    }
}

#[expect(clippy::cast_precision_loss, reason = "microseconds far below 2^52")]
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = "per second | of raw | p50 ms | of raw | p99 ms | own CPU µs | nodes' CPU µs";
        writeln!(f, "| {} in flight | {columns} |", self.in_flight)?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for row in &self.rows {
            writeln!(
                f,
                "| {} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} |",
                row.contender.name(),
                row.middle(|it| it.slice.per_second),
                self.ratio(row, |it| it.slice.per_second),
                row.middle(|it| it.slice.p50_micros as f64 / 1e3),
                self.ratio(row, |it| it.slice.p50_micros as f64),
                row.middle(|it| it.slice.p99_micros as f64 / 1e3),
                row.middle(|it| it.own_cpu),
                row.middle(|it| it.nodes_cpu),
            )?;
        }
        Ok(())
    }
}
