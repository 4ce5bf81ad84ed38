//! The command's standard output: passed on as it comes, and kept for the record.
//!
//! Holds no more than the record takes and what waits to be printed, however much there is; and
//! whoever does not read on holds up the command, but neither its lease nor its report.

use std::{io, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::ChildStdout,
    sync::{Semaphore, mpsc},
    task::JoinHandle,
    time::sleep,
};
use tokio_util::sync::CancellationToken;

/// Bytes that may wait to be printed while the command runs.
const WAITING_MAX: usize = 1 << 20;
/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// How long somebody else may hold the output open after the command has ended.
const HELD_OPEN_MAX: Duration = Duration::from_secs(2);

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The first bytes, up to one more than the limit.
    head: Vec<u8>,
    /// The last bytes.
    tail: Vec<u8>,
    /// How many there were.
    pub(super) total: u64,
    /// Another process held it open after the command had ended; there may have been more.
    pub(super) is_cut: bool,
}

impl Kept {
    /// The whole output, if it is no longer than `limit`; that must be the limit it was kept by.
    pub(super) fn whole(&self, limit: usize) -> Option<&[u8]> {
        (self.total <= limit as u64 && !self.is_cut).then_some(&self.head)
    }

    /// Its last bytes, at most `length`.
    pub(super) fn tail(&self, length: usize) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(length)..]
    }

    /// What is kept of these bytes.
    #[cfg(test)]
    pub(super) fn of(bytes: &[u8], limit: usize, tail_max: usize) -> Self {
        let mut kept = Self::default();
        kept.push(bytes, limit, tail_max);
        kept
    }

    fn push(&mut self, chunk: &[u8], limit: usize, tail_max: usize) {
        self.total += chunk.len() as u64;
        let room = limit.saturating_add(1).saturating_sub(self.head.len());
        self.head.extend_from_slice(&chunk[..room.min(chunk.len())]);
        self.tail.extend_from_slice(chunk);
        self.tail.drain(..self.tail.len().saturating_sub(tail_max));
    }
}

/// The output on its way.
pub(super) struct Passing {
    kept: JoinHandle<Kept>,
    printed: JoinHandle<io::Result<()>>,
    ended: CancellationToken,
}

/// Passes on what comes, and keeps the first `limit` bytes and the last `tail_max`.
pub(super) fn pass_on(from: ChildStdout, limit: usize, tail_max: usize) -> Passing {
    let ended = CancellationToken::new();
    let room = Arc::new(Semaphore::new(WAITING_MAX));
    let (to, waiting) = mpsc::unbounded_channel();
    let reading = Reading { from, to, room: room.clone(), ended: ended.clone() };
    Passing {
        kept: tokio::spawn(reading.read(limit, tail_max)),
        printed: tokio::spawn(print(waiting, room)),
        ended,
    }
}

impl Passing {
    /// All that came, once the command has ended; and what is still being printed.
    pub(super) async fn ended(self) -> (Kept, JoinHandle<io::Result<()>>) {
        self.ended.cancel();
        (self.kept.await.unwrap_or_default(), self.printed)
    }
}

struct Reading {
    from: ChildStdout,
    to: mpsc::UnboundedSender<Bytes>,
    room: Arc<Semaphore>,
    ended: CancellationToken,
}

impl Reading {
    async fn read(self, limit: usize, tail_max: usize) -> Kept {
        let mut kept = Kept::default();
        let ended = self.ended.clone();
        let held_open = async {
            ended.cancelled().await;
            sleep(HELD_OPEN_MAX).await;
        };
        let is_cut = tokio::select! {
            biased;
            () = self.read_all(&mut kept, limit, tail_max) => false,
            () = held_open => true,
        };
        kept.is_cut = is_cut;
        kept
    }

    async fn read_all(mut self, kept: &mut Kept, limit: usize, tail_max: usize) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(length @ 1..) = self.from.read(&mut chunk).await {
            kept.push(&chunk[..length], limit, tail_max);
            self.hand_on(Bytes::copy_from_slice(&chunk[..length])).await;
        }
    }

    /// Waits for room while the command runs; what is left after its end is little.
    async fn hand_on(&self, chunk: Bytes) {
        let length = u32::try_from(chunk.len()).unwrap_or(u32::MAX);
        tokio::select! {
            room = self.room.acquire_many(length) => if let Ok(room) = room { room.forget() },
            () = self.ended.cancelled() => {}
        }
        let _ = self.to.send(chunk);
    }
}

/// Goes on taking what cannot be printed, so that the command is not held up.
async fn print(
    mut waiting: mpsc::UnboundedReceiver<Bytes>,
    room: Arc<Semaphore>,
) -> io::Result<()> {
    let mut out = tokio::io::stdout();
    let mut printed = Ok(());
    while let Some(chunk) = waiting.recv().await {
        if printed.is_ok() {
            printed = match out.write_all(&chunk).await {
                Ok(()) => out.flush().await,
                fault => fault,
            };
        }
        room.add_permits(chunk.len());
    }
    printed
}

#[cfg(test)]
mod tests;
