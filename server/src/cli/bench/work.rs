//! One turn of each kind of work, again and again, until the run is to stop.
//!
//! Sends nothing twice: a call that failed is a failure, and its key is left.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use onced_client::Connection as Client;
use onced_proto::v1::{
    self, BatchClaimRequest, BatchCompleteRequest, ClaimRequest, CompleteRequest, IntentId,
    Payload, Succeeded, batch_claim_result, batch_complete_result, complete_request::Outcome,
    payload, ruling::Verdict,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use super::{super::failure::code_name, PREFIX, Work, tally::Tally};

/// Items of one batch.
const BATCH: u64 = 100;
/// Keys that duplicates are claimed of.
const DUPLICATED: u64 = 16;
/// After a failure, so that a server that is gone is not asked as fast as possible.
const PAUSE: Duration = Duration::from_millis(50);

/// One run, and what its workers have in common.
pub(super) struct Run {
    pub(super) work: Work,
    pub(super) names: (String, String),
    pub(super) id: String,
    pub(super) clients: Vec<Client>,
    /// Longest time for one call.
    pub(super) patience: Duration,
    /// What is asked for with `claim`.
    pub(super) lease: Option<prost_types::Duration>,
    /// How many are still to be begun.
    pub(super) left: AtomicU64,
    /// Number of the next key.
    pub(super) next: AtomicU64,
    pub(super) stop: CancellationToken,
}

/// A key that was granted, with its token.
pub(super) type Grant = (IntentId, i64);

impl Run {
    /// What its keys begin with.
    pub(super) fn prefix(&self) -> String {
        format!("{PREFIX}{}", self.id)
    }

    /// How many were begun.
    pub(super) fn done(&self, count: u64) -> u64 {
        count.saturating_sub(self.left.load(Relaxed))
    }

    /// The keys that duplicates are claimed of.
    pub(super) async fn prepare(&self) -> Result<(), Status> {
        if self.work != Work::Duplicate {
            return Ok(());
        }
        let mut nothing = Tally::default();
        for number in 0..DUPLICATED {
            let (intent, token) = self.claim(&self.clients[0], number, &mut nothing).await?;
            self.complete(&self.clients[0], (intent, token), &mut nothing).await?;
        }
        Ok(())
    }

    /// One worker; what it leaves to be completed.
    pub(super) async fn work_off(&self, worker: usize) -> (Tally, Vec<Grant>) {
        let client = &self.clients[worker % self.clients.len()];
        let (mut tally, mut granted) = (Tally::default(), Vec::new());
        if self.work == Work::Duplicate && worker == 0 {
            tally.records += DUPLICATED;
        }
        while !self.stop.is_cancelled() {
            let turn = if self.work == Work::Batch { BATCH } else { 1 };
            let Some(turn) = self.taken(turn) else { break };
            let done = match self.work {
                Work::Claim => {
                    let number = self.numbers(1).start;
                    let claimed = self.claim(client, number, &mut tally).await;
                    claimed.map(|grant| granted.push(grant))
                }
                Work::ClaimComplete => self.claim_and_complete(client, &mut tally).await,
                Work::Duplicate => self.duplicate(client, &mut tally).await,
                Work::Batch => self.batch(client, turn, &mut tally).await,
            };
            match done {
                Ok(()) => tally.intents += turn,
                Err(status) => {
                    tally.failed(code_name(status.code()));
                    sleep(PAUSE).await;
                }
            }
        }
        (tally, granted)
    }

    /// So many, or what is left.
    fn taken(&self, turn: u64) -> Option<u64> {
        let less = |left: u64| (left > 0).then(|| left.saturating_sub(turn));
        let before = self.left.fetch_update(Relaxed, Relaxed, less).ok()?;
        Some(before.min(turn))
    }

    fn numbers(&self, count: u64) -> std::ops::Range<u64> {
        let first = self.next.fetch_add(count, Relaxed);
        first..first + count
    }

    async fn claim_and_complete(&self, client: &Client, tally: &mut Tally) -> Result<(), Status> {
        let grant = self.claim(client, self.numbers(1).start, tally).await?;
        self.complete(client, grant, tally).await
    }

    async fn claim(
        &self,
        client: &Client,
        number: u64,
        tally: &mut Tally,
    ) -> Result<Grant, Status> {
        let request = self.claim_request(number);
        let intent = request.intent.clone().unwrap_or_default();
        let mut claims = client.claims();
        let answer = self.timed("claim", tally, claims.claim(self.request(request))).await?;
        match answer.ruling.and_then(|ruling| ruling.verdict) {
            Some(Verdict::Granted(granted)) => {
                tally.records += 1;
                Ok((intent, granted.fencing_token))
            }
            _ => Err(Status::aborted("a new key was not granted")),
        }
    }

    async fn complete(
        &self,
        client: &Client,
        (intent, token): Grant,
        tally: &mut Tally,
    ) -> Result<(), Status> {
        let mut claims = client.claims();
        let request = self.request(complete_request(intent, token));
        self.timed("complete", tally, claims.complete(request)).await?;
        Ok(())
    }

    async fn duplicate(&self, client: &Client, tally: &mut Tally) -> Result<(), Status> {
        let request = self.request(self.claim_request(self.numbers(1).start % DUPLICATED));
        let mut claims = client.claims();
        let sent = self.timed("duplicate", tally, claims.claim(request));
        match sent.await?.ruling.and_then(|ruling| ruling.verdict) {
            Some(Verdict::Completed(_)) => Ok(()),
            _ => Err(Status::aborted("a duplicate was not told the outcome")),
        }
    }

    async fn batch(&self, client: &Client, items: u64, tally: &mut Tally) -> Result<(), Status> {
        let requests: Vec<_> =
            self.numbers(items).map(|number| self.claim_request(number)).collect();
        let intents: Vec<_> =
            requests.iter().filter_map(|request| request.intent.clone()).collect();
        let (asked, mut claims) = (self.request(BatchClaimRequest { requests }), client.claims());
        let answer = self.timed("batch claim", tally, claims.batch_claim(asked)).await?;
        let rulings = answer.results.into_iter().map(|result| granted(result.result));
        let tokens: Result<Vec<i64>, Status> = rulings.collect();
        let grants: Vec<Grant> = intents.into_iter().zip(tokens?).collect();
        tally.records += grants.len() as u64;
        self.complete_batch(client, &grants, tally).await
    }

    async fn complete_batch(
        &self,
        client: &Client,
        grants: &[Grant],
        tally: &mut Tally,
    ) -> Result<(), Status> {
        let requests = grants.iter().cloned();
        let requests = requests.map(|(intent, token)| complete_request(intent, token)).collect();
        let asked = self.request(BatchCompleteRequest { requests });
        let mut claims = client.claims();
        let sent = self.timed("batch complete", tally, claims.batch_complete(asked));
        for result in sent.await?.results {
            if let Some(batch_complete_result::Result::Status(status)) = result.result {
                return Err(Status::new(Code::from_i32(status.code), status.message));
            }
        }
        Ok(())
    }

    /// Completes what was only claimed; how long that takes is not measured.
    pub(super) async fn complete_all(&self, grants: &[Grant], tally: &mut Tally) {
        let mut nothing = Tally::default();
        for part in grants.chunks(1_000) {
            if let Err(status) = self.complete_batch(&self.clients[0], part, &mut nothing).await {
                tally.failed(code_name(status.code()));
            }
        }
    }

    fn request<Q>(&self, message: Q) -> Request<Q> {
        let mut request = Request::new(message);
        request.set_timeout(self.patience);
        request
    }

    async fn timed<A>(
        &self,
        call: &'static str,
        tally: &mut Tally,
        answer: impl Future<Output = Result<Response<A>, Status>>,
    ) -> Result<A, Status> {
        let sent = Instant::now();
        let answer = tokio::time::timeout(self.patience, answer).await;
        let answer = answer.map_err(|_| Status::deadline_exceeded("no answer in time"))??;
        tally.answered(call, sent.elapsed());
        Ok(answer.into_inner())
    }

    fn claim_request(&self, number: u64) -> ClaimRequest {
        let (namespace, operation) = self.names.clone();
        let key = format!("{}:{number}", self.prefix());
        let json = format!("{{\"bench\":\"{}\",\"n\":{number}}}", self.id);
        ClaimRequest {
            intent: Some(IntentId { namespace, operation, key }),
            claimant: Uuid::new_v4().to_string(),
            holder: "onced bench".to_owned(),
            payload: Some(Payload { payload: Some(payload::Payload::Json(json)) }),
            lease: self.lease.filter(|_| self.work == Work::Claim),
            ..ClaimRequest::default()
        }
    }
}

fn granted(result: Option<batch_claim_result::Result>) -> Result<i64, Status> {
    match result {
        Some(batch_claim_result::Result::Ruling(v1::Ruling {
            verdict: Some(Verdict::Granted(granted)),
            ..
        })) => Ok(granted.fencing_token),
        Some(batch_claim_result::Result::Status(status)) => {
            Err(Status::new(Code::from_i32(status.code), status.message))
        }
        _ => Err(Status::aborted("a new key was not granted")),
    }
}

fn complete_request(intent: IntentId, token: i64) -> CompleteRequest {
    CompleteRequest {
        intent: Some(intent),
        fencing_token: token,
        payload: None,
        outcome: Some(Outcome::Succeeded(Succeeded::default())),
    }
}
