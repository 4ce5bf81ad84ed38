//! Copies of the embedded store in a folder of the server: one at a time, each under a name that is
//! no path.
//!
//! A copy that was begun is brought to its end, whoever waits for it.

use std::{
    fs, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{FutureExt, future::Shared};

use crate::{
    store::{
        BoxFuture,
        embedded::{BackedUp, BackupError, Embedded, PARTIAL},
    },
    violation::Violation,
    wire::time,
};

/// Most bytes of a name.
const NAME_MAX: usize = 128;
/// What a name must not end with: a file that belongs to another, or is not whole yet.
const ENDINGS: [&str; 4] = [PARTIAL, "-wal", "-shm", "-journal"];

/// Makes copies.
#[derive(Debug)]
pub struct Backups {
    engine: Arc<Embedded>,
    folder: PathBuf,
    last: Mutex<Option<Run>>,
}

/// A copy that was made, and where it is.
pub(super) type Made = Result<(PathBuf, BackedUp), Arc<BackupError>>;

/// A copy under way, or the last one that was made.
#[derive(Clone, Debug)]
struct Run {
    asked: (String, String),
    made: Shared<BoxFuture<'static, Made>>,
}

/// Another copy is under way.
#[derive(Debug)]
pub(super) struct Busy;

impl Backups {
    /// Of this engine, in this folder, which is made when it is needed.
    pub fn new(engine: Arc<Embedded>, folder: PathBuf) -> Self {
        Self { engine, folder, last: Mutex::default() }
    }

    /// Makes one under a name that has no fault; the same request again waits for the same one.
    pub(super) async fn make(&self, name: &str, request_id: &str) -> Result<Made, Busy> {
        let made = self.run(name, request_id)?.made.await;
        Ok(made)
    }

    fn run(&self, name: &str, request_id: &str) -> Result<Run, Busy> {
        let asked = (name.to_owned(), request_id.to_owned());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = &*last {
            let is_failed = matches!(run.made.peek(), Some(Err(_)));
            if run.asked == asked && !request_id.is_empty() && !is_failed {
                return Ok(run.clone());
            }
            if run.made.peek().is_none() {
                return Err(Busy);
            }
        }
        let run = Run { asked, made: self.begin(name) };
        *last = Some(run.clone());
        Ok(run)
    }

    fn begin(&self, name: &str) -> Shared<BoxFuture<'static, Made>> {
        let (engine, folder) = (self.engine.clone(), self.folder.clone());
        let name = if name.is_empty() { self.name_now() } else { name.to_owned() };
        let work = tokio::spawn(async move {
            fs::create_dir_all(&folder).map_err(|cause| Arc::new(cause.into()))?;
            let folder = folder.canonicalize().map_err(|cause| Arc::new(cause.into()))?;
            let path = folder.join(name);
            let copy = engine.backup(&path).await.map_err(Arc::new)?;
            Ok((path, copy))
        });
        let made: BoxFuture<'static, Made> = Box::pin(async move {
            work.await.unwrap_or_else(|ended| Err(Arc::new(io::Error::other(ended).into())))
        });
        let made = made.shared();
        // Whoever waits may go: somebody has to see that it has ended.
        tokio::spawn(made.clone());
        made
    }

    fn name_now(&self) -> String {
        let now = time::text(self.engine.clock().now()).replace(['-', ':'], "");
        format!("onced-{now}.sqlite")
    }
}

/// Everything that is wrong with the name of a backup.
pub(super) fn name_faults(name: &str) -> Vec<Violation> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let odd = name.chars().find(|c| !is_plain(*c));
    let ending = ENDINGS.into_iter().find(|ending| name.ends_with(ending));
    let faults = [
        (name.len() > NAME_MAX).then(|| format!("has {} bytes; at most {NAME_MAX}", name.len())),
        name.starts_with(['.', '-']).then(|| "begins with '.' or '-'".to_owned()),
        odd.map(|odd| {
            format!("holds {odd:?}; it is a file name, of a-z, A-Z, 0-9, '.', '_' and '-'")
        }),
        ending.map(|ending| format!("ends with {ending}, as files do that are no backups")),
    ];
    faults.into_iter().flatten().map(|fault| Violation::new("", "name", fault)).collect()
}

#[cfg(test)]
mod tests;
