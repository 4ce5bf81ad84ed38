//! Which engine the server stands on: a folder, or a cluster.
//!
//! The rest of the server does not know which.

use std::sync::Arc;

use super::Unobtainable;
use crate::{
    clock::{Clock, SystemClock, Timestamp},
    config::Config,
    service::Backups,
    store::{
        BoxFuture, Store,
        cql::{self, Cql, Tally},
        embedded::{Embedded, Options},
    },
    telemetry::{Measured, Metrics},
};

/// An engine, ready to be used.
pub(super) struct Opened {
    pub(super) store: Arc<dyn Store>,
    /// Tells the time to everything that stands on it.
    pub(super) clock: Arc<dyn Clock>,
    /// Cares for the engine where it is to be cared for; done when it can go on no longer.
    pub(super) poisoned: BoxFuture<'static, ()>,
    /// Copies the engine, where it can be copied.
    pub(super) backups: Option<Backups>,
    /// Where the records are, for people.
    pub(super) told: String,
}

/// The engine judges leases by the very clock that it gives.
pub(super) fn folder(config: &Config, metrics: &Arc<Metrics>) -> Result<Opened, Unobtainable> {
    let options =
        Options { reserve_bytes: config.disk_reserve.0, ..Options::at(config.data.clone()) };
    let engine = Embedded::open(&options).map_err(|cause| Unobtainable {
        what: format!("data {}", config.data.display()),
        cause: cause.into(),
    })?;
    let engine = Arc::new(engine);
    let backups = config.backups.clone().unwrap_or_else(|| config.data.join("backups"));
    Ok(Opened {
        clock: engine.clock(),
        poisoned: Box::pin(engine.poisoned()),
        backups: Some(Backups::new(engine.clone(), backups)),
        told: format!("data in {}", config.data.display()),
        store: Arc::new(Measured::new(engine, metrics.clone())),
    })
}

/// Its nodes judge leases by their own clocks. A cluster does not end the server.
pub(super) async fn cluster(
    config: &Config,
    options: &cql::Options,
    metrics: &Arc<Metrics>,
) -> Result<Opened, Unobtainable> {
    let unfit = |cause| Unobtainable { what: format!("store {}", config.store), cause };
    let warnings = cql::inspect(options).await.map_err(|cause| unfit(cause.into()))?;
    for warning in warnings {
        tracing::warn!("{warning}");
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::not_before(Timestamp::default()));
    let engine = Cql::open(options, clock.clone(), tally(metrics.clone())).await;
    let engine = Arc::new(engine.map_err(|cause| unfit(cause.into()))?);
    engine.compare_clocks().await.map_err(|cause| unfit(cause.into()))?;
    let tended = engine.clone();
    Ok(Opened {
        clock,
        poisoned: Box::pin(async move { tended.tend().await }),
        backups: None,
        told: format!("records in {}", config.store),
        store: Arc::new(Measured::counted_within(engine, metrics.clone())),
    })
}

/// One call may take several conditional statements: each is counted where it is sent.
fn tally(metrics: Arc<Metrics>) -> Tally {
    Tally::new(move |lwt| metrics.store_wrote(lwt.name()))
}
