//! Signals: the first to stop drains, the second ends at once; SIGHUP reads the policies again.

use std::{io, sync::Arc};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::AbortHandle,
};
use tokio_util::sync::CancellationToken;

use crate::policy::Policies;

/// What a shell shows of a process that a signal ended, before the signal's number is added.
const ENDED_BY_SIGNAL: i32 = 128;

/// Signals that are caught from now on.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

/// What a signal asks for.
enum Wish {
    Stop(SignalKind),
    Reload,
}

impl Signals {
    /// Catches them.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Obeys them in a task of its own.
    pub(super) fn spawn(
        mut self,
        policies: Arc<Policies>,
        shutdown: CancellationToken,
    ) -> AbortHandle {
        let obeying = async move {
            loop {
                match self.next().await {
                    Wish::Reload => {
                        // Apart, so that a slow disk does not hold up the next signal.
                        let policies = policies.clone();
                        tokio::spawn(async move { policies.reload().await });
                    }
                    Wish::Stop(_) if !shutdown.is_cancelled() => shutdown.cancel(),
                    Wish::Stop(kind) => {
                        tracing::warn!("ended by a second signal; calls may be cut off");
                        std::process::exit(ENDED_BY_SIGNAL + kind.as_raw_value());
                    }
                }
            }
        };
        tokio::spawn(obeying).abort_handle()
    }

    async fn next(&mut self) -> Wish {
        tokio::select! {
            _ = self.terminate.recv() => Wish::Stop(SignalKind::terminate()),
            _ = self.interrupt.recv() => Wish::Stop(SignalKind::interrupt()),
            _ = self.hangup.recv() => Wish::Reload,
        }
    }
}
