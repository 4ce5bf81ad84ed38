//! What operators see: metrics, spans and logs. Changes nothing, and shows no key and no payload.

pub mod logs;
pub mod metrics;
pub mod span;
pub mod store;

pub use self::{
    metrics::{Metrics, Scope},
    store::Measured,
};
