//! `onced man`: the manual page of each command, from the same words as its help.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_mangen::Man as Manual;

use super::{Cli, exit::Exit};

const EXAMPLE: &str = "\
Example: onced man run | man -l -
         onced man --to ~/.local/share/man/man1";

/// Print a manual page, or write all of them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Man {
    /// Of which command; of the program as a whole if absent
    #[arg(conflicts_with = "to")]
    command: Option<String>,
    /// Write every page into this directory
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
}

impl Man {
    /// Prints or writes.
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut program = Cli::command();
        program.build();
        if let Some(directory) = &self.to {
            let told = || format!("--to {}", directory.display());
            std::fs::create_dir_all(directory).with_context(told)?;
            clap_mangen::generate_to(program, directory).with_context(told)?;
            return Ok(Exit::Done);
        }
        let page = match &self.command {
            None => program,
            Some(name) => {
                let found = program.find_subcommand(name);
                found.with_context(|| format!("there is no command {name}"))?.clone()
            }
        };
        let mut text = Vec::new();
        Manual::new(page).render(&mut text)?;
        super::print(&String::from_utf8(text)?)?;
        Ok(Exit::Done)
    }
}
