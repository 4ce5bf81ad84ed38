//! How much of the processors this process and the nodes used, as the kernel counts it.

use std::fs;

use anyhow::{Context, Result};

/// In hundredths of a second, as Linux tells it everywhere.
const TICK_MICROS: u64 = 10_000;

/// Processor time, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cpu {
    /// Of this process: the callers, and onced where it takes part.
    pub(super) own: u64,
    /// Of the nodes together.
    pub(super) nodes: u64,
}

impl Cpu {
    pub(super) fn now(nodes: &[u32]) -> Result<Self> {
        let of_nodes = nodes.iter().map(|pid| used(&pid.to_string()));
        Ok(Self { own: used("self")?, nodes: of_nodes.sum::<Result<u64>>()? })
    }

    pub(super) fn since(self, before: Self) -> Self {
        Self { own: self.own - before.own, nodes: self.nodes - before.nodes }
    }
}

fn used(process: &str) -> Result<u64> {
    let told = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may have spaces in it.
    let (_, fields) = told.rsplit_once(") ").context("not as the kernel writes it")?;
    let mut ticks = fields.split(' ').skip(11).map(str::parse::<u64>);
    let user = ticks.next().context("no user time")??;
    let system = ticks.next().context("no system time")??;
    Ok((user + system) * TICK_MICROS)
}
