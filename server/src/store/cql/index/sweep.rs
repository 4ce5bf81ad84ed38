//! Takes away what no longer leads to an open record, so that listings stay as long as the work is.
//!
//! Any number of processes may sweep at once, and any of them may stop in the middle. Nothing is
//! removed but rows that were seen, at the time at which they were written; what leads to an open
//! record, or may yet, is put where it goes before it is removed where it was.

use std::time::Duration;

use super::{Bucket, Index, Kind, Looks, mark::Entry};
use crate::{
    clock::Timestamp,
    store::{Error, Scope},
};

mod hints;
mod late;

/// How long a row is left alone: far longer than the write that it came before is under way.
const SETTLES_IN: Duration = Duration::from_secs(3_600);
/// How long a hint is kept that leads nowhere.
const STRAY_FOR: Duration = Duration::from_secs(86_400);
/// How long a late report is left alone.
const LATE_FOR: Duration = Duration::from_secs(86_400);
/// How much older an entry must be than the rows it stands for: a process that knows of the entry
/// does not write it again with each.
const ENTRY_LEADS: Duration = Duration::from_secs(900);

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Swept {
    /// Hints that were checked against their records.
    pub checked: u64,
    /// Those that were carried out of their hour.
    pub carried: u64,
    /// Those that were removed, since they lead to nothing that is open.
    pub dropped: u64,
    /// Rows of late reports that were removed.
    pub late_dropped: u64,
}

/// One pass.
struct Pass<'a> {
    look: &'a dyn Looks,
    now: Timestamp,
    swept: Swept,
}

impl Pass<'_> {
    /// Nothing written later is touched.
    fn cutoff(&self) -> Timestamp {
        self.now.before(SETTLES_IN)
    }
}

impl Index {
    /// One pass over everything that is due. A part that fails does not keep it from the others;
    /// the first failure is told at the end.
    pub(in crate::store::cql) async fn sweep(
        &self,
        look: &dyn Looks,
        now: Timestamp,
    ) -> Result<Swept, Error> {
        let mut pass = Pass { look, now, swept: Swept::default() };
        let mut failed = None;
        for namespace in self.namespaces().await? {
            failed = failed.or(self.sweep_namespace(&mut pass, &namespace).await.err());
        }
        failed.map_or(Ok(pass.swept), Err)
    }

    async fn sweep_namespace(&self, pass: &mut Pass<'_>, namespace: &str) -> Result<(), Error> {
        let mut failed = None;
        for kind in [Kind::Hints, Kind::Late] {
            for entry in self.entries_of(namespace, kind).await? {
                let swept = match kind {
                    Kind::Hints => self.sweep_hour(pass, &entry).await,
                    Kind::Late => self.sweep_day(pass, &entry).await,
                };
                failed = failed.or(swept.err());
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn entries_of(&self, namespace: &str, kind: Kind) -> Result<Vec<Entry>, Error> {
        let scope = Scope { namespace: namespace.to_owned(), operation: None };
        let buckets = self.buckets(&scope, kind).await?;
        let entry =
            |bucket, operation| Entry { namespace: namespace.to_owned(), kind, operation, bucket };
        let each = |(bucket, operations): (Bucket, Vec<String>)| {
            operations.into_iter().map(move |operation| entry(bucket, operation))
        };
        Ok(buckets.into_iter().flat_map(each).collect())
    }

    /// Of a bucket that was seen to be empty. A row that comes at this moment has an entry that was
    /// written since.
    async fn drop_entry(&self, pass: &Pass<'_>, entry: &Entry) -> Result<(), Error> {
        let Entry { namespace, kind, operation, bucket } = entry;
        let at = pass.cutoff().before(ENTRY_LEADS);
        let values = (at.0, namespace, kind.text(), operation, bucket.0);
        self.write(&self.statements.drop_entry, values).await
    }
}

#[cfg(test)]
mod tests;
