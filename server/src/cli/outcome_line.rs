//! What became of an attempt, as one line of text: kept where the server could not be told, and
//! told later by `onced complete --outcome-line`.
//!
//! Holds no payload, only its hash; but it holds the result.

use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use onced_client::Connection as Client;
use onced_proto::v1::{
    CompleteRequest, CompleteResponse, IntentId, ReleaseRequest, ReleaseResponse,
};
use serde_json::{Value, json};
use tonic::{Request, Status};

use super::{
    connection::{Answer, Connection},
    json,
};

/// What the line begins with.
const MARK: &str = "onced-outcome: ";
const COMPLETE: (&str, &str) = ("complete", "onced.v1.CompleteRequest");
const RELEASE: (&str, &str) = ("release", "onced.v1.ReleaseRequest");

/// A report of what became of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Report {
    /// An outcome.
    Complete(CompleteRequest),
    /// It surely did not happen.
    Release(ReleaseRequest),
}

/// What the server made of it.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// The outcome is recorded; how the intent now stands.
    Complete(Box<CompleteResponse>),
    /// The attempt is given back.
    Release(ReleaseResponse),
}

impl Report {
    /// The line, without a line end.
    pub(super) fn line(&self) -> anyhow::Result<String> {
        let ((word, name), message) = match self {
            Self::Complete(request) => (COMPLETE, json::value(COMPLETE.1, request)?),
            Self::Release(request) => (RELEASE, json::value(RELEASE.1, request)?),
        };
        debug_assert!(name.starts_with("onced.v1."));
        Ok(format!("{MARK}{}", json!({ word: message })))
    }

    /// Every report in a text, e.g. in all that a job has logged.
    pub(super) fn all_in(text: &str) -> anyhow::Result<Vec<Self>> {
        let lines = text.lines().filter_map(|line| line.split_once(MARK));
        let found: Vec<Self> = lines.map(|(_, line)| Self::read(line)).collect::<Result<_, _>>()?;
        if found.is_empty() {
            bail!("--outcome-line: no line with {MARK:?} in it");
        }
        Ok(found)
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        let value: Value = serde_json::from_str(text.trim()).context("--outcome-line")?;
        let Value::Object(object) = value else { bail!("--outcome-line: not an outcome") };
        let only = (object.len() == 1).then(|| object.into_iter().next()).flatten();
        let (word, message) = only.ok_or_else(|| anyhow!("--outcome-line: not one outcome"))?;
        match word.as_str() {
            "complete" => Ok(Self::Complete(json::read(COMPLETE.1, message)?)),
            "release" => Ok(Self::Release(json::read(RELEASE.1, message)?)),
            other => bail!("--outcome-line: {other} is not known to this version"),
        }
    }

    /// Which intent it is about.
    pub(super) fn intent(&self) -> Option<&IntentId> {
        match self {
            Self::Complete(request) => request.intent.as_ref(),
            Self::Release(request) => request.intent.as_ref(),
        }
    }

    /// Tells the server.
    pub(super) async fn send(&self, connection: &Connection) -> Result<Taken, Status> {
        match self.clone() {
            Self::Complete(request) => {
                let send = async |client: Client, request: Request<CompleteRequest>| {
                    client.claims().complete(request).await
                };
                let asked = connection.ask(request, Duration::ZERO, send).await;
                asked.map(|answer: Answer<_>| Taken::Complete(Box::new(answer.message)))
            }
            Self::Release(request) => {
                let send = async |client: Client, request: Request<ReleaseRequest>| {
                    client.claims().release(request).await
                };
                let asked = connection.ask(request, Duration::ZERO, send).await;
                asked.map(|answer: Answer<_>| Taken::Release(answer.message))
            }
        }
    }
}

#[cfg(test)]
mod tests;
