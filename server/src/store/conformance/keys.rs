//! Two intents are one only if all three names are equal, byte for byte.

use super::{
    Fault,
    bench::{Bench, same},
    sample,
};
use crate::intent::IntentId;

pub(super) async fn keys_are_told_apart_byte_for_byte(bench: Bench) -> Result<(), Fault> {
    let keys = [
        "Key",
        "key",
        "KEY",
        "k1",
        "k1 ",
        " k1",
        "k 1",
        "k01",
        "caf\u{e9}",
        "cafe\u{301}",
        "\u{fb01}",
        "fi",
        "a\u{200b}b",
        "ab",
        "null",
        "0",
        "-0",
        "\u{130}",
        "i",
        "\u{131}",
    ];
    apart(&bench, &keys.map(|key| bench.intent(key))).await
}

pub(super) async fn names_do_not_run_into_each_other(bench: Bench) -> Result<(), Fault> {
    let names = [("a", "b.c"), ("a.b", "c"), ("a", "b:c"), ("ab", "c"), ("a", "bc")];
    apart(&bench, &names.map(|(operation, key)| bench.intent_of(operation, key))).await
}

pub(super) async fn one_key_in_two_operations_and_namespaces_is_three_intents(
    bench: Bench,
) -> Result<(), Fault> {
    let (namespace, other) = (&bench.namespace, format!("{}-2", bench.namespace));
    let intents = [
        sample::intent(namespace, "charge", "order-42"),
        sample::intent(namespace, "refund", "order-42"),
        sample::intent(&other, "charge", "order-42"),
    ];
    apart(&bench, &intents).await
}

pub(super) async fn the_longest_names_are_kept(bench: Bench) -> Result<(), Fault> {
    let long = "\u{1f4b3}".repeat(128);
    let keys = [long.clone(), format!("{}x", &long[..508]), "k".repeat(512), "k".repeat(511)];
    let operation = "o".repeat(128);
    apart(&bench, &keys.map(|key| bench.intent_of(&operation, &key))).await
}

/// Each has a record of its own.
async fn apart(bench: &Bench, intents: &[IntentId]) -> Result<(), Fault> {
    let mut records = Vec::new();
    for intent in intents {
        records.push(bench.put(intent, sample::claim(bench.record(intent), 60)).await?);
    }
    for (intent, record) in intents.iter().zip(&records) {
        same(&bench.there(intent).await?.record, record, &format!("the record of {intent:?}"))?;
    }
    Ok(())
}
