//! What becomes of a hint that is an hour old.

use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{Pass, SETTLES_IN, STRAY_FOR};
use crate::{
    clock::Timestamp,
    intent::ProviderKeyForm,
    record::{Revision, State},
    store::{
        Error, Look, Stored,
        cql::index::{
            AT_ONCE, Bucket, Index, ROWS,
            bucket::{SHARDS, shard},
            mark::{Entry, Hint, Name},
            place,
        },
    },
};

/// What a hint is still good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It leads to a record that is open.
    Open,
    /// It leads nowhere, but the write that it came before may yet be found applied.
    Stray,
    /// It leads nowhere and never will.
    Spent,
}

impl Fate {
    /// Of a hint whose record stands so.
    pub(super) fn of(hint: &Hint, stored: Option<&Stored>) -> Self {
        let Some(stored) = stored else { return Self::Stray };
        let record = &stored.record;
        if record.first_claim_time != hint.first_claim {
            // Of a claim that lost to this record, or of one before it. Only a released record can
            // still make room for a first claim.
            return if record.state == State::Released { Self::Stray } else { Self::Spent };
        }
        let is_open = stored.expires_in.is_none() || record.settlement().is_none();
        match (is_open, record.written < hint.written) {
            (true, _) => Self::Open,
            // Nothing was written since the hint: what it announced is not decided.
            (false, true) => Self::Stray,
            (false, false) => Self::Spent,
        }
    }
}

/// What a part of a bucket was found to hold.
#[derive(Default)]
struct Part {
    /// Hints that are left where they were, or were carried.
    kept: u64,
    /// When the newest of those was written that are done with here.
    newest: Option<Timestamp>,
}

impl Index {
    /// One hour of one operation: out of its own partitions everything, into that of its day what
    /// must stay.
    pub(super) async fn sweep_hour(&self, pass: &mut Pass<'_>, entry: &Entry) -> Result<(), Error> {
        if Timestamp(entry.bucket.hour().end).after(SETTLES_IN) > pass.now {
            return Ok(());
        }
        let mut kept = 0;
        for shard in 0..SHARDS {
            kept += self.empty(pass, entry, shard).await?;
        }
        for shard in 0..SHARDS {
            kept += self.sweep_carried(pass, entry, shard).await?;
        }
        if kept == 0 { self.drop_entry(pass, entry).await } else { Ok(()) }
    }

    /// Empties a shard of an hour; how many hints of it are kept, here or carried.
    async fn empty(&self, pass: &mut Pass<'_>, entry: &Entry, shard: i32) -> Result<u64, Error> {
        let (hour, mut part) = (entry.bucket, Part::default());
        let mut pages = self.hints_in(entry, hour, shard).await?;
        while let Some(hints) = pages.try_next().await? {
            let (old, young): (Vec<_>, Vec<_>) =
                hints.into_iter().partition(|hint| hint.written < pass.cutoff());
            part.kept += young.len() as u64;
            part.newest = part.newest.max(old.iter().map(|hint| hint.written).max());
            for (hint, fate) in self.judged(pass, old).await? {
                if fate == Fate::Spent {
                    pass.swept.dropped += 1;
                } else {
                    self.put_hint(&hint, hour.carried()).await?;
                    pass.swept.carried += 1;
                    part.kept += 1;
                }
            }
        }
        if let Some(newest) = part.newest {
            let Entry { namespace, operation, .. } = entry;
            let values = (newest.0, namespace, operation, hour.0, shard);
            self.write(&self.statements.drop_hints, values).await?;
        }
        Ok(part.kept)
    }

    /// Removes what is spent of the hints that were carried out of an hour; how many there are.
    async fn sweep_carried(
        &self,
        pass: &mut Pass<'_>,
        entry: &Entry,
        shard: i32,
    ) -> Result<u64, Error> {
        let carried = entry.bucket.carried();
        let mut pages = self.hints_in(entry, carried, shard).await?;
        let mut kept = 0;
        while let Some(hints) = pages.try_next().await? {
            if !entry.bucket.is_due(pass.now) {
                return Ok(hints.len() as u64);
            }
            for (hint, fate) in self.judged(pass, hints).await? {
                if fate == Fate::Spent {
                    self.drop_hint(&hint, carried).await?;
                    pass.swept.dropped += 1;
                } else {
                    kept += 1;
                }
            }
        }
        Ok(kept)
    }

