//! Watching an intent from a script.

use std::time::Duration;

use onced_tests::harness::{InProcess, request::*};
use serde_json::Value;

use super::{CHARGE, onced};

/// The line and the code of a watch that ends by what stands.
async fn check(server: &InProcess, key: &str, code: i32, within: &str) -> Value {
    let words = format!("watch {CHARGE} {key} --within {within} --output json");
    let ended = onced(server.address, &words).await;
    assert_eq!(ended.code, code, "{key}: {ended:?}");
    let last = ended.out.lines().last().unwrap_or_else(|| panic!("{key}: {ended:?}"));
    serde_json::from_str(last).expect("a line of JSON")
}

#[tokio::test]
async fn a_watch_ends_with_the_code_of_what_stands() {
    let server = InProcess::start().await;
    let calls = server.calls();
    calls.granted(&charge("over")).await;
    server.advance(Duration::from_secs(31));
    calls.succeeded(&charge("done"), "the result").await;
    let token = calls.granted(&charge("failed")).await.fencing_token;
    calls.complete(complete(&charge("failed"), token, failed("declined"))).await.expect("taken");
    let token = calls.granted(&charge("freed")).await.fencing_token;
    calls.release(release(&charge("freed"), token)).await.expect("taken");
    calls.granted(&charge("live")).await;
    for (key, code) in [("done", 10), ("failed", 14)] {
        check(&server, key, code, "1m").await;
    }
    for (key, code) in [("over", 12), ("freed", 16), ("live", 11), ("none", 70)] {
        check(&server, key, code, "300ms").await;
    }
}

#[tokio::test]
async fn a_watch_tells_each_change_until_the_intent_is_settled() {
    let server = InProcess::start().await;
    let (calls, key) = (server.calls(), charge("order-1"));
    let token = calls.granted(&key).await.fencing_token;
    let address = server.address;
    let watching = tokio::spawn(async move {
        onced(address, &format!("watch {CHARGE} order-1 --json {PAYLOAD} --output json")).await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    calls.complete(complete(&key, token, succeeded("the result"))).await.expect("taken");
    let ended = watching.await.expect("a command");
    assert_eq!(ended.code, 10, "{ended:?}");
    let states: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["state"].clone())
        .collect();
    assert_eq!(states.last().expect("a line"), "STATE_SUCCEEDED", "{ended:?}");
    assert!(ended.out.contains("the result"), "{ended:?}");
}
