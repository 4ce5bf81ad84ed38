//! What a cluster says about itself: its engine, its nodes, the keyspace and its tables.
//!
//! Reads system tables, and judges nothing.

use std::collections::{BTreeMap, HashMap};

use scylla::{
    client::session::Session, deserialize::row::DeserializeRow, serialize::row::SerializeRow,
};

use super::layout::Columns;

/// What was found.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) engine: Engine,
    /// How many nodes each data centre has.
    pub(super) nodes: BTreeMap<String, usize>,
    /// Of Cassandra; absent if they may not be read.
    pub(super) settings: Option<BTreeMap<String, String>>,
    pub(super) keyspace: Option<Keyspace>,
}

/// Which engine, in the oldest release that a node was seen to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Cassandra(Release),
    Scylla(Release),
}

/// Three numbers, as in 4.1.6 or 2025.4.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Release(pub(super) [u32; 3]);

/// A keyspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keyspace {
    /// The strategy, without its package.
    pub(super) strategy: String,
    /// How many replicas each data centre has; `None` where that is not a plain number.
    pub(super) factors: BTreeMap<String, Option<u32>>,
    pub(super) is_durable: bool,
    pub(super) has_tablets: bool,
    pub(super) tables: BTreeMap<String, Table>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) columns: Columns,
    /// In seconds.
    pub(super) gc_grace: i32,
    /// In seconds, where it is set apart from `gc_grace`.
    pub(super) paxos_grace: Option<i32>,
    /// In seconds; 0 is none.
    pub(super) default_ttl: i32,
}

