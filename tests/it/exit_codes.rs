//! The command line against a real server: the exit code alone says what to do, and only 0 says
//! "perform the effect".

use std::{net::SocketAddr, process::Stdio, time::Duration};

use onced_tests::harness::binary::program;
use serde_json::Value;
use tokio::{process::Command, time::timeout};

mod batch;
mod bench;
mod codes;
mod doctor;
mod json;
mod lost;
mod profile;
mod script;
mod terminal;
mod watch;

/// Longest time for one command.
const BOUND: Duration = Duration::from_secs(60);
/// What names an intent of `payments/charge`, but for the key.
const CHARGE: &str = "--namespace payments --operation charge --key";
/// What everybody asks for, as the harness does.
const JSON: &str = r#"--json {"amount":100}"#;

/// How a command ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Ended {
    /// Its standard output as JSON.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs `onced` with these words, parted by blanks.
async fn onced(server: SocketAddr, words: &str) -> Ended {
    let ran = Command::new(program())
        .args(words.split(' '))
        .args(["--endpoint", &format!("http://{server}")])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ran = timeout(BOUND, ran).await.expect("an end in time").expect("a process");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let code = ran.status.code().expect("an exit code");
    Ended { code, out: text(ran.stdout), err: text(ran.stderr) }
}
