//! A lease is judged on the store's clock, at the moment of the write; the record outlives it.

use std::time::Duration;

use super::{
    Fault,
    bench::{Bench, holds, lost_to_a_row, same},
    sample,
};
use crate::{
    intent::IntentId,
    record::Record,
    store::{Lease, LeaseExpected, LeaseWrite, Write},
};

pub(super) async fn a_lease_lives_for_its_whole_length(bench: Bench) -> Result<(), Fault> {
    let (intent, _) = claimed(&bench).await?;
    is_live(&bench, &intent).await?;
    bench.pass_until_before(bench.length()).await;
    is_live(&bench, &intent).await
}

pub(super) async fn a_lease_ends(bench: Bench) -> Result<(), Fault> {
    let (intent, _) = claimed(&bench).await?;
    // Seen live, and over all the same.
    is_live(&bench, &intent).await?;
    bench.pass_until_after(bench.length()).await;
    is_over(&bench, &intent).await
}

pub(super) async fn a_record_outlives_its_lease(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    bench.pass(2 * bench.length()).await;
    let stands = bench.there(&intent).await?;
    same(&stands.record, &record, "the record")?;
    same(&stands.expires_in, &None, "its expiry")?;
    let second = sample::claim(bench.record(&intent), 60);
    let row = lost_to_a_row(bench.set(&intent, &second).await?)?;
    same(&row.record, &record, "the row that a create is lost to")
}

pub(super) async fn a_record_without_a_lease_is_over(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    is_over(&bench, &intent).await?;
    let renewal = sample::lease(&record, LeaseExpected::Live, bench.length());
    lost_to_a_row(bench.set(&intent, &renewal).await?)?;
    bench.put(&intent, sample::lease(&record, LeaseExpected::Over, bench.length())).await?;
    is_live(&bench, &intent).await
}

pub(super) async fn a_write_for_a_live_lease_is_lost_once_it_is_over(
    bench: Bench,
) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    let renewal = sample::lease(&record, LeaseExpected::Live, bench.length());
    let row = lost_to_a_row(bench.set(&intent, &renewal).await?)?;
    same(&row.record, &record, "the row that it was lost to")?;
    is_over(&bench, &intent).await
}

pub(super) async fn a_write_for_a_lease_that_is_over_is_lost_while_it_lives(
    bench: Bench,
) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    let takeover = sample::lease(&record, LeaseExpected::Over, bench.length());
    let row = lost_to_a_row(bench.set(&intent, &takeover).await?)?;
    same(&row.record, &record, "the row that it was lost to")?;
    holds(row.lease.is_live(), || "the row's lease is live, and is said to be over".to_owned())
}

pub(super) async fn a_write_for_a_lease_that_is_over_applies_once_it_is(
    bench: Bench,
) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    bench.put(&intent, sample::lease(&record, LeaseExpected::Over, bench.length())).await?;
    is_live(&bench, &intent).await
}

pub(super) async fn a_write_for_either_applies_on_both(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    let record = bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    bench.pass_until_after(bench.length()).await;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    is_over(&bench, &intent).await
}

pub(super) async fn a_kept_lease_neither_ends_nor_starts_again(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_before(bench.length()).await;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    is_live(&bench, &intent).await?;
    bench.pass_the_end().await;
    is_over(&bench, &intent).await
}

pub(super) async fn a_kept_lease_that_is_over_stays_over(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    is_over(&bench, &intent).await
}

pub(super) async fn a_cleared_lease_is_over_at_once(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    let clear =
        Write { lease: LeaseWrite::Clear, ..sample::annotate(&record, sample::released(&record)) };
    let released = bench.put(&intent, clear).await?;
    is_over(&bench, &intent).await?;
    bench.put(&intent, sample::lease(&released, LeaseExpected::Over, bench.length())).await?;
    is_live(&bench, &intent).await
}

pub(super) async fn a_lease_starts_again_in_full(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = claimed(&bench).await?;
    bench.pass_until_before(bench.length()).await;
    bench.put(&intent, sample::lease(&record, LeaseExpected::Live, bench.length())).await?;
    bench.pass_until_before(bench.length()).await;
    is_live(&bench, &intent).await?;
    bench.pass_the_end().await;
    is_over(&bench, &intent).await
}

pub(super) async fn a_lease_that_is_started_again_may_be_shorter(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::claim(bench.record(&intent), 3_600)).await?;
    bench.put(&intent, sample::lease(&record, LeaseExpected::Live, bench.length())).await?;
    bench.pass_until_after(bench.length()).await;
    is_over(&bench, &intent).await
}

async fn claimed(bench: &Bench) -> Result<(IntentId, Record), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::claim(bench.record(&intent), bench.length())).await?;
    Ok((intent, record))
}

async fn is_live(bench: &Bench, intent: &IntentId) -> Result<(), Fault> {
    match bench.there(intent).await?.lease {
        Lease::Live { left } => {
            let most = Duration::from_secs((3 * bench.length()).into());
            holds(left > Duration::ZERO && left <= most, || format!("{left:?} is left of it"))
        }
        Lease::Over => Err(Fault("the lease is live, and is said to be over".to_owned())),
    }
}

async fn is_over(bench: &Bench, intent: &IntentId) -> Result<(), Fault> {
    same(&bench.there(intent).await?.lease, &Lease::Over, "the lease")
}
