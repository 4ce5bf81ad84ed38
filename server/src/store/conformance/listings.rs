//! Listings name every record that they are about, and no other.

use std::time::Duration;

use super::{
    Fault,
    bench::{Bench, holds, same},
    sample::{self, seconds},
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Record,
    store::{Expiry, Listing, Page, Scope, Write},
};

/// Records of a listing that is paged.
const MANY: u32 = 7;

pub(super) async fn unreconciled_lists_exactly_the_records_that_never_expire(
    bench: Bench,
) -> Result<(), Fault> {
    let [open, over, settled, listed, reopened] =
        ["open", "over", "settled", "listed", "reopened"].map(|key| bench.intent(key));
    for intent in [&open, &settled, &listed, &reopened] {
        bench.put(intent, sample::claim(bench.record(intent), 3_600)).await?;
    }
    bench.put(&over, sample::claim(bench.record(&over), bench.length())).await?;
    for intent in [&settled, &reopened] {
        let claimed = bench.there(intent).await?.record;
        bench.put(intent, sample::complete(&claimed, b"", 86_400)).await?;
    }
    let claimed = bench.there(&listed).await?.record;
    let unreconciled = sample::complete(&claimed, b"", 86_400);
    bench.put(&listed, Write { expiry: Expiry::Never, ..unreconciled }).await?;
    let settled = bench.there(&reopened).await?.record;
    let dispute = sample::annotate(&settled, sample::next(&settled));
    bench.put(&reopened, Write { expiry: Expiry::Never, ..dispute }).await?;
    bench.pass_until_after(bench.length()).await;
    let mut wanted = [open, over, listed, reopened].map(|intent| intent.key().to_owned());
    wanted.sort_unstable();
    let mut got = keys(&all(&bench, bench.scope(Some("charge")), 100).await?);
    got.sort_unstable();
    same(&got, &wanted.to_vec(), "the unreconciled")
}

pub(super) async fn unreconciled_lists_the_oldest_first_claim_first(
    bench: Bench,
) -> Result<(), Fault> {
    for (key, minutes_ago) in [("second", 20), ("third", 10), ("first", 30)] {
        let intent = bench.intent(key);
        let first_claim_time = bench.now().before(Duration::from_secs(60 * minutes_ago));
        let record = Record { first_claim_time, ..bench.record(&intent) };
        bench.put(&intent, sample::claim(record, 60)).await?;
    }
    let got = keys(&all(&bench, bench.scope(Some("charge")), 100).await?);
    same(&got, &strings(&["first", "second", "third"]), "the unreconciled")
}

pub(super) async fn unreconciled_pages_miss_and_repeat_nothing(bench: Bench) -> Result<(), Fault> {
    let mut wanted = Vec::new();
    for number in 0..MANY {
        // Half of them at the same moment.
        let first_claim_time = bench.now().after(Duration::from_micros((number / 2).into()));
        let operation = if number % 3 == 0 { "refund" } else { "charge" };
        let intent = bench.intent_of(operation, &format!("k{number}"));
        let record = Record { first_claim_time, ..bench.record(&intent) };
        bench.put(&intent, sample::claim(record, 60)).await?;
        wanted.push(intent.key().to_owned());
    }
    for size in 1..=MANY as usize + 1 {
        let found = all(&bench, bench.scope(None), size).await?;
        let times: Vec<_> = found.iter().map(|(_, record)| record.first_claim_time).collect();
        holds(times.is_sorted(), || format!("pages of {size} are out of order: {times:?}"))?;
        let mut got = keys(&found);
        got.sort_unstable();
        same(&got, &wanted, &format!("the unreconciled in pages of {size}"))?;
    }
    Ok(())
}

pub(super) async fn unreconciled_keeps_to_its_scope(bench: Bench) -> Result<(), Fault> {
    for operation in ["charge", "charge2", "refund"] {
        let intent = bench.intent_of(operation, operation);
        bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    }
    let of_one = keys(&all(&bench, bench.scope(Some("charge")), 100).await?);
    same(&of_one, &strings(&["charge"]), "the unreconciled of an operation")?;
    let mut of_all = keys(&all(&bench, bench.scope(None), 100).await?);
    of_all.sort_unstable();
    same(&of_all, &strings(&["charge", "charge2", "refund"]), "those of the namespace")?;
    let elsewhere = Scope { namespace: "elsewhere".to_owned(), operation: None };
    let foreign = all(&bench, elsewhere, 100).await?;
    let ours = foreign.iter().any(|(intent, _)| intent.namespace() == bench.namespace);
    holds(!ours, || "another namespace lists ours".to_owned())
}

pub(super) async fn unreconciled_lists_no_results(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let write = sample::complete(&claimed, b"paid", 86_400);
    let record = bench.put(&intent, Write { expiry: Expiry::Never, ..write }).await?;
    let page = Page { cursor: Vec::new(), size: 10 };
    let listing = bench.store.unreconciled(&bench.scope(None), &page).await?;
    let found: Vec<_> =
        listing.found.into_iter().map(|(_, stored)| (stored.record, stored.result)).collect();
    same(&found, &vec![(record, None)], "the listing")
}

pub(super) async fn late_reports_lists_the_newest_report_first(bench: Bench) -> Result<(), Fault> {
    for (key, seconds_ago) in [("second", 200), ("first", 100), ("third", 300)] {
        reported(&bench, &bench.intent(key), seconds_ago).await?;
    }
    // An older report beside the newest one changes nothing.
    let intent = bench.intent("first");
    let record = bench.there(&intent).await?.record;
    let older = sample::with_late_report(&record, ago(&bench, 400), "");
    bench.put(&intent, sample::annotate(&record, older)).await?;
    let unreported = bench.intent("none");
    bench.put(&unreported, sample::claim(bench.record(&unreported), 60)).await?;
    let got = keys(&all_late(&bench, Some("charge"), ago(&bench, 86_400), 100).await?);
    same(&got, &strings(&["first", "second", "third"]), "the late reports")
}

