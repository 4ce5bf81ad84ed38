//! Fresh Claims over gRPC, each with a key of its own.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use onced_proto::v1::{
    ClaimRequest, IntentId, Payload, claim_service_client::ClaimServiceClient, payload,
    ruling::Verdict,
};
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

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
        let channel = self.channels[caller % CONNECTIONS].clone();
        let answer = ClaimServiceClient::new(channel).claim(request()).await?.into_inner();
        let verdict = answer.ruling.and_then(|ruling| ruling.verdict);
        ensure!(matches!(verdict, Some(Verdict::Granted(_))), "not granted: {verdict:?}");
        Ok(())
    }
}

/// A Claim of a key that nobody has used.
pub(crate) fn request() -> ClaimRequest {
    const HASH: &str = "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    ClaimRequest {
        intent: Some(IntentId {
            namespace: "bench".to_owned(),
            operation: "charge".to_owned(),
            key: format!("charge:v1:{}", Uuid::new_v4()),
        }),
        claimant: Uuid::new_v4().to_string(),
        holder: "bench".to_owned(),
        payload: Some(Payload { payload: Some(payload::Payload::Hash(HASH.to_owned())) }),
        ..ClaimRequest::default()
    }
}