    async fn judged(
        &self,
        pass: &mut Pass<'_>,
        hints: Vec<Hint>,
    ) -> Result<Vec<(Hint, Fate)>, Error> {
        pass.swept.checked += hints.len() as u64;
        let pass = &*pass;
        let judged: Vec<_> = hints
            .into_iter()
            .map(|hint| async move {
                let fate = self.judge(pass, &hint).await?;
                Ok((hint, fate))
            })
            .collect();
        stream::iter(judged).buffered(AT_ONCE).try_collect().await
    }

    /// A spent hint takes its name along.
    async fn judge(&self, pass: &Pass<'_>, hint: &Hint) -> Result<Fate, Error> {
        let (stored, fate) = match self.seen(pass, hint, Look::Recent).await? {
            // Before it is given up, the write that it announced is brought to its end.
            (_, Fate::Stray) if pass.now.since(hint.written) >= STRAY_FOR => {
                match self.seen(pass, hint, Look::Fresh).await? {
                    (stored, Fate::Stray) => (stored, Fate::Spent),
                    seen => seen,
                }
            }
            seen => seen,
        };
        if fate == Fate::Spent {
            self.forget_name(pass, hint, stored.as_ref()).await?;
        }
        Ok(fate)
    }

    async fn seen(
        &self,
        pass: &Pass<'_>,
        hint: &Hint,
        look: Look,
    ) -> Result<(Option<Stored>, Fate), Error> {
        match pass.look.look(&hint.intent, look).await {
            Ok(stored) => {
                let fate = Fate::of(hint, stored.as_ref());
                Ok((stored, fate))
            }
            // Somebody has to see it.
            Err(Error::Corrupt(_) | Error::FormatTooNew(_)) => Ok((None, Fate::Open)),
            Err(error) => Err(error),
        }
    }

    /// The key that the provider knows is kept as long as the record. A row of it that was written
    /// since, by a write that makes the record open again, is the newer one and stays.
    async fn forget_name(
        &self,
        pass: &Pass<'_>,
        hint: &Hint,
        stored: Option<&Stored>,
    ) -> Result<(), Error> {
        let Some(stored) = stored else { return self.drop_names(hint).await };
        let Some(expires_in) = stored.expires_in else { return Ok(()) };
        let record = &stored.record;
        let settled = record.written.min(pass.now.before(SETTLES_IN / 2));
        let at = settled.max(hint.written).after(Duration::from_micros(1));
        self.put_name(&hint.intent, &Name::Key(&record.provider_key), Some(expires_in), at).await
    }

    async fn drop_names(&self, hint: &Hint) -> Result<(), Error> {
        let (intent, identity) = (&hint.intent, hint.intent.identity());
        for form in [ProviderKeyForm::Text, ProviderKeyForm::Uuid] {
            let name = Name::Key(&identity.provider_key(form)).text();
            let (namespace, operation) = (intent.namespace(), intent.operation());
            let values = (hint.written.0, namespace, name, operation, intent.key());
            self.write(&self.statements.drop_name, values).await?;
        }
        Ok(())
    }

    async fn drop_hint(&self, hint: &Hint, bucket: Bucket) -> Result<(), Error> {
        let values = (
            hint.written.0,
            hint.intent.namespace(),
            hint.intent.operation(),
            bucket.0,
            shard(&hint.intent),
            hint.first_claim.0,
            hint.intent.key(),
            hint.revision.0,
        );
        self.write(&self.statements.drop_hint, values).await
    }

    /// The hints of an hour in one partition, page by page.
    async fn hints_in(
        &self,
        entry: &Entry,
        bucket: Bucket,
        shard: i32,
    ) -> Result<impl futures_util::Stream<Item = Result<Vec<Hint>, Error>> + Unpin, Error> {
        let Entry { namespace, operation, .. } = entry;
        let hour = entry.bucket.hour();
        let values = (namespace, operation, bucket.0, shard, hour.start, hour.end);
        let rows = self.stream::<(i64, String, uuid::Uuid, i64)>(&self.statements.hints, values);
        let hints = rows.await?.map(move |row| {
            let (first_claim, key, revision, written) = row?;
            Ok(Hint {
                intent: place::intent(namespace, operation, &key)?,
                first_claim: Timestamp(first_claim),
                revision: Revision(revision),
                written: Timestamp(written),
            })
        });
        Ok(hints.try_chunks(ROWS as usize).map_err(|error| error.1))
    }
}

#[cfg(test)]
mod tests;
