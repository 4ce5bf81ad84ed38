//! What is refused and what is warned of, by the words that a person has to see.

use super::*;

fn options() -> Options {
    Options::at(vec!["127.0.0.1:9042".to_owned()])
}

fn cassandra(release: [u32; 3]) -> Facts {
    let settings =
        [("paxos_variant", "v2"), ("paxos_state_purging", "repaired"), ("commitlog_sync", "batch")];
    let of = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    Facts {
        engine: Engine::Cassandra(Release(release)),
        nodes: BTreeMap::from([("dc1".to_owned(), 3), ("dc2".to_owned(), 3)]),
        settings: Some(settings.into_iter().map(of).collect()),
        keyspace: None,
    }
}

fn with(mut facts: Facts, name: &str, value: &str) -> Facts {
    facts.settings.as_mut().unwrap().insert(name.to_owned(), value.to_owned());
    facts
}

fn scylla(release: [u32; 3]) -> Facts {
    Facts { engine: Engine::Scylla(Release(release)), settings: None, ..cassandra([5, 0, 9]) }
}

/// With so many replicas in each data centre.
fn keyspace(factors: &[(&str, u32)]) -> Keyspace {
    let factors = factors.iter().map(|(name, count)| ((*name).to_owned(), Some(*count)));
    let tables = layout::tables().into_iter().map(|(name, columns)| {
        let table = Table { columns, gc_grace: GRACE_USUAL, ..Table::default() };
        (name, table)
    });
    Keyspace {
        strategy: TOPOLOGY.to_owned(),
        factors: factors.collect(),
        is_durable: true,
        has_tablets: false,
        tables: tables.collect(),
    }
}

fn sound() -> Keyspace {
    keyspace(&[("dc1", 3)])
}

/// Each finding must hold the words at its place, and there must be no other.
#[track_caller]
fn are(what: &str, found: &[String], expected: &[&str]) {
    let matches = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, words)| found.contains(words));
    assert!(matches, "{what}: {found:#?} are not {expected:#?}");
}

#[track_caller]
fn check(facts: &Facts, keyspace: &Keyspace, options: &Options, refused: &[&str], warned: &[&str]) {
    let found = of_cluster(facts, keyspace, options);
    are("refusals", &found.refusals, refused);
    are("warnings", &found.warnings, warned);
}

#[track_caller]
fn check_engine(facts: &Facts, refused: &[&str], warned: &[&str]) {
    check(facts, &sound(), &options(), refused, warned);
}

#[track_caller]
fn check_keyspace(keyspace: &Keyspace, refused: &[&str], warned: &[&str]) {
    check(&cassandra([5, 0, 9]), keyspace, &options(), refused, warned);
}

#[test]
fn a_sound_cluster_has_no_findings() {
    check_engine(&cassandra([5, 0, 9]), &[], &[]);
    check_engine(&cassandra([4, 1, 6]), &[], &[]);
    check_engine(&scylla([2025, 4, 0]), &[], &[]);
    let found = of_tables(&sound(), Some(layout::VERSION));
    assert_eq!(found, Findings::default());
}

#[test]
fn a_cassandra_that_can_lose_or_revive_writes_is_refused() {
    check_engine(&cassandra([3, 11, 14]), &["CASSANDRA-12126"], &[]);
    for release in [[4, 1, 0], [4, 1, 5]] {
        check_engine(&cassandra(release), &["CASSANDRA-19617, mended in 4.1.6"], &[]);
        let unpurged = with(cassandra(release), "paxos_state_purging", "legacy");
        check_engine(&unpurged, &[], &["as soon as paxos_state_purging is not legacy"]);
    }
    check_engine(&cassandra([4, 0, 13]), &[], &[]);
    for variant in ["v1_without_linearizable_reads", "v2_WITHOUT_linearizable_reads"] {
        let facts = with(cassandra([5, 0, 9]), "paxos_variant", variant);
        check_engine(&facts, &["not linearizable"], &[]);
    }
}

#[test]
fn what_cannot_be_read_is_warned_of_and_not_taken_for_sound() {
    let unread = |release| Facts { settings: None, ..cassandra(release) };
    check_engine(&unread([5, 0, 9]), &[], &["are not checked"]);
    let stale = ["are not checked", "unless paxos_state_purging is legacy"];
    check_engine(&unread([4, 1, 2]), &[], &stale);
    let mut transient = sound();
    transient.factors.insert("dc2".to_owned(), None);
    let homed = Options { datacenter: Some("dc1".to_owned()), ..options() };
    check(&cassandra([5, 0, 9]), &transient, &homed, &[], &["in dc2 is not a number"]);
}

#[test]
fn a_commit_log_that_is_written_later_is_warned_of() {
    let facts = with(cassandra([5, 0, 9]), "commitlog_sync", "periodic");
    check_engine(&facts, &[], &["commitlog_sync is periodic"]);
}

#[test]
fn local_agreement_over_two_data_centres_needs_keys_that_have_a_home() {
    let both = keyspace(&[("dc1", 3), ("dc2", 3)]);
    let local =
        Options { serial: Serial::LocalSerial, datacenter: Some("dc1".to_owned()), ..options() };
    let facts = cassandra([5, 0, 9]);
    check(&facts, &both, &local, &["local_serial, and keyspace onced lies in dc1, dc2"], &[]);
    check(&facts, &both, &Options { homed: true, ..local.clone() }, &[], &[]);
    check(&facts, &both, &Options { serial: Serial::Serial, ..local.clone() }, &[], &[]);
    check(&facts, &sound(), &local, &[], &[]);
    check_keyspace(&both, &[], &["without cql_datacenter any of them is asked"]);
}

