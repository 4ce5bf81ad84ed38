use std::{sync::Arc, time::Duration};

use super::*;
use crate::{
    clock::ManualClock,
    store::embedded::{Embedded, Options},
};

const COPIED: Timestamp = Timestamp(1_772_000_000_000_000);
const DAY: Duration = Duration::from_secs(86_400);

fn now() -> Timestamp {
    COPIED.after(DAY)
}

/// A store in which `payments/charge` was used, and a namespace is frozen.
async fn used() -> (Embedded, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let clock = Some(Arc::new(ManualClock::at(now())) as Arc<_>);
    let options = Options { clock, ..Options::at(folder.path()) };
    let store = Embedded::open(&options).unwrap();
    let memory = memory(COPIED.before(DAY * 9));
    store.set_memory("payments", "charge", None, &memory).await.unwrap();
    let frozen = Memory { restored: true, ..super::tests::memory(COPIED) };
    store.set_memory(RESERVED_NAMESPACE, "hold:payments", None, &frozen).await.unwrap();
    (store, folder)
}

fn memory(start: Timestamp) -> Memory {
    Memory {
        revision: Revision(Uuid::new_v4()),
        start,
        smallest_retention: DAY * 45,
        restored: false,
        gap: false,
    }
}

fn judged(operation: &str, revision: Option<Revision>) -> Judged {
    let namespace = if operation.is_empty() { "" } else { "payments" };
    let (namespace, operation) = (namespace.to_owned(), operation.to_owned());
    Judged { namespace, operation, revision, reason: "a/look at 5/7".to_owned() }
}

async fn charge(store: &Embedded) -> Memory {
    store.memory("payments", "charge").await.unwrap().unwrap()
}

#[tokio::test]
async fn a_gap_opens_over_what_was_used_and_over_what_was_not() {
    let (store, _folder) = used().await;
    let opened = open(&store, COPIED, now(), "a snapshot").await.unwrap();
    assert_eq!(opened, Opened { operations: 1, start: now() });
    let charge = charge(&store).await;
    assert_eq!((charge.start, charge.restored, charge.gap), (now(), true, true));
    assert_eq!(charge.smallest_retention, DAY * 45);
    let all = store.memories(None).await.unwrap();
    assert!(is_open(&all, "payments", "charge") && is_open(&all, "shipping", "label"));
    let mark = mark(&store, "shipping").await.unwrap();
    assert_eq!(forgotten_since(mark.as_ref()), COPIED);
}

/// What the server keeps for itself is no operation: an opened freeze would be a seal.
#[tokio::test]
async fn a_gap_leaves_freezes_as_they_are() {
    let (store, _folder) = used().await;
    let before = store.memory(RESERVED_NAMESPACE, "hold:payments").await.unwrap();
    open(&store, COPIED, now(), "a snapshot").await.unwrap();
    assert_eq!(store.memory(RESERVED_NAMESPACE, "hold:payments").await.unwrap(), before);
}

#[tokio::test]
async fn a_gap_that_nobody_closed_goes_on_in_the_next_one() {
    let (store, _folder) = used().await;
    open(&store, COPIED, now(), "a snapshot").await.unwrap();
    open(&store, now(), now().after(DAY), "another one").await.unwrap();
    let mark = mark(&store, "payments").await.unwrap().unwrap();
    assert_eq!((mark.start, forgotten_since(Some(&mark))), (now().after(DAY), COPIED));
    close(&store, &judged("charge", None), now()).await.unwrap();
    close(&store, &judged("", None), now()).await.unwrap();
    let third = now().after(DAY * 3);
    open(&store, third, third.after(DAY), "a third one").await.unwrap();
    let mark = super::mark(&store, "payments").await.unwrap();
    assert_eq!(forgotten_since(mark.as_ref()), third, "the earlier gaps are closed");
}

