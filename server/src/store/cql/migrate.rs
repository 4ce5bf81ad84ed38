//! Makes the tables of a cluster, or leads them from their version to this one.
//!
//! Any number of processes may be at it at once: one of them holds the claim in `schema_version`
//! while it changes something, the others wait until it is done. Never drops and never changes what
//! is newer than itself.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use scylla::client::session::Session;
use tokio::time::sleep;

use self::versions::Versions;
use super::{
    checks::{self, SCYLLA_WITH_TABLETS},
    facts::{self, Engine, Facts, Keyspace, Unanswered},
    inspect::{self, Unfit, fit},
    layout,
    options::Options,
};

pub(super) mod versions;

/// A change of the schema is agreed on by all nodes before it is answered.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a change that failed is tried: each is one that can be made again.
const TRIES: usize = 4;
/// Between two tries, and between two looks at somebody else's work.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest wait for somebody else's work: two claims that nobody gives back.
const WAIT_MAX: Duration = Duration::from_secs(240);

/// What was done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Migrated {
    /// The version that was there before; none if there were no tables.
    pub before: Option<i32>,
    /// The version that is there now.
    pub now: i32,
    /// What a person should know about the cluster.
    pub warnings: Vec<String>,
}

/// Makes the keyspace if it is not there and `replication` says how, then the tables.
pub async fn migrate(
    options: &Options,
    replication: Option<&BTreeMap<String, u32>>,
) -> Result<Migrated, Unfit> {
    let timeout = options.request_timeout.max(CHANGE_TIMEOUT);
    let session =
        inspect::session(&Options { request_timeout: timeout, ..options.clone() }).await?;
    let keyspace = make_keyspace(&session, options, replication).await?;
    let versions = Versions::of(&session, options);
    if !keyspace.tables.contains_key(layout::VERSIONS) {
        versions.make().await?;
    }
    let before = versions.read().await?;
    lead(&versions, &session, &options.keyspace).await?;
    let (facts, keyspace) = look(&session, options).await?;
    let mut warnings = inspect::whole(&session, &facts, &keyspace, options).await?;
    warnings.extend(other_replication(&keyspace, replication));
    Ok(Migrated { before, now: layout::VERSION, warnings })
}

async fn look(session: &Session, options: &Options) -> Result<(Facts, Keyspace), Unfit> {
    let facts = facts::gather(session, &options.keyspace).await?;
    let gone = || Unfit::Refused(vec![format!("keyspace {} is gone", options.keyspace)]);
    let keyspace = facts.keyspace.clone().ok_or_else(gone)?;
    Ok((facts, keyspace))
}

/// Judges the keyspace before anything is made in it, and before it is made itself.
async fn make_keyspace(
    session: &Session,
    options: &Options,
    replication: Option<&BTreeMap<String, u32>>,
) -> Result<Keyspace, Unfit> {
    let facts = facts::gather(session, &options.keyspace).await?;
    if let Some(keyspace) = &facts.keyspace {
        fit([checks::of_cluster(&facts, keyspace, options)])?;
        return Ok(keyspace.clone());
    }
    let Some(replication) = replication else {
        return Err(Unfit::Refused(vec![format!(
            "keyspace {} is not there, and how many replicas it is to have is not said: \
             --cql-replication {}",
            options.keyspace,
            example(&facts)
        )]));
    };
    fit([checks::of_cluster(&facts, &planned(replication), options)])?;
    change(session, &creation(&options.keyspace, replication, facts.engine)).await?;
    let (facts, keyspace) = look(session, options).await?;
    fit([checks::of_cluster(&facts, &keyspace, options)])?;
    Ok(keyspace)
}

/// Three replicas in each data centre, or as many as it has nodes.
fn example(facts: &Facts) -> String {
    let parts = facts.nodes.iter().map(|(name, nodes)| format!("{name}:{}", (*nodes).min(3)));
    parts.collect::<Vec<_>>().join(",")
}

fn planned(replication: &BTreeMap<String, u32>) -> Keyspace {
    Keyspace {
        strategy: "NetworkTopologyStrategy".to_owned(),
        factors: replication.iter().map(|(name, count)| (name.clone(), Some(*count))).collect(),
        is_durable: true,
        ..Keyspace::default()
    }
}

fn creation(keyspace: &str, replication: &BTreeMap<String, u32>, engine: Engine) -> String {
    let factors = replication.iter().map(|(name, count)| format!(", '{name}': {count}"));
    let factors: String = factors.collect();
    // Cassandra refuses this option, and a ScyllaDB that has no tablets may.
    let tablets = match engine {
        Engine::Scylla(release) if has_tablets_without_lwt(release) => {
            " AND tablets = {'enabled': false}"
        }
        _ => "",
    };
    format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {{'class': \
         'NetworkTopologyStrategy'{factors}}} AND durable_writes = true{tablets}"
    )
}

/// Tablets came with 6.0, conditional writes over them later.
fn has_tablets_without_lwt(release: facts::Release) -> bool {
    (facts::Release([6, 0, 0])..SCYLLA_WITH_TABLETS).contains(&release)
}

fn other_replication(
    keyspace: &Keyspace,
    replication: Option<&BTreeMap<String, u32>>,
) -> Option<String> {
    let differs = planned(replication?).factors != keyspace.factors;
    differs.then(|| {
        "cql_replication is not what the keyspace has, and was not applied: that is ALTER \
         KEYSPACE, and a full repair after it"
            .to_owned()
    })
}

/// Leads the tables to this version, or waits until somebody else has.
async fn lead(versions: &Versions<'_>, session: &Session, keyspace: &str) -> Result<(), Unfit> {
    let end = Instant::now() + WAIT_MAX;
    while Instant::now() < end {
        let version = versions.read().await?;
        if let Some(why) = checks::too_new(version) {
            return Err(Unfit::Refused(vec![why]));
        }
        if version == Some(layout::VERSION) {
            return Ok(());
        }
        if versions.claim().await? {
            let led = climb(versions, session, keyspace).await;
            // A claim that is not given back ends by itself.
            let _ = versions.give_back().await;
            return led;
        }
        versions.pause().await;
    }
    Err(Unfit::Busy)
}

async fn climb(versions: &Versions<'_>, session: &Session, keyspace: &str) -> Result<(), Unfit> {
    // Whoever held the claim before may have gone further since the last look.
    let from = versions.read().await?.unwrap_or(0);
    let done = usize::try_from(from).unwrap_or(0);
    for (step, version) in layout::STEPS.iter().zip(1..).skip(done) {
        for statement in layout::statements(step, keyspace) {
            if !versions.keep_claim().await? {
                return Err(Unfit::Busy);
            }
            change(session, &statement).await?;
        }
        versions.advance(version).await?;
    }
    Ok(())
}

/// Changes the schema, and waits until all nodes have it.
async fn change(session: &Session, statement: &str) -> Result<(), Unanswered> {
    let mut failed = None;
    for _ in 0..TRIES {
        match try_change(session, statement).await {
            Ok(()) => return Ok(()),
            Err(cause) => failed = Some(cause),
        }
        sleep(PAUSE).await;
    }
    Err(failed.expect("it was tried"))
}

async fn try_change(session: &Session, statement: &str) -> Result<(), Unanswered> {
    const ABOUT: &str = "a change of its schema";
    session.query_unpaged(statement, ()).await.map_err(|cause| Unanswered::new(ABOUT, cause))?;
    let agreed = session.await_schema_agreement().await;
    agreed.map(|_| ()).map_err(|cause| Unanswered::new(ABOUT, cause))
}

#[cfg(test)]
mod tests;
