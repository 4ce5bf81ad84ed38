//! What operators see: metrics, spans and logs. Changes nothing, and shows no key and no payload.

pub mod metrics;

pub use self::metrics::{Metrics, Scope};
