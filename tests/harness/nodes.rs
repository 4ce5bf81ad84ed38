//! A Cassandra of its own for a test that stops or kills nodes: started by the launcher in
//! `deploy/cassandra`, in a folder and on addresses that nobody else uses.
//!
//! Ends what it started, and nothing else. Two do not run at the same time: each takes gigabytes.

use std::{net::TcpListener, path::PathBuf, process::Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// The nodes, from 1 on; gone when this is dropped.
#[derive(Debug)]
pub struct Nodes {
    folder: TempDir,
    subnet: String,
    count: usize,
    // Last: the next ones start when these are gone.
    _alone: MutexGuard<'static, ()>,
}

impl Nodes {
    /// So many new ones, one or three; they serve when this returns.
    pub async fn up(count: usize) -> Self {
        let alone = ONE_AT_A_TIME.lock().await;
        let folder = TempDir::with_prefix("onced-nodes-").expect("a folder");
        let nodes = Self { folder, subnet: free_subnet(), count, _alone: alone };
        let how_many = count.to_string();
        nodes.launch(&["up", "--nodes", &how_many, "--subnet", &nodes.subnet]).await;
        nodes
    }

    /// All of their numbers.
    pub fn all(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.count
    }

    /// Where they are reached.
    pub fn contact_points(&self) -> Vec<String> {
        self.all().map(|node| format!("{}.{node}:9042", self.subnet)).collect()
    }

    /// Stops a node in the middle of whatever it does.
    pub fn stop(&self, node: usize) {
        self.signal(node, Signal::STOP);
    }

    /// Lets it go on.
    pub fn cont(&self, node: usize) {
        self.signal(node, Signal::CONT);
    }

    /// Kills it at once, as a crash would.
    pub fn kill9(&self, node: usize) {
        self.signal(node, Signal::KILL);
    }

    /// Starts a node again that was killed; it serves when this returns.
    pub async fn restart(&self, node: usize) {
        self.launch(&["up", "--only", &node.to_string()]).await;
    }

    fn signal(&self, node: usize, signal: Signal) {
        kill_process(self.pid(node), signal).expect("a signal that arrives");
    }

    /// Of the process that was given this node's folder, and of no other.
    fn pid(&self, node: usize) -> Pid {
        let folder = self.folder.path().join(format!("node{node}"));
        let told = std::fs::read_to_string(folder.join("pid")).expect("a pid");
        let pid: i32 = told.trim().parse().expect("a number");
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).expect("a running node");
        let command = String::from_utf8_lossy(&command);
        assert!(command.contains(&*folder.to_string_lossy()), "{pid} is not node {node}");
        Pid::from_raw(pid).expect("a process id")
    }

    async fn launch(&self, arguments: &[&str]) {
        let mut command = tokio::process::Command::new(launcher());
        command.args(arguments).arg("--dir").arg(self.folder.path()).stdin(Stdio::null());
        let output = command.output().await.expect("the launcher");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}:\n{told}");
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        let mut command = std::process::Command::new(launcher());
        command.args(["down", "--wipe", "--dir"]).arg(self.folder.path());
        let _ = command.stdin(Stdio::null()).stderr(Stdio::null()).status();
    }
}

fn launcher() -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    tests.with_file_name("deploy/cassandra/cassandra.sh")
}

/// One on whose first address nothing listens where a node would.
fn free_subnet() -> String {
    let by_chance = || {
        let [one, two, ..] = Uuid::new_v4().into_bytes();
        format!("127.{}.{}", 16 + one % 224, two)
    };
    let is_free = |subnet: &String| {
        [7000, 9042].iter().all(|port| TcpListener::bind(format!("{subnet}.1:{port}")).is_ok())
    };
    std::iter::repeat_with(by_chance).find(is_free).expect("a free subnet")
}
