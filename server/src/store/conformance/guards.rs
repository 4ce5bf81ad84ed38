//! A write applies on exactly the record that it was judged on, or not at all.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    Fault,
    bench::{Bench, holds, lost, lost_to_a_row, same},
    sample,
};
use crate::store::Set;

pub(super) async fn a_write_applies_on_the_revision_that_was_judged(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let first = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    let second = bench.put(&intent, sample::annotate(&first, sample::next(&first))).await?;
    same(&bench.there(&intent).await?.record, &second, "the record")
}

pub(super) async fn a_write_on_another_revision_is_lost(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let first = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    let second = bench.put(&intent, sample::annotate(&first, sample::next(&first))).await?;
    let late = sample::annotate(&first, sample::next(&first));
    let row = lost_to_a_row(bench.set(&intent, &late).await?)?;
    same(&row.record, &second, "the row that it was lost to")?;
    same(&bench.there(&intent).await?.record, &second, "the record")
}

pub(super) async fn a_write_on_a_revision_without_a_record_is_lost_to_none(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let never = bench.record(&intent);
    let set = bench.set(&intent, &sample::annotate(&never, sample::next(&never))).await?;
    same(&lost(set)?, &None, "the row that it was lost to")?;
    same(&bench.look(&intent).await?, &None, "the record")
}

pub(super) async fn fifty_writes_on_one_revision_apply_once(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let judged = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    let mut writes = tokio::task::JoinSet::new();
    for turn in 0..50 {
        let store = if turn % 2 == 0 { &bench.store } else { &bench.replica };
        let (store, intent) = (Arc::clone(store), intent.clone());
        let write = sample::annotate(&judged, sample::next(&judged));
        writes.spawn(async move { store.compare_and_set(&intent, &write).await });
    }
    let mut applied = 0;
    while let Some(done) = writes.join_next().await {
        let set = done.map_err(|cause| Fault(cause.to_string()))??;
        applied += u32::from(set == Set::Applied);
    }
    same(&applied, &1, "writes that applied")
}

pub(super) async fn the_same_write_again_loses_to_itself(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let create = sample::claim(bench.record(&intent), 60);
    let record = bench.put(&intent, create.clone()).await?;
    let row = lost_to_a_row(bench.set(&intent, &create).await?)?;
    same(&row.record, &record, "the row that it was lost to")
}

pub(super) async fn a_lost_write_carries_the_row_with_its_result(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    bench.put(&intent, sample::complete(&claimed, b"paid", 3_600)).await?;
    let stands = bench.there(&intent).await?;
    let late = sample::annotate(&claimed, sample::next(&claimed));
    for write in [late, sample::claim(bench.record(&intent), 60)] {
        let row = lost_to_a_row(bench.set(&intent, &write).await?)?;
        same(&row.record, &stands.record, "the row that it was lost to")?;
        same(&row.result, &Some(Bytes::from_static(b"paid")), "its result")?;
        same(&row.lease, &stands.lease, "its lease")?;
        holds(row.expires_in.is_some(), || "its expiry is missing".to_owned())?;
        holds(row.result_expires_in.is_some(), || "its result's expiry is missing".to_owned())?;
    }
    Ok(())
}

pub(super) async fn two_intents_do_not_conflict(bench: Bench) -> Result<(), Fault> {
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (store, intent) = (Arc::clone(&bench.store), bench.intent(&format!("k{number}")));
        let write = sample::claim(bench.record(&intent), 60);
        writes.spawn(async move { store.compare_and_set(&intent, &write).await });
    }
    while let Some(done) = writes.join_next().await {
        let set = done.map_err(|cause| Fault(cause.to_string()))??;
        same(&set, &Set::Applied, "a create of a key of its own")?;
    }
    Ok(())
}
