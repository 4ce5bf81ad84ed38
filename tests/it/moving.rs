//! A namespace moves to another store by the program's own commands, and nobody is told otherwise
//! than before.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use onced::{
    clock::Timestamp,
    intent::IntentId,
    service::Bounds,
    store::{Lease, Page, Store, Stored},
};
use onced_tests::harness::{Engine, Ground, InProcess, Setup, binary::program};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

mod arrival;
mod broken_off;
mod held;

/// Longest time for one command.
const BOUND: Duration = Duration::from_secs(60);
/// By how much less may be left after a move between engines of different clocks.
const SLACK: Duration = Duration::from_secs(15);

/// What a command said.
#[derive(Debug)]
struct Ran {
    status: ExitStatus,
    out: String,
    err: String,
}

impl Ran {
    /// Expects this exit code.
    #[track_caller]
    fn ended(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self:#?}");
        self
    }

    /// The number in a row of the page.
    #[track_caller]
    fn row(&self, name: &str) -> u64 {
        let row = self.out.lines().find_map(|line| line.trim_start().strip_prefix(name));
        let number = row.and_then(|rest| rest.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no number at {name}: {self:#?}"))
    }
}

/// `onced` with these words, to the server at `address`.
fn command(address: SocketAddr, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .args(words)
        .args(["--endpoint", &format!("http://{address}")])
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

async fn run(address: SocketAddr, words: &[&str]) -> Ran {
    let output = timeout(BOUND, command(address, words).output()).await;
    let output = output.expect("an end in time").expect("a process");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ran { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

/// The same, while the test goes on.
fn spawn(address: SocketAddr, words: &[&str]) -> Child {
    let mut command = command(address, words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a process")
}

async fn freeze(address: SocketAddr) {
    run(address, &["freeze", "--all", "--reason", "a move"]).await.ended(0);
}

async fn seal(address: SocketAddr) {
    run(address, &["freeze", "--all", "--seal", "--reason", "a move"]).await.ended(0);
}

async fn thaw(address: SocketAddr) {
    run(address, &["thaw", "--all", "--reason", "moved"]).await.ended(0);
}

async fn export(address: SocketAddr, to: &Path) -> Ran {
    run(address, &["export", "--all", "--to", path(to)]).await
}

async fn import(address: SocketAddr, from: &Path) -> Ran {
    run(address, &["import", path(from)]).await
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Files of exports.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Calls are short, since a seal of a cluster waits for the longest.
fn setup() -> Setup {
    let bounds = Bounds { call_max: Duration::from_secs(10), ..Bounds::default() };
    Setup { bounds, ..Setup::default() }
}

/// A server over an empty store.
async fn server(engine: Engine, now: Timestamp) -> InProcess {
    InProcess::at(Arc::new(Ground::new(engine)), now, setup()).await
}

/// Seals both, and moves everything from one to the other.
async fn move_all(source: &InProcess, target: &InProcess, files: &Files, name: &str) {
    tokio::join!(seal(source.address), seal(target.address));
    let file = files.file(name);
    let exported = export(source.address, &file).await.ended(0);
    assert!(exported.out.contains("sealed: this is all"), "{exported:#?}");
    let imported = import(target.address, &file).await.ended(0);
    assert_eq!(imported.row("in the file"), exported.row("records"));
    assert_eq!(imported.row("written"), exported.row("records"));
}

async fn all(store: Arc<dyn Store>) -> BTreeMap<IntentId, Stored> {
    let mut page = Page { cursor: Vec::new(), size: 100 };
    let mut found = BTreeMap::new();
    loop {
        let listing = store.scan(None, &page).await.expect("a scan");
        found.extend(listing.found);
        match listing.next {
            Some(cursor) => page.cursor = cursor,
            None => return found,
        }
    }
}

/// Everything stands there as it did, and nothing ends sooner.
#[track_caller]
fn same(before: &BTreeMap<IntentId, Stored>, after: &BTreeMap<IntentId, Stored>) {
    let names = |all: &BTreeMap<IntentId, Stored>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(after));
    for (intent, was) in before {
        let is = &after[intent];
        assert_eq!((&was.record, &was.result), (&is.record, &is.result), "{intent:?}");
        let lives = [
            (left(was.lease), left(is.lease)),
            (was.expires_in, is.expires_in),
            (was.result_expires_in, is.result_expires_in),
        ];
        for (was, is) in lives {
            let could_end = was.is_some_and(|was| was <= SLACK);
            assert!(was.is_some() == is.is_some() || could_end, "{intent:?}: {was:?}, {is:?}");
            let is = is.map_or(Duration::ZERO, |is| is + SLACK);
            assert!(was.is_none_or(|was| was <= is), "{intent:?}: {was:?}, then {is:?}");
        }
    }
}

fn left(lease: Lease) -> Option<Duration> {
    match lease {
        Lease::Live { left } => Some(left),
        Lease::Over => None,
    }
}
