//! What became of the command, told to the server; and kept in one line where it cannot be told.
//!
//! Never reports more than the command's end says.

use std::time::Duration;

use onced_proto::v1::{
    CompleteRequest, Content, Failed, Granted, Intent, IntentId, NotAppliedReason, OutcomeUnknown,
    Payload, ReleaseRequest, ResultAbsence, State, Succeeded, complete_request::Outcome,
    content::Body, payload, release_request::Grant,
};
use tokio::time::{Instant, sleep};
use tonic::Status;

use super::{codes::Fate, output::Kept, replay, signals::Signals, tell};
use crate::{
    cli::{
        connection::Connection,
        exit::{Exit, reason},
        failure,
        outcome_line::{Report, Taken},
    },
    payload as hashed,
};

/// Largest detail of a failure, in bytes.
const DETAIL_BYTES_MAX: usize = 65_536;
/// How much of the end of an output goes into the message of a failure, in bytes.
pub(super) const TAIL_MAX: usize = 900;
/// How long no signal ends the reporting: what ended the command may have come here too.
const UNDISTURBED: Duration = Duration::from_secs(2);
/// Pause between two rounds of reports that got no answer.
const PAUSE: Duration = Duration::from_secs(1);

/// Whose attempt it is.
pub(super) struct Attempt<'a> {
    /// Which intent.
    pub(super) intent: &'a IntentId,
    /// What was granted.
    pub(super) granted: &'a Granted,
    /// What was asked for.
    pub(super) payload: &'a Option<Payload>,
}

impl Attempt<'_> {
    /// What there is to report of a command that has ended.
    pub(super) fn report(&self, fate: Fate, kept: &Kept) -> Report {
        let outcome = match fate {
            Fate::Succeeded(code) => Outcome::Succeeded(self.succeeded(code, kept)),
            Fate::Failed(code) => Outcome::Failed(failed(code, kept)),
            Fate::NotApplied(code) => {
                let why = format!("the command ended with {code}");
                return self.release(NotAppliedReason::RejectedByTarget, why);
            }
            Fate::Unknown => Outcome::Unknown(OutcomeUnknown::default()),
        };
        Report::Complete(CompleteRequest {
            intent: Some(self.intent.clone()),
            fencing_token: self.granted.fencing_token,
            payload: self.payload.clone(),
            outcome: Some(outcome),
        })
    }

    /// That it surely did not happen.
    pub(super) fn release(&self, reason: NotAppliedReason, message: String) -> Report {
        Report::Release(ReleaseRequest {
            intent: Some(self.intent.clone()),
            grant: Some(Grant::FencingToken(self.granted.fencing_token)),
            reason: reason.into(),
            message,
        })
    }

    fn succeeded(&self, code: u8, kept: &Kept) -> Succeeded {
        let limit = self.result_bytes_max();
        let Some(output) = kept.whole(limit) else {
            tell(&format!(
                "the output ({} bytes{}) is not kept: at most {limit} bytes are; duplicates are \
                 told that it was left out",
                kept.total,
                if kept.is_cut { ", still held open by another process" } else { "" },
            ));
            let result_absence = ResultAbsence::Omitted.into();
            return Succeeded { result_absence, ..Succeeded::default() };
        };
        Succeeded { result: Some(content(output, code)), ..Succeeded::default() }
    }

    /// How much of an output is to be kept: what a success or a failure takes.
    pub(super) fn kept_bytes_max(&self) -> usize {
        self.result_bytes_max().max(DETAIL_BYTES_MAX)
    }

    fn result_bytes_max(&self) -> usize {
        usize::try_from(self.granted.result_bytes_max).unwrap_or(0)
    }
}

