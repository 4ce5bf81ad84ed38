//! Claims over gRPC: fresh ones, each with a key of its own, and what follows them.

use std::net::SocketAddr;

use anyhow::{Result, bail, ensure};
use onced_proto::v1::{
    ClaimRequest, CompleteRequest, IntentId, Payload, Succeeded,
    claim_service_client::ClaimServiceClient, complete_request::Outcome, payload, ruling::Verdict,
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
const CONNECTIONS: usize = 4;

/// Callers of one server.
#[derive(Clone)]
pub(crate) struct Claims {
    channels: Vec<Channel>,
}

impl Claims {
    /// Connects.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true);
        let mut channels = Vec::new();
        for _ in 0..CONNECTIONS {
            channels.push(endpoint.connect().await?);
        }
        Ok(Self { channels })
    }

    /// Claims a fresh intent; anything but a grant is an error.
    pub(crate) async fn fresh(&self, caller: usize) -> Result<()> {
        let verdict = self.ask(caller, request()).await?;
        ensure!(matches!(verdict, Some(Verdict::Granted(_))), "not granted: {verdict:?}");
        Ok(())
    }

    /// Claims a fresh intent and reports its success; the key that is settled then.
    pub(crate) async fn settle(&self, caller: usize) -> Result<String> {
        let request = request();
        let intent = request.intent.clone();
        let key = intent.as_ref().map(|intent| intent.key.clone()).unwrap_or_default();
        let verdict = self.ask(caller, request).await?;
        let Some(Verdict::Granted(granted)) = verdict else { bail!("not granted: {verdict:?}") };
        let provider_reference = format!("ch_{}", granted.fencing_token);
        let succeeded = Succeeded { provider_reference, ..Succeeded::default() };
        let report = CompleteRequest {
            intent,
            fencing_token: granted.fencing_token,
            outcome: Some(Outcome::Succeeded(succeeded)),
            payload: None,
        };
        self.client(caller).complete(report).await?;
        Ok(key)
    }

    /// Claims what is settled already.
    pub(crate) async fn duplicate(&self, caller: usize, key: &str) -> Result<()> {
        let verdict = self.ask(caller, request_of(key.to_owned())).await?;
        ensure!(matches!(verdict, Some(Verdict::Completed(_))), "not settled: {verdict:?}");
        Ok(())
    }

    async fn ask(&self, caller: usize, request: ClaimRequest) -> Result<Option<Verdict>> {
        let answer = self.client(caller).claim(request).await?.into_inner();
        Ok(answer.ruling.and_then(|ruling| ruling.verdict))
    }

    fn client(&self, caller: usize) -> ClaimServiceClient<Channel> {
        ClaimServiceClient::new(self.channels[caller % CONNECTIONS].clone())
    }
}

/// A key that nobody has used.
pub(crate) fn fresh_key() -> String {
    format!("charge:v1:{}", Uuid::new_v4())
}

/// A Claim of a key that nobody has used.
pub(crate) fn request() -> ClaimRequest {
    request_of(fresh_key())
}

fn request_of(key: String) -> ClaimRequest {
    ClaimRequest {
        intent: Some(IntentId {
            namespace: NAMESPACE.to_owned(),
            operation: OPERATION.to_owned(),
            key,
        }),
        claimant: Uuid::new_v4().to_string(),
        holder: "bench".to_owned(),
        payload: Some(Payload { payload: Some(payload::Payload::Hash(HASH.to_owned())) }),
        ..ClaimRequest::default()
    }
}
