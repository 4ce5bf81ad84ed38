//! Listings: the open records, oldest first claim first, and the late reports, newest first.
//!
//! Read in rounds: the next piece of every partition that can hold what comes next, merged, checked
//! against the records. In a round the hours are read before what was carried out of them, since a
//! sweep carries before it removes: what moves meanwhile is seen in one place or in both.

use std::cmp::Reverse;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{
    AT_ONCE, Bucket, Index, Kind, Looks, ROWS,
    bucket::SHARDS,
    looks::{Found, records},
    merge::{Merged, merge},
    place::{Of, Place},
};
use crate::{
    clock::Timestamp,
    store::{Error, Listing, Page, Scope},
};

/// Most records of a page.
const PAGE_MAX: usize = 1_000;
/// A full piece of a partition.
const PIECE: usize = ROWS as usize;

/// A page in the making.
struct Reading<'a> {
    look: &'a dyn Looks,
    namespace: &'a str,
    of: Of,
    size: usize,
    found: Vec<Found>,
    last: Vec<Place>,
}

impl<'a> Reading<'a> {
    fn begin(look: &'a dyn Looks, namespace: &'a str, of: Of, page: &Page) -> Self {
        let size = page.size.clamp(1, PAGE_MAX);
        Self { look, namespace, of, size, found: Vec::new(), last: Vec::new() }
    }

