//! What has expired is none, swept or not; what has not is there.

use super::{
    Fault,
    bench::{Bench, holds, lost, same},
    sample::{self, seconds},
};
use crate::{
    intent::IntentId,
    record::Record,
    store::{Expiry, Lease, LeaseExpected, Stored, Write},
};

pub(super) async fn a_record_is_there_until_its_expiry(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = settled(&bench).await?;
    bench.pass_until_before(bench.length()).await;
    let stands = bench.there(&intent).await?;
    same(&stands.record, &record, "the record")?;
    holds(stands.expires_in.is_some(), || "its expiry is missing".to_owned())
}

pub(super) async fn a_record_is_gone_after_its_expiry(bench: Bench) -> Result<(), Fault> {
    let (intent, _) = settled(&bench).await?;
    // Seen, and gone all the same.
    bench.there(&intent).await?;
    bench.pass_until_after(bench.length()).await;
    same(&bench.look(&intent).await?, &None, "the record")
}

pub(super) async fn a_record_that_never_expires_stays(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let record = bench.put(&intent, sample::claim(bench.record(&intent), bench.length())).await?;
    bench.pass_until_after(bench.length()).await;
    bench.pass(bench.length()).await;
    let stands = bench.there(&intent).await?;
    same(&stands.record, &record, "the record")?;
    same(&stands.expires_in, &None, "its expiry")
}

pub(super) async fn a_kept_expiry_neither_moves_nor_ends(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = settled(&bench).await?;
    bench.pass_until_before(bench.length()).await;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    bench.there(&intent).await?;
    bench.pass_the_end().await;
    same(&bench.look(&intent).await?, &None, "the record")
}

pub(super) async fn an_expiry_can_be_taken_back(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = settled(&bench).await?;
    let dispute = sample::annotate(&record, sample::next(&record));
    bench.put(&intent, Write { expiry: Expiry::Never, ..dispute }).await?;
    bench.pass_until_after(bench.length()).await;
    same(&bench.there(&intent).await?.expires_in, &None, "its expiry")
}

pub(super) async fn an_expiry_counts_from_its_write(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = settled(&bench).await?;
    bench.pass_until_before(bench.length()).await;
    let anew = Expiry::After(seconds(bench.length()));
    let mark = sample::annotate(&record, sample::next(&record));
    bench.put(&intent, Write { expiry: anew, ..mark }).await?;
    bench.pass_until_before(bench.length()).await;
    bench.there(&intent).await?;
    bench.pass_the_end().await;
    same(&bench.look(&intent).await?, &None, "the record")
}

pub(super) async fn an_expired_record_can_be_created_again(bench: Bench) -> Result<(), Fault> {
    let (intent, _) = settled(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    let anew = bench.put(&intent, sample::claim(bench.record(&intent), bench.length())).await?;
    same(&bench.there(&intent).await?.record, &anew, "the record")
}

pub(super) async fn what_replaces_an_expired_record_inherits_nothing(
    bench: Bench,
) -> Result<(), Fault> {
    let (intent, _) = settled(&bench).await?;
    bench.pass_until_after(bench.length()).await;
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

pub(super) async fn a_write_on_an_expired_record_is_lost_to_none(
    bench: Bench,
) -> Result<(), Fault> {
    let (intent, record) = settled(&bench).await?;
    bench.pass_until_after(bench.length()).await;
    let late = sample::annotate(&record, sample::next(&record));
    let revival = sample::lease(&record, LeaseExpected::Any, bench.length());
    for write in [late, revival] {
        let row = lost(bench.set(&intent, &write).await?)?;
        same(&row, &None, "the row that it was lost to")?;
    }
    same(&bench.look(&intent).await?, &None, "the record")
}

/// A record that expires.
async fn settled(bench: &Bench) -> Result<(IntentId, Record), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let record = bench.put(&intent, sample::complete(&claimed, b"paid", bench.length())).await?;
    Ok((intent, record))
}