#[test]
fn a_data_centre_must_be_there_and_have_replicas() {
    let own = |name: &str| Options { datacenter: Some(name.to_owned()), ..options() };
    let facts = cassandra([5, 0, 9]);
    let nowhere = "cql_datacenter dc3 does not exist; the nodes are in dc1, dc2";
    check(&facts, &sound(), &own("dc3"), &[nowhere], &[]);
    let without = "cql_datacenter dc2 has no replica of keyspace onced, which lies in dc1";
    check(&facts, &sound(), &own("dc2"), &[without], &[]);
    check(&facts, &sound(), &own("dc1"), &[], &[]);
}

#[test]
fn the_replicas_of_a_keyspace_are_judged() {
    check_keyspace(&keyspace(&[("dc1", 1)]), &[], &["one replica in dc1"]);
    check_keyspace(&keyspace(&[("dc1", 2)]), &[], &["a majority of two is both"]);
    check_keyspace(&keyspace(&[("dc1", 5)]), &[], &[]);
    check_keyspace(&keyspace(&[("dc1", 6)]), &["6 replicas in dc1, which has 3 nodes"], &[]);
    check_keyspace(&keyspace(&[("dc9", 3)]), &["dc9 does not exist"], &[]);
    check_keyspace(&keyspace(&[]), &["no replica anywhere"], &[]);
    let simple = Keyspace {
        strategy: "SimpleStrategy".to_owned(),
        factors: BTreeMap::from([("replication_factor".to_owned(), Some(3))]),
        ..sound()
    };
    check_keyspace(&simple, &["SimpleStrategy; NetworkTopologyStrategy is needed"], &[]);
    check_keyspace(&Keyspace { is_durable: false, ..sound() }, &["durable_writes = false"], &[]);
}

#[test]
fn tablets_are_refused_where_they_have_no_conditional_writes() {
    let tablets = Keyspace { has_tablets: true, ..sound() };
    for release in [[6, 2, 3], [2025, 1, 0], [2025, 3, 9]] {
        check(&scylla(release), &tablets, &options(), &["has tablets"], &[]);
        check_engine(&scylla(release), &[], &[]);
    }
    check(&scylla([2025, 4, 0]), &tablets, &options(), &[], &[]);
}

#[track_caller]
fn check_tables(keyspace: &Keyspace, version: Option<i32>, refused: &[&str], warned: &[&str]) {
    let found = of_tables(keyspace, version);
    are("refusals", &found.refusals, refused);
    are("warnings", &found.warnings, warned);
}

#[test]
fn only_tables_of_this_very_version_are_served() {
    check_tables(&sound(), None, &["are not there: run onced migrate"], &[]);
    check_tables(&sound(), Some(0), &["version 0, this program needs 1: run onced migrate"], &[]);
    let newer = layout::VERSION + 1;
    check_tables(&sound(), Some(newer), &["format too new: the tables have version 2"], &[]);
    assert_eq!(too_new(Some(layout::VERSION)), None);
    assert_eq!(too_new(None), None);
}

#[test]
fn a_table_or_column_that_is_not_as_it_must_be_is_named() {
    let now = Some(layout::VERSION);
    for name in layout::tables().keys() {
        let mut keyspace = sound();
        keyspace.tables.remove(name);
        check_tables(&keyspace, now, &[&format!("table {name} is gone")], &[]);
    }
    let mut keyspace = sound();
    let claims = keyspace.tables.get_mut(CLAIMS).unwrap();
    claims.columns.remove("lease");
    claims.columns.insert("record".to_owned(), "text".to_owned());
    claims.columns.insert("of_a_later_version".to_owned(), "text".to_owned());
    let wrong = ["claims has no column lease", "claims: column record is text, not blob"];
    check_tables(&keyspace, now, &wrong, &[]);
}

#[test]
fn how_long_claims_remember_deletions_is_judged() {
    let check = |gc_grace, paxos_grace, default_ttl, refused: &[&str], warned: &[&str]| {
        let mut keyspace = sound();
        let claims = keyspace.tables.get_mut(CLAIMS).unwrap();
        (claims.gc_grace, claims.paxos_grace) = (gc_grace, paxos_grace);
        claims.default_ttl = default_ttl;
        check_tables(&keyspace, Some(layout::VERSION), refused, warned);
    };
    check(GRACE_USUAL, None, 0, &[], &[]);
    check(GRACE_MIN, None, 0, &[], &["has to be repaired at least that often"]);
    check(GRACE_MIN - 1, None, 0, &["gc_grace_seconds = 86399, under 86400"], &[]);
    check(GRACE_USUAL, Some(GRACE_USUAL), 0, &[], &[]);
    check(GRACE_USUAL, Some(GRACE_USUAL + 1), 0, &["below its paxos_grace_seconds"], &[]);
    check(GRACE_USUAL, None, 60, &["default_time_to_live = 60"], &[]);
}
