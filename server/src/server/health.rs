//! Whether this replica wants traffic, told in both ways: the gRPC health protocol and `/readyz`.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use tonic_health::{
    ServingStatus,
    pb::health_server::{Health as Protocol, HealthServer},
    server::{HealthReporter, health_reporter},
};

use crate::store::{Store, Trouble};

/// So long a trouble must be gone before the replica wants traffic again, so that it does not come
/// and go.
const QUIET: Duration = Duration::from_secs(10);

/// The services by name; the empty name stands for all of them.
pub(super) const SERVICES: [&str; 5] = [
    "",
    "onced.v1.ClaimService",
    "onced.v1.PolicyService",
    "onced.v1.ReconciliationService",
    "onced.admin.v1.AdminService",
];

/// Whether this replica wants traffic. The protocol says that it does until it drains: whoever
/// checks health over the connection that it reports on must not lose it while reports are taken.
#[derive(Clone)]
pub(super) struct Health {
    reporter: HealthReporter,
    draining: Arc<AtomicBool>,
    store: Arc<dyn Store>,
    seen: Arc<Mutex<Option<(Instant, Trouble)>>>,
}

/// Why this replica wants no traffic, in plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unready {
    /// It goes down.
    #[error("draining")]
    Draining,
    /// The store takes no new intents.
    #[error("{0}")]
    Troubled(Trouble),
    /// It does again, but not for long yet.
    #[error("recovering: {0}")]
    Recovering(Trouble),
}

impl Health {
    /// It does; with the service that says so.
    pub(super) async fn serving(store: Arc<dyn Store>) -> (Self, HealthServer<impl Protocol>) {
        let (reporter, service) = health_reporter();
        let (draining, seen) = (Arc::default(), Arc::default());
        let health = Self { reporter, draining, store, seen };
        health.tell(ServingStatus::Serving).await;
        (health, service)
    }

    /// From now on it does not.
    pub(super) async fn drain(&self) {
        self.draining.store(true, Ordering::Release);
        self.tell(ServingStatus::NotServing).await;
    }

    /// Whether it does.
    pub(super) fn ready(&self) -> Result<(), Unready> {
        if self.draining.load(Ordering::Acquire) {
            return Err(Unready::Draining);
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trouble) = self.store.trouble() {
            *seen = Some((Instant::now(), trouble));
            return Err(Unready::Troubled(trouble));
        }
        match *seen {
            Some((last, trouble)) if last.elapsed() < QUIET => Err(Unready::Recovering(trouble)),
            Some(_) | None => Ok(()),
        }
    }

    async fn tell(&self, status: ServingStatus) {
        for service in SERVICES {
            self.reporter.set_service_status(service, status).await;
        }
    }
}

#[cfg(test)]
mod tests;
