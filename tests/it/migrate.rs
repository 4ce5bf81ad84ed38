//! `onced migrate` and `onced serve` before a cluster: what is made, by how many at once, and what
//! is refused. Left out where no cluster is named.

use std::{process::Stdio, time::Duration};

use onced_tests::harness::{
    binary::program,
    cluster::{DATACENTER, contact_points, in_keyspace},
};
use scylla::client::session::Session;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    task::JoinSet,
    time::{Instant, timeout},
};

/// Longest time for one command.
const BOUND: Duration = Duration::from_secs(120);

/// How a command ended: its code, and all that it said.
type Ended = (i32, String);

async fn run(words: &[&str], keyspace: &str) -> Ended {
    let child = spawn(words, keyspace);
    let output = timeout(BOUND, child.wait_with_output()).await.expect("an end in time");
    let output = output.expect("a process");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().expect("an exit code"), String::from_utf8_lossy(&said).into_owned())
}

fn spawn(words: &[&str], keyspace: &str) -> Child {
    Command::new(program())
        .args(words)
        .args(["--store", &format!("cql://{}/{keyspace}", contact_points().join(","))])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("a process")
}

async fn migrate(keyspace: &str) -> Ended {
    run(&["migrate", "--cql-replication", &format!("{DATACENTER}:1")], keyspace).await
}

const SERVE: [&str; 6] = ["serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"];

/// What a server says that must refuse to start.
async fn serve(keyspace: &str) -> Ended {
    run(&SERVE, keyspace).await
}

#[track_caller]
fn is(ended: &Ended, code: i32, words: &str) {
    let (found, said) = ended;
    assert!(*found == code && said.contains(words), "{code} {words:?} is not {found}: {said}");
}

async fn ask(session: &Session, statement: impl AsRef<str>) {
    session.query_unpaged(statement.as_ref(), ()).await.expect("an answer");
}

