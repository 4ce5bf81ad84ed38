//! Outputs of every kind and size: passed on as they are, kept as far as the record takes them.

use std::{io::Read, process::Stdio};

use super::{EFFECT, Scene, ended};

#[tokio::test]
async fn bytes_that_are_no_text_come_back_byte_for_byte() {
    let scene = Scene::start().await;
    let script = r"printf '\000\377\376\r\n\200'";
    for _ in 0..2 {
        let ran = scene.ended("--operation job --key k", script).await;
        assert_eq!((ran.code, &ran.out[..]), (0, &b"\0\xFF\xFE\r\n\x80"[..]), "{}", ran.err);
    }
}

#[tokio::test]
async fn an_output_at_the_limit_is_kept_and_one_above_it_is_said_to_be_left_out() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; head -c 1000 /dev/zero | tr '\\0' x");
    let whole = "x".repeat(1_000);
    for _ in 0..2 {
        scene.ended("--operation job --key whole", &script).await.is(0, &whole);
    }
    let script = format!("{EFFECT}; head -c 1001 /dev/zero | tr '\\0' x");
    let fresh = scene.ended("--operation job --key more", &script).await;
    fresh.is(0, &"x".repeat(1_001));
    fresh.says("the output (1001 bytes) is not kept: at most 1000 bytes are");
    let again = scene.ended("--operation job --key more", &script).await;
    again.is(0, "");
    again.says("its output is not here: it was left out");
    assert_eq!(scene.effects(), 2);
}

#[tokio::test]
async fn megabytes_pass_through_and_of_a_failure_the_end_is_kept() {
    let scene = Scene::start().await;
    let script = "head -c 5000000 /dev/zero | tr '\\0' x; echo the reason; exit 3";
    let options = "--operation job --key k --failed 3";
    let fresh = scene.ended(options, script).await;
    assert_eq!((fresh.code, fresh.out.len()), (14, 5_000_011), "{}", fresh.err);
    let again = scene.ended(options, script).await;
    again.is(14, "");
    again.says("xxxthe reason\\n");
}

#[tokio::test]
async fn a_reader_that_goes_away_changes_nothing_for_the_command() {
    let scene = Scene::start().await;
    let script = format!("head -c 500000 /dev/zero; {EFFECT}; exit 3");
    let options = "--operation job --key k --failed 3";
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    let mut command = scene.run(options, &script);
    let child = command.stdout(Stdio::from(writer)).spawn().expect("a process");
    drop(command);
    let mut first = [0];
    reader.read_exact(&mut first).expect("a byte");
    drop(reader);
    let ran = ended(child).await;
    ran.is(70, "");
    ran.says("the output could not be printed");
    assert_eq!(scene.effects(), 1, "the command was not ended by its own output");
    scene.ended(options, &script).await.is(14, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_process_that_is_left_behind_with_the_output_open_holds_nothing_up() {
    let scene = Scene::start().await;
    let left = "(n=0; until [ -e go ] || [ $n -gt 600 ]; do sleep 0.05; n=$((n+1)); done) &";
    let options = "--operation job --key k";
    // The run ends although its output is still open; only then may the process go.
    let ran = scene.ended(options, &format!("{EFFECT}; echo out; {left} exit 0")).await;
    scene.go();
    ran.is(0, "out\n");
    ran.says("still held open by another process");
    assert_eq!(scene.effects(), 1);
}