/// A question that was not answered.
#[derive(Debug, thiserror::Error)]
#[error("{about}: {cause}")]
pub(super) struct Unanswered {
    about: &'static str,
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl Unanswered {
    pub(super) fn new(
        about: &'static str,
        cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { about, cause: cause.into() }
    }
}

impl Release {
    /// From `4.1.6`, `5.0-beta1`, `2025.4.0~rc1-0.20251201`: what is missing is 0.
    pub(super) fn read(text: &str) -> Option<Self> {
        let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let mut numbers = numbers.split('.').map(|number| number.parse().unwrap_or(0));
        let first = numbers.next().filter(|first| *first > 0)?;
        Some(Self([first, numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]))
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Asks the cluster.
pub(super) async fn gather(session: &Session, keyspace: &str) -> Result<Facts, Unanswered> {
    let engine = engine(session).await?;
    let is_scylla = matches!(engine, Engine::Scylla(_));
    Ok(Facts {
        engine,
        nodes: nodes(session),
        settings: if is_scylla { None } else { settings(session).await },
        keyspace: read_keyspace(session, keyspace, is_scylla).await?,
    })
}

async fn rows<R>(
    session: &Session,
    about: &'static str,
    statement: &str,
    values: impl SerializeRow,
) -> Result<Vec<R>, Unanswered>
where
    R: for<'r> DeserializeRow<'r, 'r>,
{
    let failed = |cause: Box<dyn std::error::Error + Send + Sync>| Unanswered::new(about, cause);
    let answer = session.query_unpaged(statement, values).await.map_err(|e| failed(e.into()))?;
    let answer = answer.into_rows_result().map_err(|e| failed(e.into()))?;
    let rows = answer.rows::<R>().map_err(|e| failed(e.into()))?;
    rows.collect::<Result<_, _>>().map_err(|e| failed(e.into()))
}

/// Only ScyllaDB has a table of its versions; the release that it names elsewhere is the Cassandra
/// that it once looked like.
async fn engine(session: &Session) -> Result<Engine, Unanswered> {
    const ABOUT: &str = "which engine it is";
    let known = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'system' AND \
                 table_name = 'versions'";
    let is_scylla = !rows::<(String,)>(session, ABOUT, known, ()).await?.is_empty();
    let mut releases: Vec<(Option<String>,)> = Vec::new();
    if is_scylla {
        let own = "SELECT version FROM system.versions WHERE key = 'local'";
        releases.extend(rows::<(Option<String>,)>(session, ABOUT, own, ()).await?);
    } else {
        for table in ["local", "peers"] {
            let own = format!("SELECT release_version FROM system.{table}");
            releases.extend(rows::<(Option<String>,)>(session, ABOUT, &own, ()).await?);
        }
    }
    let read = releases.iter().filter_map(|(release,)| Release::read(release.as_deref()?));
    let oldest = read.min().ok_or_else(|| Unanswered::new(ABOUT, "it names no release"))?;
    Ok(if is_scylla { Engine::Scylla(oldest) } else { Engine::Cassandra(oldest) })
}

/// How many nodes each data centre has, as the driver has learned.
pub(super) fn nodes(session: &Session) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for node in session.get_cluster_state().get_nodes_info() {
        *counts.entry(node.datacenter.clone().unwrap_or_default()).or_default() += 1;
    }
    counts
}

/// Not every role may read them.
async fn settings(session: &Session) -> Option<BTreeMap<String, String>> {
    let all = "SELECT name, value FROM system_views.settings";
    let found = rows::<(String, Option<String>)>(session, "its settings", all, ()).await.ok()?;
    Some(found.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect())
}

async fn read_keyspace(
    session: &Session,
    name: &str,
    is_scylla: bool,
) -> Result<Option<Keyspace>, Unanswered> {
    const ABOUT: &str = "its keyspace";
    let one = "SELECT durable_writes, replication FROM system_schema.keyspaces WHERE \
               keyspace_name = ?";
    let found = rows::<(bool, HashMap<String, String>)>(session, ABOUT, one, (name,)).await?;
    let Some((is_durable, replication)) = found.into_iter().next() else { return Ok(None) };
    let has_tablets = is_scylla && has_tablets(session, name).await?;
    let tables = tables(session, name).await?;
    let (strategy, factors) = taken_apart(&replication);
    Ok(Some(Keyspace { strategy, factors, is_durable, has_tablets, tables }))
}

fn taken_apart(replication: &HashMap<String, String>) -> (String, BTreeMap<String, Option<u32>>) {
    let strategy = replication.get("class").map(String::as_str).unwrap_or_default();
    let strategy = strategy.rsplit('.').next().unwrap_or_default().to_owned();
    let factors = replication.iter().filter(|(name, _)| *name != "class");
    (strategy, factors.map(|(name, count)| (name.clone(), count.parse().ok())).collect())
}

async fn has_tablets(session: &Session, keyspace: &str) -> Result<bool, Unanswered> {
    const ABOUT: &str = "whether its keyspace has tablets";
    let known = "SELECT column_name FROM system_schema.columns WHERE keyspace_name = \
                 'system_schema' AND table_name = 'scylla_keyspaces'";
    let columns = rows::<(String,)>(session, ABOUT, known, ()).await?;
    if !columns.iter().any(|(name,)| name == "initial_tablets") {
        return Ok(false);
    }
    let one = "SELECT initial_tablets FROM system_schema.scylla_keyspaces WHERE keyspace_name = ?";
    let found = rows::<(Option<i32>,)>(session, ABOUT, one, (keyspace,)).await?;
    Ok(found.iter().any(|(initial,)| initial.is_some()))
}

type TableRow = (String, Option<i32>, Option<i32>, Option<HashMap<String, Vec<u8>>>);

async fn tables(session: &Session, keyspace: &str) -> Result<BTreeMap<String, Table>, Unanswered> {
    const ABOUT: &str = "its tables";
    let all = "SELECT table_name, gc_grace_seconds, default_time_to_live, extensions FROM \
               system_schema.tables WHERE keyspace_name = ?";
    let found = rows::<TableRow>(session, ABOUT, all, (keyspace,)).await?;
    let mut tables: BTreeMap<String, Table> = found.into_iter().map(table).collect();
    let all = "SELECT table_name, column_name, type FROM system_schema.columns WHERE \
               keyspace_name = ?";
    for (table, column, of_type) in
        rows::<(String, String, String)>(session, ABOUT, all, (keyspace,)).await?
    {
        tables.entry(table).or_default().columns.insert(column, of_type);
    }
    Ok(tables)
}

fn table((name, gc_grace, default_ttl, extensions): TableRow) -> (String, Table) {
    let table = Table {
        columns: Columns::new(),
        gc_grace: gc_grace.unwrap_or_default(),
        paxos_grace: extensions.as_ref().and_then(paxos_grace),
        default_ttl: default_ttl.unwrap_or_default(),
    };
    (name, table)
}

/// ScyllaDB keeps it as an extension of its own, in its own form.
fn paxos_grace(extensions: &HashMap<String, Vec<u8>>) -> Option<i32> {
    let bytes = extensions.get("paxos_grace_seconds")?;
    Some(i32::from_le_bytes(bytes.as_slice().try_into().ok()?))
}

#[cfg(test)]
mod tests;
