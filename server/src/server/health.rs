//! Whether this replica wants traffic, told in both ways: the gRPC health protocol and `/readyz`.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tonic_health::{
    ServingStatus,
    pb::health_server::{Health as Protocol, HealthServer},
    server::{HealthReporter, health_reporter},
};

/// The services by name; the empty name stands for all of them.
pub(super) const SERVICES: [&str; 5] = [
    "",
    "onced.v1.ClaimService",
    "onced.v1.PolicyService",
    "onced.v1.ReconciliationService",
    "onced.admin.v1.AdminService",
];

/// Whether this replica wants traffic.
#[derive(Clone, Debug)]
pub(super) struct Health {
    reporter: HealthReporter,
    ready: Arc<AtomicBool>,
}

impl Health {
    /// It does; with the service that says so.
    pub(super) async fn serving() -> (Self, HealthServer<impl Protocol>) {
        let (reporter, service) = health_reporter();
        let health = Self { reporter, ready: Arc::new(AtomicBool::new(true)) };
        health.tell(ServingStatus::Serving).await;
        (health, service)
    }

    /// From now on it does not.
    pub(super) async fn drain(&self) {
        self.ready.store(false, Ordering::Release);
        self.tell(ServingStatus::NotServing).await;
    }

    /// Whether it does.
    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    async fn tell(&self, status: ServingStatus) {
        for service in SERVICES {
            self.reporter.set_service_status(service, status).await;
        }
    }
}
