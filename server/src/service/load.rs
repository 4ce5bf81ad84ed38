//! How many calls at once: new work is shed before anything else is done with it, reports never
//! are.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::Bounds;
use crate::{keeper::Room, status::Denial};

/// The load of one replica.
#[derive(Debug)]
pub struct Load {
    claims: Arc<Semaphore>,
    claims_max: usize,
    waiters: Arc<Semaphore>,
    draining: CancellationToken,
}

/// The right to be ruled on.
#[derive(Debug)]
#[must_use = "the right ends when it is dropped"]
pub struct Admitted(Room);

impl Admitted {
    /// The same right, for work that may outlast its call.
    pub fn room(&self) -> Room {
        Arc::clone(&self.0)
    }
}

impl Load {
    /// No load yet.
    pub fn new(bounds: &Bounds) -> Self {
        Self {
            claims: Arc::new(Semaphore::new(bounds.claims_in_flight_max)),
            claims_max: bounds.claims_in_flight_max,
            waiters: Arc::new(Semaphore::new(bounds.waiters_max)),
            draining: CancellationToken::new(),
        }
    }

    /// Admits so many claims, or none of them: a batch larger than all the room there is takes all
    /// of it.
    pub fn admit(&self, claims: usize) -> Result<Admitted, Denial> {
        if self.draining.is_cancelled() {
            return Err(Denial::Draining);
        }
        let claims = u32::try_from(claims.min(self.claims_max)).unwrap_or(u32::MAX);
        self.claims
            .clone()
            .try_acquire_many_owned(claims)
            .map(|permit| Admitted(Arc::new(permit)))
            .map_err(|_| Denial::Overloaded)
    }

    /// Admits one waiter, if there is room.
    pub fn admit_waiter(&self) -> Option<Admitted> {
        self.waiters.clone().try_acquire_owned().ok().map(|permit| Admitted(Arc::new(permit)))
    }

    /// Takes no new work from now on.
    pub fn drain(&self) {
        self.draining.cancel();
    }

    /// Returns when no Claim is in flight.
    pub async fn idle(&self) {
        let all = u32::try_from(self.claims_max).unwrap_or(u32::MAX);
        let _ = self.claims.acquire_many(all).await;
    }

    /// Ends when the drain begins.
    pub fn draining(&self) -> &CancellationToken {
        &self.draining
    }
}

#[cfg(test)]
mod tests;
