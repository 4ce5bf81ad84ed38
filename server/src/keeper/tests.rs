//! The loop, over a store of one row that fails on purpose.

mod replicas;
mod reports;
mod shelf;
mod stampede;
mod trouble;
mod waiting;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::shelf::{Fault, Shelf, Temper};
use super::{Answered, Ask, Error, Keeper};
use crate::{
    clock::{ManualClock, Timestamp},
    intent::IntentId,
    payload::{Payload, PayloadHash},
    policy::Policy,
    record::{Claimant, EffectClass, FencingToken, NotAppliedReason},
    ruling::{
        Claim, Complete, Granted, Refusal, Release, ReleasedGrant, Renew, Reported, ReportedResult,
        ReportedSuccess, Request, Verdict,
    },
    store,
};

struct Scene {
    shelf: Arc<Shelf>,
    clock: Arc<ManualClock>,
    keeper: Keeper,
}

impl Scene {
    fn new(faults: impl IntoIterator<Item = Fault>) -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp(1_764_000_000_000_000)));
        let shelf = Arc::new(Shelf::new(Arc::clone(&clock), faults));
        let keeper =
            Keeper::new(Arc::clone(&shelf) as Arc<dyn store::Store>, Arc::clone(&clock) as _);
        Self { shelf, clock, keeper }
    }

    /// Another process over the same row.
    fn other_keeper(&self) -> Keeper {
        Keeper::new(Arc::clone(&self.shelf) as Arc<dyn store::Store>, Arc::clone(&self.clock) as _)
    }

    async fn ask(&self, request: Request) -> Result<Answered, Error> {
        self.keeper.ask(ask(request)).await
    }

    async fn granted(&self, claimant: Claimant) -> Granted {
        match self.ask(claim(claimant)).await.unwrap().verdict {
            Verdict::Granted(granted) => granted,
            other => panic!("not granted: {other:?}"),
        }
    }
}

fn ask(request: Request) -> Ask {
    let now = Instant::now();
    Ask {
        intent: IntentId::new("intent", "payments", "charge", "charge:v1:order-42").unwrap(),
        request,
        policy: Some(Arc::new(Policy::of_class(EffectClass::Keyed))),
        received: now,
        deadline: now + Duration::from_secs(10),
        likely_duplicate: false,
        fresh: false,
        room: None,
    }
}

/// Waits with nobody to stop it.
async fn wait(keeper: &Keeper, ask: Ask, until: Instant) -> Result<Answered, Error> {
    keeper.ask_waiting(ask, until, &CancellationToken::new()).await
}

fn somebody() -> Claimant {
    Claimant(Uuid::new_v4())
}

fn payload() -> Payload {
    Payload::from_hash(PayloadHash { scheme: "sha256".to_owned(), digest: "00".repeat(32) })
}

fn claim(claimant: Claimant) -> Request {
    Request::Claim(Claim {
        claimant,
        holder: "test".to_owned(),
        payload: payload(),
        lease: Some(Duration::from_secs(30)),
        first_sent_time: None,
        amount: None,
        labels: std::collections::BTreeMap::new(),
        traceparent: None,
    })
}

fn success(token: FencingToken) -> Request {
    Request::Complete(Complete {
        token,
        outcome: Reported::Succeeded(ReportedSuccess {
            result: ReportedResult::NoneGiven,
            amount: None,
            provider_reference: "ch_1".to_owned(),
        }),
        payload: None,
    })
}

/// A record as a grant leaves it.
pub(super) fn a_grant() -> store::Stored {
    let clock = Arc::new(ManualClock::at(Timestamp(1_764_000_000_000_000)));
    let shelf = Shelf::new(clock, []);
    shelf.put_foreign_grant();
    shelf.row().unwrap()
}

fn renew(token: FencingToken) -> Request {
    Request::Renew(Renew { token, lease: Some(Duration::from_secs(60)) })
}

fn release(token: FencingToken) -> Request {
    Request::Release(Release {
        grant: ReleasedGrant::Token(token),
        reason: NotAppliedReason::NotStarted,
    })
}

