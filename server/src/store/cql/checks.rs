//! Whether records are safe in a cluster as it is: what is refused, and what is warned of.
//!
//! Asks nobody: the facts are given, and the same facts are judged alike by every command.

use std::collections::BTreeMap;

use super::{
    facts::{Engine, Facts, Keyspace, Release, Table},
    layout::{self, CLAIMS},
    options::{Options, Serial},
};

/// The first Cassandra whose refused writes and serial reads are agreed on.
const CASSANDRA_MIN: Release = Release([4, 0, 0]);
/// From here on a stale commit could come back after its purge (CASSANDRA-19617) …
const STALE_COMMITS_FROM: Release = Release([4, 1, 0]);
/// … until here.
const STALE_COMMITS_UNTIL: Release = Release([4, 1, 6]);
/// The first ScyllaDB with conditional writes over tablets.
pub(super) const SCYLLA_WITH_TABLETS: Release = Release([2025, 4, 0]);
/// Shortest gc_grace of claims, in seconds: within it every replica has to be repaired.
const GRACE_MIN: i32 = 86_400;
/// What it is unless somebody changed it.
const GRACE_USUAL: i32 = 864_000;
const TOPOLOGY: &str = "NetworkTopologyStrategy";

/// What was found wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Records would not be safe, or nothing would work.
    pub(super) refusals: Vec<String>,
    /// It works, but a person should know.
    pub(super) warnings: Vec<String>,
}

impl Findings {
    fn refuse(&mut self, why: impl Into<String>) {
        self.refusals.push(why.into());
    }

    fn warn(&mut self, what: impl Into<String>) {
        self.warnings.push(what.into());
    }
}

/// Of a cluster and its keyspace, before any table.
pub(super) fn of_cluster(facts: &Facts, keyspace: &Keyspace, options: &Options) -> Findings {
    let mut found = Findings::default();
    engine(&mut found, facts);
    datacenters(&mut found, facts, keyspace, options);
    strategy(&mut found, keyspace, &options.keyspace);
    factors(&mut found, facts, keyspace, &options.keyspace);
    tablets(&mut found, facts.engine, keyspace, &options.keyspace);
    found
}

/// Of the tables, where `version` is what they are said to be.
pub(super) fn of_tables(keyspace: &Keyspace, version: Option<i32>) -> Findings {
    let mut found = Findings::default();
    match version {
        Some(layout::VERSION) => present(&mut found, &keyspace.tables),
        _ => found.refuse(outdated(version)),
    }
    if let Some(claims) = keyspace.tables.get(CLAIMS) {
        graces(&mut found, claims);
    }
    found
}

/// Why tables of this version cannot be served.
fn outdated(version: Option<i32>) -> String {
    match too_new(version) {
        Some(why) => why,
        None => match version {
            Some(version) => format!(
                "the tables have version {version}, this program needs {}: run onced migrate",
                layout::VERSION
            ),
            None => "the tables are not there: run onced migrate".to_owned(),
        },
    }
}

/// Why tables of this version cannot be upgraded either.
pub(super) fn too_new(version: Option<i32>) -> Option<String> {
    let version = version.filter(|version| *version > layout::VERSION)?;
    Some(format!(
        "format too new: the tables have version {version}, this program knows {} at most; use a \
         newer onced",
        layout::VERSION
    ))
}

fn engine(found: &mut Findings, facts: &Facts) {
    let Engine::Cassandra(release) = facts.engine else { return };
    if release < CASSANDRA_MIN {
        found.refuse(format!(
            "Cassandra {release} is older than {CASSANDRA_MIN}: there a refused write and a serial \
             read could miss a write under way (CASSANDRA-12126)"
        ));
    }
    let Some(settings) = &facts.settings else {
        found.warn(
            "the settings of Cassandra may not be read (system_views.settings), so that its Paxos \
             variant and commit log are not checked",
        );
        stale_commits(found, release, None, None);
        return;
    };
    let setting = |name: &str| settings.get(name).map(|value| value.to_lowercase());
    let (variant, purging) = (setting("paxos_variant"), setting("paxos_state_purging"));
    if let Some(variant) = variant.as_ref().filter(|variant| variant.contains("without")) {
        found.refuse(format!(
            "paxos_variant is {variant}: refusals and serial reads are not linearizable under it"
        ));
    }
    stale_commits(found, release, variant.as_deref(), purging.as_deref());
    if setting("commitlog_sync").as_deref() == Some("periodic") {
        found.warn(
            "commitlog_sync is periodic: a claim that was answered is lost if every replica of it \
             loses power within that period; batch or group writes it first",
        );
    }
}

/// CASSANDRA-19617.
fn stale_commits(
    found: &mut Findings,
    release: Release,
    variant: Option<&str>,
    purging: Option<&str>,
) {
    if !(STALE_COMMITS_FROM..STALE_COMMITS_UNTIL).contains(&release) {
        return;
    }
    let why = format!(
        "Cassandra {release} can bring a deleted row back (CASSANDRA-19617, mended in \
         {STALE_COMMITS_UNTIL})"
    );
    match purging {
        Some("gc_grace" | "repaired") => {
            found.refuse(format!("{why}, and paxos_state_purging asks for it"));
        }
        Some("legacy") if variant.is_some() => {
            found.warn(format!("{why} as soon as paxos_state_purging is not legacy"));
        }
        _ => found.warn(format!("{why}, unless paxos_state_purging is legacy")),
    }
}

/// Why no node may be asked at all.
pub(super) fn absent_datacenter(
    nodes: &BTreeMap<String, usize>,
    options: &Options,
) -> Option<String> {
    let own = options.datacenter.as_ref().filter(|own| !nodes.contains_key(*own))?;
    Some(format!("cql_datacenter {own} does not exist; the nodes are in {}", named(nodes)))
}

