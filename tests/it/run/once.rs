//! Fresh runs and duplicates: what is run, what is replayed, and with which code each ends.

use std::{fs, os::unix::fs::PermissionsExt, process::Stdio};

use onced_proto::v1::State;
use onced_tests::harness::{Calls, request::*};
use tokio::io::AsyncWriteExt;

use super::{EFFECT, Ended, Scene, UNTIL_TOLD, ended};

const MAP: &str = "--failed 3,4 --not-applied 75";

async fn state(calls: &Calls, operation: &str, key: &str) -> State {
    calls.get(get(&intent("ops", operation, key))).await.expect("an intent").state()
}

#[tokio::test]
async fn a_command_is_run_once_and_its_duplicates_get_its_output() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; printf 'a\\nb'; echo noise >&2");
    let fresh = scene.ended("--operation job --key k", &script).await;
    fresh.is(0, "a\nb");
    assert_eq!(fresh.err, "noise\n", "onced itself has nothing to say");
    for _ in 0..2 {
        let again = scene.ended("--operation job --key k", &script).await;
        again.is(0, "a\nb");
        again.says("nothing was run: it succeeded before, at 20");
        assert!(!again.err.contains("noise"), "{}", again.err);
    }
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn codes_mean_what_they_were_said_to_mean() {
    let scene = Scene::start().await;
    let calls = scene.server.calls();
    let cases = [
        ("exit 0", 0, State::Succeeded, 0),
        ("exit 4", 14, State::Failed, 14),
        ("exit 75", 16, State::Released, 16),
        ("exit 1", 12, State::Unknown, 12),
        ("kill -9 $$", 12, State::Unknown, 12),
    ];
    for (at, (end, first, stands, second)) in cases.into_iter().enumerate() {
        let options = format!("--operation job --key k{at} {MAP}");
        let script = format!("echo out; {end}");
        let fresh = scene.ended(&options, &script).await;
        fresh.is(first, "out\n");
        assert_eq!(state(&calls, "job", &format!("k{at}")).await, stands, "{end}");
        let again = scene.ended(&options, &script).await;
        let replayed = if stands == State::Unknown { "" } else { "out\n" };
        again.is(second, replayed);
    }
}

#[tokio::test]
async fn the_commands_own_codes_are_handed_on_where_asked_fresh_and_replayed() {
    let scene = Scene::start().await;
    let map = "--succeeded 0,2 --failed 3 --not-applied 75 --exit-code";
    for (code, rounds) in [(0, 2), (2, 2), (3, 2), (75, 2)] {
        let options = format!("--operation job --key k{code} {map}");
        for _ in 0..rounds {
            let script = format!("{EFFECT}; echo out; exit {code}");
            scene.ended(&options, &script).await.is(code, "out\n");
        }
    }
    assert_eq!(scene.effects(), 5, "what surely did nothing is run again, all else once");
    scene.ended(&format!("--operation job --key other {map}"), "exit 9").await.is(12, "");
    let clash = scene.ended("--operation job --key k --failed 12 --exit-code", EFFECT).await;
    clash.is(64, "");
    clash.says("12 is a code of onced itself");
    assert_eq!(scene.effects(), 5);
}

#[tokio::test]
async fn two_runs_at_once_are_one_effect() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; sleep 1; echo done");
    for (key, wait, codes) in [("a", "", [0, 11]), ("b", " --wait 30s", [0, 0])] {
        let options = format!("--operation job --key {key}{wait}");
        let runs = [(); 2].map(|()| scene.run(&options, &script).spawn().expect("a process"));
        let [first, second] = runs;
        let (first, second) = tokio::join!(ended(first), ended(second));
        let mut found = [first.code, second.code];
        found.sort_unstable();
        assert_eq!(found, codes, "{} {}", first.err, second.err);
        let outs = [first.text(), second.text()];
        let expected = if wait.is_empty() { 1 } else { 2 };
        assert_eq!(outs.iter().filter(|out| **out == "done\n").count(), expected);
    }
    assert_eq!(scene.effects(), 2);
}

