//! `onced policy`: a policy file, judged and told in full without a server.

use clap::{Args, Subcommand};

use super::{
    config::{Faults, read_policies},
    exit::Exit,
};
use crate::policy::{Mode, report::report};

const EXAMPLE: &str = "\
Example: onced policy check /etc/onced/policy.toml
Exit codes: 0 valid, 64 not; every fault is told at once, with its line.";

/// Judge a policy file without a server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct PolicyCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(Check),
}

/// Tell every fault of a policy file, or every value with its disk
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
struct Check {
    /// The policy file
    file: String,
    /// Judge it as serve --dev does: short memories are allowed
    #[arg(long)]
    dev: bool,
}

impl PolicyCommand {
    /// Judges the file and prints the report.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let What::Check(Check { file, dev }) = self.what;
        let mode = if dev { Mode::Dev } else { Mode::Serve };
        let set = read_policies(&file, mode).map_err(Faults)?;
        super::print(&report(&set))?;
        Ok(Exit::Done)
    }
}
