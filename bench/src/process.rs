//! Servers as processes that this one starts, waits for, and ends by their id.
//!
//! Every server listens on loopback, at a port that was free a moment ago.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};

const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);
const LOOK_MAX: Duration = Duration::from_secs(5);

/// A process of our own, ended with this.
pub(crate) struct Process {
    child: Child,
    ending: Signal,
    log: PathBuf,
}

impl Process {
    /// Starts a command; what it prints goes to a file.
    pub(crate) fn start(command: &mut Command, log: PathBuf) -> Result<Self> {
        let out = File::create(&log)?;
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command
            .stdin(Stdio::null())
            .stderr(out.try_clone()?)
            .stdout(out)
            .spawn()
            .with_context(|| format!("{program} cannot be started"))?;
        Ok(Self { child, ending: Signal::TERM, log })
    }

    /// Ends by this signal in place of TERM.
    #[must_use]
    pub(crate) fn ended_by(mut self, ending: Signal) -> Self {
        self.ending = ending;
        self
    }

    /// Its id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it prints to.
    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// Waits until it takes connections.
    pub(crate) async fn listens(&mut self, port: u16) -> Result<()> {
        let address = loopback(port);
        self.until(|| async move { TcpStream::connect(address).await.ok() }).await.map(drop)
    }

    /// Waits until a look finds something, as long as the process lives.
    pub(crate) async fn until<T, F>(&mut self, look: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Option<T>>,
    {
        let end = Instant::now() + PATIENCE;
        loop {
            // What is not ready may hold a call instead of refusing it.
            if let Ok(Some(found)) = timeout(LOOK_MAX, look()).await {
                return Ok(found);
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended at once, {status}: {}", self.last_words());
            }
            if Instant::now() > end {
                bail!("it is not ready after {PATIENCE:?}: {}", self.last_words());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn last_words(&self) -> String {
        let printed = fs::read_to_string(&self.log).unwrap_or_default();
        let last: Vec<&str> = printed.lines().rev().take(3).collect();
        last.into_iter().rev().collect::<Vec<_>>().join(" / ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let end = Instant::now() + Duration::from_secs(10);
        // One that has ended by itself needs no signal.
        let _ = kill_process(Pid::from_child(&self.child), self.ending);
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(LOOK);
        }
        // It would not end: nothing of it is needed any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port of this machine alone.
pub(crate) fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// So many ports that are free now.
pub(crate) fn free_ports<const COUNT: usize>() -> Result<[u16; COUNT]> {
    let mut held = Vec::new();
    let mut ports = [0; COUNT];
    for port in &mut ports {
        let listener = TcpListener::bind(loopback(0))?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

/// The line in which a program tells its version.
pub(crate) fn version(program: &str, arguments: &[&str]) -> Result<String> {
    let told = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("{program} cannot be started: is it installed?"))?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    Ok(told.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests;
