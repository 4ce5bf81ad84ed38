//! onced: rulings on side effects that must not happen twice.
//!
//! The life of a Claim runs through these modules from the bottom of the list to the top and back.

pub mod cli;
pub mod clock;
pub mod config;
mod document;
pub mod fault;
pub mod gap;
pub mod intent;
pub mod keeper;
pub mod payload;
pub mod policy;
pub mod record;
pub mod ruling;
pub mod server;
pub mod service;
pub mod status;
pub mod store;
pub mod telemetry;
pub mod transfer;
pub mod violation;
pub mod wire;
