//! A scan shows everything that a move to another store has to carry.

use std::{collections::BTreeSet, time::Duration};

use super::{
    Fault,
    bench::{Bench, holds, same},
    sample::{self, seconds},
};
use crate::{
    intent::IntentId,
    store::{Expiry, Page, Stored, Write},
};

/// Records of a scan that is paged.
const MANY: u32 = 7;
/// Larger than what a case writes.
const WHOLE: usize = 500;

pub(super) async fn a_scan_shows_every_record_that_has_not_expired(
    bench: Bench,
) -> Result<(), Fault> {
    for key in ["open", "over", "settled", "gone", "released"] {
        let intent = bench.intent(key);
        let lease = if key == "over" { bench.length() } else { 3_600 };
        bench.put(&intent, sample::claim(bench.record(&intent), lease)).await?;
    }
    for (key, retention) in [("settled", 86_400), ("gone", bench.length())] {
        let claimed = bench.there(&bench.intent(key)).await?.record;
        bench.put(&bench.intent(key), sample::complete(&claimed, b"", retention)).await?;
    }
    let released = bench.intent("released");
    let claimed = bench.there(&released).await?.record;
    let write = sample::annotate(&claimed, sample::released(&claimed));
    let expiry = Expiry::After(seconds(86_400));
    bench.put(&released, Write { expiry, ..write }).await?;
    bench.pass_until_after(bench.length()).await;
    let own = all(&bench, Some(&bench.namespace), WHOLE).await?;
    same(&keys(&own), &names(&["open", "over", "released", "settled"]), "the scan")?;
    let every = all(&bench, None, WHOLE).await?;
    let of_all: Vec<_> =
        every.into_iter().filter(|(it, _)| it.namespace() == bench.namespace).collect();
    same(&keys(&of_all), &keys(&own), "the scan of every namespace")
}

pub(super) async fn a_scan_shows_records_as_a_look_does(bench: Bench) -> Result<(), Fault> {
    let [held, free, done, empty] = ["held", "free", "done", "empty"].map(|key| bench.intent(key));
    bench.put(&held, sample::claim(bench.record(&held), 3_600)).await?;
    bench.put(&free, sample::create(bench.record(&free))).await?;
    for (intent, result) in [(&done, &[0, 0xFF, b'k'][..]), (&empty, &[])] {
        let claimed = bench.put(intent, sample::claim(bench.record(intent), 3_600)).await?;
        let write = sample::complete(&claimed, result, 86_400);
        let result_expiry = Expiry::After(seconds(43_200));
        bench.put(intent, Write { result_expiry, ..write }).await?;
    }
    let scanned = all(&bench, Some(&bench.namespace), WHOLE).await?;
    same(&scanned.len(), &4, "how many the scan shows")?;
    for (intent, shown) in scanned {
        let looked = bench.there(&intent).await?;
        let key = intent.key();
        same(&shown.record, &looked.record, &format!("the record of {key}"))?;
        same(&shown.result, &looked.result, &format!("the result of {key}"))?;
        same(&shown.lease.is_live(), &looked.lease.is_live(), &format!("the lease of {key}"))?;
        let lives = |it: &Stored| [it.expires_in, it.result_expires_in];
        for (shown, looked) in lives(&shown).into_iter().zip(lives(&looked)) {
            holds(are_near(shown, looked), || format!("a life of {key}: {shown:?}, {looked:?}"))?;
        }
    }
    Ok(())
}

pub(super) async fn scan_pages_miss_and_repeat_nothing(bench: Bench) -> Result<(), Fault> {
    let mut wanted = BTreeSet::new();
    for number in 0..MANY {
        let operation = if number % 3 == 0 { "refund" } else { "charge" };
        let intent = bench.intent_of(operation, &format!("k{number}"));
        bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
        wanted.insert(intent);
    }
    for size in 1..=MANY as usize + 1 {
        let found = all(&bench, Some(&bench.namespace), size).await?;
        let got: BTreeSet<_> = found.iter().map(|(intent, _)| intent.clone()).collect();
        same(&found.len(), &got.len(), &format!("how many the pages of {size} show"))?;
        same(&got, &wanted, &format!("the scan in pages of {size}"))?;
    }
    Ok(())
}

pub(super) async fn a_scan_keeps_to_its_namespace(bench: Bench) -> Result<(), Fault> {
    let elsewhere = sample::intent(&format!("{}-2", bench.namespace), "charge", "k");
    bench.put(&elsewhere, sample::claim(bench.record(&elsewhere), 60)).await?;
    let here = bench.intent("k");
    bench.put(&here, sample::claim(bench.record(&here), 60)).await?;
    let found = all(&bench, Some(&bench.namespace), WHOLE).await?;
    let found: Vec<_> = found.into_iter().map(|(intent, _)| intent).collect();
    same(&found, &vec![here], "the scan")
}

pub(super) async fn a_scan_shows_no_result_that_has_expired(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 3_600)).await?;
    let write = sample::complete(&claimed, b"r", 86_400);
    let result_expiry = Expiry::After(seconds(bench.length()));
    bench.put(&intent, Write { result_expiry, ..write }).await?;
    bench.pass_until_after(bench.length()).await;
    let found = all(&bench, Some(&bench.namespace), WHOLE).await?;
    let results: Vec<_> = found.into_iter().map(|(_, stored)| stored.result).collect();
    same(&results, &vec![None], "the results")
}

/// Both are asked for one after the other, and told in whole seconds by some engines.
fn are_near(one: Option<Duration>, other: Option<Duration>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.abs_diff(other) <= Duration::from_secs(3),
        (None, None) => true,
        _ => false,
    }
}

async fn all(
    bench: &Bench,
    namespace: Option<&str>,
    size: usize,
) -> Result<Vec<(IntentId, Stored)>, Fault> {
    let mut page = Page { cursor: Vec::new(), size };
    let mut found = Vec::new();
    loop {
        let listing = bench.store.scan(namespace, &page).await?;
        holds(listing.found.len() <= size, || format!("a page of {size} is too long"))?;
        found.extend(listing.found);
        match listing.next {
            Some(cursor) => page.cursor = cursor,
            None => return Ok(found),
        }
    }
}

fn keys(found: &[(IntentId, Stored)]) -> Vec<String> {
    let mut keys: Vec<_> = found.iter().map(|(intent, _)| intent.key().to_owned()).collect();
    keys.sort_unstable();
    keys
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
