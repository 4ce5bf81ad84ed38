//! Every `--help` is true: its examples do what is said, against a real server.
//!
//! An example is run by bash as it stands, in a folder of its own. Only what nobody can know before
//! is put in its place: the server's address, tokens, etags; and absolute paths lie below the
//! folder.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};

use onced_tests::harness::{Binary, binary::program, request::*};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

mod scene;

use scene::{Scene, code};

/// Longest time for one command.
const BOUND: Duration = Duration::from_secs(60);

/// A policy file with an operation of each kind, and leases that are soon over.
const POLICIES: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
[namespaces.payments.operations.payout]
effect_class = "external"
lease = "2s"
effect_timeout = "1s"
evidence_delay = "1s"
"#;

/// The help of a command.
async fn help(words: &[&str]) -> String {
    let ran = Command::new(program()).args(words).arg("--help").env("NO_COLOR", "1").output();
    let ran = timeout(BOUND, ran).await.expect("an end in time").expect("a process");
    assert_eq!(ran.status.code(), Some(0), "{words:?}");
    String::from_utf8(ran.stdout).expect("text")
}

/// The commands that a help names.
fn below(help: &str) -> Vec<String> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| line.starts_with("  "));
    let names = list.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The examples of a help, one text for each.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example: "));
    let lines = lines.take_while(|line| line.starts_with("Example: ") || line.starts_with("     "));
    let script = lines.map(|line| line.trim_start_matches("Example: ").trim());
    let script = script.collect::<Vec<_>>().join("\n").replace("\\\n", "");
    script.lines().map(str::to_owned).collect()
}

/// Every example of every help, with the command that it belongs to.
async fn all() -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), vec![String::new()]);
    while let Some(path) = open.pop() {
        let help = help(&path.split_whitespace().collect::<Vec<_>>()).await;
        let of_this = examples(&help);
        assert!(!of_this.is_empty(), "onced {path} has no example");
        found.extend(of_this.into_iter().map(|example| (path.clone(), example)));
        open.extend(
            below(&help).into_iter().map(|name| format!("{path} {name}").trim().to_owned()),
        );
    }
    found
}

#[test]
fn examples_are_found_as_a_shell_would_run_them() {
    let help = "Commands:\n  a  Do a\n  help  x\n\nExample: onced a --b \\\n           c\n         \
                onced d\nNot this.\n";
    assert_eq!(below(help), ["a"]);
    assert_eq!(examples(help), ["onced a --b c", "onced d"]);
}

#[tokio::test]
async fn every_example_of_every_help_ends_as_it_is_documented() {
    let all = all().await;
    for path in ["", "claim", "config show", "policy check", "run", "bench"] {
        assert!(all.iter().any(|(found, _)| found == path), "no example of onced {path}: {all:?}");
    }
    let mut faults = Vec::new();
    for (path, example) in all {
        let scene = Scene::for_example(&example).await;
        let ended = scene.run(&example).await;
        let expected = code(&example);
        if ended.status.code() != Some(expected) {
            faults.push(format!("onced {path}, not {expected}: {example}\n{ended:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