pub(super) async fn late_reports_starts_at_its_time(bench: Bench) -> Result<(), Fault> {
    let since = ago(&bench, 200);
    for (key, time) in [
        ("before", since.before(Duration::from_micros(1))),
        ("at", since),
        ("after", since.after(Duration::from_micros(1))),
    ] {
        reported_at(&bench, &bench.intent(key), time).await?;
    }
    let got = keys(&all_late(&bench, Some("charge"), since, 100).await?);
    same(&got, &strings(&["after", "at"]), "the late reports")
}

pub(super) async fn late_reports_pages_miss_and_repeat_nothing(bench: Bench) -> Result<(), Fault> {
    let (now, mut wanted) = (bench.now(), Vec::new());
    for number in 0..MANY {
        let operation = if number % 3 == 0 { "refund" } else { "charge" };
        let intent = bench.intent_of(operation, &format!("k{number}"));
        let time = now.before(Duration::from_micros((number / 2).into()));
        reported_at(&bench, &intent, time).await?;
        wanted.push(intent.key().to_owned());
    }
    for size in 1..=MANY as usize + 1 {
        let found = all_late(&bench, None, ago(&bench, 3_600), size).await?;
        let times: Vec<_> =
            found.iter().map(|(_, record)| record.last_late_report()).rev().collect();
        holds(times.is_sorted(), || format!("pages of {size} are out of order: {times:?}"))?;
        let mut got = keys(&found);
        got.sort_unstable();
        same(&got, &wanted, &format!("the late reports in pages of {size}"))?;
    }
    Ok(())
}

pub(super) async fn late_reports_keeps_to_its_scope(bench: Bench) -> Result<(), Fault> {
    for operation in ["charge", "refund"] {
        reported(&bench, &bench.intent_of(operation, operation), 100).await?;
    }
    let since = ago(&bench, 3_600);
    let of_one = keys(&all_late(&bench, Some("refund"), since, 100).await?);
    same(&of_one, &strings(&["refund"]), "the late reports of an operation")?;
    let mut of_all = keys(&all_late(&bench, None, since, 100).await?);
    of_all.sort_unstable();
    same(&of_all, &strings(&["charge", "refund"]), "those of the namespace")
}

pub(super) async fn late_reports_drops_what_has_expired(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    reported(&bench, &intent, 1).await?;
    let record = bench.there(&intent).await?.record;
    let retention = Expiry::After(seconds(bench.length()));
    let settle = sample::annotate(&record, sample::succeeded(&record));
    bench.put(&intent, Write { expiry: retention, ..settle }).await?;
    let since = ago(&bench, 3_600);
    same(&all_late(&bench, None, since, 100).await?.len(), &1, "late reports before the expiry")?;
    bench.pass_until_after(bench.length()).await;
    same(&all_late(&bench, None, since, 100).await?.len(), &0, "late reports after the expiry")
}

async fn reported(bench: &Bench, intent: &IntentId, seconds_ago: u64) -> Result<(), Fault> {
    reported_at(bench, intent, ago(bench, seconds_ago)).await
}

async fn reported_at(bench: &Bench, intent: &IntentId, time: Timestamp) -> Result<(), Fault> {
    let claimed = bench.put(intent, sample::claim(bench.record(intent), 60)).await?;
    let reported = sample::with_late_report(&claimed, time, "");
    bench.put(intent, sample::annotate(&claimed, reported)).await?;
    Ok(())
}

fn ago(bench: &Bench, seconds: u64) -> Timestamp {
    bench.now().before(Duration::from_secs(seconds))
}

/// Every page of the unreconciled.
async fn all(bench: &Bench, scope: Scope, size: usize) -> Result<Vec<(IntentId, Record)>, Fault> {
    let mut found = Vec::new();
    let mut page = Page { cursor: Vec::new(), size };
    loop {
        let listing = bench.store.unreconciled(&scope, &page).await?;
        match take(&mut found, listing, size)? {
            Some(cursor) => page.cursor = cursor,
            None => return Ok(found),
        }
    }
}

/// Every page of the late reports.
async fn all_late(
    bench: &Bench,
    operation: Option<&str>,
    since: Timestamp,
    size: usize,
) -> Result<Vec<(IntentId, Record)>, Fault> {
    let mut found = Vec::new();
    let mut page = Page { cursor: Vec::new(), size };
    loop {
        let listing = bench.store.late_reports(&bench.scope(operation), since, &page).await?;
        match take(&mut found, listing, size)? {
            Some(cursor) => page.cursor = cursor,
            None => return Ok(found),
        }
    }
}

/// Takes a page; the cursor of the next one.
fn take(
    found: &mut Vec<(IntentId, Record)>,
    listing: Listing,
    size: usize,
) -> Result<Option<Vec<u8>>, Fault> {
    let length = listing.found.len();
    holds(length <= size, || format!("a page of {size} holds {length}"))?;
    found.extend(listing.found.into_iter().map(|(intent, stored)| (intent, stored.record)));
    holds(found.len() <= 1_000, || "the listing has no end".to_owned())?;
    Ok(listing.next)
}

fn keys(found: &[(IntentId, Record)]) -> Vec<String> {
    found.iter().map(|(intent, _)| intent.key().to_owned()).collect()
}

fn strings(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}
