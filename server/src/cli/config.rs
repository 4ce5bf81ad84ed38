//! `onced config`: the server's settings, judged and shown without starting it.
//!
//! Opens and binds nothing; the server judges its settings by the same function.

use std::fs;

use clap::{Args, Subcommand};

use super::{
    exit::Exit,
    page::{Page, Tone},
};
use crate::{
    config::{Config, Flags},
    fault::{self, Fault},
    policy::{Mode, PolicySet},
};

const CHECK_EXAMPLE: &str = "\
Example: onced config check --config /etc/onced/onced-server.toml
Exit codes: 0 valid, 64 not; every fault is told at once.";
const SHOW_EXAMPLE: &str = "Example: ONCED_DRAIN_GRACE=20s onced config show --dev";

/// Judge or show the server's settings without starting it
#[derive(Debug, Args)]
#[command(after_help = format!("{CHECK_EXAMPLE}\n{SHOW_EXAMPLE}"))]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Tell every fault of the settings and of the policy file
    #[command(after_help = CHECK_EXAMPLE)]
    Check(Flags),
    /// Print the effective settings and where each comes from
    #[command(after_help = SHOW_EXAMPLE)]
    Show(Flags),
}

/// Settings that are refused.
#[derive(Debug, thiserror::Error)]
#[error("{} wrong:\n{}", counted(.0), fault::listed(.0))]
pub(super) struct Faults(pub(super) Vec<Fault>);

fn counted(faults: &[Fault]) -> String {
    if faults.len() == 1 {
        "one setting is".into()
    } else {
        format!("{} settings are", faults.len())
    }
}

impl ConfigCommand {
    /// Judges or shows.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        match self.what {
            What::Check(flags) => check(&flags)?,
            What::Show(flags) => show(&flags)?,
        }
        Ok(Exit::Done)
    }
}

/// The settings, if they and the policy file have no fault.
pub(super) fn load(flags: &Flags) -> anyhow::Result<Config> {
    let config = settings(flags)?;
    policies(&config).map_err(Faults)?;
    Ok(config)
}

fn check(flags: &Flags) -> anyhow::Result<()> {
    let config = load(flags)?;
    let page = Page::new(Tone::Good, "valid", "the server would start with these settings");
    super::print_page(
        &config.warnings().iter().fold(page, |page, it| page.row("warning", Some(it))),
    )
}

/// The values come first, so that faults can be seen beside what they are about.
fn show(flags: &Flags) -> anyhow::Result<()> {
    let (config, faults) = Config::look(flags, environment).map_err(Faults)?;
    super::print(&config.show())?;
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults).into()) }
}

fn settings(flags: &Flags) -> Result<Config, Faults> {
    Config::load(flags, environment).map_err(Faults)
}

#[expect(clippy::disallowed_methods, reason = "handed to the configuration, which reads it")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// How the server runs.
pub(super) fn mode(config: &Config) -> Mode {
    if config.dev { Mode::Dev } else { Mode::Serve }
}

fn policies(config: &Config) -> Result<(), Vec<Fault>> {
    match &config.policy {
        Some(path) => read_policies(&path.display().to_string(), mode(config)).map(|_| ()),
        None => Ok(()),
    }
}

/// The policies of a file, if it has no fault.
pub(super) fn read_policies(path: &str, mode: Mode) -> Result<PolicySet, Vec<Fault>> {
    let text = fs::read_to_string(path)
        .map_err(|cause| vec![Fault::new(path, format!("cannot be read: {cause}"))])?;
    PolicySet::parse(&text, path, mode)
}
