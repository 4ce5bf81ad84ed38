//! The line of an outcome that could not be reported, taken by `onced complete`.

use std::process::Stdio;

use onced_proto::v1::State;
use onced_tests::harness::request::*;
use tokio::io::AsyncWriteExt;

use super::{EFFECT, Ended, Scene, UNTIL_TOLD, ended};

/// How a line was taken.
pub(super) struct Told(Ended);

impl Told {
    #[track_caller]
    pub(super) fn is(&self, code: i32, word: &str) {
        let Self(ended) = self;
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.text().starts_with(word), "{word}: {}", ended.text());
    }
}

impl Scene {
    /// Tells the server by the line itself.
    pub(super) async fn told(&self, line: &str) -> Told {
        let mut command = self.onced(self.server.address, "complete");
        command.args(["--outcome-line", line]);
        Told(ended(command.spawn().expect("a process")).await)
    }

    /// Tells the server by what was logged, on standard input.
    async fn told_by_log(&self, log: &str) -> Told {
        let mut command = self.onced(self.server.address, "complete --outcome-line -");
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
        let mut stdin = child.stdin.take().expect("an input");
        stdin.write_all(log.as_bytes()).await.expect("a reader");
        drop(stdin);
        Told(ended(child).await)
    }

    /// Runs whose server is gone at their end, all of them at once.
    async fn lost(&mut self, ends: &[(&str, &str)]) -> Vec<Ended> {
        let runs: Vec<_> = ends
            .iter()
            .map(|(key, end)| {
                let script = format!("{EFFECT}; {UNTIL_TOLD}; {end}");
                let options = format!("--operation job --key {key} --report-within 1s");
                let options = format!("{options} --failed 3 --not-applied 75");
                self.run(&options, &script).spawn().expect("a process")
            })
            .collect();
        super::until(|| self.effects() == ends.len()).await;
        self.server.kill9();
        self.go();
        let mut lost = Vec::new();
        for run in runs {
            lost.push(ended(run).await);
        }
        self.server.restart().await;
        lost
    }
}

#[tokio::test]
async fn outcomes_of_every_kind_are_told_later_from_a_log() {
    let mut scene = Scene::start().await;
    let ends = [
        ("done", "printf '\\377\\n'"),
        ("failed", "echo why; exit 3"),
        ("nothing", "exit 75"),
        ("unknown", "exit 9"),
    ];
    let lost = scene.lost(&ends).await;
    let codes: Vec<i32> = lost.iter().map(|lost| lost.code).collect();
    assert_eq!(codes, [17, 17, 17, 12], "{lost:?}");
    assert!(!lost[3].err.contains("onced-outcome"), "the end of the lease says the same");
    let errs: Vec<&str> = lost.iter().map(|lost| lost.err.as_str()).collect();
    let log = errs.join("Nov 30 03:00 cron\n");
    scene.told_by_log(&log).await.is(0, "recorded");
    scene.told_by_log(&log).await.is(0, "recorded");
    let calls = scene.server.calls();
    let expected = [
        ("done", State::Succeeded),
        ("failed", State::Failed),
        ("nothing", State::Released),
        ("unknown", State::InProgress),
    ];
    for (key, state) in expected {
        let shown = calls.get(get(&intent("ops", "job", key))).await.expect("an intent");
        assert_eq!(shown.state(), state, "{key}");
    }
}

#[tokio::test]
async fn a_line_that_comes_after_somebody_elses_verdict_is_refused_and_kept() {
    let mut scene = Scene::start().await;
    let lost = scene.lost(&[("k", "echo mine")]).await;
    let line = lost[0].line();
    let calls = scene.server.calls();
    let token = line.split("\"fencingToken\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let token = token.and_then(|token| token.parse().ok()).expect("a token");
    let key = intent("ops", "job", "k");
    calls.complete(complete(&key, token, succeeded("another"))).await.expect("taken");
    scene.told(&line).await.is(70, "");
    let shown = calls.get(get(&key)).await.expect("an intent");
    assert_eq!(shown.late_reports.len(), 1);
}

#[tokio::test]
async fn what_is_no_line_is_refused_and_nothing_is_sent() {
    let scene = Scene::start().await;
    for text in ["nothing", "onced-outcome: {\"complete\":{\"intent\":"] {
        scene.told(text).await.is(64, "");
    }
    let mut both = scene.onced(scene.server.address, "complete --succeeded --outcome-line x");
    assert_eq!(ended(both.spawn().expect("a process")).await.code, 64);
}
