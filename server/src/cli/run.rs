//! `onced run`: any command, once.
//!
//! Claims, runs the command only on a fresh grant, keeps the lease while it runs, and reports what
//! its end says. Never runs it on a ruling of any other kind, and never takes an end that it does
//! not know for a success or a failure.

use std::{cell::RefCell, ffi::OsString, io, process::ExitStatus, time::Duration};

use anyhow::Context;
use clap::{Args, ValueEnum};
use onced_proto::v1::NotAppliedReason;
use tokio::time::Instant;

use super::{
    connection::Connection, exit::Exit, failure, intent::IntentArgs, page, payload::PayloadArgs,
    span,
};

mod child;
mod claim;
mod codes;
mod lease;
mod output;
mod replay;
mod report;
mod signals;

use child::Loss;
use claim::{Asking, Claimed};
use codes::{Codes, Fate};
use lease::Lease;
use output::Kept;
use report::{Attempt, TAIL_MAX};
use signals::Signals;

const USAGE: &str = "onced run --namespace N --operation O --key K [OPTIONS] -- COMMAND...";
const EXAMPLE: &str = "\
Example: onced run --namespace ops --operation nightly-report \\
           --key report:v1:2026-11-30 -- ./report.sh
It was run, now or before: 0 succeeded, 14 failed (both replayed), 12 unknown,
  16 surely did nothing, 17 its outcome is not on record: keep the printed line.
Nothing was run: 11 in progress, 12 unknown, 13 no fresh grant, 64 usage or no
  such command, 69 unavailable, 70 refused (or the output was not printed).";

/// Run a command once: duplicates get its output and exit code
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, override_usage = USAGE)]
pub(super) struct Run {
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
    #[command(flatten)]
    codes: Codes,
    /// Wait so long for another run's outcome
    #[arg(long, value_name = "DURATION", value_parser = span::parse, help_heading = "Run")]
    wait: Option<Duration>,
    /// Wanted lease, renewed while it runs
    #[arg(long, value_name = "DURATION", value_parser = span::parse, help_heading = "Run")]
    lease: Option<Duration>,
    /// stop it then, or let it finish
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    #[arg(default_value_t = OnLoss::Stop, help_heading = "Run")]
    on_lease_lost: OnLoss,
    /// From SIGTERM to SIGKILL then
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = span::parse)]
    #[arg(help_heading = "Run")]
    grace: Duration,
    /// How long to try to report
    #[arg(long, value_name = "DURATION", default_value = "1m", value_parser = span::parse)]
    #[arg(help_heading = "Run")]
    report_within: Duration,
    /// Host or job, for people [env: ONCED_HOLDER]
    #[arg(long, value_name = "TEXT", env = "ONCED_HOLDER", hide_env = true)]
    #[arg(help_heading = "Run")]
    holder: Option<String>,
    #[command(flatten)]
    connection: Connection,
    /// The payload, unless one is given
    #[arg(last = true, required = true, value_name = "COMMAND", help_heading = "Run")]
    command: Vec<OsString>,
}

/// What is done about a command whose lease is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnLoss {
    Stop,
    Finish,
}

/// How the run ends: by a code of onced, or by one of the command's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    exit: Exit,
    code: Option<u8>,
}

impl End {
    /// An end, and the command's own code where there is one.
    fn settled(exit: Exit, code: Option<u8>) -> Self {
        Self { exit, code }
    }

    /// The report was taken, but settles nothing.
    fn in_doubt() -> Self {
        tell("the report is on record, but the intent is in doubt; look with onced get");
        Self::settled(Exit::Unknown, None)
    }

    /// The same, unless the outcome is on record and whoever asked has not got the output.
    fn printed(self, printed: io::Result<()>) -> Self {
        match (printed, self.exit) {
            (Err(fault), Exit::Done | Exit::Failed) => {
                tell(&format!("the output could not be printed: {fault}; run it again to get it"));
                Self::settled(Exit::Refused, None)
            }
            _ => self,
        }
    }
}

/// Says something on standard error.
fn tell(text: &str) {
    failure::write(&format!("onced: {}\n", page::visible(text)));
}

