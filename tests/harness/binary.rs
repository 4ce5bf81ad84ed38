//! The real program as a process of its own: started, killed, stopped and started again on the same
//! folder.
//!
//! Ends no process but those that it started.

use std::{
    ffi::OsString,
    fs::File,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{calls::Calls, engine::Ground, in_process::POLICIES, page};

/// Longest time for a start or an orderly end.
const PATIENCE: Duration = Duration::from_secs(30);

/// One server process.
#[derive(Debug)]
pub struct Binary {
    /// Where gRPC is served.
    pub address: SocketAddr,
    /// Where health and metrics are served.
    pub admin: SocketAddr,
    ground: Arc<Ground>,
    arguments: Vec<String>,
    child: Child,
}

impl Binary {
    /// Starts one on an empty folder with the default policies; ready when this returns.
    pub async fn start() -> Self {
        Self::with(POLICIES, &[]).await
    }

    /// Starts one with these policies and further arguments.
    pub async fn with(policies: &str, arguments: &[&str]) -> Self {
        let ground = Arc::new(Ground::default());
        ground.file("policy.toml", policies);
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Self::on(ground, arguments).await
    }

    /// Starts one over what lies on this ground.
    pub async fn over(ground: Arc<Ground>, policies: &str) -> Self {
        ground.file("policy.toml", policies);
        Self::on(ground, Vec::new()).await
    }

    async fn on(ground: Arc<Ground>, arguments: Vec<String>) -> Self {
        let child = spawn(&ground, &arguments);
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut binary = Self { address: nowhere, admin: nowhere, ground, arguments, child };
        let ready = binary.until_ready().await;
        ready.unwrap_or_else(|status| panic!("ended with {status} at once:\n{}", binary.log()));
        binary
    }

    /// Starts it again on the same folder, at new ports. It must have ended.
    pub async fn restart(&mut self) {
        let ready = self.try_restart().await;
        ready.unwrap_or_else(|status| panic!("ended with {status} at once:\n{}", self.log()));
    }

    /// The same, where it may refuse to start.
    pub async fn try_restart(&mut self) -> Result<(), ExitStatus> {
        assert!(self.child.try_wait().expect("a child").is_some(), "it is still running");
        self.child = spawn(&self.ground, &self.arguments);
        self.until_ready().await
    }

    async fn until_ready(&mut self) -> Result<(), ExitStatus> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(status);
            }
            if let Some((address, admin)) = told_addresses(&self.ground)
                && page::get(admin, "/readyz").await.is_ok_and(|page| page.status == 200)
            {
                (self.address, self.admin) = (address, admin);
                return Ok(());
            }
            assert!(Instant::now() < end, "not ready in time:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Calls to it, over a connection of their own.
    pub fn calls(&self) -> Calls {
        Calls::to(self.address)
    }

    /// What it has logged so far, over all its starts.
    pub fn log(&self) -> String {
        std::fs::read_to_string(log_path(&self.ground)).unwrap_or_default()
    }

    /// Its data folder.
    pub fn folder(&self) -> PathBuf {
        self.ground.folder()
    }

    /// Kills it at once, as a crash would.
    pub fn kill9(&mut self) {
        self.signal(Signal::KILL);
        self.child.wait().expect("its end");
    }

    /// Stops it in the middle of whatever it does.
    pub fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn cont(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks it to end in order, without waiting.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < end, "it does not end:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A child that has been waited for has no id any more: it is not signalled.
    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("a process id"), signal).expect("a signal that arrives");
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The program: built by cargo beside the test from the server's own main file.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("this program's path");
    let folder = test.parent().and_then(Path::parent).expect("the folder of programs");
    let program = folder.join("onced-under-test");
    assert!(program.exists(), "{} is not there: cargo builds it with the tests", program.display());
    program
}

/// On free ports, which it tells on its standard output.
fn spawn(ground: &Ground, arguments: &[String]) -> Child {
    let log = File::options().create(true).append(true).open(log_path(ground)).expect("a log");
    let told = File::create(told_path(ground)).expect("a file for what it prints");
    Command::new(program())
        .args(["serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
        .args(place(ground, arguments))
        .arg("--policy")
        .arg(ground.folder().with_file_name("policy.toml"))
        .args(arguments)
        .current_dir(ground.folder().parent().expect("a folder"))
        .stdin(Stdio::null())
        .stdout(told)
        .stderr(log)
        .spawn()
        .expect("a process")
}

/// A folder, unless it is told of a cluster.
fn place(ground: &Ground, arguments: &[String]) -> Vec<OsString> {
    if arguments.iter().any(|argument| argument == "--store") {
        return Vec::new();
    }
    vec!["--data".into(), ground.folder().into()]
}

/// From "… is ready: gRPC on ADDRESS, admin on http://ADDRESS".
fn told_addresses(ground: &Ground) -> Option<(SocketAddr, SocketAddr)> {
    let told = std::fs::read_to_string(told_path(ground)).ok()?;
    let (_, addresses) = told.strip_suffix('\n')?.split_once("gRPC on ")?;
    let (address, admin) = addresses.split_once(", admin on http://")?;
    Some((address.parse().ok()?, admin.parse().ok()?))
}

fn log_path(ground: &Ground) -> PathBuf {
    ground.folder().with_file_name("log")
}

fn told_path(ground: &Ground) -> PathBuf {
    ground.folder().with_file_name("told")
}
