//! The cluster engine beside the bare driver: what a ruling costs over the one conditional write
//! that it cannot do without.
//!
//! Works in a keyspace of its own, over nodes that somebody else starts and ends.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::Result;
use clap::Args;
use onced::{
    clock::{Clock, SystemClock, Timestamp},
    store::cql::{Cql, Options, Tally, migrate},
};

use self::{
    contender::Contender,
    cpu::Cpu,
    lab::Lab,
    table::{Table, Tables},
};
use crate::measure::load;

mod contender;
mod cpu;
mod keepers;
mod lab;
mod raw;
mod table;

const KEYSPACE: &str = "onced_bench";
/// Of a node that is told of none.
const DATACENTER: &str = "datacenter1";

/// Claims over a cluster, beside the conditional write of the bare driver.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The nodes: host:port,…
    #[arg(long, value_delimiter = ',', required = true)]
    at: Vec<String>,
    /// Their processes, whose use of the processors is told.
    #[arg(long, value_delimiter = ',')]
    pids: Vec<u32>,
    /// Callers at a time, one table for each.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    in_flight: Vec<usize>,
    /// Seconds of each slice.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Rounds; in each, every contender gets one slice.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of load before the first slice: a young node is slow.
    #[arg(long, default_value_t = 20)]
    warm_up: u64,
    /// Intents that are settled before the first slice.
    #[arg(long, default_value_t = 2_000)]
    settled: usize,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Every contender takes its turn in every round.
pub(crate) async fn run(arguments: &Arguments) -> Result<Tables> {
    let lab = Arc::new(lab(arguments).await?);
    let span = Duration::from_secs(arguments.seconds);
    let warm_up = Duration::from_secs(arguments.warm_up) / 2;
    for contender in [Contender::LwtMarked, Contender::Settle] {
        load(64, warm_up, lab.call(contender)).await?;
    }
    let mut tables = Vec::new();
    for &in_flight in &arguments.in_flight {
        let mut table = Table::new(in_flight);
        for _ in 0..arguments.rounds {
            for contender in Contender::ALL {
                lab.prepare(contender).await?;
                let before = Cpu::now(&arguments.pids)?;
                let slice = load(in_flight, span, lab.call(contender)).await?;
                table.push(contender, slice, Cpu::now(&arguments.pids)?.since(before));
            }
        }
        tables.push(table);
    }
    Ok(Tables(tables))
}

async fn lab(arguments: &Arguments) -> Result<Lab> {
    let options = Options { keyspace: KEYSPACE.to_owned(), ..Options::at(arguments.at.clone()) };
    let replicas = u32::try_from(arguments.at.len().min(3))?;
    migrate(&options, Some(&BTreeMap::from([(DATACENTER.to_owned(), replicas)]))).await?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::not_before(Timestamp::default()));
    let engine = Arc::new(Cql::open(&options, Arc::clone(&clock), Tally::new(|_| {})).await?);
    Lab::furnish(&options, engine, clock, arguments.settled).await
}
