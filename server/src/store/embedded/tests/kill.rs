//! What a process that is killed leaves behind, and what the next one makes of it.

use super::*;

#[tokio::test]
async fn an_answered_write_outlives_a_kill() {
    let bench = Bench::new();
    let claimed = bench.claim("k", 10).await;
    let write = sample::complete(&claimed, b"paid", 86_400);
    bench.engine.compare_and_set(&intent("k"), &write).await.unwrap();
    let stored = bench.after_a_kill().load("k").await.unwrap();
    assert_eq!(stored.record, write.record);
    assert_eq!(stored.result.as_deref(), Some(&b"paid"[..]));
}

#[tokio::test]
async fn a_lease_that_was_live_at_the_kill_is_counted_anew_and_whole() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.pass(9);
    let next = bench.after_a_kill();
    let lease = next.load("k").await.unwrap().lease;
    assert_eq!(lease, Lease::Live { left: Duration::from_secs(10) });
    next.pass(11);
    assert!(!next.is_live("k").await);
}

#[tokio::test]
async fn a_renewed_lease_is_counted_anew_with_its_last_length() {
    let bench = Bench::new();
    let claimed = bench.claim("k", 10).await;
    let renewal = sample::lease(&claimed, LeaseExpected::Live, 40);
    bench.engine.compare_and_set(&intent("k"), &renewal).await.unwrap();
    let lease = bench.after_a_kill().load("k").await.unwrap().lease;
    assert_eq!(lease, Lease::Live { left: Duration::from_secs(40) });
}

#[tokio::test]
async fn a_lease_that_ended_before_a_later_write_is_not_revived() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.pass(11);
    bench.claim("later", 10).await;
    let next = bench.after_a_kill();
    assert!(!next.is_live("k").await);
    assert!(next.is_live("later").await);
}

#[tokio::test]
async fn a_lease_that_ended_while_nothing_was_written_is_not_revived() {
    let often = Duration::from_millis(1);
    let bench = Bench::with(|options| Options { sweep_interval: often, ..options });
    bench.claim("k", 10).await;
    bench.pass(11);
    let raw = bench.raw();
    while high_water::read(&raw).unwrap() < bench.clock.now() {
        tokio::time::sleep(often).await;
    }
    assert!(!bench.after_a_kill().is_live("k").await);
}

#[tokio::test]
async fn a_lease_that_ended_before_the_engine_was_closed_is_not_revived() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    bench.pass(11);
    assert!(!bench.reopened().is_live("k").await);
}

#[tokio::test]
async fn a_lease_that_was_live_when_the_engine_was_closed_is_counted_anew() {
    let bench = Bench::new();
    bench.claim("k", 10).await;
    assert!(bench.reopened().is_live("k").await);
}

#[tokio::test]
async fn a_cleared_lease_is_not_revived() {
    let bench = Bench::new();
    let claimed = bench.claim("k", 10).await;
    let write = sample::complete(&claimed, b"paid", 86_400);
    bench.engine.compare_and_set(&intent("k"), &write).await.unwrap();
    assert!(!bench.after_a_kill().is_live("k").await);
}

#[tokio::test]
async fn the_clock_starts_no_earlier_than_the_latest_time_on_file() {
    let Bench { engine, clock, folder } = Bench::new();
    clock.advance(100 * 365 * 24 * HOUR);
    drop(engine);
    let options = Options { clock: None, ..options(folder.path(), &clock) };
    let engine = Embedded::open(&options).unwrap();
    assert!(engine.clock().now() >= clock.now());
}
