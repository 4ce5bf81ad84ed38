//! Many calls by lines of JSON.

use std::fmt::Write as _;

use onced_tests::harness::{InProcess, request::*};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{Ended, onced};

async fn batch(server: &InProcess, call: &str, lines: &str) -> Ended {
    let file = NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), lines).expect("lines");
    let path = file.path().display();
    onced(server.address, &format!("batch {call} {path} --namespace payments --operation charge"))
        .await
}

fn answers(ended: &Ended) -> Vec<Value> {
    ended.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn exits(ended: &Ended) -> Vec<(String, u64)> {
    let exit = |answer: &Value| answer["exit"].as_u64().expect("a code");
    let key = |answer: &Value| answer["key"].as_str().expect("a key").to_owned();
    answers(ended).iter().map(|answer| (key(answer), exit(answer))).collect()
}

/// So many claims.
fn claims(keys: impl Iterator<Item = String>) -> String {
    keys.fold(String::new(), |mut lines, key| {
        let claim = json!({ "intent": { "key": key }, "payload": { "json": PAYLOAD } });
        let _ = writeln!(lines, "{claim}");
        lines
    })
}

#[tokio::test]
async fn claims_renewals_and_completions_go_through_in_lines() {
    let server = InProcess::start().await;
    let keys = || (0..1_500).map(|key| format!("order-{key}"));
    let claimed = batch(&server, "claim", &claims(keys())).await;
    assert_eq!((claimed.code, exits(&claimed).len()), (0, 1_500), "{}", claimed.err);
    assert!(exits(&claimed).iter().all(|(_, exit)| *exit == 0));
    let token = |answer: &Value| answer["ruling"]["granted"]["fencingToken"].clone();
    let grants = answers(&claimed);
    let lines = |more: Value| {
        grants.iter().fold(String::new(), |mut lines, answer| {
            let mut line = json!({ "intent": { "key": answer["key"] } });
            line["fencingToken"] = token(answer);
            let more = more.as_object().expect("members").clone();
            line.as_object_mut().expect("members").extend(more);
            let _ = writeln!(lines, "{line}");
            lines
        })
    };
    let renewed = batch(&server, "renew", &lines(json!({ "lease": "60s" }))).await;
    assert_eq!((renewed.code, renewed.out.lines().count()), (0, 1_500), "{}", renewed.err);
    let outcome = json!({ "succeeded": { "result": { "text": "done" } } });
    let completed = batch(&server, "complete", &lines(outcome)).await;
    assert_eq!((completed.code, completed.out.lines().count()), (0, 1_500), "{}", completed.err);
    let again = batch(&server, "claim", &claims(keys())).await;
    assert_eq!(again.code, 0, "a duplicate is an answer: {}", again.err);
    assert!(exits(&again).iter().all(|(_, exit)| *exit == 10));
}

#[tokio::test]
async fn a_line_that_is_refused_changes_no_other_and_shows_in_the_code() {
    let server = InProcess::start().await;
    server.calls().granted(&charge("other")).await;
    let mut lines = claims(["a".to_owned()].into_iter());
    lines += &json!({ "intent": { "key": "other" }, "payload": { "json": "7" } }).to_string();
    lines += "\n\n";
    lines += &claims(["b".to_owned(), "a".to_owned()].into_iter());
    let ended = batch(&server, "claim", &lines).await;
    assert_eq!(ended.code, 15, "{}", ended.err);
    let told = exits(&ended);
    let expected = [("a", 0), ("other", 70), ("b", 0), ("a", 11)];
    assert_eq!(told, expected.map(|(key, exit)| (key.to_owned(), exit)));
    assert!(ended.out.contains("KEY_REUSED"), "{}", ended.out);
    let numbers: Vec<_> = answers(&ended).iter().map(|answer| answer["line"].clone()).collect();
    assert_eq!(numbers, [1, 2, 4, 5]);
}

#[tokio::test]
async fn a_line_that_is_wrong_lets_nothing_be_sent() {
    let server = InProcess::start().await;
    let lines = claims(["a".to_owned()].into_iter()) + "{\"intent\":{\"key\":\"b\"},\"x\":1}\n";
    let ended = batch(&server, "claim", &lines).await;
    assert_eq!((ended.code, ended.out.as_str()), (64, ""), "{}", ended.err);
    assert!(ended.err.contains("line 2: "), "{}", ended.err);
    server.calls().get(get(&charge("a"))).await.expect_err("nothing was sent");
}

#[tokio::test]
async fn a_claimant_that_was_given_is_not_taken_for_ones_own() {
    let server = InProcess::start().await;
    let line = json!({ "intent": { "key": "a" }, "payload": { "json": PAYLOAD },
        "claimant": claimant() });
    for code in [0, 13] {
        let ended = batch(&server, "claim", &line.to_string()).await;
        assert_eq!(exits(&ended), [("a".to_owned(), code)]);
    }
}
