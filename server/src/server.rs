//! Serves: the gRPC port with its layers, the admin port beside it, and the way down from both.
//!
//! Decides nothing and knows no intent.

use std::{future::Future, sync::Arc, time::Duration};

use onced_proto::{
    admin::v1::admin_service_server::AdminServiceServer,
    v1::{
        claim_service_server::ClaimServiceServer, policy_service_server::PolicyServiceServer,
        reconciliation_service_server::ReconciliationServiceServer,
    },
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::transport::{Server, server::TcpIncoming};

use self::{edge::Edge, health::Health};
use crate::{
    clock::Clock,
    keeper::Keeper,
    policy::Policies,
    service::{Admin, Backups, Bounds, Claims, PolicyReader, Service},
    telemetry::{Backlog, Metrics},
};

mod admin;
mod age;
mod decode;
mod drain;
mod edge;
mod health;
mod unserved;

/// Largest message that is read, in bytes.
const MESSAGE_MAX: usize = 4 << 20;
/// A connection without traffic is asked whether it lives.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(20));

/// What is served.
pub struct Parts {
    /// Rules on requests.
    pub keeper: Arc<Keeper>,
    /// The policies in force.
    pub policies: Arc<Policies>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Bounds of the service.
    pub bounds: Bounds,
    /// Counts.
    pub metrics: Arc<Metrics>,
    /// How the service goes down.
    pub drain: Drain,
    /// Makes copies of the store, where it can be copied.
    pub backups: Option<Backups>,
}

/// Why it could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The gRPC port.
    #[error("the gRPC port failed: {0}")]
    Grpc(#[from] tonic::transport::Error),
    /// The admin port.
    #[error("the admin port failed: {0}")]
    Admin(#[from] std::io::Error),
    /// The descriptors.
    #[error("the descriptors cannot be served: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Serves until `shutdown` is done and the drain after it.
pub async fn serve(
    listener: TcpListener,
    admin: TcpListener,
    parts: Parts,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let Parts { keeper, policies, clock, bounds, metrics, drain, backups } = parts;
    let (store, age) = (keeper.store(), bounds.connection_age.map(age::jittered));
    let backlog = Backlog::new(store.clone(), policies.clone(), clock.clone(), metrics.clone());
    // Ends with this call.
    let mut looking = JoinSet::new();
    looking.spawn(backlog.watch());
    let edge = Edge::new(bounds.call_max, metrics.clone());
    let service = Service::new(keeper, policies.clone(), clock, bounds, metrics.clone());
    let service = Arc::new(service.with_backups(backups));
    let (health, health_service) = Health::serving(store).await;
    let stopped = CancellationToken::new();
    let mut server = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .layer(edge);
    if let Some(age) = age {
        // Without tonic's grace: with it, connections are cut at its end and never asked to end.
        server = server.max_connection_age(age);
    }
    let claims = ClaimServiceServer::new(Claims(service.clone()));
    let admins = AdminServiceServer::new(Admin(service.clone()));
    let grpc = server
        .add_service(claims.max_decoding_message_size(MESSAGE_MAX))
        .add_service(PolicyServiceServer::new(PolicyReader(policies)))
        .add_service(ReconciliationServiceServer::new(unserved::Unserved))
        .add_service(admins.max_decoding_message_size(MESSAGE_MAX))
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .serve_with_incoming_shutdown(
            // An answer is several small writes: none of them waits for the caller's
            // acknowledgement.
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            stopped.clone().cancelled_owned(),
        );
    let page = admin::serve(admin, health.clone(), metrics, stopped.clone());
    let down = drain.after(shutdown, &service, &health, &stopped);
    drain::run(grpc, page, down).await
}

/// Shows all messages, and the services that are served here: users serve ProviderService.
fn reflection() -> tonic_reflection::server::Builder<'static> {
    let builder = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(onced_proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET);
    let served = health::SERVICES.into_iter().chain(["grpc.health.v1.Health"]);
    served
        .filter(|name| !name.is_empty())
        .fold(builder, tonic_reflection::server::Builder::with_service_name)
}

pub use self::drain::Drain;

#[cfg(test)]
mod tests;
