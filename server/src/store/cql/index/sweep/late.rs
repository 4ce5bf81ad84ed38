//! What becomes of the row of a late report that is a day old.

use futures_util::TryStreamExt;

use super::{LATE_FOR, Pass};
use crate::{
    clock::Timestamp,
    store::{
        Error, Look,
        cql::index::{Index, mark::Entry, place},
    },
};

impl Index {
    /// One day of one operation.
    pub(super) async fn sweep_day(&self, pass: &mut Pass<'_>, entry: &Entry) -> Result<(), Error> {
        let old = pass.now.before(LATE_FOR);
        if Timestamp(entry.bucket.day().end) > old || !entry.bucket.is_due(pass.now) {
            return Ok(());
        }
        let Entry { namespace, operation, .. } = entry;
        let values = (namespace, operation, entry.bucket.0);
        let mut rows = self.stream::<(i64, String)>(&self.statements.late, values).await?;
        let mut kept = 0;
        while let Some((reported, key)) = rows.try_next().await? {
            if self.is_newest(pass, entry, reported, &key).await? {
                kept += 1;
            } else {
                self.drop_late(pass, entry, reported, &key).await?;
            }
        }
        if kept == 0 { self.drop_entry(pass, entry).await } else { Ok(()) }
    }

    /// Whether the record's newest late report is this one. Before it is said not to be, the write
    /// that the row came before is brought to its end.
    async fn is_newest(
        &self,
        pass: &Pass<'_>,
        entry: &Entry,
        reported: i64,
        key: &str,
    ) -> Result<bool, Error> {
        let intent = place::intent(&entry.namespace, &entry.operation, key)?;
        for look in [Look::Recent, Look::Fresh] {
            match pass.look.look(&intent, look).await {
                Ok(Some(it)) if it.record.last_late_report() == Some(Timestamp(reported)) => {
                    return Ok(true);
                }
                Ok(_) => {}
                Err(Error::Corrupt(_) | Error::FormatTooNew(_)) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Unless it was written again since.
    async fn drop_late(
        &self,
        pass: &mut Pass<'_>,
        entry: &Entry,
        reported: i64,
        key: &str,
    ) -> Result<(), Error> {
        let Entry { namespace, operation, bucket, .. } = entry;
        let values = (pass.cutoff().0, namespace, operation, bucket.0, reported, key);
        self.write(&self.statements.drop_late, values).await?;
        pass.swept.late_dropped += 1;
        Ok(())
    }
}
