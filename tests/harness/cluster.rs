//! A cluster that runs already, for the tests that choose it: `ONCED_TEST_CQL` says where.
//!
//! Starts nothing and ends nothing; works in a keyspace of its own.

use std::{sync::Arc, time::Duration};

use onced::{
    clock::Clock,
    store::cql::{Cql, Options, SCHEMA, Tally},
};
use scylla::client::session_builder::SessionBuilder;
use tokio::sync::OnceCell;

/// The lease of the tests' policies.
pub const LEASE: Duration = Duration::from_secs(30);
/// By how much things may last longer than told, and answers be late.
pub const SLACK: Duration = Duration::from_secs(3);

static KEYSPACE: OnceCell<String> = OnceCell::const_new();

/// Where it is.
pub fn contact_points() -> Vec<String> {
    let told = std::env::var("ONCED_TEST_CQL").unwrap_or_default();
    assert!(!told.is_empty(), "ONCED_TEST_CQL does not say where the cluster is: host:port,…");
    told.split(',').map(str::to_owned).collect()
}

/// An engine over it.
pub async fn open(clock: Arc<dyn Clock>) -> Arc<Cql> {
    let engine = Cql::open(&options().await, clock, Tally::new(|_| {})).await;
    Arc::new(engine.expect("an engine over the cluster"))
}

/// How this process's keyspace is reached.
pub async fn options() -> Options {
    let keyspace = KEYSPACE.get_or_init(create_keyspace).await.clone();
    Options { keyspace, clock_margin: 1, ..Options::at(contact_points()) }
}

async fn create_keyspace() -> String {
    let keyspace = format!("onced_test_{}", std::process::id());
    let session = SessionBuilder::new().known_nodes(contact_points()).build().await;
    let session = session.expect("a cluster");
    let nodes = contact_points().len();
    let create = format!(
        "CREATE KEYSPACE {keyspace} WITH replication =
             {{'class': 'NetworkTopologyStrategy', 'datacenter1': {nodes}}}"
    );
    session.query_unpaged(create, ()).await.expect("a keyspace");
    session.use_keyspace(&keyspace, false).await.expect("the keyspace");
    let uncommented: Vec<_> = SCHEMA.lines().filter(|line| !line.starts_with("--")).collect();
    for statement in uncommented.join("\n").split(';').filter(|text| !text.trim().is_empty()) {
        session.query_unpaged(statement, ()).await.expect("a table");
    }
    keyspace
}