async fn count(session: &Session, table: &str, of: &str) -> usize {
    let all = format!("SELECT keyspace_name FROM system_schema.{table} WHERE keyspace_name = ?");
    let found = session.query_unpaged(all, (of,)).await.expect("an answer");
    found.into_rows_result().expect("rows").rows_num()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyspace_is_made_as_it_was_said_and_a_second_run_changes_nothing() {
    in_keyspace("migrate_once", |session, keyspace| async move {
        let absent = run(&["migrate"], &keyspace).await;
        is(&absent, 69, &format!("--cql-replication {DATACENTER}:1"));
        let nowhere = run(&["migrate", "--cql-replication", "dc9:3"], &keyspace).await;
        is(&nowhere, 69, "dc9 does not exist");
        let too_many = format!("{DATACENTER}:30");
        let too_many = run(&["migrate", "--cql-replication", &too_many], &keyspace).await;
        is(&too_many, 69, "no majority can ever answer");
        assert_eq!(count(&session, "keyspaces", &keyspace).await, 0, "nothing was made");
        let made = migrate(&keyspace).await;
        is(&made, 0, "migrated: the tables of cql://");
        is(&made, 0, "have version 1");
        is(&made, 0, "one replica in");
        is(&run(&["migrate"], &keyspace).await, 0, "unchanged: the tables of cql://");
        let other = format!("{DATACENTER}:2");
        let other = run(&["migrate", "--cql-replication", &other], &keyspace).await;
        is(&other, 0, "was not applied: that is ALTER KEYSPACE");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_looks_at_the_cluster_first_and_tells_what_it_read() {
    in_keyspace("migrate_audit", |session, keyspace| async move {
        is(&run(&["audit"], &keyspace).await, 69, "is not there: run onced migrate");
        is(&migrate(&keyspace).await, 0, "have version 1");
        is(&run(&["audit"], &keyspace).await, 0, "audited: 0 records, 0 of them open");
        let nowhere = run(&["audit", "--cql-datacenter", "dc9"], &keyspace).await;
        is(&nowhere, 69, "dc9 does not exist");
        ask(&session, format!("DROP TABLE {keyspace}.hints")).await;
        is(&run(&["audit"], &keyspace).await, 69, "hints");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_makes_nothing_and_stands_on_what_was_made() {
    in_keyspace("migrate_serve", |session, keyspace| async move {
        is(&serve(&keyspace).await, 69, "is not there: run onced migrate");
        assert_eq!(count(&session, "keyspaces", &keyspace).await, 0);
        ask(&session, format!("CREATE KEYSPACE {keyspace} {NETWORK}")).await;
        is(&serve(&keyspace).await, 69, "the tables are not there: run onced migrate");
        assert_eq!(count(&session, "tables", &keyspace).await, 0);
        is(&migrate(&keyspace).await, 0, "have version 1");
        let mut server = spawn(&SERVE, &keyspace);
        let mut told = BufReader::new(server.stdout.take().expect("its output")).lines();
        let line = timeout(BOUND, told.next_line()).await.expect("a line in time");
        let line = line.expect("a line").expect("a line");
        assert!(line.contains(&format!("is ready: records in cql://{}", contact_points()[0])));
        assert!(line.contains(&format!("/{keyspace}, gRPC on 127.0.0.1:")), "{line}");
        server.kill().await.expect("its end");
    })
    .await;
}

const NETWORK: &str = "WITH replication = {'class': 'NetworkTopologyStrategy', \
                       'replication_factor': 1}";

#[tokio::test(flavor = "multi_thread")]
async fn ten_at_once_make_one_set_of_tables() {
    in_keyspace("migrate_ten", |session, keyspace| async move {
        let mut all = JoinSet::new();
        for _ in 0..10 {
            let keyspace = keyspace.clone();
            all.spawn(async move { migrate(&keyspace).await });
        }
        for ended in all.join_all().await {
            is(&ended, 0, "have version 1");
        }
        let left = format!("SELECT part, version FROM {keyspace}.schema_version");
        let left = session.query_unpaged(left, ()).await.expect("an answer");
        let left = left.into_rows_result().expect("rows");
        let rows: Vec<(String, Option<i32>)> =
            left.rows().expect("rows").collect::<Result<_, _>>().expect("rows");
        assert_eq!(rows, [("schema".to_owned(), Some(1))], "the claim was given back");
        // A node that has another id for the table than its neighbours would refuse this.
        let claim = format!(
            "INSERT INTO {keyspace}.claims (namespace, operation, key) VALUES ('n', 'o', 'k') IF \
             NOT EXISTS"
        );
        ask(&session, claim).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_the_claim_is_waited_for_and_a_dead_one_lapses() {
    in_keyspace("migrate_dead", |session, keyspace| async move {
        is(&migrate(&keyspace).await, 0, "have version 1");
        let versions = format!("{keyspace}.schema_version");
        ask(&session, format!("DELETE FROM {versions} WHERE part = 'schema' IF EXISTS")).await;
        let seconds = 4;
        let claim = format!(
            "INSERT INTO {versions} (part, claimant) VALUES ('claim', {}) IF NOT EXISTS USING TTL \
             {seconds}",
            "5f0c1e8a-1111-4222-8333-444455556666"
        );
        ask(&session, claim).await;
        let begun = Instant::now();
        is(&migrate(&keyspace).await, 0, "have version 1");
        // A cell lives up to a second less than it was given.
        let waited = begun.elapsed();
        assert!(waited > Duration::from_secs(seconds - 2), "waited only {waited:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_another_version_are_refused() {
    in_keyspace("migrate_version", |session, keyspace| async move {
        is(&migrate(&keyspace).await, 0, "have version 1");
        let becomes = |version: &str| {
            let versions = format!("{keyspace}.schema_version");
            format!("UPDATE {versions} SET version = {version} WHERE part = 'schema' IF EXISTS")
        };
        ask(&session, becomes("2")).await;
        is(&serve(&keyspace).await, 69, "format too new: the tables have version 2");
        is(&migrate(&keyspace).await, 69, "format too new: the tables have version 2");
        ask(&session, becomes("0")).await;
        is(&serve(&keyspace).await, 69, "have version 0, this program needs 1: run onced migrate");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_lose_records_is_refused_all_at_once_by_both() {
    in_keyspace("migrate_unsafe", |session, keyspace| async move {
        is(&migrate(&keyspace).await, 0, "have version 1");
        let claims = format!("{keyspace}.claims");
        let alter = "gc_grace_seconds = 3600 AND default_time_to_live = 60";
        ask(&session, format!("ALTER TABLE {claims} WITH {alter}")).await;
        ask(&session, format!("ALTER TABLE {claims} DROP record")).await;
        ask(&session, format!("DROP TABLE {keyspace}.hints")).await;
        for ended in [serve(&keyspace).await, migrate(&keyspace).await] {
            is(&ended, 69, "refused for 4 reasons");
            is(&ended, 69, "gc_grace_seconds = 3600");
            is(&ended, 69, "default_time_to_live = 60");
            is(&ended, 69, "claims has no column record");
            is(&ended, 69, "table hints is gone");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyspace_that_is_not_safe_is_refused_before_a_table_is_made_in_it() {
    in_keyspace("migrate_simple", |session, keyspace| async move {
        let simple = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
        let create = format!(
            "CREATE KEYSPACE {keyspace} WITH replication = {simple} AND durable_writes = false"
        );
        ask(&session, create).await;
        let ended = migrate(&keyspace).await;
        is(&ended, 69, "SimpleStrategy; NetworkTopologyStrategy is needed");
        is(&ended, 69, "durable_writes = false");
        assert_eq!(count(&session, "tables", &keyspace).await, 0);
        ask(&session, format!("DROP KEYSPACE {keyspace}")).await;
        is(&migrate(&keyspace).await, 0, "have version 1");
        let nowhere = run(&[&SERVE[..], &["--cql-datacenter", "dc9"]].concat(), &keyspace).await;
        is(
            &nowhere,
            69,
            &format!("cql_datacenter dc9 does not exist; the nodes are in {DATACENTER}"),
        );
    })
    .await;
}
