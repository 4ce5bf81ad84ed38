//! The floor of the disk: append and fdatasync, whatever waits in one group.

use std::{fs::File, io::Write, path::Path, sync::mpsc, thread};

use anyhow::{Context, Result};
use prost::Message as _;
use tokio::sync::oneshot;

use super::{About, Answer, Contender, Work};
use crate::claims;

type Waiting = (Vec<u8>, oneshot::Sender<()>);

/// A file that is appended to in groups, each made durable before it is answered.
#[derive(Clone)]
pub(crate) struct Journal {
    calls: mpsc::Sender<Waiting>,
}

impl Journal {
    /// Opens a new file and starts its writer, which ends with the last clone of this.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut file = File::create_new(path)?;
        let (calls, waiting) = mpsc::channel::<Waiting>();
        thread::Builder::new().name("journal".to_owned()).spawn(move || {
            while let Ok(first) = waiting.recv() {
                let group: Vec<Waiting> =
                    std::iter::once(first).chain(waiting.try_iter()).collect();
                let bytes: Vec<u8> =
                    group.iter().flat_map(|(bytes, _)| bytes.iter().copied()).collect();
                if file.write_all(&bytes).and_then(|()| file.sync_data()).is_err() {
                    return;
                }
                for (_, answer) in group {
                    // A caller that is gone needs no answer.
                    let _ = answer.send(());
                }
            }
        })?;
        Ok(Self { calls })
    }

    /// Appends; returns once it is on disk.
    async fn append(&self, bytes: Vec<u8>) -> Result<()> {
        let (answer, answered) = oneshot::channel();
        self.calls.send((bytes, answer)).ok().context("the journal's writer ended")?;
        Ok(answered.await?)
    }
}

fn bytes(key: &str) -> Vec<u8> {
    claims::request_of(key).encode_to_vec()
}

impl Contender for Journal {
    fn about(&self) -> About {
        About {
            version: "a file in the callers' process".to_owned(),
            durability: "fdatasync of each group before its calls are answered",
            clients: "a channel to one thread",
            is_loaded: false,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        match work {
            Work::Fresh => Some("the request's bytes appended"),
            Work::Settle => Some("the same, twice"),
            Work::Batch => Some("the bytes of all requests appended at once"),
            Work::Duplicate | Work::Stampede => None,
        }
    }

    fn claim<'a>(&'a self, _caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(async move { self.append(bytes(key)).await.map(|()| true) })
    }

    fn settle<'a>(&'a self, _caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.append(bytes(key)).await?;
            self.append(bytes(key)).await
        })
    }

    fn batch<'a>(&'a self, _caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(async move {
            self.append(keys.iter().flat_map(|key| bytes(key)).collect()).await?;
            Ok(keys.len())
        })
    }

    fn judges(&self) -> bool {
        false
    }
}
