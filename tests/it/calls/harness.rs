//! The harness itself: what the other tests stand on.

use std::time::Duration;

use onced_tests::harness::{Binary, InProcess, RulingExt, binary, page, request::*};

#[tokio::test]
async fn a_server_in_this_process_answers_on_a_clock_that_the_test_moves() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    assert_eq!(calls.granted(&intent).await.attempt, 1);
    calls.duplicate(&intent).await.in_progress();
    server.advance(Duration::from_secs(31));
    calls.duplicate(&intent).await.unknown();
    assert_eq!(page::get(server.admin, "/readyz").await.expect("a page").status, 200);
}

#[tokio::test]
async fn two_servers_in_this_process_share_one_store() {
    let one = InProcess::start().await;
    let other = one.replica().await;
    let intent = charge("order-1");
    one.calls().granted(&intent).await;
    other.calls().duplicate(&intent).await.in_progress();
}

#[test]
fn the_real_program_stands_beside_the_test() {
    assert!(binary::program().is_file());
}

#[tokio::test]
async fn the_real_program_is_killed_and_started_again_on_the_same_folder() {
    let mut server = Binary::start().await;
    let intent = charge("order-1");
    server.calls().succeeded(&intent, "done").await;
    server.kill9();
    server.restart().await;
    server.calls().duplicate(&intent).await.succeeded();
    server.terminate();
    assert!(server.ended().await.success(), "{}", server.log());
}
