//! A script that knows nothing but exit codes does the right thing on every ruling.

use std::{fs, path::Path, process::Stdio, time::Duration};

use onced_proto::v1::ClaimRequest;
use onced_tests::harness::{InProcess, binary::program, request::*};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

use super::BOUND;

/// Performs the effect, a line in a file, only where it may; says what it made of the ruling.
const SCRIPT: &str = r#"
set -u
intent="--endpoint $SERVER --namespace payments --operation charge --key $KEY"
"$ONCED" claim $intent --json '{"amount":100}' --output json $MORE > "$HOME/ruling"
case $? in
    0) echo "$KEY" >> "$HOME/effects"
       token=$(sed -n 's/.*"fencingToken": "\([0-9]*\)".*/\1/p' "$HOME/ruling")
       "$ONCED" complete $intent --token "$token" --succeeded --text done > /dev/null || exit 1
       echo performed ;;
    10) echo done before ;;
    14) echo failed before ;;
    11 | 69) echo later ;;
    12 | 13) echo ask somebody ;;
    *) echo refused ;;
esac
"#;

async fn run(server: &str, home: &Path, key: &str, more: &str) -> String {
    let ran = Command::new("bash")
        .args(["-c", SCRIPT])
        .env("ONCED", program())
        .envs([("SERVER", server), ("KEY", key), ("MORE", more)])
        .env("HOME", home)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ran = timeout(BOUND, ran).await.expect("an end in time").expect("a process");
    String::from_utf8(ran.stdout).expect("text").trim_end().to_owned()
}

#[tokio::test]
async fn a_script_performs_the_effect_on_a_grant_and_on_nothing_else() {
    let server = InProcess::start().await;
    let (calls, home) = (server.calls(), TempDir::new().expect("a folder"));
    calls.granted(&charge("over")).await;
    server.advance(Duration::from_secs(31));
    let token = calls.granted(&charge("failed")).await.fencing_token;
    calls.complete(complete(&charge("failed"), token, failed("declined"))).await.expect("taken");
    for (key, report) in [("reported", unknown()), ("disputed", failed("declined"))] {
        let token = calls.granted(&charge(key)).await.fencing_token;
        calls.complete(complete(&charge(key), token, report)).await.expect("taken");
        if key == "disputed" {
            let late = complete(&charge(key), token, succeeded("after all"));
            calls.complete(late).await.expect_err("a conflict");
        }
    }
    let other = ClaimRequest { payload: json("{}"), ..claim(&charge("reused")) };
    calls.claim(other).await.expect("a ruling");
    calls.granted(&charge("live")).await;
    let mine = claim(&charge("mine"));
    calls.claim(mine.clone()).await.expect("a ruling");
    let again = format!("--claimant {}", mine.claimant);
    let at = format!("http://{}", server.address);
    let expected = [
        ("new", "", "performed"),
        ("new", "", "done before"),
        ("failed", "", "failed before"),
        ("live", "", "later"),
        ("live", "--reject", "later"),
        ("over", "", "ask somebody"),
        ("reported", "", "ask somebody"),
        ("disputed", "", "ask somebody"),
        ("reused", "", "refused"),
        ("mine", again.as_str(), "ask somebody"),
        ("other", "--first-sent 1999-01-01T00:00:00Z", "refused"),
        ("other", "--no-such-option", "refused"),
    ];
    for (key, more, made_of_it) in expected {
        assert_eq!(run(&at, home.path(), key, more).await, made_of_it, "{key} {more}");
    }
    let gone = "http://127.0.0.1:1";
    assert_eq!(run(gone, home.path(), "new", "--timeout 1s").await, "later");
    let effects = fs::read_to_string(home.path().join("effects")).expect("effects");
    assert_eq!(effects, "new\n");
}
