//! A write of which nobody knows whether it was applied, for every call that writes.

use super::*;
use crate::{clock::Clock, ruling::Reclaim, status::Denial};

/// One call, and how often is written before it.
struct Told {
    before: usize,
    request: fn(&Granted) -> Request,
    released: bool,
}

const CALLS: [Told; 5] = [
    Told { before: 0, request: |_| claim(Claimant(Uuid::from_u128(7))), released: false },
    Told { before: 1, request: |granted| success(granted.token), released: false },
    Told { before: 1, request: |granted| renew(granted.token), released: false },
    Told { before: 1, request: |granted| release(granted.token), released: false },
    Told { before: 2, request: |_| reclaim(Claimant(Uuid::from_u128(7))), released: true },
];

pub(super) fn reclaim(claimant: Claimant) -> Request {
    Request::Reclaim(Reclaim {
        claimant,
        holder: "test".to_owned(),
        payload: payload(),
        etag: None,
        evidence: None,
        lease: Some(Duration::from_secs(30)),
        reason: String::new(),
        principal: "test".to_owned(),
        traceparent: None,
    })
}

impl Told {
    /// The call, once all before it is done, on a store that fails so from then on.
    async fn asked(&self, faults: impl IntoIterator<Item = Fault>) -> (Scene, Ask) {
        let before = std::iter::repeat_n(Fault::None, self.before);
        let scene = Scene::new(before.chain(faults));
        let nobody = Granted {
            attempt: 0,
            token: FencingToken(0),
            provider_key: String::new(),
            lease: Duration::ZERO,
            repeated: false,
            reclaimed: false,
            lease_shortened: false,
            provider_key_expire_time: None,
            effect_timeout: Duration::ZERO,
        };
        let granted = if self.before > 0 { scene.granted(somebody()).await } else { nobody };
        if self.released {
            scene.ask(release(granted.token)).await.unwrap();
        }
        (scene, ask((self.request)(&granted)))
    }
}

#[tokio::test(start_paused = true)]
async fn uncertain_and_then_never_an_answer_is_uncertain_at_the_deadline() {
    for told in &CALLS {
        for doubt in [Fault::UncertainLost, Fault::UncertainApplied] {
            let silence = std::iter::repeat_n(Fault::Unavailable, 10_000);
            let (scene, ask) = told.asked(std::iter::once(doubt).chain(silence)).await;
            let (deadline, intent) = (ask.deadline, ask.intent.clone());
            let error = scene.keeper.ask(ask).await.unwrap_err();
            assert!(matches!(error, Error::Store(store::Error::Uncertain(_))), "{error:?}");
            assert_eq!(Denial::Failed { error, intent }.reason(), "STORE_UNCERTAIN");
            assert!(Instant::now() <= deadline, "the answer is no use any more");
            assert!(deadline - Instant::now() < Duration::from_millis(100), "gave up early");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_uncertain_is_sent_again_beyond_the_deadline_and_not_for_ever() {
    let silence = std::iter::repeat_n(Fault::Unavailable, 10_000);
    for told in &CALLS {
        let (scene, ask) =
            told.asked(std::iter::once(Fault::UncertainLost).chain(silence.clone())).await;
        scene.keeper.ask(ask).await.unwrap_err();
        let at_deadline = scene.shelf.sets();
        tokio::time::sleep(super::super::AFTERCARE).await;
        let at_end = scene.shelf.sets();
        assert!(at_end > at_deadline + 5, "{at_deadline} writes, then {at_end}");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(scene.shelf.sets(), at_end, "it never ends");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_uncertain_is_brought_to_its_end_after_the_deadline() {
    for told in &CALLS {
        let silence = std::iter::repeat_n(Fault::UncertainLost, 10_000);
        let (scene, ask) = told.asked(silence).await;
        let before = scene.shelf.row();
        scene.keeper.ask(ask).await.unwrap_err();
        assert_eq!(scene.shelf.row(), before);
        scene.shelf.heal();
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_ne!(scene.shelf.row(), before, "nothing was written in the end");
    }
}

#[tokio::test(start_paused = true)]
async fn uncertain_and_then_definite_is_the_answer_of_what_was_written() {
    for told in &CALLS {
        let (plain, ask) = told.asked([]).await;
        let verdict = plain.keeper.ask(ask).await.unwrap().verdict;
        assert!(!matches!(verdict, Verdict::Refused(_)), "{verdict:?}");
        for doubt in [Fault::UncertainLost, Fault::UncertainApplied] {
            let (scene, ask) = told.asked([doubt, Fault::Unavailable, Fault::Contended]).await;
            assert_eq!(scene.keeper.ask(ask).await.unwrap().verdict, verdict, "{doubt:?}");
            let (row, plain) = (scene.shelf.row().unwrap(), plain.shelf.row().unwrap());
            assert_eq!(row.record.version, plain.record.version, "written twice");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_to_a_shared_store_is_waited_for_so_long_and_one_to_its_own_to_the_end() {
    const SLOW: Duration = Duration::from_secs(600);
    for shared in [true, false] {
        let scene = Scene::new([Fault::Slow(SLOW)]);
        scene.shelf.is_now(Temper { shared, ..Temper::default() });
        let begun = scene.clock.now();
        scene.ask(claim(somebody())).await.unwrap_err();
        tokio::time::sleep(2 * SLOW).await;
        // The shelf's clock shows that the answer was waited for.
        let waited = scene.clock.now().since(begun);
        assert_eq!(waited, if shared { Duration::ZERO } else { SLOW });
    }
}
