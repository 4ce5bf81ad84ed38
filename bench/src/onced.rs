//! onced in this process, as `onced serve` puts it together, over a cluster.

use std::{net::SocketAddr, sync::Arc};

use anyhow::{Result, anyhow};
use onced::{
    clock::Clock,
    keeper::Keeper,
    policy::{Mode, Policies},
    server::{Drain, Parts, serve},
    service::Bounds,
    store::Store,
    telemetry::{Measured, Metrics},
};
use tokio::net::TcpListener;

/// Serves over an engine that is open, on a free loopback port, until the process ends.
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
