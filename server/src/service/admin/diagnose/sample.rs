//! What records show of each other: the same payload under several keys, soon after one another.
//!
//! A retry under a new key carries the payload of the attempt before. So does what is rightly asked
//! for twice; what sets them apart is when it comes, and after what. Counts only.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use onced_proto::admin::v1;

use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::{AttemptEnd, Standing},
    ruling::standing,
    store::Stored,
};

/// A payload that more keys than this have says nothing about which intent is meant.
const SHARED_MAX: usize = 5;
/// A retry comes within this.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(3_600);
/// Two that are this close are near each other, if few others lie between.
const NEAR: Duration = Duration::from_secs(900);
/// Of the sample, the part that may lie between.
const NEAR_PART: usize = 10;

/// The samples of all operations.
#[derive(Default)]
pub(super) struct Samples {
    hasher: RandomState,
    operations: BTreeMap<(String, String), Vec<Glimpse>>,
    /// Namespaces of which every record was read.
    whole: BTreeSet<String>,
}

/// What is kept of a record.
#[derive(Clone, Copy, Debug)]
struct Glimpse {
    /// Of its payload's hash.
    payload: Option<u64>,
    begun: Timestamp,
    /// When its last attempt was over; absent while it runs.
    over: Option<Timestamp>,
    end: End,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// An attempt of it ended without a word.
    Unresolved,
    /// It succeeded, and every attempt of it was told of.
    Succeeded,
    Other,
}

impl Samples {
    /// Takes a record in.
    pub(super) fn add(&mut self, intent: &IntentId, stored: &Stored) {
        if stored.record.is_spent_only() {
            return;
        }
        let payload = stored.record.payload_hash.as_ref();
        let payload = payload.map(|payload| self.hasher.hash_one(payload));
        let names = (intent.namespace().to_owned(), intent.operation().to_owned());
        self.operations.entry(names).or_default().push(Glimpse::of(stored, payload));
    }

    /// That was all of a namespace.
    pub(super) fn end(&mut self, namespace: &str) {
        self.whole.insert(namespace.to_owned());
    }

    /// What those of an operation show.
    pub(super) fn told(&mut self, namespace: &str, operation: &str) -> v1::RecordSample {
        let names = (namespace.to_owned(), operation.to_owned());
        let complete = self.whole.contains(namespace);
        let mut glimpses = self.operations.remove(&names).unwrap_or_default();
        glimpses.sort_by_key(|glimpse| glimpse.begun);
        let mut told = v1::RecordSample {
            records_count: number(glimpses.len()),
            complete,
            unresolved_count: number(ended(&glimpses, End::Unresolved)),
            succeeded_count: number(ended(&glimpses, End::Succeeded)),
            ..v1::RecordSample::default()
        };
        let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, glimpse) in glimpses.iter().enumerate() {
            if let Some(payload) = glimpse.payload {
                groups.entry(payload).or_default().push(place);
            }
        }
        told.payloads_count = number(groups.len());
        for places in groups.values() {
            compare(&glimpses, places, &mut told);
        }
        told
    }
}

/// Counts the pairs of those that have one payload.
fn compare(glimpses: &[Glimpse], places: &[usize], told: &mut v1::RecordSample) {
    let is_telling = (2..=SHARED_MAX).contains(&places.len());
    if is_telling {
        told.shared_count += number(places.len());
    }
    for pair in places.windows(2) {
        let [first, second] = [glimpses[pair[0]], glimpses[pair[1]]];
        let gap = second.begun.since(first.begun);
        if gap <= FOLLOWS_WITHIN {
            told.unresolved_followed_count += i64::from(first.end == End::Unresolved);
            told.succeeded_followed_count += i64::from(first.end == End::Succeeded);
        }
        let few_between = (pair[1] - pair[0]) * NEAR_PART <= glimpses.len();
        let is_after = first.over.is_some_and(|over| over <= second.begun);
        told.pairs_count += i64::from(is_telling);
        told.near_pairs_count += i64::from(is_telling && gap <= NEAR && few_between && is_after);
    }
}

impl Glimpse {
    fn of(stored: &Stored, payload: Option<u64>) -> Self {
        let record = &stored.record;
        let ended = record.grants.iter().any(|grant| grant.end == AttemptEnd::Unresolved);
        let (is_over, end) = match standing(stored) {
            Standing::Live => (false, End::Other),
            Standing::Over | Standing::Unknown => (true, End::Unresolved),
            Standing::Succeeded if !ended => (true, End::Succeeded),
            Standing::Succeeded | Standing::Failed | Standing::Released if ended => {
                (true, End::Unresolved)
            }
            Standing::Succeeded | Standing::Failed | Standing::Released => (true, End::Other),
        };
        let told = record.current().and_then(|grant| grant.end_time);
        let over = is_over.then_some(told.unwrap_or(record.lease_end));
        Self { payload, begun: record.first_claim_time, over, end }
    }
}

fn ended(glimpses: &[Glimpse], end: End) -> usize {
    glimpses.iter().filter(|glimpse| glimpse.end == end).count()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
