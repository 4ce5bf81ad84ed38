//! A record is created once.

use super::{
    Fault,
    bench::{Bench, holds, lost_to_a_row, same},
    sample,
};
use crate::store::{Lease, Set, Store, Stored};

pub(super) async fn a_created_record_is_loaded_as_it_was_written(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    let wanted = Stored {
        record,
        result: None,
        lease: Lease::Over,
        expires_in: None,
        result_expires_in: None,
    };
    same(&bench.there(&intent).await?, &wanted, "the record")
}

pub(super) async fn an_intent_without_a_record_is_none(bench: Bench) -> Result<(), Fault> {
    same(&bench.look(&bench.intent("k")).await?, &None, "no record")
}

pub(super) async fn fifty_creates_at_once_apply_once(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let mut creates = tokio::task::JoinSet::new();
    for turn in 0..50 {
        let store = if turn % 2 == 0 { &bench.store } else { &bench.replica };
        let (store, intent) = (std::sync::Arc::clone(store), intent.clone());
        let write = sample::claim(bench.record(&intent), 60);
        creates.spawn(async move { Store::compare_and_set(&*store, &intent, &write).await });
    }
    let mut applied = 0;
    while let Some(done) = creates.join_next().await {
        let set = done.map_err(|cause| Fault(cause.to_string()))??;
        applied += u32::from(set == Set::Applied);
    }
    same(&applied, &1, "creates that applied")
}

pub(super) async fn a_second_create_loses_to_the_row_that_stands(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let second = sample::claim(bench.record(&intent), 60);
    let row = lost_to_a_row(bench.set(&intent, &second).await?)?;
    same(&row.record, &record, "the row that it was lost to")?;
    holds(row.lease.is_live(), || "the row's lease is live, and is said to be over".to_owned())
}

pub(super) async fn a_lost_create_changes_nothing(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    lost_to_a_row(bench.set(&intent, &sample::claim(bench.record(&intent), 60)).await?)?;
    let stands = bench.there(&intent).await?;
    same(&stands.record, &record, "the record")?;
    same(&stands.lease, &Lease::Over, "its lease")
}

pub(super) async fn a_create_is_refused_on_a_released_record_too(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::create(bench.record(&intent))).await?;
    let released =
        bench.put(&intent, sample::annotate(&claimed, sample::released(&claimed))).await?;
    let row = lost_to_a_row(bench.set(&intent, &sample::claim(bench.record(&intent), 60)).await?)?;
    same(&row.record, &released, "the row that it was lost to")
}