#[tokio::test]
async fn a_closed_gap_stays_restored_and_its_start_stays() {
    let (store, _folder) = used().await;
    open(&store, COPIED, now(), "a snapshot").await.unwrap();
    let closed = close(&store, &judged("charge", None), now().after(DAY)).await.unwrap();
    assert!(matches!(closed, Closed::Now(_)), "{closed:?}");
    let charge = charge(&store).await;
    assert_eq!((charge.start, charge.restored, charge.gap), (now(), true, false));
    let all = store.memories(None).await.unwrap();
    assert!(is_open(&all, "payments", "payout"), "the others stay open");
    let again = close(&store, &judged("charge", None), now().after(DAY)).await.unwrap();
    assert_eq!(again, Closed::Already(charge));
}

#[tokio::test]
async fn a_gap_is_closed_on_the_memory_that_was_judged_and_on_no_other() {
    let (store, _folder) = used().await;
    open(&store, COPIED, now(), "a snapshot").await.unwrap();
    let seen = charge(&store).await;
    open(&store, COPIED, now().after(DAY), "another one").await.unwrap();
    let stands = charge(&store).await;
    let told = close(&store, &judged("charge", Some(seen.revision)), now()).await.unwrap();
    assert_eq!(told, Closed::Moved(stands.clone()));
    assert!(charge(&store).await.gap);
    let told = close(&store, &judged("charge", Some(stands.revision)), now()).await.unwrap();
    assert!(matches!(told, Closed::Now(_)), "{told:?}");
}

#[tokio::test]
async fn an_operation_that_was_not_used_is_accepted_by_itself_or_with_all_others() {
    let (store, _folder) = used().await;
    assert_eq!(close(&store, &judged("payout", None), now()).await.unwrap(), Closed::Unknown);
    assert_eq!(close(&store, &judged("", None), now()).await.unwrap(), Closed::Unknown);
    open(&store, COPIED, now(), "a snapshot").await.unwrap();
    close(&store, &judged("payout", None), now()).await.unwrap();
    let all = store.memories(None).await.unwrap();
    assert!(!is_open(&all, "payments", "payout") && is_open(&all, "payments", "points"));
    close(&store, &judged("", None), now()).await.unwrap();
    let all = store.memories(None).await.unwrap();
    assert!(!is_open(&all, "payments", "points") && is_open(&all, "payments", "charge"));
}

#[tokio::test]
async fn who_opened_and_closed_it_and_why_is_kept() {
    let (store, _folder) = used().await;
    open(&store, COPIED, now(), "a/snapshot: of 2/3").await.unwrap();
    close(&store, &judged("charge", None), now().after(DAY)).await.unwrap();
    close(&store, &judged("charge", None), now().after(DAY * 2)).await.unwrap();
    let all = store.memories(None).await.unwrap();
    let mut kept: Vec<Entry> = all.iter().filter_map(entry).collect();
    kept.sort_by_key(|entry| entry.time);
    let entry = |time, done: &str, namespace: &str, operation: &str, reason: &str| Entry {
        time,
        done: done.to_owned(),
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
        reason: reason.to_owned(),
    };
    let opened = entry(now(), "opened", "", "", "a/snapshot: of 2/3");
    let closed = entry(now().after(DAY), "closed", "payments", "charge", "a/look at 5/7");
    assert_eq!(kept, [opened, closed]);
}

#[test]
fn of_two_marks_all_that_either_forgot_is_forgotten() {
    let mark = |since: Timestamp, start: Timestamp, gap| Memory {
        smallest_retention: start.since(since),
        gap,
        ..memory(start)
    };
    let one = mark(COPIED, COPIED.after(DAY), true);
    let other = mark(COPIED.after(DAY * 2), COPIED.after(DAY * 3), false);
    for joined in [joined_marks(&one, &other), joined_marks(&other, &one)] {
        assert_eq!((joined.start, joined.gap), (COPIED.after(DAY * 3), true));
        assert_eq!(forgotten_since(Some(&joined)), COPIED);
    }
    assert_eq!(forgotten_since(None), Timestamp::default());
}
