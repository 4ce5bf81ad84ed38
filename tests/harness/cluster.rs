//! A cluster that runs already, for the tests that choose it: `ONCED_TEST_CQL` says where.
//!
//! Starts nothing and ends nothing; works in a keyspace of its own.

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use onced::{
    clock::Clock,
    store::cql::{Cql, Options, Tally, migrate},
};
use scylla::client::{session::Session, session_builder::SessionBuilder};
use tokio::sync::OnceCell;

/// The lease of the tests' policies.
pub const LEASE: Duration = Duration::from_secs(30);
/// By how much things may last longer than told, and answers be late.
pub const SLACK: Duration = Duration::from_secs(3);

/// Where its nodes are, as they call it.
pub const DATACENTER: &str = "datacenter1";

static KEYSPACE: OnceCell<String> = OnceCell::const_new();

/// Where it is.
pub fn contact_points() -> Vec<String> {
    let told = variable("ONCED_TEST_CQL");
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
    create_tables(&Options { keyspace: keyspace.clone(), ..Options::at(contact_points()) }).await;
    keyspace
}

/// Creates the keyspace with its tables, on up to three replicas, as `onced migrate` does.
pub async fn create_tables(options: &Options) {
    let replicas = options.contact_points.len().min(3).try_into().expect("a count");
    let replication = BTreeMap::from([(DATACENTER.to_owned(), replicas)]);
    migrate(options, Some(&replication)).await.expect("tables");
}

/// Whether there is a cluster, for tests that nothing else can stand in for.
pub fn is_there() -> bool {
    !variable("ONCED_TEST_CQL").is_empty()
}

#[expect(clippy::disallowed_methods, reason = "a test is told so where the cluster is")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A keyspace for one test: none at the start, dropped at the end, also of a test that fails.
#[expect(clippy::print_stderr, reason = "what is left out is told")]
pub async fn in_keyspace<F>(name: &str, test: impl FnOnce(Session, String) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if !is_there() {
        eprintln!("left out: ONCED_TEST_CQL does not name a cluster");
        return;
    }
    let keyspace = format!("{name}_{}", std::process::id());
    let ended = tokio::spawn(test(session().await, keyspace.clone())).await;
    let drop = format!("DROP KEYSPACE IF EXISTS {keyspace}");
    session().await.query_unpaged(drop, ()).await.expect("its end");
    if let Err(failed) = ended {
        std::panic::resume_unwind(failed.into_panic());
    }
}

async fn session() -> Session {
    let session = SessionBuilder::new().known_nodes(contact_points()).build().await;
    session.expect("a cluster")
}
