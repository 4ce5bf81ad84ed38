//! Several processes over one store: what one does, the others hear of by looks.

use super::*;

const LAG: Duration = Duration::from_millis(1);
const PATIENT: Duration = Duration::from_secs(25);

impl Scene {
    fn shared() -> Self {
        let scene = Self::new([]);
        scene.shelf.is_now(Temper { shared: true, lag: LAG, ..Temper::default() });
        scene
    }

    /// So many that wait for the outcome, in this process.
    fn waiters(&self, count: usize) -> Vec<tokio::task::JoinHandle<Result<Answered, Error>>> {
        let until = Instant::now() + PATIENT;
        let waiter = || {
            let keeper = self.keeper.clone();
            let patient = Ask { deadline: until + PATIENT, ..ask(claim(somebody())) };
            tokio::spawn(async move { wait(&keeper, patient, until).await })
        };
        std::iter::repeat_with(waiter).take(count).collect()
    }

    fn calls(&self) -> usize {
        self.shelf.sets() + self.shelf.loads()
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiter_hears_of_the_outcome_that_another_process_wrote() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    let waiter = scene.waiters(1).pop().unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    scene.other_keeper().ask(ask(success(granted.token))).await.unwrap();
    let reported = Instant::now();
    assert_eq!(waiter.await.unwrap().unwrap().verdict, Verdict::Completed);
    assert!(reported.elapsed() <= Duration::from_millis(2_500), "{:?}", reported.elapsed());
}

#[tokio::test(start_paused = true)]
async fn soon_after_waiting_began_another_process_is_heard_of_sooner() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    let waiter = scene.waiters(1).pop().unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    scene.other_keeper().ask(ask(success(granted.token))).await.unwrap();
    let reported = Instant::now();
    assert_eq!(waiter.await.unwrap().unwrap().verdict, Verdict::Completed);
    assert!(reported.elapsed() <= Duration::from_millis(80), "{:?}", reported.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_thousand_waiters_cost_the_looks_of_one() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    let waiters = scene.waiters(1_000);
    tokio::time::sleep(Duration::from_millis(10)).await;
    let begun = scene.calls();
    assert!(begun <= 12, "{begun} calls before anybody waits");
    tokio::time::sleep(Duration::from_secs(20)).await;
    let looks = scene.calls() - begun;
    assert!((10..=20).contains(&looks), "{looks} looks in 20 s");
    let before = scene.calls();
    scene.other_keeper().ask(ask(success(granted.token))).await.unwrap();
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap().unwrap().verdict, Verdict::Completed);
    }
    let told = scene.calls() - before;
    assert!(told <= 10, "{told} calls to tell all of them");
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_when_nobody_waits_nor_at_a_store_of_ones_own() {
    let scene = Scene::shared();
    scene.granted(somebody()).await;
    for waiter in scene.waiters(10) {
        waiter.await.unwrap().unwrap();
    }
    let before = scene.calls();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(scene.calls(), before);
    let alone = Scene::new([]);
    alone.granted(somebody()).await;
    let waiter = alone.waiters(1).pop().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = alone.calls();
    tokio::time::sleep(Duration::from_secs(23)).await;
    assert_eq!(alone.calls(), before);
    waiter.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_looked_for_all_may_go_away() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    let mut waiters = scene.waiters(10);
    let last = waiters.pop().unwrap();
    for waiter in waiters {
        tokio::time::sleep(Duration::from_millis(900)).await;
        waiter.abort();
    }
    scene.other_keeper().ask(ask(success(granted.token))).await.unwrap();
    let reported = Instant::now();
    assert_eq!(last.await.unwrap().unwrap().verdict, Verdict::Completed);
    assert!(reported.elapsed() <= Duration::from_millis(2_500), "{:?}", reported.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_lease_in_its_margin_is_waited_for_and_not_spun_on() {
    for (shared, count) in [(true, 100), (false, 1)] {
        let scene = Scene::new([]);
        let margin = Duration::from_secs(3);
        scene.shelf.is_now(Temper { shared, margin, lag: LAG, ..Temper::default() });
        scene.granted(somebody()).await;
        scene.clock.advance(Duration::from_secs(31));
        let waiters = scene.waiters(count);
        tokio::time::sleep(Duration::from_millis(10)).await;
        let before = scene.calls();
        tokio::time::sleep(Duration::from_secs(10)).await;
        let looks = scene.calls() - before;
        assert!(looks <= 60, "{looks} looks in ten seconds, shared: {shared}");
        scene.clock.advance(Duration::from_secs(3));
        let over = Instant::now();
        for waiter in waiters {
            let verdict = waiter.await.unwrap().unwrap().verdict;
            assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
        }
        assert!(over.elapsed() <= Duration::from_millis(2_500), "{:?}", over.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn an_uncertain_grant_whose_lease_is_in_its_margin_is_in_progress_with_its_own_token() {
    let late = Duration::from_secs(31);
    let scene = Scene::new([Fault::UncertainApplied, Fault::Slow(late)]);
    scene.shelf.is_now(Temper { margin: Duration::from_secs(600), ..Temper::default() });
    let mut slow = ask(claim(somebody()));
    slow.deadline += Duration::from_secs(300);
    let verdict = scene.keeper.ask(slow).await.unwrap().verdict;
    let own_token = scene.shelf.row().unwrap().record.token();
    assert_eq!(verdict, Verdict::InProgress { own_token });
}

#[tokio::test(start_paused = true)]
async fn a_lease_in_its_margin_is_extended_by_renew() {
    let scene = Scene::new([]);
    scene.shelf.is_now(Temper { margin: Duration::from_secs(3), ..Temper::default() });
    let granted = scene.granted(somebody()).await;
    tokio::time::advance(Duration::from_secs(31)).await;
    scene.clock.advance(Duration::from_secs(31));
    let verdict = scene.ask(renew(granted.token)).await.unwrap().verdict;
    let Verdict::Renewed(renewed) = verdict else { panic!("not renewed: {verdict:?}") };
    assert_eq!(renewed.lease, Duration::from_secs(60));
}

/// The open record that a process remembers loses by its revision against what another one wrote.
#[tokio::test(start_paused = true)]
async fn a_report_on_a_remembered_record_is_ruled_on_what_another_process_wrote() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    let elsewhere = scene.other_keeper();
    elsewhere.ask(ask(release(granted.token))).await.unwrap();
    let second = elsewhere.ask(ask(reports::reclaim(somebody()))).await.unwrap().verdict;
    assert!(matches!(second, Verdict::Granted(Granted { attempt: 2, .. })), "{second:?}");
    for report in [success as fn(_) -> _, renew, release] {
        let verdict = scene.ask(report(granted.token)).await.unwrap().verdict;
        let is_released = matches!(verdict, Verdict::Released { repeated: true });
        let is_fenced = matches!(verdict, Verdict::Refused(Refusal::Fenced { .. }));
        assert!(is_released || is_fenced, "{verdict:?}");
    }
    let row = scene.shelf.row().unwrap();
    assert_eq!((row.record.attempt(), row.lease.is_live()), (2, true));
}

/// What is remembered as settled may be a minute old, and is not told after that; nor ever to those
/// who ask for a fresh look.
#[tokio::test(start_paused = true)]
async fn a_settled_record_that_another_process_disputes_is_told_as_it_was_for_a_minute_at_most() {
    let scene = Scene::shared();
    let granted = scene.granted(somebody()).await;
    scene.ask(success(granted.token)).await.unwrap();
    let failed = Reported::Failed(crate::record::Failure {
        kind: "declined".to_owned(),
        message: String::new(),
        detail: None,
        provider_reference: String::new(),
    });
    let contradiction = Complete { token: granted.token, outcome: failed, payload: None };
    let elsewhere = scene.other_keeper();
    elsewhere.ask(ask(Request::Complete(contradiction))).await.unwrap();
    let version = scene.shelf.row().unwrap().record.version;
    let told = |answered: Answered| answered.stored.unwrap().record.version;
    assert_eq!(told(scene.ask(claim(somebody())).await.unwrap()), version - 1);
    let fresh = Ask { fresh: true, ..ask(claim(somebody())) };
    assert_eq!(told(scene.keeper.ask(fresh).await.unwrap()), version);
    let other = scene.other_keeper();
    assert_eq!(told(other.ask(ask(claim(somebody()))).await.unwrap()), version);
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(told(scene.ask(claim(somebody())).await.unwrap()), version);
}

#[tokio::test(start_paused = true)]
async fn however_many_intents_are_waited_for_the_looks_at_one_time_are_bounded() {
    let scene = Scene::shared();
    scene.granted(somebody()).await;
    let until = Instant::now() + PATIENT;
    let waits = |n: usize| {
        let keeper = scene.keeper.clone();
        let key = format!("charge:v1:order-{n}");
        let intent = IntentId::new("intent", "payments", "charge", &key).unwrap();
        let ask = Ask { intent, ..ask(claim(somebody())) };
        tokio::spawn(async move { wait(&keeper, ask, until).await })
    };
    let _waiting: Vec<_> = (0..200).map(waits).collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let before = scene.shelf.loads();
    let lag = Duration::from_secs(3_600);
    scene.shelf.is_now(Temper { shared: true, lag, ..Temper::default() });
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(scene.shelf.loads() - before, 64);
}