fn failed(code: u8, kept: &Kept) -> Failed {
    let kind = format!("exit-{code}");
    if let Some(output) = kept.whole(DETAIL_BYTES_MAX) {
        let detail = Some(content(output, code));
        return Failed { r#type: kind, detail, ..Failed::default() };
    }
    tell(&format!("of the output ({} bytes) the end is kept alone", kept.total));
    let tail = String::from_utf8_lossy(kept.tail(TAIL_MAX)).into_owned();
    let from = tail.char_indices().map(|(at, _)| at).find(|at| tail.len() - at <= TAIL_MAX);
    let message = format!("… {}", &tail[from.unwrap_or(tail.len())..]);
    Failed { r#type: kind, message, ..Failed::default() }
}

/// An output with the exit code that belongs to it.
fn content(output: &[u8], code: u8) -> Content {
    let (body, kind) = match std::str::from_utf8(output) {
        Ok(text) => (Body::Text(text.to_owned()), "text/plain; charset=utf-8"),
        Err(_) => (Body::Bytes(output.to_vec().into()), "application/octet-stream"),
    };
    Content { body: Some(body), content_type: replay::with_code(kind, code) }
}

/// Tells the server, again and again for at most `within`, or until a signal asks to end.
pub(super) async fn send(
    report: &Report,
    connection: &Connection,
    within: Duration,
    signals: &mut Signals,
) -> Result<Taken, Status> {
    let interrupted = async {
        sleep(UNDISTURBED).await;
        signals.asked_to_end().await
    };
    tokio::select! {
        sent = send_within(report, connection, within) => sent,
        _ = interrupted => Err(Status::cancelled("a signal ended the reporting")),
    }
}

async fn send_within(
    report: &Report,
    connection: &Connection,
    within: Duration,
) -> Result<Taken, Status> {
    let end = Instant::now() + within;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let connection = Connection { timeout: connection.timeout.min(left), ..connection.clone() };
        let status = match report.send(&connection).await {
            Ok(taken) => return Ok(taken),
            Err(status) => status,
        };
        let is_definite = Exit::of_status(&status) != Exit::Unavailable;
        if is_definite || Instant::now() + PAUSE >= end {
            return Err(status);
        }
        sleep(PAUSE).await;
    }
}

/// Says that the server does not know, and gives the line by which it can be told later.
pub(super) fn tell_unrecorded(
    report: &Report,
    connection: &Connection,
    status: &Status,
) -> anyhow::Result<()> {
    tell("what became of the command is NOT on record:");
    failure::print(connection.output, status, Vec::new())?;
    if matches!(reason(status).as_deref(), Some("FENCED" | "OUTCOME_CONFLICT")) {
        tell("the report was judged and is kept as evidence; a person has to look");
        return Ok(());
    }
    tell("tell it later, with this line: onced complete --outcome-line - < FILE");
    failure::write(&format!("{}\n", without_payload(report).line()?));
    Ok(())
}

/// The same with the payload's hash in place of the payload, which may be secret, and is long.
fn without_payload(report: &Report) -> Report {
    let mut report = report.clone();
    if let Report::Complete(request) = &mut report {
        request.payload = request.payload.take().and_then(hash_alone);
    }
    report
}

fn hash_alone(given: Payload) -> Option<Payload> {
    let hash = match given.payload? {
        payload::Payload::Hash(hash) => hash,
        payload::Payload::Bytes(bytes) => hashed::Payload::from_bytes(bytes).hash().to_string(),
        payload::Payload::Json(text) => hashed::Payload::from_json(&text).ok()?.hash().to_string(),
    };
    Some(Payload { payload: Some(payload::Payload::Hash(hash)) })
}

/// Whether the report settled the intent: an earlier attempt may have left it in doubt, and another
/// report may contradict it.
pub(super) fn stands(taken: &Taken) -> bool {
    let Taken::Complete(answer) = taken else { return true };
    let is_settled = |intent: &Intent| {
        !intent.disputed && matches!(intent.state(), State::Succeeded | State::Failed)
    };
    answer.intent.as_ref().is_some_and(is_settled)
}

#[cfg(test)]
mod tests;
