//! The command line: one binary for the server, for people and for scripts.
//!
//! Never decides anything: it sends calls, prints answers and maps them to exit codes.

use std::{
    ffi::OsString,
    io::{IsTerminal, Write},
};

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};

mod archive;
mod audit;
mod backup;
mod batch;
mod bench;
mod claim;
mod complete;
mod completion;
mod config;
mod connection;
mod doctor;
mod exit;
mod export;
mod failure;
mod freeze;
mod get;
mod health;
mod import;
mod intent;
mod json;
mod man;
mod memory;
mod migrate;
mod moment;
mod money;
mod next;
mod outcome;
mod outcome_line;
mod page;
mod payload;
mod policy;
mod profile;
mod reclaim;
mod release;
mod renew;
mod restore;
mod ruling;
mod run;
mod serve;
mod span;
mod watch;

use connection::Output;
pub use exit::Exit;

/// Where a server listens unless it is told otherwise.
const ENDPOINT: &str = "http://127.0.0.1:7450";

const EXAMPLE: &str = "\
Example: onced serve --dev
         onced health
         onced claim --help";

/// Rulings before side effects that must happen once
#[derive(Debug, Parser)]
#[command(name = "onced", version, after_help = format!("{EXAMPLE}\n\n{}", exit::LEGEND))]
#[command(disable_help_flag = true)]
struct Cli {
    /// Print help
    #[arg(id = "help", short, long, action = ArgAction::Help, global = true, hide = true)]
    _help: Option<bool>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Migrate(Box<migrate::Migrate>),
    Audit(Box<audit::Audit>),
    Claim(Box<claim::Claim>),
    Complete(Box<complete::Complete>),
    Get(get::Get),
    Renew(renew::Renew),
    Release(release::Release),
    Reclaim(Box<reclaim::Reclaim>),
    Health(health::Health),
    Doctor(doctor::Doctor),
    Bench(Box<bench::Bench>),
    Run(Box<run::Run>),
    Watch(watch::Watch),
    Batch(batch::Batch),
    Freeze(freeze::Freeze),
    Thaw(freeze::Thaw),
    Export(export::Export),
    Import(import::Import),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Memory(memory::MemoryCommand),
    Policy(policy::PolicyCommand),
    Config(Box<config::ConfigCommand>),
    Completion(completion::Completion),
    Man(man::Man),
}

/// Parses the command line, runs it, prints, and tells how to end.
pub fn main(words: impl Iterator<Item = OsString>) -> Exit {
    let words: Vec<OsString> = words.collect();
    let program = match profile::applied(Cli::command(), &words) {
        Ok(program) => program,
        Err(fault) => return failure::report(&fault),
    };
    match parsed(program, words) {
        Ok(cli) => cli.command.run().unwrap_or_else(|fault| failure::report(&fault)),
        Err(told) => {
            let _ = told.print();
            if told.use_stderr() { Exit::Usage } else { Exit::Done }
        }
    }
}

fn parsed(mut program: clap::Command, words: Vec<OsString>) -> Result<Cli, clap::Error> {
    let found = program.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&found).map_err(|fault| fault.format(&mut program))
}

impl Command {
    fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::Serve(command) => command.run(),
            Self::Migrate(command) => command.run(),
            Self::Audit(command) => command.run(),
            Self::Policy(command) => command.run(),
            Self::Config(command) => command.run(),
            Self::Completion(command) => command.run(),
            Self::Man(command) => command.run(),
            Self::Restore(command) => command.run(),
            Self::Memory(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Claim(command) => call(command.run()),
            Self::Complete(command) => call(command.run()),
            Self::Get(command) => call(command.run()),
            Self::Renew(command) => call(command.run()),
            Self::Release(command) => call(command.run()),
            Self::Reclaim(command) => call(command.run()),
            Self::Health(command) => call(command.run()),
            Self::Doctor(command) => call(command.run()),
            Self::Run(command) => call(command.run()),
            Self::Watch(command) => call(command.run()),
            Self::Batch(command) => call(command.run()),
            Self::Freeze(command) => call(command.run()),
            Self::Thaw(command) => call(command.run()),
            Self::Export(command) => call(command.run()),
            Self::Import(command) => call(command.run()),
            Self::Backup(command) => call(command.run()),
        }
    }
}

/// Runs a command that calls a server: one thread is enough.
fn call(command: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(command)
}

/// Prints an answer: as JSON by its full name, or as a page.
fn print_answer(
    output: Output,
    (name, message): (&str, &impl prost::Message),
    page: &page::Page,
) -> anyhow::Result<()> {
    match output {
        Output::Json => print(&format!("{}\n", json::render(name, message)?)),
        Output::Text => print_page(page),
    }
}

/// Prints a page on standard output.
fn print_page(page: &page::Page) -> anyhow::Result<()> {
    print(&page.render(is_coloured(std::io::stdout().is_terminal())))
}

/// Prints text on standard output. An answer that cannot be printed is a fault.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Unprintable)?;
    Ok(())
}

/// Standard output is gone: whoever asked has not got the answer.
#[derive(Debug, thiserror::Error)]
#[error("the answer could not be printed: {0}")]
struct Unprintable(std::io::Error);

/// Colours are for terminals only, and for people who did not turn them off.
fn is_coloured(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests;
