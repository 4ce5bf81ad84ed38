//! Signals to `onced run`: caught, so that the command gets them too.
//!
//! Leaves alone what was ignored when it was started (`nohup`, `&` in a script): the command is to
//! ignore it as well.

use std::io;

use rustix::process::Signal;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

/// What is caught.
const CAUGHT: [Signal; 6] =
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
/// How many may wait to be looked at; more of them say nothing new.
const WAITING: usize = 64;

/// Signals that are caught from now on.
pub(super) struct Signals {
    caught: mpsc::Receiver<Signal>,
}

impl Signals {
    /// Catches them.
    pub(super) fn new() -> io::Result<Self> {
        let ignored = ignored();
        let (to, caught) = mpsc::channel(WAITING);
        for kind in CAUGHT {
            if ignored & (1 << (kind.as_raw() - 1)) != 0 {
                continue;
            }
            let mut stream = signal(SignalKind::from_raw(kind.as_raw()))?;
            let to = to.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() && to.send(kind).await.is_ok() {}
            });
        }
        Ok(Self { caught })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Signal {
        match self.caught.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }

    /// The next one that asks this program to end.
    pub(super) async fn asked_to_end(&mut self) -> Signal {
        loop {
            let signal = self.next().await;
            if signal != Signal::USR1 && signal != Signal::USR2 {
                return signal;
            }
        }
    }
}

/// A bit for each ignored signal, where the system tells.
fn ignored() -> u64 {
    std::fs::read_to_string("/proc/self/status").map_or(0, |status| ignored_in(&status))
}

fn ignored_in(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
