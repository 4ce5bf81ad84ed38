//! Commits that fail, wait, or come too late.

use super::*;

/// From now on a commit that writes `poison` fails: what it refers to is not there.
const FAILING_COMMIT: &str = "
    CREATE TABLE broken (claim INTEGER REFERENCES claims (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER breaks AFTER INSERT ON claims WHEN new.key = 'poison'
        BEGIN INSERT INTO broken VALUES (-1); END;";

#[tokio::test]
async fn a_failed_commit_is_uncertain_and_ends_the_engine() {
    let bench = Bench::new();
    bench.claim("before", 10).await;
    bench.raw().execute_batch(FAILING_COMMIT).unwrap();
    let set = bench.engine.compare_and_set(&intent("poison"), &bench.claim_of("poison", 10)).await;
    assert!(matches!(set, Err(Error::Uncertain(_))), "{set:?}");
    bench.engine.poisoned().await;
    assert_eq!(bench.engine.trouble(), Some(Trouble::Stopped));
    let later = bench.engine.compare_and_set(&intent("later"), &bench.claim_of("later", 10)).await;
    assert!(matches!(later, Err(Error::Unavailable(_))), "{later:?}");
    let look = bench.engine.load(&intent("before"), Look::Fresh).await;
    assert!(matches!(look, Err(Error::Unavailable(_))), "{look:?}");
    bench.raw().execute_batch("DROP TRIGGER breaks").unwrap();
    let next = bench.reopened();
    assert!(next.is_live("before").await);
    assert_eq!(next.load("later").await, None);
}

#[tokio::test]
async fn a_failed_commit_is_uncertain_for_its_whole_group() {
    let bench = Bench::new();
    bench.raw().execute_batch(FAILING_COMMIT).unwrap();
    // While somebody else writes, calls wait, and go into one group.
    let other = bench.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let first = (intent("first"), bench.claim_of("first", 10));
    let writes = [intent("poison"), intent("beside")]
        .map(|intent| (bench.claim_of(intent.key(), 10), intent));
    let set = |intent, write| bench.engine.compare_and_set(intent, write);
    let group = async {
        // By now the writer stands before the lock with the first call alone.
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::join!(set(&writes[0].1, &writes[0].0), set(&writes[1].1, &writes[1].0))
    };
    let release = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        other.execute_batch("ROLLBACK").unwrap();
    };
    let (_, (poison, beside), ()) = tokio::join!(set(&first.0, &first.1), group, release);
    assert!(matches!(poison, Err(Error::Uncertain(_))), "{poison:?}");
    assert!(matches!(beside, Err(Error::Uncertain(_))), "{beside:?}");
}

#[tokio::test]
async fn a_write_that_cannot_begin_has_surely_not_happened() {
    let bench = Bench::new();
    let other = bench.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let set = bench.engine.compare_and_set(&intent("k"), &bench.claim_of("k", 10)).await;
    assert!(matches!(set, Err(Error::Unavailable(_))), "{set:?}");
    other.execute_batch("ROLLBACK").unwrap();
    bench.claim("k", 10).await;
}

#[tokio::test]
async fn a_fresh_look_at_a_lease_that_ended_stands_in_line_with_the_writes() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.claim("live", 100).await;
    bench.pass(11);
    let other = bench.raw();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let recent = bench.engine.load(&intent("k"), Look::Recent).await;
    assert_eq!(recent.unwrap().unwrap().lease, Lease::Over);
    assert!(bench.is_live("live").await);
    let fresh = bench.engine.load(&intent("k"), Look::Fresh).await;
    assert!(matches!(fresh, Err(Error::Unavailable(_))), "{fresh:?}");
}

/// A clock by which an hour passes between any two looks at it.
#[derive(Debug)]
struct Leaping(ManualClock);

impl Clock for Leaping {
    fn now(&self) -> Timestamp {
        self.0.advance(HOUR);
        self.0.now()
    }
}

#[tokio::test]
async fn a_grant_that_is_over_by_its_commit_is_shown_and_not_given() {
    let leaping: Arc<dyn Clock> = Arc::new(Leaping(ManualClock::at(NOON)));
    let bench = Bench::with(|options| Options { clock: Some(leaping), ..options });
    let write = bench.claim_of("k", 10);
    match bench.engine.compare_and_set(&intent("k"), &write).await {
        Ok(Set::Lost(Some(row))) => {
            assert_eq!(row.record.revision, write.record.revision);
            assert_eq!(row.lease, Lease::Over);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_keys_at_once_share_commits_and_all_apply() {
    let bench = Arc::new(Bench::new());
    let mut claims = tokio::task::JoinSet::new();
    for number in 0..2_000 {
        let bench = Arc::clone(&bench);
        claims.spawn(async move { bench.claim(&format!("k{number}"), 10).await });
    }
    assert_eq!(claims.join_all().await.len(), 2_000);
}
