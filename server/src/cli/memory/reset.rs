//! `onced memory reset`: opens the gap over a store that was put back by other means.
//!
//! Works on the store itself, before any server does: one that was started first would grant what
//! is forgotten.

use std::{error::Error, sync::Arc};

use clap::{Arg, Args};

use super::super::{
    config::load_to_tend,
    exit::Exit,
    moment,
    page::{Page, Tone},
    serve::Unobtainable,
};
use crate::{
    clock::{Clock, SystemClock, Timestamp},
    config::{Config, Flags},
    gap::{self, Opened},
    store::{
        Store, Trouble,
        cql::{self, Cql, Tally},
        embedded::{self, Embedded},
    },
    wire::time,
};

const EXAMPLE: &str = "\
Example: onced memory reset --store cql://db1,db2/onced \\
           --as-of 2026-11-30T02:00:00Z --reason 'snapshot of the night'
         onced memory reset --data /var/lib/onced --reason 'a disk rolled back'
Run it once a cluster's snapshot or a disk was put back, before any server is
started: a replica that runs believes the old memory for a minute.
onced restore does it by itself.";

type Fault = Box<dyn Error + Send + Sync>;

/// Open the gap over every operation of a store that was put back
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, mut_args(in_short), next_line_help = true)]
#[command(override_usage = "onced memory reset --reason TEXT <--store URL|--data DIR>")]
pub(super) struct Reset {
    /// Why; kept with the time
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// When it was taken; else keyed operations are in doubt too
    #[arg(long, value_name = "TIME", value_parser = moment::parse)]
    as_of: Option<prost_types::Timestamp>,
    #[command(flatten)]
    flags: Flags,
}

/// The settings of the rest of the server may be there, in the same file, and do nothing. How a
/// cluster is reached is told by `onced migrate`.
fn in_short(flag: Arg) -> Arg {
    const TOLD: [&str; 7] =
        ["config", "help", "store", "data", "reason", "as_of", "cql_datacenter"];
    let is_told = TOLD.contains(&flag.get_id().as_str());
    flag.hide(!is_told)
}

impl Reset {
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        anyhow::ensure!(!self.reason.trim().is_empty(), "--reason is empty");
        let most = gap::REASON_MAX;
        anyhow::ensure!(self.reason.len() <= most, "--reason has more than {most} bytes");
        let (config, cluster) = load_to_tend(&self.flags)?;
        let place = match &cluster {
            Some(_) => format!("store {}", config.store),
            None => format!("data {}", config.data.display()),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let opened = runtime
            .block_on(self.open(&config, cluster.as_ref()))
            .map_err(|cause| Unobtainable { what: place.clone(), cause })?;
        super::super::print_page(&page(&place, opened))?;
        Ok(Exit::Done)
    }

    async fn open(&self, config: &Config, cluster: Option<&cql::Options>) -> Result<Opened, Fault> {
        let (store, clock) = match cluster {
            Some(options) => cluster_store(options).await?,
            None => folder_store(config)?,
        };
        let now = clock.now();
        let since = self.as_of.and_then(time::moment).unwrap_or_default();
        if since > now {
            return Err("--as-of lies in the future".into());
        }
        Ok(gap::open(&*store, since, now, &self.reason).await?)
    }
}

type Place = (Arc<dyn Store>, Arc<dyn Clock>);

async fn cluster_store(options: &cql::Options) -> Result<Place, Fault> {
    cql::inspect(options).await?;
    let clock = Arc::new(SystemClock::not_before(Timestamp::default()));
    let engine = Cql::open(options, clock.clone(), Tally::new(|_| {})).await?;
    engine.compare_clocks().await?;
    match engine.trouble() {
        Some(trouble @ Trouble::ClockOff { .. }) => Err(trouble.into()),
        _ => Ok((Arc::new(engine), clock)),
    }
}

fn folder_store(config: &Config) -> Result<Place, Fault> {
    if !embedded::is_store(&config.data) {
        return Err("there is no store in it".into());
    }
    let engine = Embedded::open(&embedded::Options::at(config.data.clone()))?;
    let clock = engine.clock();
    Ok((Arc::new(engine), clock))
}

fn page(place: &str, opened: Opened) -> Page {
    Page::new(Tone::Doubt, "open", format!("the memory gap of {place} is open"))
        .row("operations", Some(format!("{}, and all others", opened.operations)))
        .row("memory starts", Some(time::text(opened.start)))
        .next("Start onced serve. Claims of intents that may be forgotten are unknown.")
        .next("Find out at the providers what was sent since, and report or reclaim it.")
        .next("Then: onced memory show, onced memory accept. See docs/backup.md.")
}
