//! `onced completion`: what a shell needs to complete the words of this program.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, exit::Exit};

const EXAMPLE: &str = "\
Example: onced completion bash > /etc/bash_completion.d/onced";

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Completion {
    /// bash, elvish, fish, powershell or zsh
    #[arg(hide_possible_values = true)]
    shell: Shell,
}

impl Completion {
    /// Prints it.
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "onced", &mut script);
        super::print(&String::from_utf8(script)?)?;
        Ok(Exit::Done)
    }
}