impl Run {
    /// Claims, runs and reports; or tells why nothing was run.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        self.codes.judge()?;
        let end = self.once().await?;
        match end.code.filter(|_| self.codes.exit_code) {
            // The one way out with a code that is not onced's.
            Some(code) => std::process::exit(code.into()),
            None => Ok(end.exit),
        }
    }

    async fn once(&self) -> anyhow::Result<End> {
        let payload = self.payload()?;
        let message = payload.read()?;
        let mut signals = Signals::new()?;
        let asking = Asking { run: self, payload: &message, claimant: RefCell::default() };
        let claimed = tokio::select! {
            claimed = asking.until_ruled() => claimed?,
            signal = signals.asked_to_end() => return asking.interrupted(signal).await,
        };
        let (granted, sent_at) = match claimed {
            Claimed::Ended(end) => return Ok(end),
            Claimed::Granted(granted, sent_at) => (granted, sent_at),
        };
        let intent = self.intent.id();
        let attempt = Attempt { intent: &intent, granted: &granted, payload: &message };
        let performed = self.perform(&attempt, sent_at, &mut signals).await;
        Ok(performed.unwrap_or_else(|fault| {
            tell(&format!("{fault:#}"));
            End::settled(Exit::Unrecorded, None)
        }))
    }

    /// Runs the command and reports its end.
    async fn perform(
        &self,
        attempt: &Attempt<'_>,
        sent_at: Instant,
        signals: &mut Signals,
    ) -> anyhow::Result<End> {
        let (running, output) = match child::start(&self.command, attempt) {
            Ok(started) => started,
            Err(fault) => return self.not_started(attempt, &fault, signals).await,
        };
        let passing = output::pass_on(output, attempt.kept_bytes_max(), TAIL_MAX);
        let lease = self.lease(attempt, sent_at);
        let loss = self.loss(&lease);
        let keeping = lease.keep(self.connection.clone(), loss.margin());
        let fate = self.fate(running.ended(signals, keeping, loss).await);
        let (kept, printing) = passing.ended().await;
        let end = self.report(attempt, fate, &kept, signals).await?;
        Ok(end.printed(printing.await?))
    }

    fn fate(&self, status: io::Result<ExitStatus>) -> Fate {
        let (fate, how) = match status {
            Ok(status) => (self.codes.fate(status), status.to_string()),
            Err(fault) => (Fate::Unknown, fault.to_string()),
        };
        if fate == Fate::Unknown {
            tell(&format!("the command ended ({how}), and what became of it is unknown"));
        }
        fate
    }

    async fn report(
        &self,
        attempt: &Attempt<'_>,
        fate: Fate,
        kept: &Kept,
        signals: &mut Signals,
    ) -> anyhow::Result<End> {
        let report = attempt.report(fate, kept);
        let end = match fate {
            Fate::Succeeded(code) => End::settled(Exit::Done, Some(code)),
            Fate::Failed(code) => End::settled(Exit::Failed, Some(code)),
            Fate::NotApplied(code) => End::settled(Exit::NotApplied, Some(code)),
            Fate::Unknown => End::settled(Exit::Unknown, None),
        };
        let sent = report::send(&report, &self.connection, self.report_within, signals).await;
        match sent {
            // The end of its lease says the same, whether it was heard or not.
            _ if fate == Fate::Unknown => Ok(end),
            Ok(taken) => Ok(if report::stands(&taken) { end } else { End::in_doubt() }),
            Err(status) => {
                report::tell_unrecorded(&report, &self.connection, &status)?;
                Ok(End::settled(Exit::Unrecorded, None))
            }
        }
    }

    /// The command surely did nothing: the attempt is given back.
    async fn not_started(
        &self,
        attempt: &Attempt<'_>,
        fault: &io::Error,
        signals: &mut Signals,
    ) -> anyhow::Result<End> {
        let program = self.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        tell(&format!("{program} could not be started: {fault}"));
        let report = attempt.release(NotAppliedReason::NotStarted, fault.to_string());
        let sent = report::send(&report, &self.connection, self.report_within, signals).await;
        if let Err(status) = sent {
            report::tell_unrecorded(&report, &self.connection, &status)?;
        }
        Ok(End::settled(Exit::Usage, None))
    }

    fn lease(&self, attempt: &Attempt<'_>, sent_at: Instant) -> Lease {
        let [waited, left] = [&attempt.granted.waited, &attempt.granted.lease];
        Lease {
            intent: attempt.intent.clone(),
            token: attempt.granted.fencing_token,
            wanted: self.lease.map(span::to_wire),
            sent_at,
            span: span::from_wire(waited.as_ref()) + span::from_wire(left.as_ref()),
        }
    }

    fn loss(&self, lease: &Lease) -> Loss {
        let stops = self.on_lease_lost == OnLoss::Stop;
        Loss { stops, grace: self.grace.min(lease.span / 3) }
    }

    /// The payload as it was typed, or the command and its arguments.
    fn payload(&self) -> anyhow::Result<PayloadArgs> {
        if !self.payload.is_absent() {
            return Ok(self.payload.clone());
        }
        let words: Option<Vec<&str>> = self.command.iter().map(|word| word.to_str()).collect();
        let words = words.context("the command is not UTF-8; give a payload, e.g. --hash")?;
        Ok(PayloadArgs::of_json(serde_json::to_string(&words)?))
    }
}
