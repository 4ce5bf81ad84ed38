//! The exact next command, ready to be copied into a shell.

use std::fmt::Write as _;

use super::{connection::Connection, intent::IntentArgs, payload::PayloadArgs};

/// What every next command on the same intent has in common.
#[derive(Clone, Debug)]
pub(super) struct Next {
    intent: String,
    payload: String,
}

impl Next {
    /// Commands for the intent, the server and the payload that this command was given.
    pub(super) fn new(connection: &Connection, intent: &IntentArgs, payload: &PayloadArgs) -> Self {
        let mut options = Vec::new();
        if connection.endpoint != super::ENDPOINT {
            options.push(("--endpoint", connection.endpoint.clone()));
        }
        options.push(("--namespace", intent.namespace.clone()));
        options.push(("--operation", intent.operation.clone()));
        options.push(("--key", intent.key.clone()));
        Self { intent: join(&options), payload: join(&payload.typed()) }
    }

    /// Report what became of the attempt.
    pub(super) fn complete(&self, token: i64, outcome: &str) -> String {
        format!("onced complete{} --token {token} {outcome}", self.intent)
    }

    /// Give the attempt back: nothing was done.
    pub(super) fn release(&self, token: i64) -> String {
        format!("onced release{} --token {token} --reason not-started", self.intent)
    }

    /// Give back what a lost answer may have granted.
    pub(super) fn release_by_claimant(&self, claimant: &str) -> String {
        format!("onced release{} --by-claimant {}", self.intent, quoted(claimant))
    }

    /// Look at the intent.
    pub(super) fn get(&self) -> String {
        format!("onced get{}{}", self.intent, self.payload)
    }

    /// Ask again.
    pub(super) fn claim(&self) -> String {
        format!("onced claim{}{}", self.intent, self.payload)
    }

    /// Take the intent over.
    pub(super) fn reclaim(&self, reason: &str) -> String {
        format!("onced reclaim{}{} --reason {}", self.intent, self.payload, quoted(reason))
    }

    /// Take the intent over, with what was found out at the provider.
    pub(super) fn reclaim_with_evidence(&self, etag: &str, finding: &str) -> String {
        let base = self.reclaim("WHY");
        let etag = quoted(etag);
        format!("{base} --etag {etag} --evidence {finding} --observed TIME --reference WHERE")
    }
}

fn join(options: &[(&str, String)]) -> String {
    options.iter().fold(String::new(), |mut line, (name, value)| {
        let _ = write!(line, " {name} {}", quoted(value));
        line
    })
}

/// A word that every POSIX shell reads back as `text`.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@,+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
