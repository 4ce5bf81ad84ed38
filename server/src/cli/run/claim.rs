//! The claim of `onced run`: by a claimant of its own, again while somebody is at it, and taken
//! back where nobody can tell whether it was granted.
//!
//! Answers with a grant only where the command may be run.

use std::{cell::RefCell, time::Duration};

use onced_client::Connection as Client;
use onced_proto::v1::{
    ClaimRequest, ClaimResponse, Granted, InProgress, InProgressStrategy, NotAppliedReason,
    Payload, ReleaseRequest, Ruling, release_request::Grant, ruling::Verdict,
};
use rustix::process::Signal;
use tokio::time::{Instant, sleep};
use tonic::{Request, Status};
use uuid::Uuid;

use super::{End, Run, replay::replay, tell};
use crate::cli::{
    claim::lease_is_over,
    connection::{Answer, Connection, is_unheard},
    exit::{Exit, GrantCheck},
    failure,
    next::Next,
    outcome_line::Report,
    ruling, span,
};

/// How long to try to take a claim back.
const TAKE_BACK_TIMEOUT: Duration = Duration::from_secs(5);
/// What a shell shows of a process that a signal ended, before the signal's number is added.
const ENDED_BY_SIGNAL: i32 = 128;
/// Shortest pause between two questions.
const PAUSE_MIN: Duration = Duration::from_millis(200);

/// What the claim came to.
pub(super) enum Claimed {
    /// The command may be run.
    Granted(Box<Granted>, Instant),
    /// Nothing is run.
    Ended(End),
}

/// The asking, with what was asked last.
pub(super) struct Asking<'a> {
    /// What is to be run.
    pub(super) run: &'a Run,
    /// What is asked for.
    pub(super) payload: &'a Option<Payload>,
    /// Of the question that has no answer yet.
    pub(super) claimant: RefCell<Option<String>>,
}

impl Asking<'_> {
    /// Asks until there is something else than "in progress", or the time to wait is over. Each
    /// question has a claimant of its own, since each has got its answer.
    pub(super) async fn until_ruled(&self) -> anyhow::Result<Claimed> {
        let end = self.run.wait.map(|wait| Instant::now() + wait);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let left = left.filter(|left| !left.is_zero());
            let request = self.request(left);
            let claimant = request.claimant.clone();
            self.claimant.replace(Some(claimant.clone()));
            let asked = self.ask(request, left.unwrap_or_default()).await;
            self.claimant.take();
            let answer = match asked {
                Ok(answer) => answer,
                Err(status) => return self.refused(&status, &claimant).await,
            };
            let ruling = answer.message.ruling.clone();
            match (left, ruling.as_ref().and_then(|ruling| ruling.verdict.as_ref())) {
                (Some(left), Some(Verdict::InProgress(running))) => {
                    sleep(pause(running).min(left)).await;
                }
                _ => return Ok(Claimed::of(self.run, &answer, ruling.as_ref())),
            }
        }
    }

    /// A signal has ended the asking: what may be granted is taken back, and this program ends as
    /// the signal would have ended it.
    pub(super) async fn interrupted(&self, signal: Signal) -> anyhow::Result<End> {
        let claimant = self.claimant.take();
        if let Some(claimant) = claimant
            && self.take_back(&claimant).await.is_err()
        {
            let next = self.run.next().release_by_claimant(&claimant);
            tell(&format!("it may be granted all the same; to take that back: {next}"));
        }
        tell("ended by a signal; the command was not run");
        std::process::exit(ENDED_BY_SIGNAL + signal.as_raw())
    }

    async fn take_back(&self, claimant: &str) -> Result<(), Status> {
        let report = Report::Release(ReleaseRequest {
            intent: Some(self.run.intent.id()),
            grant: Some(Grant::Claimant(claimant.to_owned())),
            reason: NotAppliedReason::NotStarted.into(),
            message: String::new(),
        });
        let timeout = self.run.connection.timeout.min(TAKE_BACK_TIMEOUT);
        let connection = Connection { timeout, ..self.run.connection.clone() };
        report.send(&connection).await.map(|_| ())
    }

    fn request(&self, wait: Option<Duration>) -> ClaimRequest {
        let strategy =
            if wait.is_some() { InProgressStrategy::Wait } else { InProgressStrategy::Pending };
        ClaimRequest {
            intent: Some(self.run.intent.id()),
            claimant: Uuid::new_v4().to_string(),
            holder: self.run.holder.clone().unwrap_or_default(),
            payload: self.payload.clone(),
            lease: self.run.lease.map(span::to_wire),
            in_progress_strategy: strategy.into(),
            wait: wait.map(span::to_wire),
            ..Default::default()
        }
    }

    async fn ask(
        &self,
        request: ClaimRequest,
        hold: Duration,
    ) -> Result<Answer<ClaimResponse>, Status> {
        let send = async |client: Client, request: Request<ClaimRequest>| {
            client.claims().claim(request).await
        };
        self.run.connection.ask(request, hold, send).await
    }

    /// No ruling. What may have been granted all the same is taken back.
    async fn refused(&self, status: &Status, claimant: &str) -> anyhow::Result<Claimed> {
        let exit = Exit::of_refused_ruling(status);
        let is_open = exit == Exit::Unavailable && !is_unheard(status);
        let mut steps = vec!["The command was not run.".to_owned()];
        if is_open {
            steps.push(match self.take_back(claimant).await {
                Ok(()) => "It was not granted either, or is taken back.".to_owned(),
                Err(_) => format!(
                    "It may have been granted all the same; to take that back: {}",
                    self.run.next().release_by_claimant(claimant)
                ),
            });
        }
        failure::print(self.run.connection.output, status, steps)?;
        Ok(Claimed::Ended(End::settled(exit, None)))
    }
}

impl Claimed {
    /// What a ruling comes to.
    fn of(run: &Run, answer: &Answer<ClaimResponse>, ruling: Option<&Ruling>) -> Self {
        let lease_is_over = lease_is_over(ruling, answer.sent_at.elapsed());
        let check = GrantCheck { claimant_is_ours: answer.is_resend, lease_is_over };
        let exit = Exit::of_ruling(ruling, check);
        let verdict = ruling.and_then(|ruling| ruling.verdict.as_ref());
        match (exit, verdict) {
            (Exit::Done, Some(Verdict::Granted(granted))) => {
                warn(ruling);
                Self::Granted(Box::new(granted.clone()), answer.sent_at)
            }
            (Exit::Succeeded | Exit::Failed, Some(Verdict::Completed(completed))) => {
                Self::Ended(replay(completed))
            }
            _ => {
                failure::write_page(&ruling::page(ruling, exit, &run.next()));
                tell("the command was not run");
                Self::Ended(End::settled(exit, None))
            }
        }
    }
}

impl Run {
    fn next(&self) -> Next {
        Next::new(&self.connection, &self.intent, &self.payload().unwrap_or_default())
    }
}

fn pause(running: &InProgress) -> Duration {
    span::from_wire(running.retry_after.as_ref()).max(PAUSE_MIN)
}

fn warn(ruling: Option<&Ruling>) {
    for warning in ruling.map_or(&[][..], |ruling| &ruling.warnings) {
        tell(&format!("warning: {}", warning.message));
    }
}
