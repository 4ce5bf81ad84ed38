//! The memory of an operation changes only from the one that was expected.

use std::time::Duration;

use super::{
    Fault,
    bench::{Bench, same},
    sample,
};
use crate::store::{Memory, Remembered};

const OPERATION: &str = "charge";

pub(super) async fn an_operation_has_no_memory_at_first(bench: Bench) -> Result<(), Fault> {
    let memory = bench.store.memory(&bench.namespace, OPERATION).await?;
    same(&memory, &None, "the memory")
}

pub(super) async fn a_first_memory_is_set_once(bench: Bench) -> Result<(), Fault> {
    let (first, second) = (sample::memory(bench.now()), sample::memory(bench.now()));
    let stands = bench.store.set_memory(&bench.namespace, OPERATION, None, &first).await?;
    same(&stands, &first, "the memory that stands")?;
    let stands = bench.replica.set_memory(&bench.namespace, OPERATION, None, &second).await?;
    same(&stands, &first, "the memory that stands after a second first")?;
    stands_as(&bench, &first).await
}

pub(super) async fn a_memory_is_set_on_the_one_that_was_expected(
    bench: Bench,
) -> Result<(), Fault> {
    let first = sample::memory(bench.now());
    bench.store.set_memory(&bench.namespace, OPERATION, None, &first).await?;
    let second = Memory {
        smallest_retention: Duration::from_secs(3_600),
        restored: true,
        gap: true,
        ..sample::memory(bench.now().after(Duration::from_micros(1)))
    };
    let expected = Some(first.revision);
    let stands = bench.store.set_memory(&bench.namespace, OPERATION, expected, &second).await?;
    same(&stands, &second, "the memory that stands")?;
    stands_as(&bench, &second).await
}

pub(super) async fn a_memory_of_another_revision_is_not_replaced(
    bench: Bench,
) -> Result<(), Fault> {
    let first = sample::memory(bench.now());
    bench.store.set_memory(&bench.namespace, OPERATION, None, &first).await?;
    let second = sample::memory(bench.now());
    for expected in [Some(sample::revision()), Some(second.revision)] {
        let stands = bench.store.set_memory(&bench.namespace, OPERATION, expected, &second).await?;
        same(&stands, &first, "the memory that stands")?;
    }
    stands_as(&bench, &first).await
}

pub(super) async fn memories_of_two_operations_are_apart(bench: Bench) -> Result<(), Fault> {
    let first = sample::memory(bench.now());
    bench.store.set_memory(&bench.namespace, OPERATION, None, &first).await?;
    same(&bench.store.memory(&bench.namespace, "refund").await?, &None, "another operation's")?;
    let elsewhere = format!("{}-2", bench.namespace);
    same(&bench.store.memory(&elsewhere, OPERATION).await?, &None, "another namespace's")
}

async fn stands_as(bench: &Bench, wanted: &Memory) -> Result<(), Fault> {
    let stands = bench.store.memory(&bench.namespace, OPERATION).await?;
    same(&stands, &Some(wanted.clone()), "the memory")
}

pub(super) async fn memories_lists_every_operation_of_a_namespace(
    bench: Bench,
) -> Result<(), Fault> {
    let mut wanted = Vec::new();
    for (operation, restored) in [("charge", false), ("refund", true)] {
        let memory = Memory { restored, gap: restored, ..sample::memory(bench.now()) };
        bench.store.set_memory(&bench.namespace, operation, None, &memory).await?;
        let (namespace, operation) = (bench.namespace.clone(), operation.to_owned());
        wanted.push(Remembered { namespace, operation, memory });
    }
    let elsewhere = format!("{}-2", bench.namespace);
    let memory = sample::memory(bench.now());
    bench.store.set_memory(&elsewhere, "charge", None, &memory).await?;
    let mut got = bench.store.memories(Some(&bench.namespace)).await?;
    got.sort_unstable_by(|one, other| one.operation.cmp(&other.operation));
    same(&got, &wanted, "the memories")?;
    let all = bench.store.memories(None).await?;
    let of_all = all.iter().filter(|it| it.namespace.starts_with(&bench.namespace)).count();
    same(&of_all, &3, "how many memories of every namespace are the case's")
}
