//! Servers over one store: what is done through one of them, the others hear of; a lease that the
//! store holds longer than it tells; a server whose clock is off.

use std::{sync::Arc, time::Duration};

use onced_proto::v1::{ErrorReason, State};
use onced_tests::{
    broken::{
        self, Flaw,
        replicated::{ClockOff, Replicated},
    },
    harness::{InProcess, RulingExt, Setup, page, request::*},
};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);
/// A store without news of others is looked at again when the lease is over, never before.
const SOON: Duration = Duration::from_secs(9);

async fn server(flaw: impl Flaw + Clone) -> InProcess {
    let wrap = move |store| broken::over(store, flaw.clone());
    InProcess::with(Setup { wrap: Some(Arc::new(wrap)), ..Setup::default() }).await
}

#[tokio::test]
async fn who_waits_at_one_server_gets_the_outcome_that_was_reported_to_another() {
    let here = server(Replicated::default()).await;
    let (there, intent) = (here.replica().await, charge("order-1"));
    let token = there.calls().granted(&intent).await.fencing_token;
    let (calls, waiting) = (here.calls(), waiting_claim(&intent));
    let waits = tokio::spawn(async move { calls.claim(waiting).await });
    while here.metric(WAITERS).await == 0 {
        tokio::task::yield_now().await;
    }
    let report = complete(&intent, token, succeeded("done"));
    there.calls().complete(report).await.expect("a report");
    let told = tokio::time::timeout(SOON, waits).await.expect("news").expect("an answer");
    assert_eq!(told.expect("a ruling").succeeded().result, Some(text("done")));
}

const WAITERS: &str = r#"onced_waiters{namespace="payments",operation="charge"}"#;

#[tokio::test]
async fn a_watch_at_one_server_shows_what_is_done_through_another() {
    let here = server(Replicated::default()).await;
    let (there, intent) = (here.replica().await, charge("order-1"));
    let mut watched = here.calls().watch(watch_whole(&intent)).await.expect("a stream");
    assert_eq!(watched.event().await.state(), State::Unspecified);
    let token = there.calls().granted(&intent).await.fencing_token;
    assert_eq!(watched.event().await.state(), State::InProgress);
    there.calls().release(release(&intent, token)).await.expect("a release");
    assert_eq!(watched.event().await.state(), State::Released);
}

#[tokio::test]
async fn fresh_looks_at_a_shared_store_are_counted_as_what_they_cost() {
    let reads = r#"onced_store_lwt_total{kind="read"}"#;
    let intent = charge("order-1");
    let shared = server(Replicated::default()).await;
    shared.calls().granted(&intent).await;
    assert_eq!(shared.metric(reads).await, 0);
    shared.calls().get(get(&intent)).await.expect("an intent");
    assert_eq!(shared.metric(reads).await, 1);
    let alone = InProcess::start().await;
    alone.calls().granted(&intent).await;
    alone.calls().get(get(&intent)).await.expect("an intent");
    assert_eq!(alone.metric(reads).await, 0);
}

#[tokio::test]
async fn a_lease_with_nothing_left_is_in_progress_extended_and_reported_under() {
    let server = server(Replicated { margin: 3 }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    let granted = calls.claim(request.clone()).await.expect("a ruling").granted();
    assert_eq!(granted.lease, span(30 * SECOND));
    server.advance(31 * SECOND);
    let own = calls.claim(request).await.expect("a ruling").in_progress();
    assert_eq!(own.fencing_token, granted.fencing_token);
    let told = calls.duplicate(&intent).await.in_progress();
    assert_eq!((told.fencing_token, told.retry_after), (0, span(SECOND)));
    let renewed = calls.renew(renew(&intent, granted.fencing_token)).await.expect("an extension");
    assert_eq!(renewed.lease, span(30 * SECOND));
    server.advance(32 * SECOND);
    let report = complete(&intent, granted.fencing_token, succeeded("done"));
    let taken = calls.complete(report).await.expect("a report");
    assert!(!taken.late);
}

#[tokio::test]
async fn the_end_of_a_lease_is_watched_for_beyond_its_margin() {
    let server = server(Replicated { margin: 3 }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    server.advance(31 * SECOND);
    let mut watched = calls.watch(watch_whole(&intent)).await.expect("a stream");
    assert_eq!(watched.event().await.state(), State::InProgress);
    server.advance(3 * SECOND);
    assert_eq!(watched.event().await.state(), State::Unknown);
}

#[tokio::test]
async fn a_server_whose_clock_is_off_grants_nothing_takes_reports_and_is_not_ready() {
    let well = InProcess::start().await;
    let (calls, intent) = (well.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let wrap = |store| broken::over(store, ClockOff { by: 61 * SECOND });
    let off = well.replica_with(Setup { wrap: Some(Arc::new(wrap)), ..Setup::default() }).await;
    let calls = off.calls();
    for key in ["order-1", "order-2"] {
        let claimed = calls.claim(claim(&charge(key))).await;
        let reclaimed = calls.reclaim(reclaim(&charge(key))).await;
        for refusal in [claimed.expect_err("no grant"), reclaimed.expect_err("no grant")] {
            assert_eq!(refusal.is(ErrorReason::StoreUnavailable).code, Code::Unavailable);
            assert!(refusal.retry.is_some());
        }
    }
    calls.renew(renew(&intent, token)).await.expect("an extension");
    calls.get(get(&intent)).await.expect("an intent");
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    let ready = page::get(off.admin, "/readyz").await.expect("a page");
    assert_eq!(ready.status, 503);
    assert!(ready.body.contains("the clock is 61 s off"), "{}", ready.body);
}
