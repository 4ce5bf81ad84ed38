//! Callers of one key share what one of them learns from the store: a stampede costs a few calls,
//! not one for each.
//!
//! Who boards shares a flight only if it takes off after she boarded, so that what it brings began
//! after she came. One flight of a key is boarding at most; it takes off when the one before it has
//! landed, or is slow. Decides nothing; keys never wait for each other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::timeout};

use super::view::View;
use crate::{intent::Identity, store::Error};

/// How long a flight waits for the one before it.
const PATIENCE: Duration = Duration::from_millis(500);
const STRIPES: usize = 64;

/// The flights of all keys.
pub(super) struct Flights([Mutex<HashMap<Identity, Runway>>; STRIPES]);

/// What a flight brought.
pub(super) type Shown = Result<Arc<View>, Error>;

/// The flights of one key.
struct Runway {
    flying: Arc<Air>,
    boarding: Option<Arc<Air>>,
}

type Air = watch::Sender<Progress>;

enum Progress {
    UnderWay,
    Landed(Shown),
    GivenUp,
}

/// How one is on board.
pub(super) enum Boarded<'a> {
    /// She calls the store.
    Leads(Flight<'a>),
    /// Another one did, after she boarded.
    Shares(Shown),
}

enum Seat<'a> {
    First(Flight<'a>),
    /// Takes off after this one.
    Next(Flight<'a>, watch::Receiver<Progress>),
    Shared(watch::Receiver<Progress>),
}

/// A flight, in its leader's hands; given up when it is dropped: its passengers board again.
pub(super) struct Flight<'a> {
    flights: &'a Flights,
    identity: Identity,
    air: Arc<Air>,
}

impl Default for Flights {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Flights {
    /// Returns when it is this caller's turn to call the store, or when another one did.
    pub(super) async fn board(&self, identity: Identity) -> Boarded<'_> {
        loop {
            match self.seat(identity) {
                Seat::First(flight) => return Boarded::Leads(flight),
                Seat::Next(flight, mut before) => {
                    let _ = timeout(PATIENCE, before.wait_for(Progress::is_over)).await;
                    flight.take_off();
                    return Boarded::Leads(flight);
                }
                Seat::Shared(mut flight) => {
                    if let Ok(over) = flight.wait_for(Progress::is_over).await
                        && let Progress::Landed(shown) = &*over
                    {
                        return Boarded::Shares(shown.clone());
                    }
                }
            }
        }
    }

    fn seat(&self, identity: Identity) -> Seat<'_> {
        let mut runways = self.runways(&identity);
        let Some(runway) = runways.get_mut(&identity) else {
            let flight = self.flight(identity);
            let flying = Arc::clone(&flight.air);
            runways.insert(identity, Runway { flying, boarding: None });
            return Seat::First(flight);
        };
        if let Some(boarding) = &runway.boarding {
            return Seat::Shared(boarding.subscribe());
        }
        let flight = self.flight(identity);
        runway.boarding = Some(Arc::clone(&flight.air));
        Seat::Next(flight, runway.flying.subscribe())
    }

    fn flight(&self, identity: Identity) -> Flight<'_> {
        let air = Arc::new(watch::Sender::new(Progress::UnderWay));
        Flight { flights: self, identity, air }
    }

    fn runways(&self, identity: &Identity) -> MutexGuard<'_, HashMap<Identity, Runway>> {
        let stripe = &self.0[usize::from(identity.0[0]) % STRIPES];
        stripe.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight<'_> {
    fn take_off(&self) {
        if let Some(runway) = self.flights.runways(&self.identity).get_mut(&self.identity) {
            runway.boarding = None;
            runway.flying = Arc::clone(&self.air);
        }
    }

    /// Tells its passengers, if it has any.
    pub(super) fn land(self, shown: impl FnOnce() -> Result<View, Error>) {
        if self.air.receiver_count() > 0 {
            self.air.send_replace(Progress::Landed(shown().map(Arc::new)));
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.air.send_if_modified(|progress| {
            let is_new = !progress.is_over();
            if is_new {
                *progress = Progress::GivenUp;
            }
            is_new
        });
        let mut runways = self.flights.runways(&self.identity);
        let Some(runway) = runways.get_mut(&self.identity) else { return };
        runway.boarding.take_if(|boarding| boarding.borrow().is_over());
        if runway.boarding.is_none() && runway.flying.borrow().is_over() {
            runways.remove(&self.identity);
        }
    }
}

impl Progress {
    fn is_over(&self) -> bool {
        !matches!(self, Self::UnderWay)
    }
}

#[cfg(test)]
mod tests;
