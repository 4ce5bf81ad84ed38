//! `onced migrate`: makes or upgrades the tables of a cluster.
//!
//! Needs no policy and serves nothing. `onced serve` never makes a table.

use clap::{Arg, Args};

use super::{
    config::load_to_migrate,
    exit::Exit,
    page::{Page, Tone},
    serve::Unobtainable,
};
use crate::{
    config::{self, Config, Flags},
    store::cql::{self, Migrated},
};

const EXAMPLE: &str = "\
Example: onced migrate --store cql://db1,db2/onced --cql-replication dc1:3
Any number can run at once. The settings of serve are taken too, and do nothing.
Exit codes: 0 the tables are as this program needs them, 64 settings, 69 no
  cluster, or records would not be safe in it (every reason is told).";

/// Make or upgrade the tables of a cluster
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, mut_args(in_short))]
pub(super) struct Migrate {
    #[command(flatten)]
    flags: Flags,
}

/// The settings of the rest of the server may be there, in the same file, and do nothing.
pub(super) fn in_short(flag: Arg) -> Arg {
    let name = flag.get_id().as_str();
    let is_told = matches!(name, "config" | "help") || config::is_for_cluster(name);
    flag.hide(!is_told)
}

impl Migrate {
    /// Migrates, and tells what was done.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let (config, options) = load_to_migrate(&self.flags)?;
        let replication = config.cql_replication.as_ref().map(|replication| &replication.0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(cql::migrate(&options, replication));
        let done = done.map_err(|cause| Unobtainable {
            what: format!("store {}", config.store),
            cause: cause.into(),
        })?;
        super::print_page(&page(&config, &done))?;
        Ok(Exit::Done)
    }
}

fn page(config: &Config, done: &Migrated) -> Page {
    let word = if done.before == Some(done.now) { "unchanged" } else { "migrated" };
    let headline = format!("the tables of {} have version {}", config.store, done.now);
    let page = Page::new(Tone::Good, word, headline)
        .row("before", done.before.filter(|before| *before != done.now));
    let warnings = config.warnings().iter().chain(&done.warnings);
    warnings.fold(page, |page, warning| page.row("warning", Some(warning)))
}
