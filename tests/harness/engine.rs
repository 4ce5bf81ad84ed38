//! The one place that chooses the engine under a server.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use onced::{
    clock::Clock,
    store::{Store, embedded},
};
use tempfile::TempDir;

use super::{cluster, scoped::Scoped};

/// An engine that servers can stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// SQLite in a folder.
    Embedded,
    /// A cluster that runs already.
    Cluster,
}

impl Engine {
    /// The one that the black-box tests run on: `ONCED_TEST_ENGINE`, embedded or cluster.
    #[expect(clippy::disallowed_methods, reason = "a test is told so what it stands on")]
    pub fn chosen() -> Self {
        match std::env::var("ONCED_TEST_ENGINE").as_deref() {
            Err(_) | Ok("" | "embedded") => Self::Embedded,
            Ok("cluster") => Self::Cluster,
            Ok(other) => panic!("ONCED_TEST_ENGINE is {other}: embedded or cluster"),
        }
    }

    /// A deadline that comes soon, and still leaves time for an answer.
    pub fn short_wait(self) -> Duration {
        match self {
            Self::Embedded => Duration::from_millis(300),
            Self::Cluster => Duration::from_secs(3),
        }
    }

    /// How much later evidence counts where the clocks of several machines judge: twice their
    /// bound.
    pub fn doubt(self) -> Duration {
        match self {
            Self::Embedded => Duration::ZERO,
            Self::Cluster => Duration::from_secs(120),
        }
    }
}

/// What the records of one or more servers lie on; gone when it is dropped.
#[derive(Debug)]
pub struct Ground {
    engine: Engine,
    folder: TempDir,
}

impl Ground {
    /// An empty one.
    pub fn new(engine: Engine) -> Self {
        Self { engine, folder: TempDir::with_prefix("onced-").expect("a folder") }
    }

    /// Where its files are.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A file beside the data, with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// One with a copy of a database that was written before.
    pub fn copy_of(database: &Path) -> Self {
        let ground = Self::default();
        std::fs::create_dir(ground.folder()).expect("a folder");
        std::fs::copy(database, ground.database()).expect("a copy");
        ground
    }

    /// The file that the records are in.
    pub fn database(&self) -> PathBuf {
        self.folder().join("onced.sqlite")
    }

    /// Opens the store; `clock` judges its leases, and its disk is full at `size_limit` bytes.
    pub async fn open(&self, clock: Arc<dyn Clock>, size_limit: Option<u64>) -> Arc<dyn Store> {
        match self.engine {
            Engine::Cluster => Arc::new(Scoped::over(cluster::open(clock).await)),
            Engine::Embedded => {
                let mut options = embedded::Options::at(self.folder());
                if size_limit.is_some() {
                    (options.size_limit_bytes, options.reserve_bytes) = (size_limit, 1 << 20);
                }
                let options = embedded::Options { clock: Some(clock), readers: 2, ..options };
                Arc::new(embedded::Embedded::open(&options).expect("an engine"))
            }
        }
    }
}

impl Default for Ground {
    fn default() -> Self {
        Self::new(Engine::chosen())
    }
}
