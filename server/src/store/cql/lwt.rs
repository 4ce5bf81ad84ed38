//! Counts conditional statements: the unit of cost of this engine.

use std::sync::Arc;

/// What became of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lwt {
    /// A write that was applied.
    Applied,
    /// A write that was refused.
    Lost,
    /// A write of which nobody knows.
    Uncertain,
    /// A write that surely did nothing.
    Failed,
    /// A read that sees every write that was answered.
    Read,
}

impl Lwt {
    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Lost => "lost",
            Self::Uncertain => "uncertain",
            Self::Failed => "failed",
            Self::Read => "read",
        }
    }
}

/// Is told of each.
#[derive(Clone)]
pub struct Tally(Arc<dyn Fn(Lwt) + Send + Sync>);

impl Tally {
    /// One that calls this.
    pub fn new(count: impl Fn(Lwt) + Send + Sync + 'static) -> Self {
        Self(Arc::new(count))
    }

    pub(super) fn count(&self, lwt: Lwt) {
        (self.0)(lwt);
    }
}

impl std::fmt::Debug for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tally")
    }
}
