//! Killed at every step: the command, the run, the server, or all of them. The effect never happens
//! twice, and what is not known is never taken for anything else.

use std::time::Duration;

use onced_proto::v1::State;
use onced_tests::harness::{Proxy, request::*};
use rustix::process::Signal;
use tokio::time::sleep;

use super::{EFFECT, Scene, UNTIL_TOLD, ended, signal, until, way::Way};

/// The short lease, and what a slow machine may need beside it.
const LEASE_AND_MARGIN: Duration = Duration::from_millis(3_500);

impl Scene {
    /// Waits until the intent stands so, and asks for nothing.
    async fn stands(&self, operation: &str, key: &str, state: State) {
        let calls = self.server.calls();
        for _ in 0..600 {
            let shown = calls.get(get(&intent("ops", operation, key))).await;
            if shown.is_ok_and(|shown| shown.state() == state) {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
        panic!("{key} does not come to stand as {state:?}");
    }
}

#[tokio::test]
async fn a_command_that_was_killed_is_unknown_and_is_not_run_again() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; kill -9 $$");
    let killed = scene.ended("--operation job --key k", &script).await;
    killed.is(12, "");
    killed.says("signal: 9");
    let again = scene.ended("--operation job --key k", &script).await;
    again.is(12, "");
    again.says("nobody knows whether it happened");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_run_that_was_killed_before_it_heard_of_its_grant_leaves_an_unknown() {
    let scene = Scene::start().await;
    let proxy = Proxy::before(scene.server.address).await;
    let words = ["sh", "-c", EFFECT];
    let run = scene.run_at(proxy.address, "--operation short --key k", &words).spawn();
    let mut run = run.expect("a process");
    scene.stands("short", "k", State::InProgress).await;
    run.kill().await.expect("its end");
    scene.stands("short", "k", State::Unknown).await;
    scene.ended("--operation short --key k", EFFECT).await.is(12, "");
    assert_eq!(scene.effects(), 0);
}

#[tokio::test]
async fn a_run_whose_answer_was_lost_asks_again_and_acts_on_its_own_grant_once() {
    let scene = Scene::start().await;
    let proxy = Proxy::before(scene.server.address).await;
    let words = ["sh", "-c", EFFECT];
    let run = scene.run_at(proxy.address, "--operation job --key k", &words).spawn();
    scene.stands("job", "k", State::InProgress).await;
    proxy.cut();
    ended(run.expect("a process")).await.is(0, "");
    scene.ended("--operation job --key k", EFFECT).await.is(0, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_run_that_was_killed_while_its_command_ran_leaves_an_unknown() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo y > over");
    let mut run = scene.run("--operation short --key k", &script).spawn().expect("a process");
    scene.written("effects").await;
    run.kill().await.expect("its end");
    scene.stands("short", "k", State::Unknown).await;
    scene.ended("--operation short --key k", &script).await.is(12, "");
    scene.go();
    scene.written("over").await;
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_run_that_was_killed_while_it_reported_leaves_what_happened_or_an_unknown() {
    let mut scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo y > over");
    let mut run = scene.run("--operation short --key k", &script).spawn().expect("a process");
    scene.written("effects").await;
    scene.server.stop();
    scene.go();
    scene.written("over").await;
    sleep(Duration::from_millis(300)).await;
    run.kill().await.expect("its end");
    scene.server.cont();
    sleep(LEASE_AND_MARGIN).await;
    let again = scene.ended("--operation short --key k", &script).await;
    assert!([0, 12].contains(&again.code), "{again:?}");
    assert_eq!(scene.effects(), 1);
    scene.server.kill9();
}

#[tokio::test]
async fn a_run_that_was_killed_after_it_had_reported_changes_nothing() {
    let scene = Scene::start().await;
    scene.ended("--operation job --key k", EFFECT).await.is(0, "");
    let mut again = scene.run("--operation job --key k", EFFECT).spawn().expect("a process");
    again.kill().await.expect("its end");
    scene.ended("--operation job --key k", EFFECT).await.is(0, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_server_that_was_killed_while_the_command_ran_hears_of_it_after_its_start() {
    let mut scene = Scene::start().await;
    let way = Way::to(scene.server.address).await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo done");
    let words = ["sh", "-c", script.as_str()];
    let run = scene.run_at(way.address, "--operation job --key k", &words).spawn();
    scene.written("effects").await;
    scene.server.kill9();
    scene.go();
    scene.server.restart().await;
    way.leads_to(scene.server.address);
    ended(run.expect("a process")).await.is(0, "done\n");
    scene.ended("--operation job --key k", &script).await.is(0, "done\n");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_server_that_was_killed_at_the_end_is_told_later_by_the_line() {
    let mut scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; printf 'a\\nb'");
    let options = "--operation job --key k --report-within 1s";
    let run = scene.run(options, &script).spawn();
    scene.written("effects").await;
    scene.server.kill9();
    scene.go();
    let lost = ended(run.expect("a process")).await;
    lost.is(17, "a\nb");
    lost.says("NOT on record");
    scene.server.restart().await;
    let line = lost.line();
    for _ in 0..2 {
        scene.told(&line).await.is(0, "recorded");
    }
    let again = scene.ended("--operation job --key k", &script).await;
    again.is(0, "a\nb");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_server_that_was_killed_before_the_claim_runs_nothing_and_after_the_end_forgets_nothing()
{
    let mut scene = Scene::start().await;
    scene.ended("--operation job --key done", EFFECT).await.is(0, "");
    scene.server.kill9();
    scene.ended("--operation job --key new --timeout 1s", EFFECT).await.is(69, "");
    scene.server.restart().await;
    scene.ended("--operation job --key done", EFFECT).await.is(0, "");
    assert_eq!(scene.effects(), 1);
    scene.ended("--operation job --key new", EFFECT).await.is(0, "");
    assert_eq!(scene.effects(), 2);
}

#[tokio::test]
async fn server_run_and_command_killed_together_leave_an_unknown() {
    let mut scene = Scene::start().await;
    let script = format!("echo $$ > pid; {EFFECT}; {UNTIL_TOLD}");
    let mut run = scene.run("--operation short --key k", &script).spawn().expect("a process");
    scene.written("effects").await;
    scene.server.kill9();
    run.kill().await.expect("its end");
    scene.go();
    scene.server.restart().await;
    scene.stands("short", "k", State::Unknown).await;
    scene.ended("--operation short --key k", &script).await.is(12, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_run_that_is_asked_to_end_before_its_grant_takes_its_claim_back() {
    let scene = Scene::start().await;
    let proxy = Proxy::before(scene.server.address).await;
    let words = ["sh", "-c", EFFECT];
    let run = scene.run_at(proxy.address, "--operation job --key k", &words).spawn();
    let run = run.expect("a process");
    scene.stands("job", "k", State::InProgress).await;
    signal(&run, Signal::TERM);
    proxy.cut();
    let asked = ended(run).await;
    asked.is(128 + 15, "");
    asked.says("the command was not run");
    scene.stands("job", "k", State::Released).await;
    scene.ended("--operation job --key k", EFFECT).await.is(0, "");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_run_that_is_asked_to_end_while_it_reports_prints_the_line_at_once() {
    let mut scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo y > over");
    let options = "--operation job --key k --report-within 10m --timeout 1s";
    let run = scene.run(options, &script).spawn().expect("a process");
    scene.written("effects").await;
    scene.server.kill9();
    scene.go();
    scene.written("over").await;
    sleep(Duration::from_millis(500)).await;
    signal(&run, Signal::TERM);
    let lost = ended(run).await;
    lost.is(17, "");
    lost.line();
    until(|| scene.effects() == 1).await;
}
