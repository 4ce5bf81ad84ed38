//! What the command's exit codes mean: that it succeeded, finally failed, or surely did nothing.
//!
//! Never guesses: a code that is not named, a signal and a crash are unknown.

use std::process::ExitStatus;

use anyhow::bail;
use clap::Args;

use crate::cli::exit::Exit;

/// Which codes mean what.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The command's exit codes; any other, and a signal, is unknown")]
pub(super) struct Codes {
    /// It happened
    #[arg(long, value_name = "CODES", value_delimiter = ',', default_value = "0")]
    succeeded: Vec<u8>,
    /// It finally failed, surely without effect, e.g. 3,4
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    failed: Vec<u8>,
    /// It surely did nothing and may run again, e.g. 75
    #[arg(long, value_name = "CODES", value_delimiter = ',')]
    not_applied: Vec<u8>,
    /// End with these codes, not with 0, 14 and 16
    #[arg(long)]
    pub(super) exit_code: bool,
}

/// What became of the effect, as far as the command's end tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It happened.
    Succeeded(u8),
    /// It finally failed and surely had no effect.
    Failed(u8),
    /// It surely did not happen.
    NotApplied(u8),
    /// Nobody knows.
    Unknown,
}

impl Codes {
    /// Fails if a code means two things, or would be taken for one of onced's own.
    pub(super) fn judge(&self) -> anyhow::Result<()> {
        let mut all = [&self.succeeded[..], &self.failed, &self.not_applied].concat();
        if let Some(own) = all.iter().find(|code| self.exit_code && Exit::is_of_run(**code)) {
            bail!("--exit-code: {own} is a code of onced itself; let the command use another");
        }
        all.sort_unstable();
        if let Some([twice, ..]) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("exit code {twice} is named twice; it can mean one thing only");
        }
        Ok(())
    }

    /// What the end of the command says.
    pub(super) fn fate(&self, status: ExitStatus) -> Fate {
        let Some(code) = status.code().and_then(|code| u8::try_from(code).ok()) else {
            return Fate::Unknown;
        };
        if self.succeeded.contains(&code) {
            Fate::Succeeded(code)
        } else if self.failed.contains(&code) {
            Fate::Failed(code)
        } else if self.not_applied.contains(&code) {
            Fate::NotApplied(code)
        } else {
            Fate::Unknown
        }
    }
}

#[cfg(test)]
mod tests;