fn named<V>(datacenters: &BTreeMap<String, V>) -> String {
    datacenters.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn datacenters(found: &mut Findings, facts: &Facts, keyspace: &Keyspace, options: &Options) {
    let everywhere = named(&keyspace.factors);
    let are_several = keyspace.factors.len() > 1;
    if options.serial == Serial::LocalSerial && are_several && !options.homed {
        found.refuse(format!(
            "cql_serial_consistency is local_serial, and keyspace {} lies in {everywhere}: two \
             data centres could grant the same key. Use serial, or say cql_keys_homed if every \
             key is written from one data centre alone",
            options.keyspace
        ));
    }
    let Some(own) = options.datacenter.as_deref() else {
        if are_several {
            found.warn(format!(
                "keyspace {} lies in {everywhere}, and without cql_datacenter any of them is \
                 asked: set it to the nearest",
                options.keyspace
            ));
        }
        return;
    };
    if let Some(why) = absent_datacenter(&facts.nodes, options) {
        found.refuse(why);
    } else if keyspace.strategy == TOPOLOGY && !keyspace.factors.contains_key(own) {
        found.refuse(format!(
            "cql_datacenter {own} has no replica of keyspace {}, which lies in {everywhere}",
            options.keyspace
        ));
    }
}

fn strategy(found: &mut Findings, keyspace: &Keyspace, name: &str) {
    if keyspace.strategy != TOPOLOGY {
        found.refuse(format!(
            "keyspace {name} has {}; {TOPOLOGY} is needed: it alone knows data centres, and a \
             majority in one of them",
            keyspace.strategy
        ));
    }
    if !keyspace.is_durable {
        found.refuse(format!(
            "keyspace {name} has durable_writes = false: claims would be lost with a node's memory"
        ));
    }
}

fn factors(found: &mut Findings, facts: &Facts, keyspace: &Keyspace, name: &str) {
    if keyspace.strategy != TOPOLOGY {
        return;
    }
    if keyspace.factors.is_empty() {
        found.refuse(format!("keyspace {name} has no replica anywhere"));
    }
    for (datacenter, factor) in &keyspace.factors {
        let Some(factor) = *factor else {
            found.warn(format!(
                "the replication of keyspace {name} in {datacenter} is not a number"
            ));
            continue;
        };
        let Some(nodes) = facts.nodes.get(datacenter).copied() else {
            found.refuse(format!(
                "keyspace {name} has replicas in {datacenter}, and {datacenter} does not exist; \
                 the nodes are in {}",
                named(&facts.nodes)
            ));
            continue;
        };
        let majority = usize::try_from(factor / 2 + 1).unwrap_or(usize::MAX);
        if nodes < majority {
            found.refuse(format!(
                "keyspace {name} has {factor} replicas in {datacenter}, which has {nodes} nodes: \
                 no majority can ever answer"
            ));
        }
        match factor {
            1 => found.warn(format!(
                "keyspace {name} has one replica in {datacenter}: a node that is down stops its \
                 keys, and a lost disk loses its records; have 3"
            )),
            2 => found.warn(format!(
                "keyspace {name} has two replicas in {datacenter}: a majority of two is both, so \
                 that a node that is down stops its keys; have 3"
            )),
            _ => {}
        }
    }
}

fn tablets(found: &mut Findings, engine: Engine, keyspace: &Keyspace, name: &str) {
    let Engine::Scylla(release) = engine else { return };
    if keyspace.has_tablets && release < SCYLLA_WITH_TABLETS {
        found.refuse(format!(
            "keyspace {name} has tablets, over which ScyllaDB {release} has no conditional writes \
             (from {SCYLLA_WITH_TABLETS} on): make another one with \
             tablets = {{'enabled': false}}; a keyspace cannot be changed"
        ));
    }
}

fn present(found: &mut Findings, tables: &BTreeMap<String, Table>) {
    for (name, columns) in layout::tables() {
        let Some(table) = tables.get(&name) else {
            found.refuse(format!(
                "table {name} is gone: what it remembered is gone too, so that it is not made \
                 anew; restore it"
            ));
            continue;
        };
        for (column, of_type) in columns {
            match table.columns.get(&column) {
                Some(found_type) if *found_type == of_type => {}
                Some(other) => {
                    found
                        .refuse(format!("table {name}: column {column} is {other}, not {of_type}"));
                }
                None => found.refuse(format!("table {name} has no column {column}")),
            }
        }
    }
}

fn graces(found: &mut Findings, claims: &Table) {
    if claims.default_ttl != 0 {
        found.refuse(format!(
            "table {CLAIMS} has default_time_to_live = {}: open records would be forgotten; set \
             it to 0",
            claims.default_ttl
        ));
    }
    if let Some(paxos) = claims.paxos_grace.filter(|paxos| claims.gc_grace < *paxos) {
        found.refuse(format!(
            "table {CLAIMS} has gc_grace_seconds = {}, below its paxos_grace_seconds = {paxos}: an \
             old proposal could outlive what it was refused for",
            claims.gc_grace
        ));
    }
    if claims.gc_grace < GRACE_MIN {
        found.refuse(format!(
            "table {CLAIMS} has gc_grace_seconds = {}, under {GRACE_MIN} (a day): within it every \
             replica has to be repaired, and Paxos forgets after it",
            claims.gc_grace
        ));
    } else if claims.gc_grace < GRACE_USUAL {
        found.warn(format!(
            "table {CLAIMS} has gc_grace_seconds = {}: every replica has to be repaired at least \
             that often",
            claims.gc_grace
        ));
    }
}

#[cfg(test)]
mod tests;
