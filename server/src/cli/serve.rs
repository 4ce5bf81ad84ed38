//! `onced serve`: puts the parts of the server together and runs them until a signal.
//!
//! Judges all settings before it opens the data folder or binds a port.

use std::{io::ErrorKind, net::SocketAddr, sync::Arc, time::Duration};

use clap::{Arg, Args};
use tokio::{net::TcpListener, task::AbortHandle};
use tokio_util::sync::CancellationToken;

use self::signals::Signals;
use super::{
    config::{Faults, load, rules},
    exit::Exit,
};
use crate::{
    config::{self, Config, Flags, LogFormat},
    keeper::Keeper,
    policy::Policies,
    server::{self, Drain, Parts},
    service::Bounds,
    store::cql,
    telemetry::{Metrics, logs},
};

mod engine;
mod signals;

use engine::Opened;

const EXAMPLE: &str = "\
Example: onced serve --policy policy.toml --data /var/lib/onced
         onced serve --policy policy.toml --store cql://db1,db2/onced
SIGTERM or SIGINT drains, a second one ends at once; SIGHUP reads the policies.
Exit codes: 0 drained, 64 settings, 69 address, folder or cluster, 70 fault.";

const POISONED: &str = "a commit failed, so that nobody knows what is on disk; start it again";

/// Run the server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE, mut_args(in_short), next_line_help = true)]
pub(super) struct Serve {
    #[command(flatten)]
    flags: Flags,
}

/// What the server needs is not to be had: an address, the data folder, the cluster.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {cause}")]
pub(super) struct Unobtainable {
    pub(super) what: String,
    pub(super) cause: Box<dyn std::error::Error + Send + Sync>,
}

/// The server ended by a fault of its own.
#[derive(Debug, thiserror::Error)]
#[error("the server ended: {0}")]
pub(super) struct Broken(String);

/// What only a cluster needs is told by the command that makes its tables, and where backups lie by
/// their guide.
fn in_short(flag: Arg) -> Arg {
    let name = flag.get_id().as_str();
    let is_told = name == "store" || !(config::is_for_cluster(name) || name == "backups");
    flag.hide(!is_told)
}

impl Serve {
    /// Serves until a signal, and returns when the drain is over.
    pub(super) fn run(self) -> anyhow::Result<Exit> {
        let (config, cluster) = load(&self.flags)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(serve(&config, cluster.as_ref()))?;
        Ok(Exit::Done)
    }
}

async fn serve(config: &Config, cluster: Option<&cql::Options>) -> anyhow::Result<()> {
    let _flush = begin_logs(config)?;
    let signals = Signals::new()?;
    let metrics = Arc::new(Metrics::new());
    let listener = bind("listen", config.listen).await?;
    let admin = bind("admin", config.admin).await?;
    let Opened { store, clock, poisoned, backups, told } = match cluster {
        None => engine::folder(config, &metrics)?,
        Some(options) => engine::cluster(config, options, &metrics).await?,
    };
    let policies = Policies::open(config.policy.clone(), rules(config), store.clone());
    let policies = Arc::new(policies.map_err(Faults)?);
    let parts = Parts {
        keeper: Arc::new(Keeper::new(store, clock.clone())),
        policies: policies.clone(),
        clock,
        bounds: bounds(config),
        metrics,
        drain: Drain { delay: config.drain_delay, grace: config.drain_grace },
        backups,
    };
    let shutdown = CancellationToken::new();
    let _watch = watch(&policies, config.policy_reload, &shutdown);
    let _signals = Aborted(signals.spawn(policies, shutdown.clone()));
    tell_ready(&listener, &admin, &told)?;
    tokio::select! {
        served = server::serve(listener, admin, parts, shutdown.cancelled_owned()) => {
            served.map_err(|fault| Broken(fault.to_string()).into())
        }
        () = poisoned => Err(Broken(POISONED.to_owned()).into()),
    }
}

fn begin_logs(config: &Config) -> anyhow::Result<logs::Flush> {
    let format = match config.log_format {
        LogFormat::Text => logs::Format::Text,
        LogFormat::Json => logs::Format::Json,
    };
    let endpoint = config.otlp_endpoint.as_ref().map(|endpoint| endpoint.0.as_str());
    let flush = logs::begin(format, &config.log_level.0, endpoint)
        .map_err(|fault| Broken(fault.to_string()))?;
    for warning in config.warnings() {
        tracing::warn!("{warning}");
    }
    Ok(flush)
}

async fn bind(setting: &str, address: SocketAddr) -> Result<TcpListener, Unobtainable> {
    TcpListener::bind(address).await.map_err(|cause| {
        let is_taken = cause.kind() == ErrorKind::AddrInUse;
        let way_out = format!("{cause}; give another --{setting}, or stop the other one");
        let cause = if is_taken { way_out.into() } else { cause.into() };
        Unobtainable { what: format!("{setting} {address}"), cause }
    })
}

fn bounds(config: &Config) -> Bounds {
    Bounds {
        claims_in_flight_max: config.claims_in_flight_max,
        waiters_max: config.waiters_max,
        max_watch: config.max_watch,
        call_max: config.request_timeout,
        connection_age: Some(config.max_connection_age).filter(|age| !age.is_zero()),
    }
}

/// A task that ends with the server.
struct Aborted(AbortHandle);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn watch(policies: &Arc<Policies>, every: Duration, shutdown: &CancellationToken) -> Aborted {
    let watching = policies.clone().watch(every, shutdown.clone());
    Aborted(tokio::spawn(watching).abort_handle())
}

/// Connections are queued from here on, and served as soon as they are taken.
fn tell_ready(listener: &TcpListener, admin: &TcpListener, records: &str) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let (listen, admin) = (listener.local_addr()?, admin.local_addr()?);
    tracing::info!(version, %listen, %admin, "ready");
    super::print(&ready_line(listen, admin, records))
}

/// What starts the server waits for this line, and reads both addresses from it.
fn ready_line(listen: SocketAddr, admin: SocketAddr, records: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let records = super::page::visible(records);
    format!("onced {version} is ready: {records}, gRPC on {listen}, admin on http://{admin}\n")
}

#[cfg(test)]
mod tests;
