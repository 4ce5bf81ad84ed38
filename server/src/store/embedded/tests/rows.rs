//! What the file itself makes impossible, and what is not taken for something else.

use super::*;

#[tokio::test]
async fn a_row_of_other_names_is_corrupt_and_never_taken_for_none() {
    corrupt_is_never_none("UPDATE claims SET key = 'other'").await;
}

#[tokio::test]
async fn a_record_that_cannot_be_read_is_corrupt_and_never_taken_for_none() {
    corrupt_is_never_none("UPDATE claims SET record = x'ffff'").await;
}

#[tokio::test]
async fn a_record_of_another_revision_than_its_row_is_corrupt() {
    corrupt_is_never_none("UPDATE claims SET revision = randomblob(16)").await;
}

async fn corrupt_is_never_none(damage: &str) {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.claim("whole", 10).await;
    bench.raw().execute(&format!("{damage} WHERE key = 'k'"), []).unwrap();
    for look in [Look::Recent, Look::Fresh] {
        let seen = bench.engine.load(&intent("k"), look).await;
        assert!(matches!(seen, Err(Error::Corrupt(_))), "{seen:?}");
    }
    let set = bench.engine.compare_and_set(&intent("k"), &bench.claim_of("k", 10)).await;
    assert!(matches!(set, Err(Error::Corrupt(_))), "{set:?}");
    assert!(bench.is_live("whole").await);
}

#[tokio::test]
async fn a_record_of_a_newer_format_is_said_to_be_newer() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.raw().execute("UPDATE claims SET record = x'0863'", []).unwrap();
    let seen = bench.engine.load(&intent("k"), Look::Fresh).await;
    assert_eq!(seen, Err(Error::FormatTooNew(99)));
}

#[tokio::test]
async fn a_foreign_cursor_is_refused() {
    let bench = Bench::new();
    let scope = Scope { namespace: "payments".to_owned(), operation: None };
    for length in [1, 8, 15, 17] {
        let page = Page { cursor: vec![1; length], size: 10 };
        assert!(bench.engine.unreconciled(&scope, &page).await.is_err());
    }
}

#[tokio::test]
async fn a_backup_holds_what_was_answered_and_is_restored_as_a_store() {
    let bench = Bench::new();
    let record = bench.claim("k", 10).await;
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("copy");
    let made = bench.engine.backup(&copy).await.unwrap();
    assert_eq!((made.records, made.time), (1, bench.clock.now()));
    bench.claim("later", 10).await;
    let refusal = bench.engine.backup(&copy).await.unwrap_err();
    assert!(matches!(refusal, BackupError::Exists(_)), "{refusal}");
    let data = folder.path().join("data");
    restore(&copy, &data, bench.clock.now()).unwrap();
    let restored = Embedded::open(&options(&data, &bench.clock)).unwrap();
    let (before, after) = (intent("k"), intent("later"));
    assert_eq!(restored.load(&before, Look::Fresh).await.unwrap().unwrap().record, record);
    assert_eq!(restored.load(&after, Look::Fresh).await, Ok(None));
}
