//! The lease while the command runs, and signals on their way to it.

use onced_proto::v1::State;
use onced_tests::harness::request::*;
use rustix::process::Signal;

use super::{EFFECT, Scene, UNTIL_TOLD, ended, signal};

#[tokio::test]
async fn a_command_that_runs_for_longer_than_the_lease_keeps_it() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; sleep 5; echo done");
    let options = "--operation short --key k";
    let run = scene.run(options, &script).spawn();
    scene.written("effects").await;
    scene.ended(options, &script).await.is(11, "");
    ended(run.expect("a process")).await.is(0, "done\n");
    let shown = scene.server.calls().get(get(&intent("ops", "short", "k"))).await.expect("it");
    assert!(!shown.completed.expect("an outcome").late, "the lease was renewed");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_command_whose_lease_is_lost_is_stopped_before_it_is_over() {
    let mut scene = Scene::start().await;
    let script = format!("trap 'echo stopped; exit 5' TERM; {EFFECT}; {UNTIL_TOLD}");
    let options = "--operation short --key k --report-within 1s";
    let run = scene.run(options, &script).spawn();
    scene.written("effects").await;
    scene.server.kill9();
    let stopped = ended(run.expect("a process")).await;
    stopped.is(12, "stopped\n");
    stopped.says("the lease is lost (the lease could not be renewed in time); the command is");
    scene.server.restart().await;
    scene.stands_unknown(options, &script).await;
}

impl Scene {
    /// After the lease that the start counts anew.
    async fn stands_unknown(&self, options: &str, script: &str) {
        let key = intent("ops", "short", "k");
        let calls = self.server.calls();
        while calls.get(get(&key)).await.expect("it").state() == State::InProgress {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        self.ended(options, script).await.is(12, "");
        assert_eq!(self.effects(), 1);
    }
}

#[tokio::test]
async fn a_command_that_ignores_that_is_killed() {
    let mut scene = Scene::start().await;
    let script = format!("trap '' TERM; {EFFECT}; {UNTIL_TOLD}");
    let options = "--operation short --key k --report-within 1s";
    let run = scene.run(options, &script).spawn();
    scene.written("effects").await;
    scene.server.kill9();
    let killed = ended(run.expect("a process")).await;
    killed.is(12, "");
    killed.says("it is killed");
}

#[tokio::test]
async fn a_command_that_may_finish_is_left_alone_and_its_outcome_is_late() {
    let mut scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo done");
    let options = "--operation short --key k --report-within 1s --on-lease-lost finish";
    let run = scene.run(options, &script).spawn();
    scene.written("effects").await;
    scene.server.kill9();
    tokio::time::sleep(std::time::Duration::from_millis(2_500)).await;
    scene.go();
    let lost = ended(run.expect("a process")).await;
    lost.is(17, "done\n");
    lost.says("the command runs on, as asked");
    scene.server.restart().await;
    scene.told(&lost.line()).await.is(0, "recorded");
    scene.ended("--operation short --key k", &script).await.is(0, "done\n");
    assert_eq!(scene.effects(), 1);
}

#[tokio::test]
async fn a_lease_that_the_server_has_ended_stops_the_command() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; echo $ONCED_FENCING_TOKEN > token; {UNTIL_TOLD}");
    let run = scene.run("--operation short --key k", &script).spawn();
    scene.written("token").await;
    let token = scene.read("token").trim().parse().expect("a token");
    let calls = scene.server.calls();
    calls.complete(complete(&intent("ops", "short", "k"), token, unknown())).await.expect("it");
    let stopped = ended(run.expect("a process")).await;
    stopped.is(12, "");
    stopped.says("the lease is lost");
    stopped.says("signal: 15");
}

#[tokio::test]
async fn signals_reach_the_command_and_the_run_ends_as_it_does() {
    // Under nohup this process ignores HUP, and what it starts would too: a handler ends that.
    let _heard =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).expect("a handler");
    let scene = Scene::start().await;
    let traps = "trap 'echo usr1' USR1; trap 'echo usr2' USR2; trap 'echo hup' HUP; \
                 trap 'echo int' INT; trap 'echo term; exit 0' TERM";
    let script = format!("{traps}; {EFFECT}; {UNTIL_TOLD}");
    let mut run = scene.run("--operation job --key k", &script).spawn().expect("a process");
    let mut out = tokio::io::BufReader::new(run.stdout.take().expect("an output"));
    scene.written("effects").await;
    let cases = [
        (Signal::USR1, "usr1\n"),
        (Signal::USR2, "usr2\n"),
        (Signal::HUP, "hup\n"),
        (Signal::INT, "int\n"),
        (Signal::TERM, "term\n"),
    ];
    for (kind, expected) in cases {
        signal(&run, kind);
        let mut line = String::new();
        tokio::io::AsyncBufReadExt::read_line(&mut out, &mut line).await.expect("a line");
        assert_eq!(line, expected);
    }
    ended(run).await.is(0, "");
    let all = "usr1\nusr2\nhup\nint\nterm\n";
    scene.ended("--operation job --key k", &script).await.is(0, all);
}

#[tokio::test]
async fn a_signal_reaches_what_the_command_has_started_too() {
    let scene = Scene::start().await;
    let inner = format!("sh -c \"trap 'echo y > heard; exit 0' TERM; {EFFECT}; {UNTIL_TOLD}\"");
    let inner = inner.replace("$n", "\\$n").replace("$((", "\\$((");
    let run = scene.run("--operation job --key k", &format!("{inner}; true")).spawn();
    let run = run.expect("a process");
    scene.written("effects").await;
    signal(&run, Signal::TERM);
    ended(run).await.is(12, "");
    scene.written("heard").await;
}

#[tokio::test]
async fn what_is_ignored_at_the_start_stays_ignored() {
    let scene = Scene::start().await;
    let script = format!("{EFFECT}; {UNTIL_TOLD}; echo done");
    let bare = scene.run("--operation job --key k", &script);
    let mut nohup = tokio::process::Command::new("nohup");
    nohup.arg(bare.as_std().get_program()).args(bare.as_std().get_args()).kill_on_drop(true);
    nohup.envs(bare.as_std().get_envs().filter_map(|(name, value)| Some((name, value?))));
    nohup.current_dir(scene.home.path()).stdin(std::process::Stdio::null());
    nohup.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let run = nohup.spawn().expect("a process");
    scene.written("effects").await;
    signal(&run, Signal::HUP);
    std::fs::write(scene.home.path().join("go"), "").expect("a file");
    ended(run).await.is(0, "done\n");
}
