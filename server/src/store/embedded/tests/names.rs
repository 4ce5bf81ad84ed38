//! Names in memory and in their table: whichever holds one, its row is found, and is the only one.

use rusqlite::{Connection, params};

use super::{
    super::names::{Names, Slice, name},
    *,
};
use crate::intent::Identity;

/// An engine that merges names all the time, a few at once.
fn merging() -> Bench {
    Bench::with(merging_all_the_time)
}

fn merging_all_the_time(options: Options) -> Options {
    Options { names_kept: 5, ..options }
}

async fn claim_all(bench: &Bench, keys: std::ops::Range<u32>) {
    for key in keys {
        bench.claim(&format!("k{key}"), 10).await;
    }
}

/// Every key has its record, and no key has another row.
async fn all_are_found(bench: &Bench, keys: std::ops::Range<u32>) {
    for key in keys.clone() {
        let key = format!("k{key}");
        assert!(bench.load(&key).await.is_some(), "{key}");
        let again = bench.engine.compare_and_set(&intent(&key), &bench.claim_of(&key, 10)).await;
        assert!(matches!(again, Ok(Set::Lost(Some(_)))), "{key}: {again:?}");
    }
    assert_eq!(count(bench, "claims"), i64::from(keys.end - keys.start));
}

fn count(bench: &Bench, table: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {table}");
    bench.raw().query_row(&count, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_row_is_found_wherever_its_name_is() {
    let bench = merging();
    claim_all(&bench, 0..103).await;
    let merged = count(&bench, "names");
    assert!((1..103).contains(&merged), "{merged} of 103 are merged");
    all_are_found(&bench, 0..103).await;
}

#[tokio::test]
async fn a_process_that_is_killed_between_two_slices_finds_every_row_again() {
    let bench = merging();
    for keys in 1..40 {
        claim_all(&bench, keys - 1..keys).await;
        all_are_found(&bench.after_a_kill(), 0..keys).await;
    }
    let bench = bench.reopened();
    all_are_found(&bench, 0..39).await;
}

#[tokio::test]
async fn a_row_that_takes_the_place_of_an_expired_one_is_found() {
    let bench = merging();
    let brief = |key: &str| {
        let expiry = Expiry::After(sample::seconds(5));
        Write { expiry, ..sample::create(sample::succeeded(&sample::record(&intent(key), NOON))) }
    };
    for key in 0..20 {
        let key = format!("k{key}");
        assert_eq!(
            bench.engine.compare_and_set(&intent(&key), &brief(&key)).await,
            Ok(Set::Applied)
        );
    }
    bench.pass(6);
    claim_all(&bench, 0..20).await;
    all_are_found(&bench, 0..20).await;
    all_are_found(&bench.after_a_kill(), 0..20).await;
}

#[tokio::test]
async fn the_number_of_a_row_that_is_gone_is_never_another_ones() {
    let bench = merging();
    claim_all(&bench, 0..30).await;
    bench.raw().execute("DELETE FROM claims", []).unwrap();
    let bench = bench.reopened();
    claim_all(&bench, 0..3).await;
    all_are_found(&bench.after_a_kill(), 0..3).await;
    assert_eq!(count(&bench, "names WHERE claim NOT IN (SELECT id FROM claims)"), 0);
}

#[tokio::test]
async fn a_provider_key_finds_rows_wherever_their_names_are() {
    let bench = merging();
    claim_all(&bench, 0..50).await;
    for key in 0..50 {
        let intent = intent(&format!("k{key}"));
        let by = Find::ProviderKey(bench.load(intent.key()).await.unwrap().record.provider_key);
        let found = bench.engine.find("payments", &by).await.unwrap();
        assert_eq!(found.into_iter().map(|(intent, _)| intent).collect::<Vec<_>>(), [intent]);
    }
}

const COPY: &str = "INSERT INTO claims (identity, namespace, operation, key, revision,
         first_claim_time, settled, record)
     SELECT identity, namespace, operation, key, revision, first_claim_time, settled, record
     FROM claims";

#[tokio::test]
async fn nobody_who_knows_no_names_in_memory_can_add_a_row() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    let refusal = bench.raw().execute(COPY, []).unwrap_err();
    assert!(refusal.to_string().contains("no such function"), "{refusal}");
    let other = "UPDATE claims SET identity = zeroblob(32)";
    assert!(bench.raw().execute(other, []).is_err(), "a row stays its intent's");
}

#[tokio::test]
async fn a_second_row_is_refused_by_the_file_itself_wherever_the_name_is() {
    let bench = merging();
    claim_all(&bench, 0..33).await;
    let raw = bench.raw();
    bench.engine.names.guard(&raw).unwrap();
    assert_eq!(raw.execute(COPY, []).unwrap(), 0);
    assert_eq!(count(&bench, "claims"), 33);
}

#[test]
fn what_was_added_by_a_group_that_failed_is_forgotten() {
    let file = Connection::open_in_memory().unwrap();
    file.execute_batch("CREATE TABLE claims (id, identity); CREATE TABLE meta (name, value)")
        .unwrap();
    file.execute("INSERT INTO meta VALUES ('named', 0)", []).unwrap();
    file.execute("INSERT INTO claims VALUES (1, ?1)", params![[1_u8; 32]]).unwrap();
    let names = Names::load(&file, 100).unwrap();
    let [first, second] = [1, 2].map(|byte| name(&Identity([byte; 32]).0));
    names.add(first, 2);
    names.add(second, 3);
    names.undo(1);
    assert_eq!([names.rows(&first), names.rows(&second)], [[Some(2), None], [None, None]]);
    names.undo(0);
    assert_eq!(names.rows(&first), [Some(1), None]);
    names.add(second, 3);
    names.committed(&Slice::default());
    names.undo(0);
    assert_eq!(names.rows(&second), [Some(3), None]);
}
