//! The command: started with what it needs to know of its grant, signalled, and waited for.
//!
//! Signals nobody but the command and what it has started itself, and it only until it was waited
//! for.

use std::{
    ffi::OsString,
    io,
    os::fd::AsFd,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::{
    process::{Pid, Signal, getpgrp, kill_process, kill_process_group},
    termios::tcgetpgrp,
};
use tokio::{
    process::{Child, ChildStdout, Command},
    time::{Instant, sleep_until},
};

use super::{lease::Keeping, report::Attempt, signals::Signals, tell};

/// What is to happen when the lease is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loss {
    /// The command is stopped.
    pub(super) stops: bool,
    /// How long it has to end after SIGTERM.
    pub(super) grace: Duration,
}

impl Loss {
    /// How long before the end of a lease it counts as lost: a command that is stopped is to have
    /// ended by then.
    pub(super) fn margin(self) -> Duration {
        if self.stops { self.grace } else { Duration::ZERO }
    }
}

/// The command while it runs.
pub(super) struct Running {
    child: Child,
    /// Apart from this program's own, so that all that it starts can be signalled.
    has_own_group: bool,
}

/// Starts it. An error means that it surely was not started.
pub(super) fn start(
    words: &[OsString],
    attempt: &Attempt<'_>,
) -> io::Result<(Running, ChildStdout)> {
    let [program, arguments @ ..] = words else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no command"));
    };
    let has_own_group = !is_in_foreground();
    let mut command = Command::new(program);
    command.args(arguments).envs(told(attempt)).stdout(Stdio::piped());
    if has_own_group {
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let Some(output) = child.stdout.take() else {
        return Err(io::Error::other("its output is not there"));
    };
    Ok((Running { child, has_own_group }, output))
}

/// What the command learns of its grant.
fn told(attempt: &Attempt<'_>) -> Vec<(&'static str, String)> {
    let Attempt { intent, granted, .. } = attempt;
    let deadline = granted.lease_expire_time.as_ref().map(ToString::to_string);
    vec![
        ("ONCED_NAMESPACE", intent.namespace.clone()),
        ("ONCED_OPERATION", intent.operation.clone()),
        ("ONCED_KEY", intent.key.clone()),
        ("ONCED_PROVIDER_KEY", granted.provider_key.clone()),
        ("ONCED_FENCING_TOKEN", granted.fencing_token.to_string()),
        ("ONCED_ATTEMPT", granted.attempt.to_string()),
        ("ONCED_DEADLINE", deadline.unwrap_or_default()),
    ]
}

/// Whether a terminal sends its signals to this program, and so to a command in its group.
fn is_in_foreground() -> bool {
    let is_ours = |terminal: rustix::fd::BorrowedFd<'_>| tcgetpgrp(terminal) == Ok(getpgrp());
    is_ours(io::stdin().as_fd()) || is_ours(io::stdout().as_fd()) || is_ours(io::stderr().as_fd())
}

impl Running {
    /// Waits for its end. Forwards signals meanwhile, and obeys `loss` when the lease is lost.
    pub(super) async fn ended(
        mut self,
        signals: &mut Signals,
        mut lease: Keeping,
        loss: Loss,
    ) -> io::Result<ExitStatus> {
        let mut is_lost = false;
        let mut kill_at: Option<Instant> = None;
        loop {
            let killing = async {
                match kill_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                status = self.child.wait() => return status,
                signal = signals.next() => self.forward(signal),
                why = lease.lost(), if !is_lost => {
                    is_lost = true;
                    kill_at = self.lost(&why, loss);
                }
                () = killing => {
                    kill_at = None;
                    tell("the command did not end in time after SIGTERM: it is killed");
                    self.signal(Signal::KILL);
                }
            }
        }
    }

    /// When to kill it, if it is stopped.
    fn lost(&self, why: &str, loss: Loss) -> Option<Instant> {
        if !loss.stops {
            tell(&format!("the lease is lost ({why}); the command runs on, as asked"));
            return None;
        }
        tell(&format!("the lease is lost ({why}); the command is stopped"));
        self.signal(Signal::TERM);
        Some(Instant::now() + loss.grace)
    }

    /// A terminal has sent its own signals to the command already.
    fn forward(&self, signal: Signal) {
        let is_of_terminal = [Signal::INT, Signal::QUIT, Signal::HUP].contains(&signal);
        if self.has_own_group || !is_of_terminal {
            self.signal(signal);
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let Some(pid) = pid else { return };
        let _ = if self.has_own_group {
            kill_process_group(pid, signal)
        } else {
            kill_process(pid, signal)
        };
    }
}
