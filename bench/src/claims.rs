//! Claims over gRPC: fresh ones, each with a key of its own, and what follows them.

use std::net::SocketAddr;

use anyhow::{Result, bail, ensure};
use onced_proto::v1::{
    BatchClaimRequest, BatchClaimResult, ClaimRequest, CompleteRequest, IntentId, Payload, Ruling,
    Succeeded, batch_claim_result, claim_service_client::ClaimServiceClient,
    complete_request::Outcome, payload, ruling::Verdict,
};
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

/// Whose intents.
pub(crate) const NAMESPACE: &str = "bench";
/// Of which operation.
pub(crate) const OPERATION: &str = "charge";
/// What is asked for.
pub(crate) const HASH: &str =
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
/// Connections of all callers together.
pub(crate) const CONNECTIONS: usize = 4;

/// Callers of one server.
#[derive(Clone)]
pub(crate) struct Claims {
    channels: Vec<Channel>,
}

impl Claims {
    /// Connects.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        Self::connect_by(address, CONNECTIONS).await
    }

    /// Connects so often.
    pub(crate) async fn connect_by(address: SocketAddr, connections: usize) -> Result<Self> {
        Ok(Self { channels: channels(address, connections).await? })
    }

    /// Claims a fresh intent; anything but a grant is an error.
    pub(crate) async fn fresh(&self, caller: usize) -> Result<()> {
        self.granted(caller, &fresh_key()).await.map(drop)
    }

    /// Claims a fresh intent and reports its success; the key that is settled then.
    pub(crate) async fn settle(&self, caller: usize) -> Result<String> {
        let key = fresh_key();
        self.settle_key(caller, &key).await?;
        Ok(key)
    }

    /// The same with a key that is fresh.
    pub(crate) async fn settle_key(&self, caller: usize, key: &str) -> Result<()> {
        let token = self.granted(caller, key).await?;
        self.complete(caller, key, token, format!("ch_{token}")).await
    }

    /// Claims what is fresh; the token of the grant.
    pub(crate) async fn granted(&self, caller: usize, key: &str) -> Result<i64> {
        match self.ask(caller, request_of(key)).await? {
            Some(Verdict::Granted(granted)) => Ok(granted.fencing_token),
            verdict => bail!("not granted: {verdict:?}"),
        }
    }

    /// Reports a success.
    pub(crate) async fn complete(
        &self,
        caller: usize,
        key: &str,
        token: i64,
        provider_reference: String,
    ) -> Result<()> {
        let succeeded = Succeeded { provider_reference, ..Succeeded::default() };
        let report = CompleteRequest {
            intent: Some(intent(key)),
            fencing_token: token,
            outcome: Some(Outcome::Succeeded(succeeded)),
            payload: None,
        };
        self.client(caller).complete(report).await?;
        Ok(())
    }

    /// Claims what is settled already.
    pub(crate) async fn duplicate(&self, caller: usize, key: &str) -> Result<()> {
        let verdict = self.ask(caller, request_of(key)).await?;
        ensure!(matches!(verdict, Some(Verdict::Completed(_))), "not settled: {verdict:?}");
        Ok(())
    }

    /// Claims what may be claimed already; whether it was granted.
    pub(crate) async fn wins(&self, caller: usize, key: &str) -> Result<bool> {
        match self.ask(caller, request_of(key)).await? {
            Some(Verdict::Granted(_)) => Ok(true),
            Some(Verdict::InProgress(_) | Verdict::Completed(_)) => Ok(false),
            verdict => bail!("neither granted nor in progress: {verdict:?}"),
        }
    }

    /// Claims many at once; how many were granted.
    pub(crate) async fn batch(&self, caller: usize, keys: &[String]) -> Result<usize> {
        let requests = keys.iter().map(|key| request_of(key)).collect();
        let mut client = self.client(caller);
        let answer = client.batch_claim(BatchClaimRequest { requests }).await?.into_inner();
        let is_granted = |result: &BatchClaimResult| {
            use batch_claim_result::Result::Ruling as Ruled;
            let Some(Ruled(Ruling { verdict, .. })) = &result.result else { return false };
            matches!(verdict, Some(Verdict::Granted(_)))
        };
        Ok(answer.results.iter().filter(|result| is_granted(result)).count())
    }

    /// Sends a Claim as it is.
    pub(crate) async fn ask(
        &self,
        caller: usize,
        request: ClaimRequest,
    ) -> Result<Option<Verdict>> {
        let answer = self.client(caller).claim(request).await?.into_inner();
        Ok(answer.ruling.and_then(|ruling| ruling.verdict))
    }

    fn client(&self, caller: usize) -> ClaimServiceClient<Channel> {
        ClaimServiceClient::new(self.channels[caller % self.channels.len()].clone())
    }
}

/// So many HTTP/2 connections to one server.
pub(crate) async fn channels(address: SocketAddr, count: usize) -> Result<Vec<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true);
    let mut channels = Vec::new();
    for _ in 0..count {
        channels.push(endpoint.connect().await?);
    }
    Ok(channels)
}

/// A key that nobody has used.
pub(crate) fn fresh_key() -> String {
    format!("charge:v1:{}", Uuid::new_v4())
}

/// A Claim of a key, by a claimant that nobody has used.
pub(crate) fn request_of(key: &str) -> ClaimRequest {
    ClaimRequest {
        intent: Some(intent(key)),
        claimant: Uuid::new_v4().to_string(),
        holder: "bench".to_owned(),
        payload: Some(Payload { payload: Some(payload::Payload::Hash(HASH.to_owned())) }),
        ..ClaimRequest::default()
    }
}

fn intent(key: &str) -> IntentId {
    IntentId {
        namespace: NAMESPACE.to_owned(),
        operation: OPERATION.to_owned(),
        key: key.to_owned(),
    }
}
