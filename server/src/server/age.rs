//! How long a connection may live, so that clients look up again where the service is.
//!
//! The spread is one for the process, drawn at its start: tonic takes one age for all connections.

use std::time::Duration;

use uuid::Uuid;

/// Largest deviation, in thousandths.
const SPREAD: u128 = 100;

/// The age, a tenth more or less, so that replicas that were started together do not lose their
/// clients together.
pub(super) fn jittered(age: Duration) -> Duration {
    spread(age, Uuid::new_v4().as_u128())
}

fn spread(age: Duration, random: u128) -> Duration {
    let thousandths = 1_000 - SPREAD + random % (2 * SPREAD + 1);
    age.mul_f64(f64::from(u32::try_from(thousandths).unwrap_or(1_000)) / 1_000.0)
}

#[cfg(test)]
mod tests;
