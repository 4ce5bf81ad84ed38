//! What operators see: metrics, spans and logs. Changes nothing, and shows no key and no payload.

pub mod backlog;
pub mod key_use;
mod leases;
pub mod logs;
pub mod metrics;
pub mod span;
pub mod store;

pub use self::{
    backlog::Backlog,
    key_use::KeyUse,
    metrics::{Metrics, Scope},
    store::Measured,
};
