//! How much of the machine processes use, with all their children, as the kernel tells it.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
};

use anyhow::{Context, Result};
use serde::Serialize;

/// In hundredths of a second, as Linux tells it everywhere.
const TICK_MICROS: u64 = 10_000;

/// What some processes have used.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Usage {
    /// Processor time since their start, in microseconds; of children that have ended, too.
    pub(crate) cpu_micros: u64,
    /// Memory that they hold now, in bytes: what several of them share counts once.
    pub(crate) resident_bytes: u64,
}

impl Usage {
    /// Of these processes and all that they started.
    pub(crate) fn of(roots: &[u32]) -> Result<Self> {
        let mut sum = Self::default();
        for process in family(roots)? {
            // A child may end between two looks.
            let Ok(stat) = Stat::of(process) else { continue };
            sum.cpu_micros += stat.ticks * TICK_MICROS;
            sum.resident_bytes += resident(process).unwrap_or(0);
        }
        Ok(sum)
    }

    /// Of this very process, without its children.
    pub(crate) fn own_cpu_micros() -> Result<u64> {
        Ok(Stat::of(std::process::id())?.own_ticks * TICK_MICROS)
    }
}

/// What counts of `/proc/PID/stat`.
struct Stat {
    parent: u32,
    own_ticks: u64,
    ticks: u64,
}

impl Stat {
    fn of(process: u32) -> Result<Self> {
        let told = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name, in parentheses, may have spaces in it.
        let (_, fields) = told.rsplit_once(") ").context("not as the kernel writes it")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let number = |index: usize| -> Result<u64> {
            Ok(fields.get(index).context("too few fields")?.parse()?)
        };
        let own_ticks = number(11)? + number(12)?;
        let ticks = own_ticks + number(13)? + number(14)?;
        Ok(Self { parent: u32::try_from(number(1)?)?, own_ticks, ticks })
    }
}

fn family(roots: &[u32]) -> Result<BTreeSet<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for found in fs::read_dir("/proc")? {
        let name = found?.file_name();
        let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Ok(stat) = Stat::of(process) {
            children.entry(stat.parent).or_default().push(process);
        }
    }
    let mut family = BTreeSet::new();
    let mut waiting = roots.to_vec();
    while let Some(process) = waiting.pop() {
        if family.insert(process) {
            waiting.extend(children.get(&process).into_iter().flatten());
        }
    }
    Ok(family)
}

/// The proportional set size: each shared page is divided among those who share it.
fn resident(process: u32) -> Result<u64> {
    let told = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let line = told.lines().find_map(|line| line.strip_prefix("Pss:")).context("no size")?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib << 10)
}

#[cfg(test)]
mod tests;
