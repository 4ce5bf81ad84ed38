//! A result is kept byte for byte, apart from its record.

use bytes::Bytes;

use super::{
    Fault,
    bench::{Bench, holds, same},
    sample::{self, seconds},
};
use crate::{
    intent::IntentId,
    record::Record,
    store::{Expiry, LeaseExpected, ResultWrite, Write},
};

/// Longer than any case.
const LONG: u32 = 86_400;

pub(super) async fn a_result_is_kept_byte_for_byte(bench: Bench) -> Result<(), Fault> {
    let every_byte: Vec<u8> = (0..=255).collect();
    let (intent, _) = completed(&bench, &every_byte, LONG).await?;
    result_is(&bench, &intent, Some(&every_byte)).await
}

pub(super) async fn empty_and_one_zero_byte_and_none_are_told_apart(
    bench: Bench,
) -> Result<(), Fault> {
    for (key, given) in [("empty", Some(&b""[..])), ("zero", Some(&b"\0"[..])), ("none", None)] {
        let intent = bench.intent(key);
        let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
        let write = sample::complete(&claimed, given.unwrap_or_default(), LONG);
        let result = given.map_or(ResultWrite::Clear, |_| write.result.clone());
        bench.put(&intent, Write { result, ..write }).await?;
        result_is(&bench, &intent, given).await?;
    }
    Ok(())
}

pub(super) async fn a_kept_result_stays(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", LONG).await?;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    result_is(&bench, &intent, Some(b"paid")).await
}

pub(super) async fn a_cleared_result_is_gone(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", LONG).await?;
    let erase =
        Write { result: ResultWrite::Clear, ..sample::annotate(&record, sample::next(&record)) };
    bench.put(&intent, erase).await?;
    result_is(&bench, &intent, None).await
}

pub(super) async fn a_set_result_replaces_the_one_before(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", LONG).await?;
    bench.put(&intent, sample::complete(&record, b"paid twice", LONG)).await?;
    result_is(&bench, &intent, Some(b"paid twice")).await
}

pub(super) async fn a_large_result_is_kept(bench: Bench) -> Result<(), Fault> {
    let large: Vec<u8> = (0..1_u32 << 18).flat_map(u32::to_le_bytes).collect();
    let (intent, record) = completed(&bench, &large, LONG).await?;
    result_is(&bench, &intent, Some(&large)).await?;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    result_is(&bench, &intent, Some(&large)).await
}

pub(super) async fn a_result_expires_apart_from_its_record(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", bench.length()).await?;
    bench.pass_until_before(bench.length()).await;
    result_is(&bench, &intent, Some(b"paid")).await?;
    bench.pass_the_end().await;
    result_is(&bench, &intent, None).await?;
    let stands = bench.there(&intent).await?;
    same(&stands.record, &record, "the record without its result")?;
    same(&stands.result_expires_in, &None, "the expiry of a result that is gone")
}

pub(super) async fn a_kept_result_keeps_its_expiry(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", bench.length()).await?;
    bench.pass_until_before(bench.length()).await;
    bench.put(&intent, sample::annotate(&record, sample::next(&record))).await?;
    result_is(&bench, &intent, Some(b"paid")).await?;
    bench.pass_the_end().await;
    result_is(&bench, &intent, None).await
}

pub(super) async fn an_expired_result_does_not_come_back(bench: Bench) -> Result<(), Fault> {
    let (intent, record) = completed(&bench, b"paid", bench.length()).await?;
    bench.pass_until_after(bench.length()).await;
    let mark = Write {
        result_expiry: Expiry::After(seconds(LONG)),
        ..sample::annotate(&record, sample::next(&record))
    };
    bench.put(&intent, mark).await?;
    result_is(&bench, &intent, None).await
}

pub(super) async fn a_result_that_never_expires_stays(bench: Bench) -> Result<(), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let write = Write {
        expiry: Expiry::Never,
        result_expiry: Expiry::Never,
        ..sample::complete(&claimed, b"paid", LONG)
    };
    bench.put(&intent, write).await?;
    bench.pass_until_after(bench.length()).await;
    result_is(&bench, &intent, Some(b"paid")).await?;
    same(&bench.there(&intent).await?.result_expires_in, &None, "the result's expiry")
}

/// A record that succeeded with this result, which is kept for so long; the record much longer.
async fn completed(
    bench: &Bench,
    result: &[u8],
    result_retention: u32,
) -> Result<(IntentId, Record), Fault> {
    let intent = bench.intent("k");
    let claimed = bench.put(&intent, sample::claim(bench.record(&intent), 60)).await?;
    let write = Write {
        expected: sample::on(&claimed, LeaseExpected::Live),
        result_expiry: Expiry::After(seconds(result_retention)),
        ..sample::complete(&claimed, result, LONG)
    };
    let record = bench.put(&intent, write).await?;
    Ok((intent, record))
}

async fn result_is(bench: &Bench, intent: &IntentId, wanted: Option<&[u8]>) -> Result<(), Fault> {
    let got = bench.there(intent).await?.result;
    let length = |result: Option<&[u8]>| result.map(<[u8]>::len);
    holds(got == wanted.map(Bytes::copy_from_slice), || {
        let (got, wanted) = (length(got.as_deref()), length(wanted));
        format!("the result, by its length: got {got:?}, wanted {wanted:?}")
    })
}
