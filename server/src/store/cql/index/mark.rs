//! The rows that are written before a record is.

use std::time::Duration;

use futures_util::future::try_join_all;

use super::{Bucket, ENTRY_FOR, Index, Kind, bucket::shard};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{Record, Revision},
    store::{Error, Expiry, Write, cql::LAST_EXPIRY},
};

/// The longest life that a cell can have, in seconds: 20 years.
const LIFE_MAX: u64 = 630_720_000;

/// A row of `buckets`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) namespace: String,
    pub(super) kind: Kind,
    pub(super) operation: String,
    pub(super) bucket: Bucket,
}

/// A row of `hints`, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hint {
    pub(super) intent: IntentId,
    pub(super) first_claim: Timestamp,
    pub(super) revision: Revision,
    pub(super) written: Timestamp,
}

/// A name that the provider's side may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    Key(&'a str),
    Reference(&'a str),
}

impl Name<'_> {
    /// As it stands in the table.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Key(key) => format!("k:{key}"),
            Self::Reference(reference) => format!("r:{reference}"),
        }
    }
}

impl Hint {
    pub(super) fn of(intent: &IntentId, record: &Record, written: Timestamp) -> Self {
        let (first_claim, revision) = (record.first_claim_time, record.revision);
        Self { intent: intent.clone(), first_claim, revision, written }
    }

    /// The hour of its first claim.
    pub(super) fn hour(&self) -> Bucket {
        Bucket::hour_of(self.first_claim)
    }
}

impl Entry {
    pub(super) fn of(intent: &IntentId, kind: Kind, bucket: Bucket) -> Self {
        let (namespace, operation) = (intent.namespace().to_owned(), intent.operation().to_owned());
        Self { namespace, kind, operation, bucket }
    }
}

impl Index {
    /// Writes what must stand before the record does; `expires_in` is what is left of the record
    /// after the write, nothing if it never expires.
    ///
    /// What fails here was not done in part: the rows that were written lead nowhere.
    pub(in crate::store::cql) async fn before(
        &self,
        intent: &IntentId,
        write: &Write,
        expires_in: Option<Duration>,
    ) -> Result<(), Error> {
        let written = self.clock.now();
        let open = async {
            match write.expiry {
                Expiry::Never => self.mark_open(intent, &write.record, written).await,
                // A record that goes on without an expiry has its hint.
                Expiry::Keep | Expiry::After(_) => Ok(()),
            }
        };
        let references = self.mark_references(intent, &write.record, expires_in, written);
        let late = self.mark_late(intent, &write.record, written);
        tokio::try_join!(open, references, late).map(drop)
    }

    /// The hint of a record without an expiry, and the key that its provider knows.
    pub(super) async fn mark_open(
        &self,
        intent: &IntentId,
        record: &Record,
        written: Timestamp,
    ) -> Result<(), Error> {
        let hint = Hint::of(intent, record, written);
        let entry = Entry::of(intent, Kind::Hints, hint.hour());
        let name = Name::Key(&record.provider_key);
        tokio::try_join!(
            self.put_hint(&hint, hint.hour()),
            self.put_entry(entry, written),
            self.put_name(intent, &name, None, written),
        )
        .map(drop)
    }

    async fn mark_references(
        &self,
        intent: &IntentId,
        record: &Record,
        expires_in: Option<Duration>,
        written: Timestamp,
    ) -> Result<(), Error> {
        let put = async |reference| {
            self.put_name(intent, &Name::Reference(reference), expires_in, written).await
        };
        try_join_all(record.provider_references().into_iter().map(put)).await.map(drop)
    }

    async fn mark_late(
        &self,
        intent: &IntentId,
        record: &Record,
        written: Timestamp,
    ) -> Result<(), Error> {
        let Some(reported) = record.last_late_report() else { return Ok(()) };
        let day = Bucket::day_of(reported);
        let (namespace, operation, key) = (intent.namespace(), intent.operation(), intent.key());
        let row = (namespace, operation, day.0, reported.0, key, written.0);
        tokio::try_join!(
            self.write(&self.statements.put_late, row),
            self.put_entry(Entry::of(intent, Kind::Late, day), written),
        )
        .map(drop)
    }

    /// At the time at which it was first written, wherever it is put.
    pub(super) async fn put_hint(&self, hint: &Hint, bucket: Bucket) -> Result<(), Error> {
        let (intent, written) = (&hint.intent, hint.written.0);
        let values = (
            intent.namespace(),
            intent.operation(),
            bucket.0,
            shard(intent),
            hint.first_claim.0,
            intent.key(),
            hint.revision.0,
            written,
            written,
        );
        self.write(&self.statements.put_hint, values).await
    }

    /// Unless this process did so not long ago.
    async fn put_entry(&self, entry: Entry, written: Timestamp) -> Result<(), Error> {
        let last = self.entries.get(&entry);
        if last.is_some_and(|last| written.since(last) < ENTRY_FOR) {
            return Ok(());
        }
        let Entry { namespace, kind, operation, bucket } = &entry;
        let row = (namespace, kind.text(), operation, bucket.0, written.0);
        self.write(&self.statements.put_entry, row).await?;
        self.entries.insert(entry, written);
        Ok(())
    }

    /// Kept somewhat longer than the record, for ever if that is.
    pub(super) async fn put_name(
        &self,
        intent: &IntentId,
        name: &Name<'_>,
        expires_in: Option<Duration>,
        written: Timestamp,
    ) -> Result<(), Error> {
        let (namespace, operation, key) = (intent.namespace(), intent.operation(), intent.key());
        let life = name_life(expires_in, self.name_outlives, self.clock.now());
        let row = (namespace, name.text(), operation, key, life, written.0);
        self.write(&self.statements.put_name, row).await
    }
}

/// The life of a name in seconds, never past what the engine can count to; 0 is for ever.
fn name_life(expires_in: Option<Duration>, outlives: Duration, now: Timestamp) -> i32 {
    let Some(left) = expires_in else { return 0 };
    let last = LAST_EXPIRY.since(now).as_secs();
    let seconds = left.saturating_add(outlives).as_secs().min(LIFE_MAX).min(last);
    i32::try_from(seconds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
