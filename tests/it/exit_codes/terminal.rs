//! Colours and bars are for terminals, and for people who did not turn them off.

use std::{
    fs::File,
    io::Read,
    net::SocketAddr,
    process::{Command, Stdio},
};

use onced_tests::harness::{InProcess, binary::program};
use rustix::{
    fs::{Mode, OFlags, open},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

/// What a command shows on a terminal.
async fn shown(server: SocketAddr, words: &str, variables: &[(&str, &str)]) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal that is ours");
    let name = ptsname(&master, Vec::new()).expect("its name");
    let end = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its end");
    let mut command = Command::new(program());
    command
        .args(words.split(' '))
        .args(["--endpoint", &format!("http://{server}")])
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stderr(end.try_clone().expect("the same end"))
        .stdout(end);
    let mut child = command.spawn().expect("a process");
    // With it goes our side of the end: what is left of it is the child's.
    drop(command);
    let read = tokio::task::spawn_blocking(move || {
        let (mut text, mut terminal) = (Vec::new(), File::from(master));
        let mut part = [0; 4_096];
        // A terminal that nobody writes to any more is an error.
        while let Ok(length @ 1..) = terminal.read(&mut part) {
            text.extend_from_slice(&part[..length]);
        }
        child.wait().expect("its end");
        text
    });
    String::from_utf8_lossy(&read.await.expect("what it showed")).into_owned()
}

#[tokio::test]
async fn colours_are_for_terminals_where_nobody_turned_them_off() {
    let server = InProcess::start().await;
    for words in ["health", "doctor", "get --namespace payments --operation charge --key none"] {
        for (variables, coloured) in
            [(&[][..], true), (&[("NO_COLOR", "")], true), (&[("NO_COLOR", "1")], false)]
        {
            let told = shown(server.address, words, variables).await;
            assert_eq!(told.contains("\u{1b}["), coloured, "{words} {variables:?}: {told:?}");
        }
    }
}

#[tokio::test]
async fn a_bar_is_shown_on_a_terminal_and_gone_in_the_end() {
    let server = InProcess::start().await;
    let words = "bench --namespace payments --operation charge --count 50 --in-flight 2";
    let told = shown(server.address, words, &[("NO_COLOR", "1")]).await;
    let (bar, rest) = told.split_once("\r\u{1b}[K").expect("a line that is cleared");
    assert!(bar.starts_with("\r[") && bar.ends_with(" begun"), "{bar:?}");
    assert!(rest.starts_with("measured: "), "{rest:?}");
}