#[tokio::test]
async fn while_one_runs_another_is_told_so_and_waits_no_longer_than_asked() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo done");
    let first = scene.run("--operation job --key k --holder pod-7", &script).spawn();
    scene.written("effects").await;
    for wait in ["", " --wait 500ms"] {
        let second = scene.ended(&format!("--operation job --key k{wait}"), &script).await;
        second.is(11, "");
        second.says("pod-7");
        second.says("the command was not run");
    }
    scene.go();
    ended(first.expect("a process")).await.is(0, "done\n");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn the_same_key_with_another_command_is_refused_unless_the_payload_is_told() {
    let scene = Scene::start().await;
    scene.ended("--operation job --key k", EFFECT).await.is(0, "");
    let other = scene.ended("--operation job --key k", &format!("{EFFECT};")).await;
    other.is(70, "");
    other.says("KEY_REUSED");
    let told = "--operation job --key told --json {\"day\":1}";
    scene.ended(told, EFFECT).await.is(0, "");
    scene.ended(told, &format!("{EFFECT};")).await.is(0, "");
    scene.ended("--operation job --key told --json {\"day\":2}", EFFECT).await.is(70, "");
    assert_eq!(scene.effects(), 2);
}

#[tokio::test]
async fn the_command_learns_what_it_needs_of_its_grant() {
    let scene = Scene::start().await;
    let script = "echo $ONCED_NAMESPACE $ONCED_OPERATION $ONCED_KEY $ONCED_PROVIDER_KEY \
                  $ONCED_FENCING_TOKEN $ONCED_ATTEMPT $ONCED_DEADLINE";
    let told = scene.ended("--operation job --key k", script).await;
    let words: Vec<&str> = told.text().split_whitespace().collect();
    let calls = scene.server.calls();
    let shown = calls.get(get(&intent("ops", "job", "k"))).await.expect("an intent");
    assert_eq!(words[..4], ["ops", "job", "k", &shown.provider_key]);
    assert!(words[4].parse::<i64>().expect("a token") > 0);
    assert_eq!((words[5], words[6].ends_with('Z')), ("1", true), "{words:?}");
}

#[tokio::test]
async fn the_command_reads_what_is_given_to_the_run() {
    let scene = Scene::start().await;
    let mut command = scene.run("--operation job --key k", "cat");
    let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
    let mut stdin = child.stdin.take().expect("an input");
    stdin.write_all(b"given").await.expect("a reader");
    drop(stdin);
    ended(child).await.is(0, "given");
}

#[tokio::test]
async fn a_command_that_cannot_be_started_frees_its_intent() {
    let scene = Scene::start().await;
    let script = scene.file("later.sh");
    let path = script.to_str().expect("a path");
    let run = || scene.run_at(scene.server.address, "--operation job --key k", &[path]);
    let missing = ended(run().spawn().expect("a process")).await;
    missing.is(64, "");
    missing.says("could not be started");
    fs::write(&script, format!("#!/bin/sh\n{EFFECT}\n")).expect("a file");
    ended(run().spawn().expect("a process")).await.is(64, "");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a program");
    ended(run().spawn().expect("a process")).await.is(0, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn without_a_server_nothing_is_run() {
    let scene = Scene::start().await;
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = gone.local_addr().expect("an address");
    drop(gone);
    let options = "--operation job --key k --timeout 2s";
    let run = scene.run_at(address, options, &["sh", "-c", EFFECT]).spawn();
    let ended: Ended = ended(run.expect("a process")).await;
    ended.is(69, "");
    ended.says("The command was not run.");
    assert_eq!(scene.effects(), 0);
}

#[tokio::test]
async fn what_another_program_has_settled_is_replayed_as_far_as_it_goes() {
    let scene = Scene::start().await;
    let calls = scene.server.calls();
    let options = "--operation job --key";
    let mine = intent("ops", "job", "mine");
    let token = calls.granted(&mine).await.fencing_token;
    calls.complete(complete(&mine, token, succeeded("by hand"))).await.expect("taken");
    let payload = format!("--json {PAYLOAD} --exit-code");
    scene.ended(&format!("{options} mine {payload}"), EFFECT).await.is(0, "by hand");
    let theirs = intent("ops", "job", "theirs");
    let token = calls.granted(&theirs).await.fencing_token;
    calls.complete(complete(&theirs, token, failed("declined"))).await.expect("taken");
    let failed = scene.ended(&format!("{options} theirs {payload}"), EFFECT).await;
    failed.is(14, "");
    failed.says("declined");
    assert_eq!(scene.effects(), 0);
}