    /// Takes the hits among these places; whether there are enough, which is one more than fit.
    async fn take(
        &mut self,
        places: &[Place],
        is_hit: impl Fn(&Place, &Found) -> bool,
    ) -> Result<bool, Error> {
        for places in places.chunks(AT_ONCE) {
            let hits = records(self.look, self.namespace, places).await?;
            for (place, found) in hits.into_iter().filter(|(place, found)| is_hit(place, found)) {
                self.found.push(found);
                self.last.push(place);
            }
            if self.found.len() > self.size {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn finish(mut self) -> Listing {
        let more = self.found.len() > self.size;
        self.found.truncate(self.size);
        let last = self.last.get(self.size - 1).filter(|_| more);
        Listing { next: last.map(|place| place.cursor(self.of)), found: self.found }
    }
}

impl Index {
    /// Exactly the records that never expire, oldest first claim first.
    pub(in crate::store::cql) async fn unreconciled(
        &self,
        look: &dyn Looks,
        scope: &Scope,
        page: &Page,
    ) -> Result<Listing, Error> {
        let after = Place::read(Of::Unreconciled, page)?;
        let mut reading = Reading::begin(look, &scope.namespace, Of::Unreconciled, page);
        let start = after.unwrap_or_else(|| Place::start_of(i64::MIN));
        let from = Bucket::hour_of(Timestamp(start.time));
        let hours = self.buckets(scope, Kind::Hints).await?;
        for (hour, operations) in hours.range(from..) {
            let mut after = Some(start.clone());
            while let Some(place) = after {
                let round = self.hints(&scope.namespace, *hour, operations, &place).await?;
                let is_open = |place: &Place, (_, stored): &Found| {
                    stored.expires_in.is_none() && stored.record.first_claim_time.0 == place.time
                };
                if reading.take(&round.places, is_open).await? {
                    return Ok(reading.finish());
                }
                after = round.until;
            }
        }
        Ok(reading.finish())
    }

    /// Records whose newest late report is at or after `since`, newest report first.
    pub(in crate::store::cql) async fn late_reports(
        &self,
        look: &dyn Looks,
        scope: &Scope,
        since: Timestamp,
        page: &Page,
    ) -> Result<Listing, Error> {
        let before = Place::read(Of::LateReports, page)?;
        let mut reading = Reading::begin(look, &scope.namespace, Of::LateReports, page);
        let start = before.unwrap_or_else(|| Place::start_of(i64::MAX));
        let days = Bucket::day_of(since)..=Bucket::day_of(Timestamp(start.time));
        let known = self.buckets(scope, Kind::Late).await?;
        let reversed = known.iter().rev().filter(|(day, _)| days.contains(day));
        for (day, operations) in reversed {
            let mut before = Some(start.clone());
            while let Some(place) = before {
                let round = self.late(&scope.namespace, *day, operations, since, &place).await?;
                let places: Vec<_> = round.places.into_iter().map(|Reverse(place)| place).collect();
                let is_newest = |place: &Place, (_, stored): &Found| {
                    stored.record.last_late_report() == Some(Timestamp(place.time))
                };
                if reading.take(&places, is_newest).await? {
                    return Ok(reading.finish());
                }
                before = round.until.map(|Reverse(place)| place);
            }
        }
        Ok(reading.finish())
    }

    /// Whether an operation has an intent without an outcome.
    pub(in crate::store::cql) async fn any_unsettled(
        &self,
        look: &dyn Looks,
        namespace: &str,
        operation: &str,
    ) -> Result<bool, Error> {
        let operations = [operation.to_owned()];
        let scope =
            Scope { namespace: namespace.to_owned(), operation: Some(operation.to_owned()) };
        for hour in self.buckets(&scope, Kind::Hints).await?.into_keys() {
            let mut after = Some(Place::start_of(i64::MIN));
            while let Some(place) = after {
                let round = self.hints(namespace, hour, &operations, &place).await?;
                for places in round.places.chunks(AT_ONCE) {
                    let found = records(look, namespace, places).await?;
                    if found.iter().any(|(_, (_, it))| it.record.settlement().is_none()) {
                        return Ok(true);
                    }
                }
                after = round.until;
            }
        }
        Ok(false)
    }

    /// The next hints of an hour, after a place.
    async fn hints(
        &self,
        namespace: &str,
        hour: Bucket,
        operations: &[String],
        after: &Place,
    ) -> Result<Merged<Place>, Error> {
        let mut pieces = Vec::new();
        for bucket in [hour, hour.carried()] {
            let partitions = operations.iter().flat_map(|operation| {
                (0..SHARDS).map(move |shard| (operation.as_str(), bucket, shard))
            });
            let reads: Vec<_> =
                partitions.map(|partition| self.piece(namespace, partition, hour, after)).collect();
            let read: Vec<_> = stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
            pieces.extend(read);
        }
        Ok(merge(pieces, PIECE))
    }

    async fn piece(
        &self,
        namespace: &str,
        (operation, bucket, shard): (&str, Bucket, i32),
        hour: Bucket,
        after: &Place,
    ) -> Result<Vec<Place>, Error> {
        let times = hour.hour();
        let start = Place::start_of(times.start);
        let (time, key) = after.max(&start).within(operation);
        let partition = (namespace, operation, bucket.0, shard);
        let (namespace, name, bucket, shard) = partition;
        let values = (namespace, name, bucket, shard, time, key, times.end, "", ROWS);
        let rows = self.rows::<(i64, String)>(&self.statements.hints_after, values).await?;
        Ok(places(operation, rows).collect())
    }

    /// The next late reports of a day, before a place.
    async fn late(
        &self,
        namespace: &str,
        day: Bucket,
        operations: &[String],
        since: Timestamp,
        before: &Place,
    ) -> Result<Merged<Reverse<Place>>, Error> {
        let reads: Vec<_> = operations
            .iter()
            .map(|operation| self.late_piece(namespace, operation, day, since, before))
            .collect();
        let pieces = stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
        Ok(merge(pieces, PIECE))
    }

    async fn late_piece(
        &self,
        namespace: &str,
        operation: &str,
        day: Bucket,
        since: Timestamp,
        before: &Place,
    ) -> Result<Vec<Reverse<Place>>, Error> {
        let (time, key) = before.within(operation);
        let values = (namespace, operation, day.0, time, key, since.0, "", ROWS);
        let rows = self.rows::<(i64, String)>(&self.statements.late_before, values).await?;
        Ok(places(operation, rows).map(Reverse).collect())
    }
}

fn places(operation: &str, rows: Vec<(i64, String)>) -> impl Iterator<Item = Place> {
    let operation = operation.to_owned();
    rows.into_iter().map(move |(time, key)| Place { time, operation: operation.clone(), key })
}