#[tokio::test(start_paused = true)]
async fn a_fresh_claim_is_one_conditional_write_and_no_look() {
    let scene = Scene::new([]);
    let granted = scene.granted(somebody()).await;
    assert_eq!((granted.attempt, granted.repeated), (1, false));
    assert_eq!((scene.shelf.sets(), scene.shelf.loads()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_lost_claim_needs_no_look_either() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    let verdict = scene.ask(claim(somebody())).await.unwrap().verdict;
    assert_eq!(verdict, Verdict::InProgress { own_token: None });
    assert_eq!((scene.shelf.sets(), scene.shelf.loads()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn complete_by_the_process_that_granted_is_one_write_and_no_look() {
    let scene = Scene::new([]);
    let granted = scene.granted(somebody()).await;
    let verdict = scene.ask(success(granted.token)).await.unwrap().verdict;
    assert_eq!(verdict, Verdict::Reported { repeated: false, late: false });
    assert_eq!((scene.shelf.sets(), scene.shelf.loads()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_settled_duplicate_is_answered_from_memory_for_a_minute() {
    let scene = Scene::new([]);
    let granted = scene.granted(somebody()).await;
    scene.ask(success(granted.token)).await.unwrap();
    let calls = (scene.shelf.sets(), scene.shelf.loads());
    for _ in 0..100 {
        assert_eq!(scene.ask(claim(somebody())).await.unwrap().verdict, Verdict::Completed);
    }
    assert_eq!((scene.shelf.sets(), scene.shelf.loads()), calls);
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(scene.ask(claim(somebody())).await.unwrap().verdict, Verdict::Completed);
    assert_ne!((scene.shelf.sets(), scene.shelf.loads()), calls);
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_write_that_was_applied_is_the_callers_own() {
    let scene = Scene::new([Fault::UncertainApplied]);
    let granted = scene.granted(somebody()).await;
    assert_eq!((granted.attempt, granted.repeated), (1, false));
    assert_eq!(scene.shelf.row().unwrap().record.grants.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_write_that_was_not_applied_is_issued_again_with_the_same_bytes() {
    let scene = Scene::new([Fault::UncertainLost, Fault::UncertainLost]);
    scene.granted(somebody()).await;
    let writes = scene.shelf.writes();
    assert_eq!(writes.len(), 3);
    assert!(writes.windows(2).all(|pair| pair[0] == pair[1]), "the bytes differ");
}

#[tokio::test(start_paused = true)]
async fn unavailable_does_not_undo_uncertain() {
    let scene = Scene::new([Fault::UncertainApplied, Fault::Unavailable, Fault::Contended]);
    assert_eq!(scene.granted(somebody()).await.attempt, 1);
}

#[tokio::test(start_paused = true)]
async fn unavailable_alone_is_told_and_nothing_happened() {
    let scene = Scene::new([Fault::Unavailable]);
    let error = scene.ask(claim(somebody())).await.unwrap_err();
    assert!(matches!(error, Error::Store(store::Error::Unavailable(_))), "{error:?}");
    assert_eq!(scene.shelf.row(), None);
}

#[tokio::test(start_paused = true)]
async fn never_definite_is_uncertain_at_the_deadline_and_the_same_claimant_may_ask_again() {
    let scene = Scene::new(
        std::iter::once(Fault::UncertainApplied)
            .chain(std::iter::repeat_n(Fault::UncertainLost, 100)),
    );
    let claimant = somebody();
    let error = scene.ask(claim(claimant)).await.unwrap_err();
    assert!(matches!(error, Error::Store(store::Error::Uncertain(_))), "{error:?}");
    tokio::time::sleep(Duration::from_secs(60)).await;
    scene.shelf.heal();
    let granted = scene.granted(claimant).await;
    assert_eq!((granted.attempt, granted.repeated), (1, true));
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_claim_whose_lease_is_over_is_unknown_with_its_own_token() {
    let scene = Scene::new([Fault::UncertainApplied]);
    scene.shelf.end_lease_after_next_write();
    let verdict = scene.ask(claim(somebody())).await.unwrap().verdict;
    let Verdict::Unknown(unknown) = verdict else { panic!("not unknown: {verdict:?}") };
    assert_eq!(unknown.own_token, scene.shelf.row().unwrap().record.token());
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_took_longer_than_its_lease_is_not_answered_as_one() {
    let scene = Scene::new([Fault::Slow(Duration::from_secs(31))]);
    let mut slow = ask(claim(somebody()));
    slow.deadline += Duration::from_secs(60);
    let verdict = scene.keeper.ask(slow).await.unwrap().verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_was_written_and_cannot_be_looked_at_is_uncertain() {
    let scene = Scene::new([Fault::Slow(Duration::from_secs(31))]);
    scene.shelf.is_now(Temper { blind: true, ..Temper::default() });
    let claimant = somebody();
    let mut slow = ask(claim(claimant));
    slow.deadline += Duration::from_secs(60);
    let error = scene.keeper.ask(slow).await.unwrap_err();
    assert!(matches!(error, Error::Store(store::Error::Uncertain(_))), "{error:?}");
    scene.shelf.is_now(Temper::default());
    let verdict = scene.ask(claim(claimant)).await.unwrap().verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_was_in_doubt_for_half_its_lease_is_still_told_for_the_first_time() {
    let silence = std::iter::repeat_n(Fault::Unavailable, 1_000);
    let scene = Scene::new(std::iter::once(Fault::UncertainApplied).chain(silence));
    let mut slow = ask(claim(somebody()));
    slow.deadline += Duration::from_secs(60);
    let again = slow.clone();
    let keeper = scene.keeper.clone();
    let held_up = tokio::spawn(async move { keeper.ask(slow).await });
    let half = Duration::from_secs(16);
    tokio::time::sleep(half).await;
    scene.clock.advance(half);
    scene.shelf.heal();
    let verdict = held_up.await.unwrap().unwrap().verdict;
    let Verdict::Granted(granted) = verdict else { panic!("not granted: {verdict:?}") };
    assert_eq!((granted.repeated, granted.lease), (false, Duration::from_secs(14)));
    let Verdict::Granted(granted) = scene.keeper.ask(again).await.unwrap().verdict else {
        panic!("not granted again")
    };
    assert!(granted.repeated);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_was_held_up_promises_no_more_than_the_lease_that_is_left() {
    let lag = Duration::from_secs(5);
    for slow in [Fault::Slow(lag), Fault::UncertainApplied] {
        let scene = Scene::new([Fault::None, slow, Fault::Slow(lag)]);
        let claimant = somebody();
        scene.granted(claimant).await;
        let answered = scene.ask(claim(claimant)).await.unwrap();
        let Verdict::Granted(again) = answered.verdict else { panic!("not granted") };
        assert!(again.repeated);
        assert!(answered.waited + again.lease <= Duration::from_secs(30), "{slow:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_grant_that_was_held_up_promises_no_more_than_its_lease() {
    let scene = Scene::new([Fault::UncertainApplied, Fault::Slow(Duration::from_secs(5))]);
    let answered = scene.ask(claim(somebody())).await.unwrap();
    let Verdict::Granted(granted) = answered.verdict else { panic!("not granted") };
    assert!(answered.waited + granted.lease <= Duration::from_secs(30), "{:?}", answered.waited);
}

#[tokio::test(start_paused = true)]
async fn a_repeat_that_took_longer_than_what_was_left_is_not_answered_as_a_grant() {
    let scene = Scene::new([Fault::None, Fault::Slow(Duration::from_secs(31))]);
    let claimant = somebody();
    scene.granted(claimant).await;
    let mut slow = ask(claim(claimant));
    slow.deadline += Duration::from_secs(60);
    let verdict = scene.keeper.ask(slow).await.unwrap().verdict;
    assert!(!matches!(verdict, Verdict::Granted(_)), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_granted_past_the_callers_deadline() {
    let scene = Scene::new([]);
    let mut late = ask(claim(somebody()));
    late.deadline = late.received;
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(scene.keeper.ask(late).await.unwrap_err(), Error::Deadline);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(scene.shelf.row(), None);
}

#[tokio::test(start_paused = true)]
async fn what_was_begun_is_ended_though_the_caller_is_gone() {
    let scene = Scene::new([Fault::Slow(Duration::from_secs(5))]);
    let keeper = scene.keeper.clone();
    let call = tokio::spawn(async move { keeper.ask(ask(claim(somebody()))).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    call.abort();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(scene.shelf.row().unwrap().record.attempt(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_refusal_rests_on_a_cached_record() {
    let scene = Scene::new([]);
    let granted = scene.granted(somebody()).await;
    let elsewhere = scene.other_keeper();
    elsewhere.ask(ask(success(granted.token))).await.unwrap();
    let other_outcome = Request::Complete(Complete {
        token: granted.token,
        outcome: Reported::Unknown,
        payload: None,
    });
    let verdict = scene.ask(other_outcome).await.unwrap().verdict;
    assert!(matches!(verdict, Verdict::Reported { .. }), "{verdict:?}");
    assert!(scene.shelf.row().unwrap().record.settlement().is_some(), "the success is gone");
    let verdict = scene.ask(renew(granted.token)).await.unwrap().verdict;
    assert!(matches!(verdict, Verdict::Refused(Refusal::LeaseLost { .. })), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_everybody_writes_is_contended_in_the_end() {
    let scene = Scene::new(std::iter::repeat_n(Fault::Overtaken, 100));
    let token = scene.shelf.put_foreign_grant();
    let error = scene.ask(success(token)).await.unwrap_err();
    assert_eq!(error, Error::Store(store::Error::Contended));
}
