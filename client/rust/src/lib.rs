//! Generated Rust client of onced, re-exported with what a caller needs to connect.
//!
//! Never sends a call again and never judges an answer: that is the caller's business.

use std::time::Duration;

use tonic::transport::{Channel, Endpoint};

pub use onced_proto::v1::{
    self, claim_service_client::ClaimServiceClient, policy_service_client::PolicyServiceClient,
    reconciliation_service_client::ReconciliationServiceClient,
};
pub use tonic;

/// Longest wait for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a silent connection is asked whether it is still there.
pub const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(30);
/// How long it may take to answer that.
pub const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest message, both ways, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A channel to one endpoint, and the clients that speak over it.
#[derive(Clone, Debug)]
pub struct Connection {
    channel: Channel,
}

/// Prepares a connection to `endpoint`, e.g. `http://127.0.0.1:7450`; it is opened by the first
/// call. Fails if that is no address. Must be called within a tokio runtime.
pub fn connect(endpoint: &str) -> Result<Connection, tonic::transport::Error> {
    let channel = Endpoint::from_shared(endpoint.to_owned())?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true)
        .connect_lazy();
    Ok(Connection { channel })
}

impl Connection {
    /// The channel itself, for other services of the same server.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Rulings and reports.
    pub fn claims(&self) -> ClaimServiceClient<Channel> {
        ClaimServiceClient::new(self.channel())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Reconciliation.
    pub fn reconciliation(&self) -> ReconciliationServiceClient<Channel> {
        ReconciliationServiceClient::new(self.channel())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX)
    }

    /// Policies.
    pub fn policies(&self) -> PolicyServiceClient<Channel> {
        PolicyServiceClient::new(self.channel())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX)
    }
}
