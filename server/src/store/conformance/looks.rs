//! What was answered is seen.

use std::{sync::Arc, time::Duration};

use super::{
    Fault,
    bench::{Bench, same},
    sample,
};
use crate::store::{Look, Store};

/// Writes that are looked for, one after another.
const TURNS: u32 = 50;

pub(super) async fn a_fresh_look_sees_every_answered_write(bench: Bench) -> Result<(), Fault> {
    let store = Arc::clone(&bench.store);
    fresh_looks_see(&bench, &*store).await
}

pub(super) async fn a_fresh_look_of_the_other_process_sees_every_answered_write(
    bench: Bench,
) -> Result<(), Fault> {
    let replica = Arc::clone(&bench.replica);
    fresh_looks_see(&bench, &*replica).await
}

pub(super) async fn a_recent_look_sees_an_answered_write_in_the_end(
    bench: Bench,
) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    for _ in 0..100 {
        let seen = bench.replica.load(&intent, Look::Recent).await?;
        if seen.map(|stored| stored.record.revision) == Some(record.revision) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err(Fault("recent looks do not see the write".to_owned()))
}

async fn fresh_looks_see(bench: &Bench, looker: &dyn Store) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let mut record = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    for _ in 0..TURNS {
        let seen = looker.load(&intent, Look::Fresh).await?;
        let revision = seen.map(|stored| stored.record.revision);
        same(&revision, &Some(record.revision), "the revision that a fresh look sees")?;
        record = bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    }
    Ok(())
}
