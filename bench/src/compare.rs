//! The comparison: every contender takes its turn at every kind of work in every round of one run.
//!
//! Starts the servers, gives them their keys, and ends them. One that cannot be had, or that fails
//! at something, is left out and named; its figures are never made up.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tokio::time::Instant;

use self::{
    entrant::Entrant,
    report::{LeftOut, Report, Reports},
};
use crate::{
    contender::{Kind, Work},
    tell,
    usage::Usage,
};

mod entrant;
mod report;
mod row;

/// onced beside the floors of wire and disk, and beside what people use today.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Who takes part.
    #[arg(long, value_delimiter = ',', default_values = Kind::names())]
    contenders: Vec<Kind>,
    /// At which kinds of work.
    #[arg(long, value_delimiter = ',', default_values = Work::names())]
    work: Vec<Work>,
    /// Settled keys that are there before: one run for each number.
    #[arg(long, value_delimiter = ',', default_values_t = [0])]
    keys_before: Vec<u64>,
    /// Callers at a time; an eighth of it for batches, and a thousand for stampedes.
    #[arg(long, default_value_t = 64)]
    in_flight: usize,
    /// Seconds of each slice.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Rounds; in each, every contender gets one slice of each kind of work.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Seconds of load before the first slice, for each kind of work.
    #[arg(long, default_value_t = 1)]
    warm_up: u64,
    /// Keys that are settled to be asked for again, where none are there before.
    #[arg(long, default_value_t = 2_000)]
    settled: usize,
    /// Where the files go; a folder of their own is made and removed.
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// One report for each number of keys that are there before.
pub(crate) async fn run(arguments: &Arguments) -> Result<Reports> {
    let mut reports = Vec::new();
    for &keys in &arguments.keys_before {
        reports.push(contest(arguments, keys).await?);
    }
    Ok(Reports(reports))
}

async fn contest(arguments: &Arguments, keys: u64) -> Result<Report> {
    let folder = tempfile::Builder::new().prefix("onced-bench-").tempdir_in(&arguments.folder)?;
    // A server that runs as a user of its own has to get at its folder.
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    let at = folder.path().canonicalize()?;
    let mut report = Report::new(arguments.in_flight, keys, &arguments.work);
    let entrants = enter(arguments, &at, keys, &mut report).await;
    ensure!(!entrants.is_empty(), "nobody takes part");
    let warm_up = Duration::from_secs(arguments.warm_up);
    for &work in &arguments.work {
        for entrant in &entrants {
            let warmed = entrant.slice(work, arguments.in_flight, warm_up).await;
            report.leave_out_if_failed(entrant, work, warmed.map(drop));
        }
    }
    for round in 1..=arguments.rounds {
        tell(&format!("round {round} of {}, {keys} keys before", arguments.rounds));
        for &work in &arguments.work {
            for place in 0..entrants.len() {
                turn(arguments, &entrants, place, work, &mut report).await;
            }
        }
    }
    report.finish();
    Ok(report)
}

/// One slice of one of them, and what the others did meanwhile.
async fn turn(
    arguments: &Arguments,
    entrants: &[Entrant],
    place: usize,
    work: Work,
    report: &mut Report,
) {
    let entrant = &entrants[place];
    if !report.takes_part(entrant, work) {
        return;
    }
    let others: Vec<u32> = entrants
        .iter()
        .filter(|other| other.kind != entrant.kind)
        .flat_map(|other| other.contender.processes())
        .collect();
    let span = Duration::from_secs(arguments.seconds);
    let slice = async {
        let (start, before) = (Instant::now(), Usage::of(&others)?);
        let slice = entrant.slice(work, arguments.in_flight, span).await?;
        let meanwhile = Usage::of(&others)?.cpu_micros.saturating_sub(before.cpu_micros);
        Ok(slice.map(|slice| slice.while_others(meanwhile, start.elapsed())))
    };
    let failed = slice.await.map(|slice| report.push(entrant, work, slice));
    report.leave_out_if_failed(entrant, work, failed);
}

/// Starts them one after the other: each load of keys has the disk for itself.
async fn enter(
    arguments: &Arguments,
    folder: &Path,
    keys: u64,
    report: &mut Report,
) -> Vec<Entrant> {
    let mut entrants = Vec::new();
    for &kind in &arguments.contenders {
        tell(&format!("starting {}, {keys} keys before", kind.name()));
        match Entrant::start(kind, folder, keys, arguments.settled).await.context("not started") {
            Ok(entrant) => {
                report.enter(&entrant);
                entrants.push(entrant);
            }
            Err(cause) => {
                tell(&format!("{} is left out: {cause:#}", kind.name()));
                report.left_out.push(LeftOut::of(kind, None, &cause));
            }
        }
    }
    entrants
}
