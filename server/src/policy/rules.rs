//! What policies are judged by: how the server runs, and what its engine can keep.
//!
//! Judges nothing itself.

use std::{sync::Arc, time::Duration};

use super::Mode;
use crate::clock::{Clock, Timestamp};

/// By how much the clocks of the embedded engine may stretch a lease.
const CLOCK_MARGIN: Duration = Duration::from_secs(2);
/// A record is settled some time after its policy was judged: what is kept free for that.
const RESERVE: Duration = Duration::from_secs(86_400);

/// What policies are judged by.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How the server runs.
    pub mode: Mode,
    /// By how much the store's clocks may stretch a lease.
    pub clock_margin: Duration,
    /// Where the engine's expiries end, if they do.
    pub last_expiry: Option<LastExpiry>,
}

/// The last moment at which an engine lets something expire.
#[derive(Clone, Debug)]
pub struct LastExpiry {
    /// When.
    pub at: Timestamp,
    /// Tells how far away that is.
    pub clock: Arc<dyn Clock>,
}

impl LastExpiry {
    /// The longest retention from now on.
    pub(super) fn left(&self) -> Duration {
        self.at.since(self.clock.now()).saturating_sub(RESERVE)
    }
}

impl From<Mode> for Rules {
    /// Of the embedded engine.
    fn from(mode: Mode) -> Self {
        Self { mode, clock_margin: CLOCK_MARGIN, last_expiry: None }
    }
}

#[cfg(test)]
mod tests;
