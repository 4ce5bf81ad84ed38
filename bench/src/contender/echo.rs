//! The floor of the wire: a tonic server that answers a Claim with a constant grant.

use std::net::SocketAddr;

use anyhow::Result;
use onced_proto::v1::{
    BatchClaimRequest, BatchClaimResponse, BatchClaimResult, ClaimRequest, ClaimResponse,
    CompleteRequest, CompleteResponse, Granted, Ruling, batch_claim_result,
    claim_service_server::{ClaimService, ClaimServiceServer},
    ruling::Verdict,
};
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};

use super::{About, Answer, Contender, Work};
use crate::claims::Claims;

/// The echo and those who call it.
pub(crate) struct Echo {
    claims: Claims,
}

impl Echo {
    /// Serves in this process until it ends.
    pub(crate) async fn start() -> Result<Self> {
        Ok(Self { claims: Claims::connect(serve().await?).await? })
    }
}

impl Contender for Echo {
    fn about(&self) -> About {
        About {
            version: "tonic in the callers' process".to_owned(),
            durability: "none: a constant answer",
            clients: "4 gRPC connections",
            is_loaded: false,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        Some(match work {
            Work::Fresh | Work::Duplicate | Work::Stampede => "Claim, answered with a constant",
            Work::Settle => "Claim and Complete, answered with constants",
            Work::Batch => "BatchClaim, answered with constants",
        })
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(self.claims.wins(caller, key))
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.claims.settle_key(caller, key))
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move { self.claims.wins(caller, key).await.map(drop) })
    }

    fn batch<'a>(&'a self, caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(self.claims.batch(caller, keys))
    }

    fn judges(&self) -> bool {
        false
    }
}

struct Constant;

#[tonic::async_trait]
impl ClaimService for Constant {
    async fn claim(
        &self,
        request: Request<ClaimRequest>,
    ) -> Result<Response<ClaimResponse>, Status> {
        Ok(Response::new(ClaimResponse { ruling: Some(granted(request.into_inner())) }))
    }

    async fn complete(
        &self,
        _request: Request<CompleteRequest>,
    ) -> Result<Response<CompleteResponse>, Status> {
        Ok(Response::new(CompleteResponse::default()))
    }

    async fn batch_claim(
        &self,
        request: Request<BatchClaimRequest>,
    ) -> Result<Response<BatchClaimResponse>, Status> {
        let one = |request| BatchClaimResult {
            result: Some(batch_claim_result::Result::Ruling(granted(request))),
        };
        let results = request.into_inner().requests.into_iter().map(one).collect();
        Ok(Response::new(BatchClaimResponse { results }))
    }
}

fn granted(request: ClaimRequest) -> Ruling {
    let granted = Granted {
        attempt: 1,
        fencing_token: 1_764_518_400_000_000,
        provider_key: request.claimant,
        ..Granted::default()
    };
    Ruling { verdict: Some(Verdict::Granted(granted)), warnings: Vec::new() }
}

async fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = Server::builder().add_service(ClaimServiceServer::new(Constant));
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true))));
    Ok(address)
}
