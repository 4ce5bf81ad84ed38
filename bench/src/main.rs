//! Side-by-side benchmarks of onced: every contender takes its turn in every round of one run.
//!
//! Sends to loopback only, for a bounded time, to servers of its own process.

use std::{fmt::Display, time::Duration};

use anyhow::Result;
use clap::{Parser, Subcommand};
use prost::Message as _;
use serde::Serialize;

use self::{
    claims::Claims,
    journal::Journal,
    measure::load,
    report::{Contender, Report},
};

mod claims;
mod cluster;
mod echo;
mod journal;
mod measure;
mod onced;
mod report;

/// Fresh durable Claims, beside a bare tonic echo of the same messages and a grouped write +
/// fdatasync of the same bytes.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    other: Option<Other>,
    /// Callers at a time.
    #[arg(long, default_value_t = 64)]
    in_flight: usize,
    /// Seconds of each slice.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Rounds; in each, every contender gets one slice.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Keys to claim before the first slice.
    #[arg(long, default_value_t = 0)]
    keys_before: u64,
    /// Where the files go; a folder of their own is made and removed.
    #[arg(long, default_value = ".")]
    folder: std::path::PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What else is measured.
#[derive(Debug, Subcommand)]
enum Other {
    Cluster(cluster::Arguments),
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match &arguments.other {
        None => show(&run(&arguments).await?, arguments.json),
        Some(Other::Cluster(arguments)) => show(&cluster::run(arguments).await?, arguments.json),
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

async fn run(arguments: &Arguments) -> Result<Report> {
    let folder = tempfile::tempdir_in(&arguments.folder)?;
    let echo = Claims::connect(echo::serve().await?).await?;
    let journal = Journal::create(&folder.path().join("journal"))?;
    let onced = Claims::connect(onced::serve_in(&folder.path().join("data")).await?).await?;
    fill(&onced, arguments).await?;
    let mut contenders = ["echo", "fdatasync", "onced"].map(Contender::new);
    let span = Duration::from_secs(arguments.seconds);
    for _ in 0..arguments.rounds {
        let [of_echo, of_journal, of_onced] = &mut contenders;
        of_echo.slices.push(claims(&echo, arguments.in_flight, span).await?);
        of_journal.slices.push(appends(&journal, arguments.in_flight, span).await?);
        of_onced.slices.push(claims(&onced, arguments.in_flight, span).await?);
    }
    Ok(Report {
        in_flight: arguments.in_flight,
        keys_before: arguments.keys_before,
        contenders: contenders.into(),
    })
}

async fn claims(claims: &Claims, in_flight: usize, span: Duration) -> Result<measure::Slice> {
    let claims = claims.clone();
    let call = move |caller| {
        let claims = claims.clone();
        async move { claims.fresh(caller).await }
    };
    load(in_flight, span, call).await
}

async fn appends(journal: &Journal, in_flight: usize, span: Duration) -> Result<measure::Slice> {
    let journal = journal.clone();
    let call = move |_| {
        let journal = journal.clone();
        async move { journal.append(claims::request().encode_to_vec()).await }
    };
    load(in_flight, span, call).await
}

/// Claims so many keys, many at a time.
async fn fill(onced: &Claims, arguments: &Arguments) -> Result<()> {
    const AT_A_TIME: u64 = 512;
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..AT_A_TIME {
        let onced = onced.clone();
        let share = arguments.keys_before / AT_A_TIME
            + u64::from(caller < arguments.keys_before % AT_A_TIME);
        callers.spawn(async move {
            for _ in 0..share {
                onced.fresh(usize::try_from(caller)?).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = callers.join_next().await {
        done??;
    }
    Ok(())
}
