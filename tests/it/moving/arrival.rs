//! What stood at the source stands at the target.

use std::{collections::BTreeMap, time::Duration};

use onced::{
    intent::IntentId,
    store::{Lease, Stored},
};
use onced_proto::v1::{ClaimRequest, State};
use onced_tests::harness::{Calls, Engine, RulingExt, in_process::START, request::*};

use super::{Files, all, export, freeze, import, move_all, same, seal, server, thaw};
use crate::fixtures;

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn every_state_arrives_and_comes_back_as_it_was() {
    let files = Files::new();
    let source = server(Engine::Embedded, START).await;
    fixtures::write(&source).await;
    let before = all(source.store()).await;
    assert!(before.len() > 12, "{}", before.len());
    let target = server(Engine::chosen(), source.now()).await;
    move_all(&source, &target, &files, "there").await;
    same(&before, &all(target.store()).await);

    let third = server(Engine::Embedded, source.now()).await;
    move_all(&target, &third, &files, "back").await;
    let there = all(target.store()).await;
    if Engine::chosen() == Engine::Embedded {
        same(&there, &all(third.store()).await);
    } else {
        same(&with_leases_over(there), &with_leases_over(all(third.store()).await));
    }
    let again = import(third.address, &files.file("there")).await.ended(0);
    assert_eq!((again.row("written"), again.row("there already")), (0, before.len() as u64));
}

/// Nobody stops a cluster's clock: what was held may be over by now.
fn with_leases_over(mut all: BTreeMap<IntentId, Stored>) -> BTreeMap<IntentId, Stored> {
    for stored in all.values_mut() {
        stored.lease = Lease::Over;
    }
    all
}

/// A claim of a lease that outlasts the move.
async fn held(calls: &Calls, key: &str) -> i64 {
    let long = ClaimRequest { lease: span(Duration::from_secs(240)), ..claim(&charge(key)) };
    calls.claim(long).await.expect("a ruling").granted().fencing_token
}

#[tokio::test]
async fn callers_go_on_at_the_target_where_they_were() {
    let files = Files::new();
    let source = server(Engine::chosen(), START).await;
    let calls = source.calls();
    calls.succeeded(&charge("done"), "ch_1").await;
    let token = held(&calls, "held").await;
    let freed = calls.granted(&charge("freed")).await.fencing_token;
    calls.release(release(&charge("freed"), freed)).await.expect("a release");
    // A clock that is behind the source's.
    let target = server(Engine::chosen(), START.before(HOUR)).await;
    move_all(&source, &target, &files, "out").await;
    thaw(target.address).await;

    let calls = target.calls();
    assert_eq!(calls.duplicate(&charge("done")).await.succeeded().result, Some(text("ch_1")));
    calls.duplicate(&charge("held")).await.in_progress();
    let renewed = calls.renew(renew(&charge("held"), token)).await;
    renewed.expect("a lease that lives");
    let report = complete(&charge("held"), token, succeeded("ch_2"));
    assert!(!calls.complete(report).await.expect("a report that is taken").late);
    let next = calls.granted(&charge("freed")).await;
    assert_eq!(next.attempt, 2);
    assert!(next.fencing_token > freed, "{} after {freed}", next.fencing_token);
}

