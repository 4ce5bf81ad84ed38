//! Side-by-side benchmarks of onced: every contender takes its turn in every round of one run.
//!
//! Sends to loopback only, for a bounded time, to servers that it starts and ends itself.

use std::fmt::Display;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use serde::Serialize;
use tokio::signal::{
    ctrl_c,
    unix::{SignalKind, signal},
};

mod claims;
mod cluster;
mod compare;
mod contender;
mod keys;
mod measure;
mod onced;
mod process;
mod usage;
mod waiters;

/// onced beside the floors of wire and disk, and beside what people use today.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(subcommand)]
    other: Option<Other>,
    #[command(flatten)]
    compare: compare::Arguments,
}

/// What else is measured.
#[derive(Debug, Subcommand)]
enum Other {
    Cluster(cluster::Arguments),
    Waiters(waiters::Arguments),
}

#[tokio::main]
async fn main() -> Result<()> {
    let CommandLine { other, compare } = CommandLine::parse();
    let mut term = signal(SignalKind::terminate())?;
    tokio::select! {
        done = measure(other, compare) => done,
        // What was started ends with what is dropped here.
        _ = ctrl_c() => bail!("interrupted"),
        _ = term.recv() => bail!("terminated"),
    }
}

async fn measure(other: Option<Other>, compare: compare::Arguments) -> Result<()> {
    match &other {
        None => show(&compare::run(&compare).await?, compare.json),
        Some(Other::Cluster(arguments)) => show(&cluster::run(arguments).await?, arguments.json),
        Some(Other::Waiters(arguments)) => show(&waiters::run(arguments).await?, arguments.json),
    }
}

#[expect(clippy::print_stdout, reason = "the report is what the command is for")]
fn show(report: &(impl Serialize + Display), json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(report)?);
    } else {
        println!("{report}");
    }
    Ok(())
}

/// Says what is going on, beside the report.
#[expect(clippy::print_stderr, reason = "a run takes minutes, and a person waits for it")]
fn tell(what: &str) {
    eprintln!("{what}");
}
