//! `onced config`: the server's settings, judged and shown without starting it.
//!
//! Opens and binds nothing; the server judges its settings by the same function.

use std::{fs, sync::Arc};

use clap::{Arg, Args, Subcommand};

use super::{
    exit::Exit,
    page::{Page, Tone},
};
use crate::{
    clock::{SystemClock, Timestamp},
    config::{Config, Flags, Place, Purpose},
    fault::{self, Fault},
    policy::{LastExpiry, Mode, PolicySet, Rules},
    store::cql::{self, options::Options},
};

const CHECK_EXAMPLE: &str = "\
Example: onced config check --config /etc/onced/onced-server.toml
Every setting of onced serve and onced migrate is taken.
Exit codes: 0 valid, 64 not; every fault is told at once.";
const SHOW_EXAMPLE: &str = "\
Example: ONCED_DRAIN_GRACE=20s onced config show --dev
Every setting of onced serve and onced migrate is taken.
Exit codes: 0 valid, 64 not; every fault is told at once, below the values.";
const EXAMPLES: &str = "\
Example: onced config check --config /etc/onced/onced-server.toml
         ONCED_DRAIN_GRACE=20s onced config show --dev
Exit codes: 0 valid, 64 not; every fault is told at once.";

/// Judge or show the server's settings without starting it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConfigCommand {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Tell every fault of the settings and of the policy file
    #[command(after_help = CHECK_EXAMPLE, mut_args(in_short), next_line_help = true)]
    Check(Flags),
    /// Print the effective settings and where each comes from
    #[command(after_help = SHOW_EXAMPLE, mut_args(in_short), next_line_help = true)]
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

/// The other settings are told by the commands that they are for.
fn in_short(flag: Arg) -> Arg {
    let usual = ["config", "store", "data", "policy", "dev", "help"];
    let is_told = usual.contains(&flag.get_id().as_str());
    flag.hide(!is_told)
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

/// The settings, if they and the policy file have no fault, and how the cluster is reached, if it
/// is one.
pub(super) fn load(flags: &Flags) -> anyhow::Result<(Config, Option<Options>)> {
    let config = settings(Purpose::Serve, flags)?;
    let (policies, cluster) = (policies(&config), config.cluster());
    match (policies, cluster) {
        (Ok(()), Ok(cluster)) => Ok((config, cluster)),
        (policies, cluster) => {
            let faults = [policies.err(), cluster.err()].into_iter().flatten().flatten();
            Err(Faults(faults.collect()).into())
        }
    }
}

/// The same for what makes the tables of a cluster: it needs no policy.
pub(super) fn load_to_migrate(flags: &Flags) -> anyhow::Result<(Config, Options)> {
    let config = settings(Purpose::Migrate, flags)?;
    let cluster = config.cluster().map_err(Faults)?;
    Ok((config, cluster.expect("settings without a cluster are refused")))
}

/// The same for what works on the store itself, of either engine.
pub(super) fn load_to_tend(flags: &Flags) -> anyhow::Result<(Config, Option<Options>)> {
    let config = settings(Purpose::Tend, flags)?;
    let cluster = config.cluster().map_err(Faults)?;
    Ok((config, cluster))
}

fn check(flags: &Flags) -> anyhow::Result<()> {
    let (config, _) = load(flags)?;
    let page = Page::new(Tone::Good, "valid", "the server would start with these settings");
    super::print_page(
        &config.warnings().iter().fold(page, |page, it| page.row("warning", Some(it))),
    )
}

/// The values come first, so that faults can be seen beside what they are about.
fn show(flags: &Flags) -> anyhow::Result<()> {
    let (config, faults) = Config::look(Purpose::Serve, flags, environment).map_err(Faults)?;
    super::print(&config.show())?;
    if faults.is_empty() { Ok(()) } else { Err(Faults(faults).into()) }
}

fn settings(purpose: Purpose, flags: &Flags) -> Result<Config, Faults> {
    Config::load(purpose, flags, environment).map_err(Faults)
}

#[expect(clippy::disallowed_methods, reason = "handed to the configuration, which reads it")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What policies are judged by under these settings.
pub(super) fn rules(config: &Config) -> Rules {
    let mode = if config.dev { Mode::Dev } else { Mode::Serve };
    match config.store {
        Place::Embedded => mode.into(),
        Place::Cluster { .. } => {
            let clock = Arc::new(SystemClock::not_before(Timestamp::default()));
            Rules {
                mode,
                clock_margin: config.store_clock_margin,
                last_expiry: Some(LastExpiry { at: cql::LAST_EXPIRY, clock }),
            }
        }
    }
}

fn policies(config: &Config) -> Result<(), Vec<Fault>> {
    match &config.policy {
        Some(path) => read_policies(&path.display().to_string(), rules(config)).map(|_| ()),
        None => Ok(()),
    }
}

/// The policies of a file, if it has no fault.
pub(super) fn read_policies(path: &str, rules: impl Into<Rules>) -> Result<PolicySet, Vec<Fault>> {
    let text = fs::read_to_string(path)
        .map_err(|cause| vec![Fault::new(path, format!("cannot be read: {cause}"))])?;
    PolicySet::parse(&text, path, rules)
}
