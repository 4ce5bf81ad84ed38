//! Servers in this process, over the real store, on a clock that the test moves.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use onced::{
    clock::{Clock, ManualClock, Timestamp},
    keeper::Keeper,
    policy::{Mode, Policies, Reload},
    server::{Drain, Parts, serve},
    service::Bounds,
    store::Store,
    telemetry::{Measured, Metrics},
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    calls::Calls,
    cluster,
    engine::{Engine, Ground},
    page,
};

/// When the clock of every test starts.
pub const START: Timestamp = Timestamp(1_772_000_000_000_000);

/// Operations of every class, in two namespaces.
pub const POLICIES: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
[namespaces.payments.operations.refund]
effect_class = "keyed"
provider_window = "24h"
[namespaces.payments.operations.payout]
effect_class = "external"
[namespaces.payments.operations.points]
effect_class = "accumulative"
[namespaces.payments.operations.label]
effect_class = "naturally_idempotent"
[namespaces.shipping.operations.charge]
effect_class = "keyed"
provider_window = "24h"
"#;

/// Puts something between a server and its store.
pub type Wrap = Arc<dyn Fn(Arc<dyn Store>) -> Arc<dyn Store> + Send + Sync>;

/// How a server is set up.
#[derive(Clone)]
pub struct Setup {
    /// Its policy file.
    pub policies: String,
    /// Its bounds.
    pub bounds: Bounds,
    /// How it goes down.
    pub drain: Drain,
    /// What stands between it and the store; each server gets one of its own.
    pub wrap: Option<Wrap>,
    /// Bytes at which its disk is full.
    pub size_limit: Option<u64>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            policies: POLICIES.to_owned(),
            bounds: Bounds::default(),
            drain: Drain { delay: Duration::ZERO, grace: Duration::from_secs(10) },
            wrap: None,
            size_limit: None,
        }
    }
}

/// One server. Several can stand on one store: replicas of each other.
pub struct InProcess {
    /// The clock of server and store.
    pub clock: Arc<ManualClock>,
    /// Where gRPC is served.
    pub address: SocketAddr,
    /// Where health and metrics are served.
    pub admin: SocketAddr,
    policies: Arc<Policies>,
    setup: Setup,
    base: Base,
    shutdown: CancellationToken,
    ended: Option<JoinHandle<()>>,
}

/// What replicas have in common.
#[derive(Clone)]
struct Base {
    store: Arc<dyn Store>,
    // After the store: its folder goes last.
    ground: Arc<Ground>,
}

impl InProcess {
    /// One with the default policies.
    pub async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    /// One with these policies.
    pub async fn with_policies(policies: &str) -> Self {
        Self::with(Setup { policies: policies.to_owned(), ..Setup::default() }).await
    }

    /// One set up so.
    pub async fn with(setup: Setup) -> Self {
        Self::at(Arc::default(), START, setup).await
    }

    /// One over what lies on this ground, at this time.
    pub async fn at(ground: Arc<Ground>, now: Timestamp, setup: Setup) -> Self {
        let clock = Arc::new(ManualClock::at(now));
        let store = ground.open(clock.clone(), setup.size_limit).await;
        Self::on(Base { store, ground }, clock, setup).await
    }

    /// One over a store that was opened elsewhere.
    pub async fn over(store: Arc<dyn Store>, clock: Arc<ManualClock>, setup: Setup) -> Self {
        Self::on(Base { store, ground: Arc::default() }, clock, setup).await
    }

    /// Another one over the same store, with caches of its own.
    pub async fn replica(&self) -> Self {
        Self::on(self.base.clone(), self.clock.clone(), self.setup.clone()).await
    }

    /// Another one over the same store, with caches of its own, set up otherwise.
    pub async fn replica_with(&self, setup: Setup) -> Self {
        Self::on(self.base.clone(), self.clock.clone(), setup).await
    }

    /// Another one over the same store, whose clock is not the store's.
    pub async fn replica_at(&self, now: Timestamp) -> Self {
        let clock = Arc::new(ManualClock::at(now));
        Self::on(self.base.clone(), clock, self.setup.clone()).await
    }

    async fn on(base: Base, clock: Arc<ManualClock>, setup: Setup) -> Self {
        let metrics = Arc::new(Metrics::new());
        let store = match &setup.wrap {
            Some(wrap) => wrap(base.store.clone()),
            None => base.store.clone(),
        };
        let store: Arc<dyn Store> = Arc::new(Measured::new(store, metrics.clone()));
        let file = base.ground.file("policy.toml", &setup.policies);
        let policies = Policies::open(Some(file), Mode::Serve, store.clone());
        let policies = Arc::new(policies.expect("policies without a fault"));
        let (listener, admin) = (listener().await, listener().await);
        let (address, admin_address) = (local(&listener), local(&admin));
        let parts = Parts {
            keeper: Arc::new(Keeper::new(store.clone(), clock.clone())),
            policies: policies.clone(),
            clock: clock.clone(),
            bounds: setup.bounds.clone(),
            metrics,
            drain: setup.drain,
            backups: None,
        };
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone().cancelled_owned();
        let ended = tokio::spawn(async move {
            serve(listener, admin, parts, stop).await.expect("a server that ends well");
        });
        let (admin, ended) = (admin_address, Some(ended));
        Self { clock, address, admin, policies, setup, base, shutdown, ended }
    }

    /// What the clock shows.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Calls to it, over a connection of their own.
    pub fn calls(&self) -> Calls {
        Calls::to(self.address)
    }

    /// Moves the clock; where the store has one of its own, lets time pass for it too, until what
    /// lives no longer than a lease is over.
    pub fn advance(&self, span: Duration) {
        self.clock.advance(span);
        if Engine::chosen() == Engine::Cluster {
            std::thread::sleep(span.min(cluster::LEASE) + cluster::SLACK);
        }
    }

    /// The store below it, past whatever was put between.
    pub fn store(&self) -> Arc<dyn Store> {
        self.base.store.clone()
    }

    /// Puts another policy file in place.
    pub async fn set_policies(&self, text: &str) -> Reload {
        self.base.ground.file("policy.toml", text);
        self.policies.reload().await
    }

    /// Begins to drain it.
    pub fn drain(&self) {
        self.shutdown.cancel();
    }

    /// Drains it and waits for its end.
    pub async fn end(&mut self) {
        self.drain();
        if let Some(ended) = self.ended.take() {
            ended.await.expect("a server that ends");
        }
    }

    /// Its metrics in the Prometheus form.
    pub async fn metrics(&self) -> String {
        let page = page::get(self.admin, "/metrics").await.expect("the metrics");
        page.body
    }

    /// The value of one metric, by its name with labels as on the page; zero if it is not there.
    pub async fn metric(&self, name_and_labels: &str) -> u64 {
        page::value(&self.metrics().await, name_and_labels)
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        if let Some(ended) = &self.ended {
            ended.abort();
        }
    }
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.expect("a port")
}

fn local(listener: &TcpListener) -> SocketAddr {
    listener.local_addr().expect("an address")
}
