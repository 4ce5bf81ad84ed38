//! onced itself, as `onced serve` puts it together.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::{Result, anyhow};
use onced::{
    clock::Clock,
    keeper::Keeper,
    policy::{Mode, Policies},
    server::{Drain, Parts, serve},
    service::Bounds,
    store::{
        Store,
        embedded::{Embedded, Options},
    },
    telemetry::{Measured, Metrics},
};
use tokio::net::TcpListener;

/// Serves on a free loopback port until the process ends; keeps its data in `folder`.
pub(crate) async fn serve_in(folder: &Path) -> Result<SocketAddr> {
    let engine = Embedded::open(&Options::at(folder))?;
    let clock = engine.clock();
    serve_over(engine, clock).await
}

/// The same over an engine that is open.
pub(crate) async fn serve_over(engine: impl Store, clock: Arc<dyn Clock>) -> Result<SocketAddr> {
    let metrics = Arc::new(Metrics::new());
    let store: Arc<dyn Store> = Arc::new(Measured::new(engine, metrics.clone()));
    let policies = Policies::open(None, Mode::Dev, store.clone())
        .map_err(|faults| anyhow!("the default policies: {faults:?}"))?;
    let parts = Parts {
        keeper: Arc::new(Keeper::new(store.clone(), clock.clone())),
        policies: Arc::new(policies),
        clock,
        bounds: Bounds::default(),
        metrics,
        drain: Drain::default(),
        backups: None,
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let admin = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(listener, admin, parts, std::future::pending()));
    Ok(address)
}