#[tokio::test]
async fn what_was_reported_between_two_passes_is_carried_by_the_second() {
    let files = Files::new();
    let source = server(Engine::chosen(), START).await;
    let target = server(Engine::chosen(), START).await;
    let calls = source.calls();
    let token = held(&calls, "k").await;
    calls.succeeded(&charge("other"), "x").await;
    freeze(source.address).await;
    seal(target.address).await;
    let first = export(source.address, &files.file("first")).await.ended(0);
    assert!(first.out.contains("not sealed"), "{first:#?}");
    let imported = import(target.address, &files.file("first")).await.ended(0);
    assert!(imported.out.contains("the source was not sealed"), "{imported:#?}");
    assert_eq!(imported.row("written"), 2);

    calls.complete(complete(&charge("k"), token, succeeded("ch_1"))).await.expect("taken");
    seal(source.address).await;
    let report = complete(&charge("k"), token, succeeded("ch_1"));
    let refusal = calls.complete(report).await.expect_err("a refusal");
    assert_eq!(refusal.told("namespace_state"), "sealed");
    export(source.address, &files.file("last")).await.ended(0);
    let last = import(target.address, &files.file("last")).await.ended(0);
    assert_eq!((last.row("replaced by a later version"), last.row("there already")), (1, 1));
    let stale = import(target.address, &files.file("first")).await.ended(0);
    assert_eq!(stale.row("there already"), 2);
    thaw(target.address).await;
    let told = target.calls().duplicate(&charge("k")).await.succeeded();
    assert_eq!(told.result, Some(text("ch_1")));
}

#[tokio::test]
async fn a_record_of_another_history_is_listed_and_stays() {
    let files = Files::new();
    let source = server(Engine::chosen(), START).await;
    let target = server(Engine::chosen(), START.after(HOUR)).await;
    for key in ["both", "alone"] {
        source.calls().succeeded(&charge(key), "source").await;
    }
    target.calls().succeeded(&charge("both"), "target").await;
    seal(source.address).await;
    seal(target.address).await;
    export(source.address, &files.file("out")).await.ended(0);
    let imported = import(target.address, &files.file("out")).await.ended(15);
    assert!(imported.out.starts_with("incomplete"), "{imported:#?}");
    let line = "payments/charge both: another record stands here";
    assert!(imported.out.contains(line), "{imported:#?}");
    assert_eq!(imported.row("written"), 1);
    thaw(target.address).await;
    let calls = target.calls();
    let told = calls.duplicate(&charge("both")).await.succeeded();
    assert_eq!(told.result, Some(text("target")));
}

#[tokio::test]
async fn records_are_taken_only_into_a_sealed_namespace() {
    let files = Files::new();
    let source = server(Engine::chosen(), START).await;
    let target = server(Engine::chosen(), START).await;
    source.calls().succeeded(&charge("k"), "x").await;
    export(source.address, &files.file("out")).await.ended(0);
    freeze(target.address).await;
    let refused = import(target.address, &files.file("out")).await.ended(70);
    assert!(refused.err.contains("sealed"), "{refused:#?}");
    assert!(all(target.store()).await.is_empty());
}

#[tokio::test]
async fn the_memory_of_an_operation_is_carried() {
    let files = Files::new();
    let source = server(Engine::chosen(), START).await;
    held(&source.calls(), "k").await;
    let target = server(Engine::chosen(), START.after(HOUR)).await;
    // It has a memory of its own, which is younger, and is believed for a while.
    target.calls().granted(&charge("own")).await;
    move_all(&source, &target, &files, "out").await;
    let memory = |store: std::sync::Arc<dyn onced::store::Store>| async move {
        let memory = store.memory("payments", "charge").await.expect("an answer");
        memory.expect("a memory")
    };
    let (was, is) = (memory(source.store()).await, memory(target.store()).await);
    assert_eq!((was.start, was.smallest_retention), (is.start, is.smallest_retention));
    assert_eq!((is.restored, is.gap), (false, false));
    thaw(target.address).await;
    // Sent when only the source was there, and never arrived at it: the move forgets nothing.
    let sent = START.after(HOUR / 2).0 / 1_000_000;
    let first_sent_time = Some(prost_types::Timestamp { seconds: sent, nanos: 0 });
    let late = onced_proto::v1::ClaimRequest { first_sent_time, ..claim(&charge("late")) };
    target.calls().claim(late).await.expect("a ruling").granted();
    let shown = target.calls().get(get(&charge("k"))).await.expect("an intent");
    assert_eq!(shown.state(), State::InProgress);
}
