//! Watch: the present state, then each change; a lease's end is one; ends with the outcome.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, State, WatchResponse};
use onced_tests::harness::{Calls, InProcess, RulingExt, Setup, calls::Watched, request::*};

async fn open(calls: &Calls) -> Watched {
    calls.watch(watch_whole(&charge("order-1"))).await.expect("a stream")
}

#[track_caller]
fn shows(event: &WatchResponse, state: State, has_ruling: bool) {
    assert_eq!((event.state(), event.ruling.is_some()), (state, has_ruling), "{event:?}");
}

#[tokio::test]
async fn every_state_is_shown_from_none_to_the_outcome() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let mut watched = open(&calls).await;
    shows(&watched.event().await, State::Unspecified, false);
    let token = calls.granted(&intent).await.fencing_token;
    let event = watched.event().await;
    shows(&event, State::InProgress, true);
    let told = event.ruling.expect("a ruling").in_progress();
    assert_eq!(told.fencing_token, 0, "the token is its holder's alone");
    calls.release(release(&intent, token)).await.expect("a release");
    shows(&watched.event().await, State::Released, false);
    let token = calls.granted(&intent).await.fencing_token;
    shows(&watched.event().await, State::InProgress, true);
    calls.complete(complete(&intent, token, unknown())).await.expect("a report");
    let event = watched.event().await;
    shows(&event, State::Unknown, true);
    event.ruling.expect("a ruling").unknown();
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    let event = watched.event().await;
    shows(&event, State::Succeeded, true);
    assert_eq!(event.ruling.expect("a ruling").succeeded().result, Some(text("done")));
    assert!(watched.next().await.expect("an end without a fault").is_none());
}

#[tokio::test]
async fn the_end_of_a_lease_is_an_event_of_its_own() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let short = ClaimRequest { lease: span(Duration::from_secs(2)), ..claim(&intent) };
    calls.claim(short).await.expect("a ruling").granted();
    let mut watched = open(&calls).await;
    shows(&watched.event().await, State::InProgress, true);
    server.advance(Duration::from_secs(2));
    let event = watched.event().await;
    shows(&event, State::Unknown, true);
    event.ruling.expect("a ruling").unknown();
}

#[tokio::test]
async fn a_watch_of_what_is_settled_shows_it_and_ends() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    calls.complete(complete(&intent, token, failed("declined"))).await.expect("a report");
    let mut watched = open(&calls).await;
    let event = watched.event().await;
    shows(&event, State::Failed, true);
    assert_eq!(event.ruling.expect("a ruling").failed().r#type, "declined");
    assert!(watched.next().await.expect("an end without a fault").is_none());
}

#[tokio::test]
async fn many_watchers_of_one_key_all_see_its_outcome() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let mut watchers = Vec::new();
    for _ in 0..20 {
        let mut watched = open(&calls).await;
        shows(&watched.event().await, State::InProgress, true);
        watchers.push(watched);
    }
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    for mut watched in watchers {
        shows(&watched.event().await, State::Succeeded, true);
    }
}

#[tokio::test]
async fn a_watch_has_a_longest_life_and_then_ends_well() {
    let mut setup = Setup::default();
    setup.bounds.max_watch = Duration::from_millis(100);
    let server = InProcess::with(setup).await;
    let mut watched = open(&server.calls()).await;
    shows(&watched.event().await, State::Unspecified, false);
    assert!(watched.next().await.expect("an end without a fault").is_none());
}
