//! Generated Rust client of onced, re-exported with what a caller needs to connect.

pub use onced_proto::v1::{self, claim_service_client::ClaimServiceClient};
pub use tonic;
