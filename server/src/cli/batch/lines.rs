//! The lines of a batch: requests as JSON, judged all together, and cut into what one call takes.
//!
//! Sends nothing.

use std::collections::HashSet;

use anyhow::bail;
use clap::Args;
use onced_proto::v1::{ClaimRequest, CompleteRequest, IntentId, RenewRequest};
use prost::Message;
use uuid::Uuid;

use crate::cli::json;

/// Most requests in one call.
const ITEMS_MAX: usize = 1_000;
/// Most bytes in one call; the service takes 4 MiB.
const BYTES_MAX: usize = 3 << 20;
/// Most faults that are told at once.
const FAULTS_MAX: usize = 20;

/// What lines need not say.
#[derive(Debug, Args)]
#[command(next_help_heading = "For lines that do not name them")]
pub(super) struct Names {
    /// Who owns the keys
    #[arg(long, value_name = "NAME", env = "ONCED_NAMESPACE", hide_env_values = true)]
    namespace: Option<String>,
    /// The kind of effect
    #[arg(long, value_name = "NAME", env = "ONCED_OPERATION", hide_env_values = true)]
    operation: Option<String>,
}

/// One request, and the line that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line<M> {
    /// From 1.
    pub(super) number: usize,
    /// The key, for the answer.
    pub(super) key: String,
    /// The request.
    pub(super) message: M,
}

/// A request of which a batch has many.
pub(super) trait Item: Message + Default + Clone {
    /// Its full name.
    const NAME: &str;
    /// Its intent.
    fn intent(&mut self) -> &mut Option<IntentId>;
    /// Makes what the caller may leave out.
    fn complete(&mut self) {}
}

impl Item for ClaimRequest {
    const NAME: &str = "onced.v1.ClaimRequest";

    fn intent(&mut self) -> &mut Option<IntentId> {
        &mut self.intent
    }

    fn complete(&mut self) {
        if self.claimant.is_empty() {
            self.claimant = Uuid::new_v4().to_string();
        }
    }
}

impl Item for CompleteRequest {
    const NAME: &str = "onced.v1.CompleteRequest";

    fn intent(&mut self) -> &mut Option<IntentId> {
        &mut self.intent
    }
}

impl Item for RenewRequest {
    const NAME: &str = "onced.v1.RenewRequest";

    fn intent(&mut self) -> &mut Option<IntentId> {
        &mut self.intent
    }
}

/// Every line that is not blank; or every fault.
pub(super) fn read<M: Item>(text: &str, names: &Names) -> anyhow::Result<Vec<Line<M>>> {
    let (mut lines, mut faults) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match read_one(line, names) {
            Ok((key, message)) => lines.push(Line { number: at + 1, key, message }),
            Err(fault) => faults.push(format!("line {}: {fault:#}", at + 1)),
        }
    }
    if faults.is_empty() {
        return Ok(lines);
    }
    let more = faults.len().saturating_sub(FAULTS_MAX);
    faults.truncate(FAULTS_MAX);
    if more > 0 {
        faults.push(format!("and {more} more"));
    }
    bail!("nothing was sent:\n{}", faults.join("\n"))
}

fn read_one<M: Item>(line: &str, names: &Names) -> anyhow::Result<(String, M)> {
    let mut message: M = json::read(M::NAME, serde_json::from_str(line)?)?;
    let Some(intent) = message.intent() else { bail!("it names no intent") };
    fill(&mut intent.namespace, names.namespace.as_ref());
    fill(&mut intent.operation, names.operation.as_ref());
    if intent.namespace.is_empty() || intent.operation.is_empty() || intent.key.is_empty() {
        bail!("its intent needs a namespace, an operation and a key");
    }
    let key = intent.key.clone();
    message.complete();
    Ok((key, message))
}

fn fill(name: &mut String, default: Option<&String>) {
    if let (true, Some(default)) = (name.is_empty(), default) {
        name.clone_from(default);
    }
}

/// What one call takes: no more than so many, so long, and no intent twice.
pub(super) fn chunks<M: Item>(lines: Vec<Line<M>>) -> Vec<Vec<Line<M>>> {
    let mut chunks: Vec<Vec<Line<M>>> = Vec::new();
    let (mut bytes, mut intents) = (0, HashSet::new());
    for mut line in lines {
        let length = line.message.encoded_len() + 8;
        let intent = line.message.intent().as_ref().map(Message::encode_to_vec);
        let is_full = chunks.last().is_none_or(|chunk| chunk.len() >= ITEMS_MAX);
        if is_full || bytes + length > BYTES_MAX || intents.contains(&intent) {
            chunks.push(Vec::new());
            bytes = 0;
            intents.clear();
        }
        bytes += length;
        intents.insert(intent);
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(line);
        }
    }
    chunks
}

#[cfg(test)]
mod tests;
