//! `onced complete --outcome-line`: what `onced run` could not report, reported later.
//!
//! Sends each line as it is; the server knows which of them it has taken before.

use std::io::Read;

use anyhow::Context;
use clap::{ArgMatches, FromArgMatches};
use onced_proto::v1::IntentId;

use super::page;
use crate::cli::{
    connection::Connection,
    exit::Exit,
    failure,
    intent::IntentArgs,
    next::Next,
    outcome_line::{Report, Taken},
    payload::PayloadArgs,
    release,
};

/// The option's name within the program.
pub(super) const OPTION: &str = "outcome_line";

/// Lines of outcomes.
#[derive(Debug)]
pub(crate) struct Lines {
    text: String,
    connection: Connection,
}

impl Lines {
    /// The option's value, and the options that every call has.
    pub(super) fn from_arg_matches(found: &ArgMatches) -> Result<Self, clap::Error> {
        let text = found.get_one::<String>(OPTION).cloned().unwrap_or_default();
        Ok(Self { text, connection: Connection::from_arg_matches(found)? })
    }

    /// Reports each, and prints what was made of it. Ends with the first that was not taken.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let mut exit = Exit::Done;
        for report in Report::all_in(&self.text()?)? {
            let ended = self.tell(&report).await?;
            if exit == Exit::Done {
                exit = ended;
            }
        }
        Ok(exit)
    }

    fn text(&self) -> anyhow::Result<String> {
        if self.text != "-" {
            return Ok(self.text.clone());
        }
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("--outcome-line -")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    async fn tell(&self, report: &Report) -> anyhow::Result<Exit> {
        let output = self.connection.output;
        match report.send(&self.connection).await {
            Ok(Taken::Complete(answer)) => {
                let named = ("onced.v1.CompleteResponse", &*answer);
                super::super::print_answer(output, named, &page(&answer))?;
            }
            Ok(Taken::Release(answer)) => {
                let named = ("onced.v1.ReleaseResponse", &answer);
                let page = release::page(answer.repeated, &self.next(report.intent()));
                super::super::print_answer(output, named, &page)?;
            }
            Err(status) => {
                failure::print(output, &status, Vec::new())?;
                return Ok(Exit::of_status(&status));
            }
        }
        Ok(Exit::Done)
    }

    fn next(&self, intent: Option<&IntentId>) -> Next {
        let IntentId { namespace, operation, key } = intent.cloned().unwrap_or_default();
        let intent = IntentArgs { namespace, operation, key };
        Next::new(&self.connection, &intent, &PayloadArgs::default())
    }
}
