//! The floor of the wire: a tonic server that answers a Claim with a constant grant.

use std::net::SocketAddr;

use anyhow::Result;
use onced_proto::v1::{
    ClaimRequest, ClaimResponse, Granted, Ruling,
    claim_service_server::{ClaimService, ClaimServiceServer},
    ruling::Verdict,
};
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};

struct Echo;

#[tonic::async_trait]
impl ClaimService for Echo {
    async fn claim(
        &self,
        request: Request<ClaimRequest>,
    ) -> Result<Response<ClaimResponse>, Status> {
        let granted = Granted {
            attempt: 1,
            fencing_token: 1_764_518_400_000_000,
            provider_key: request.into_inner().claimant,
            ..Granted::default()
        };
        let ruling = Ruling { verdict: Some(Verdict::Granted(granted)), warnings: Vec::new() };
        Ok(Response::new(ClaimResponse { ruling: Some(ruling) }))
    }
}

/// Serves on a free loopback port until the process ends.
pub(crate) async fn serve() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = Server::builder().add_service(ClaimServiceServer::new(Echo));
    tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true))));
    Ok(address)
}
