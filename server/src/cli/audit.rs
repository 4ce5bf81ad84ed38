//! `onced audit`: reads every record of a cluster, and makes each open one listed again.
//!
//! A server does the same once a week. Needs no policy and serves nothing.

use std::sync::Arc;

use clap::Args;

use super::{
    config::load_to_migrate,
    exit::Exit,
    migrate::in_short,
    page::{Page, Tone},
    serve::Unobtainable,
};
use crate::{
    clock::{SystemClock, Timestamp},
    config::Flags,
    store::cql::{self, Audited, Cql, Options, Tally},
};

const EXAMPLE: &str = "\
Example: onced audit --store cql://db1,db2/onced
Run it after a restore, or when a list of open intents misses one. Servers may
go on meanwhile.
Exit codes: 0 every record was read, 64 settings, 69 no cluster.";

/// Read every record of a cluster, and list again what is open
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, mut_args(in_short))]
pub(super) struct Audit {
    #[command(flatten)]
    flags: Flags,
}

impl Audit {
    /// Audits, and tells what was found.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let (config, options) = load_to_migrate(&self.flags)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let audited = runtime
            .block_on(audit(&options))
            .map_err(|cause| Unobtainable { what: format!("store {}", config.store), cause })?;
        super::print_page(&page(audited))?;
        Ok(Exit::Done)
    }
}

async fn audit(options: &Options) -> Result<Audited, Box<dyn std::error::Error + Send + Sync>> {
    cql::inspect(options).await?;
    let clock = Arc::new(SystemClock::not_before(Timestamp::default()));
    let engine = Cql::open(options, clock, Tally::new(|_| {})).await?;
    Ok(engine.audit().await?)
}

fn page(audited: Audited) -> Page {
    let headline = format!("{} records, {} of them open", audited.records, audited.open);
    let tone = if audited.restored == 0 { Tone::Good } else { Tone::Doubt };
    let page = Page::new(tone, "audited", headline);
    page.row("listed again", (audited.restored > 0).then_some(audited.restored))
}
