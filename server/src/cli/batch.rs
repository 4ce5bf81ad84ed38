//! `onced batch`: many claims, completions or renewals, a line of JSON for each.
//!
//! Judges every line before it sends the first, and sends each in a batch of the service: one
//! line's refusal changes no other.

use std::time::Duration;

use anyhow::Context;
use clap::{Args, ValueEnum};
use onced_client::Connection as Client;
use onced_proto::v1::{
    BatchClaimRequest, BatchCompleteRequest, BatchRenewRequest, ClaimRequest, CompleteRequest,
    RenewRequest,
};
use tonic::{Request, Status};

use super::{connection::Connection, exit::Exit, export::Progress, failure, payload::content};

mod answers;
mod lines;

use answers::Told;
use lines::{Item, Line, Names};

const EXAMPLE: &str = "\
Example: onced batch renew leases.ndjson --namespace payments --operation charge
A line is a request as JSON: {\"intent\":{\"key\":\"k\"},\"fencingToken\":\"7\"}; a claim
without a claimant gets one. The answer: {\"line\":1,\"key\":\"k\",\"exit\":0,...}
with the exit code that the single command would have had.
Ends with: 0 every line was answered or taken, 15 at least one was refused,
  64 a line is wrong (nothing was sent), 69 broken off: the rest has no answer.";

/// Claim, complete or renew many: JSON lines in, JSON lines out
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Batch {
    /// claim, complete or renew
    #[arg(value_enum, hide_possible_values = true)]
    call: Call,
    /// The lines; - is standard input
    #[arg(default_value = "-")]
    file: String,
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    connection: Connection,
}

/// Which call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Call {
    Claim,
    Complete,
    Renew,
}

impl Batch {
    /// Judges, sends, prints.
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let text = String::from_utf8(content("FILE", &self.file)?).context("the lines")?;
        match self.call {
            Call::Claim => self.each(&text, async |sent| self.claim(sent).await).await,
            Call::Complete => self.each(&text, async |sent| self.complete(sent).await).await,
            Call::Renew => self.each(&text, async |sent| self.renew(sent).await).await,
        }
    }

    async fn each<M: Item>(
        &self,
        text: &str,
        send: impl AsyncFn(Vec<M>) -> Result<Vec<Told>, Status>,
    ) -> anyhow::Result<Exit> {
        let lines = lines::read::<M>(text, &self.names)?;
        let (mut exit, mut progress, mut done) = (Exit::Done, Progress::default(), 0);
        for chunk in lines::chunks(lines) {
            let requests = chunk.iter().map(|line| line.message.clone()).collect();
            let told = match send(requests).await {
                Ok(told) if told.len() == chunk.len() => told,
                Ok(_) => {
                    return broken_off(&chunk, &Status::data_loss("answers are missing"), self);
                }
                Err(status) => return broken_off(&chunk, &status, self),
            };
            for (line, told) in chunk.iter().zip(told) {
                if told.is_refused {
                    exit = Exit::Incomplete;
                }
                super::print(&format!("{}\n", told.line(line)))?;
            }
            done += chunk.len() as u64;
            progress.show(done);
        }
        progress.end();
        Ok(exit)
    }

    async fn claim(&self, requests: Vec<ClaimRequest>) -> Result<Vec<Told>, Status> {
        let send = async |client: Client, request: Request<BatchClaimRequest>| {
            client.claims().batch_claim(request).await
        };
        let asked = BatchClaimRequest { requests };
        let answer = self.connection.ask(asked, Duration::ZERO, send).await?;
        let results = answer.message.results.iter();
        Ok(results.map(|result| answers::claimed(result, &answer)).collect())
    }

    async fn complete(&self, requests: Vec<CompleteRequest>) -> Result<Vec<Told>, Status> {
        let send = async |client: Client, request: Request<BatchCompleteRequest>| {
            client.claims().batch_complete(request).await
        };
        let asked = BatchCompleteRequest { requests };
        let answer = self.connection.ask(asked, Duration::ZERO, send).await?;
        Ok(answer.message.results.iter().map(answers::completed).collect())
    }

    async fn renew(&self, requests: Vec<RenewRequest>) -> Result<Vec<Told>, Status> {
        let send = async |client: Client, request: Request<BatchRenewRequest>| {
            client.claims().batch_renew(request).await
        };
        let asked = BatchRenewRequest { requests };
        let answer = self.connection.ask(asked, Duration::ZERO, send).await?;
        Ok(answer.message.results.iter().map(answers::renewed).collect())
    }
}

/// Whatever was sent last has no answer, and nothing after it was sent.
fn broken_off<M>(chunk: &[Line<M>], status: &Status, batch: &Batch) -> anyhow::Result<Exit> {
    let first = chunk.first().map_or(0, |line| line.number);
    let step = format!("There is no answer for line {first} and all after it; send them again.");
    failure::print(batch.connection.output, status, vec![step])?;
    Ok(Exit::of_status(status))
}
