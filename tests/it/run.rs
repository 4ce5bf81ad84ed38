//! `onced run` against a real server: any command, once, whatever is killed.
//!
//! Each effect is a line in a file of the test's own folder, so that a second one shows. Ends no
//! process but those that it started, by their ids.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};

use onced_tests::harness::{Binary, binary::program};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

mod killed;
mod lease;
mod line;
mod once;
mod output;
mod way;

/// Longest time for one run.
const BOUND: Duration = Duration::from_secs(60);
/// `job` has a lease that no test waits for; `short` has one that is soon over.
const POLICIES: &str = r#"
[namespaces.ops.operations.job]
effect_class = "external"
result_bytes_max = 1000
[namespaces.ops.operations.short]
effect_class = "external"
lease = "2s"
effect_timeout = "1s"
"#;
/// The effect.
const EFFECT: &str = "echo x >> effects";
/// Goes on until the test says so, and not for ever.
const UNTIL_TOLD: &str = "n=0; until [ -e go ] || [ $n -gt 600 ]; do sleep 0.05; n=$((n+1)); done";

/// A server, and a folder for what the commands do.
struct Scene {
    server: Binary,
    home: TempDir,
}

/// How a run ended.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: Vec<u8>,
    err: String,
}

impl Scene {
    async fn start() -> Self {
        let server = Binary::with(POLICIES, &["--disk-reserve", "1MiB"]).await;
        Self { server, home: TempDir::with_prefix("onced-run-").expect("a folder") }
    }

    /// A run of a shell script; `options` are parted by blanks.
    fn run(&self, options: &str, script: &str) -> Command {
        self.run_at(self.server.address, options, &["sh", "-c", script])
    }

    fn run_at(&self, server: SocketAddr, options: &str, words: &[&str]) -> Command {
        let mut command = self.onced(server, "run --namespace ops");
        command.args(options.split(' ')).arg("--").args(words);
        command
    }

    /// Any command of onced in the folder.
    fn onced(&self, server: SocketAddr, words: &str) -> Command {
        let mut command = Command::new(program());
        command
            .args(words.split(' '))
            .args(["--endpoint", &format!("http://{server}")])
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    async fn ended(&self, options: &str, script: &str) -> Ended {
        ended(self.run(options, script).spawn().expect("a process")).await
    }

    fn file(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// How often the effect happened.
    fn effects(&self) -> usize {
        self.read("effects").lines().count()
    }

    /// Lets commands go on that wait to be told.
    fn go(&self) {
        fs::write(self.file("go"), "").expect("a file");
    }

    /// Waits until a command has written something into this file.
    async fn written(&self, name: &str) {
        until(|| !self.read(name).is_empty()).await;
    }
}

impl Ended {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("text")
    }

    #[track_caller]
    fn is(&self, code: i32, text: &str) {
        assert_eq!((self.code, self.text()), (code, text), "{}", self.err);
    }

    #[track_caller]
    fn says(&self, words: &str) {
        assert!(self.err.contains(words), "{words:?} is not in: {}", self.err);
    }

    /// The outcome that could not be reported.
    #[track_caller]
    fn line(&self) -> String {
        let mut lines = self.err.lines().filter(|line| line.starts_with("onced-outcome: "));
        let line = lines.next().unwrap_or_else(|| panic!("no outcome in: {}", self.err));
        assert!(lines.next().is_none(), "{}", self.err);
        line.to_owned()
    }
}

async fn ended(child: Child) -> Ended {
    let ran = timeout(BOUND, child.wait_with_output()).await.expect("an end in time");
    let Output { status, stdout, stderr } = ran.expect("a process");
    let err = String::from_utf8_lossy(&stderr).into_owned();
    let code = status.code().unwrap_or_else(|| panic!("{status}: {err}"));
    Ended { code, out: stdout, err }
}

async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(BOUND, waiting).await.expect("it comes to that in time");
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = child.id().and_then(|id| i32::try_from(id).ok());
    let pid = pid.and_then(rustix::process::Pid::from_raw).expect("a process that runs");
    rustix::process::kill_process(pid, signal).expect("a signal that arrives");
}
