//! Flags come before variables, variables before the file; and the pages about all of them.

use std::{path::Path, process::Stdio};

use onced_tests::harness::{InProcess, binary::program, request::*};
use tempfile::TempDir;
use tokio::{process::Command, time::timeout};

use super::BOUND;

/// Runs a command in a home of its own; its code, and what it printed on both streams.
async fn run(home: &Path, variables: &[(&str, &str)], words: &str) -> (i32, String) {
    let mut command = Command::new(program());
    command
        .args(words.split_whitespace())
        .env_clear()
        .env("HOME", home)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let ran = timeout(BOUND, command.output()).await.expect("an end in time").expect("a process");
    let text = [ran.stdout, ran.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    (ran.status.code().expect("a code"), text)
}

fn home(server: &InProcess) -> TempDir {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join(".config/onced");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = format!(
        "[profile.shop]\nendpoint = \"http://{}\"\nnamespace = \"payments\"\n\
         operation = \"charge\"\n[profile.nowhere]\nendpoint = \"http://127.0.0.1:1\"\n\
         namespace = \"payments\"\noperation = \"charge\"\ntimeout = \"1s\"\n",
        server.address
    );
    std::fs::write(folder.join("onced.toml"), file).expect("a file");
    home
}

#[tokio::test]
async fn flags_come_before_variables_and_variables_before_the_file() {
    let server = InProcess::start().await;
    server.calls().granted(&charge("mine")).await;
    let home = home(&server);
    let here = format!("http://{}", server.address);
    let named = [("ONCED_PROFILE", "shop")];
    let nowhere = [("ONCED_PROFILE", "nowhere")];
    let other = [("ONCED_PROFILE", "shop"), ("ONCED_OPERATION", "refund")];
    let led = [("ONCED_PROFILE", "nowhere"), ("ONCED_ENDPOINT", here.as_str())];
    for (variables, words, code) in [
        (&[][..], "get --key mine --profile shop", 0),
        (&named, "get --key mine", 0),
        (&nowhere, "get --key mine", 69),
        (&nowhere, "get --key mine --profile=shop", 0),
        (&led, "get --key mine", 0),
        (&other, "get --key mine", 70),
        (&other, "get --key mine --operation charge", 0),
        (&[], "get --key mine --profile none", 64),
        (&[], "get --key mine", 64),
    ] {
        let (found, told) = run(home.path(), variables, words).await;
        assert_eq!(found, code, "{words} {variables:?}: {told}");
    }
}

#[tokio::test]
async fn a_file_elsewhere_can_be_named_and_a_broken_one_is_refused() {
    let server = InProcess::start().await;
    let home = home(&server);
    let broken = home.path().join("broken.toml");
    std::fs::write(&broken, "[profile.shop]\naddress = 1\n").expect("a file");
    let file = broken.to_str().expect("a path");
    let (code, told) = run(home.path(), &[("ONCED_PROFILES", file)], "get --key k").await;
    assert_eq!(code, 64);
    assert!(told.contains("broken.toml") && told.contains("address"), "{told}");
    let (code, told) = run(home.path(), &[("ONCED_PROFILES", file)], "--version").await;
    assert_eq!(code, 0, "what takes no profile reads none: {told}");
}

#[tokio::test]
async fn every_shell_and_every_command_has_its_page() {
    let home = TempDir::new().expect("a folder");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, script) = run(home.path(), &[], &format!("completion {shell}")).await;
        assert_eq!(code, 0, "{shell}");
        assert!(script.contains("on-lease-lost"), "{shell} does not know the options");
    }
    assert_eq!(run(home.path(), &[], "completion cmd").await.0, 64);
    let (code, page) = run(home.path(), &[], "man run").await;
    assert_eq!((code, page.contains(".TH")), (0, true), "{page}");
    assert_eq!(run(home.path(), &[], "man walk").await.0, 64);
    let (code, told) = run(home.path(), &[], &format!("man --to {}", home.path().display())).await;
    assert_eq!(code, 0, "{told}");
    for page in ["onced.1", "onced-run.1", "onced-policy-check.1"] {
        assert!(home.path().join(page).exists(), "{page}");
    }
}
