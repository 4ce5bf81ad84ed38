//! `onced restore`: puts a backup in place of a lost store, before anybody is served.
//!
//! Needs no server, and refuses a folder that has one.

use std::path::PathBuf;

use clap::Args;

use super::{
    exit::Exit,
    page::{Page, Tone},
    serve::Unobtainable,
};
use crate::{
    clock::{Clock, SystemClock, Timestamp},
    keeper::held_among,
    store::embedded::{self, OpenError, RestoreError, Restored},
    wire::time,
};

const EXAMPLE: &str = "\
Example: onced restore onced-20261130T020000Z.sqlite --data /var/lib/onced
What was answered after the backup is forgotten. So the memory gap is open over
every operation until you accept it: see docs/backup.md.
Exit codes: 0 restored, 64 refused (all that is wrong is told), 69 folder.
After any other end there is no store: run it again.";

/// Put a backup in place of a lost store, with the memory gap open
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Restore {
    /// What onced backup made
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Directory of the embedded store, which has none yet
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

impl Restore {
    /// Restores, and tells what it costs.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let wall = SystemClock::not_before(Timestamp::default()).now();
        let restored = embedded::restore(&self.file, &self.data, wall);
        let restored = restored.map_err(|fault| self.fault(fault))?;
        super::print_page(&self.page(&restored, wall))?;
        Ok(Exit::Done)
    }

    fn fault(&self, fault: RestoreError) -> anyhow::Error {
        let what = format!("data {}", self.data.display());
        match fault {
            RestoreError::Folder(OpenError::InUse(_)) | RestoreError::System(_) => {
                Unobtainable { what, cause: fault.into() }.into()
            }
            fault => fault.into(),
        }
    }

    fn page(&self, restored: &Restored, wall: Timestamp) -> Page {
        let headline = format!("{} records, in {}", restored.records, self.data.display());
        let forgotten = restored.memory_start.since(restored.backup_time);
        let behind = restored.high_water.since(wall);
        let held: Vec<&str> = held_among(&restored.memories).collect();
        let page = Page::new(Tone::Doubt, "restored", headline)
            .row("as of", Some(time::text(restored.backup_time)))
            .row("memory starts", Some(time::text(restored.memory_start)))
            .row("forgotten", Some(format!("what was answered in {}", told(forgotten))))
            .row("open gap", Some(format!("{} operations, and all others", restored.operations)))
            .row("held again", (!held.is_empty()).then(|| holds(&held)));
        let page = if behind.is_zero() {
            page
        } else {
            let behind = told(behind);
            page.row("clock", Some(format!("{behind} behind what the backup has seen: set it")))
        };
        page.next("Freezes and seals that came after the backup are forgotten: set them again.")
            .next("Start onced serve. Claims of intents that may be forgotten are unknown.")
            .next("Find out at the providers what was sent since, and report or reclaim it.")
            .next("Then: onced memory show, onced memory accept. See docs/backup.md.")
    }
}

fn holds(held: &[&str]) -> String {
    let names = held.iter().map(|name| if name.is_empty() { "all namespaces" } else { name });
    names.collect::<Vec<_>>().join(", ")
}

/// To the second, for people.
fn told(span: std::time::Duration) -> String {
    humantime::format_duration(std::time::Duration::from_secs(span.as_secs())).to_string()
}
