//! Many callers of one key at once, through one process.

use super::*;

const LAG: Duration = Duration::from_millis(15);
const CLAIMS: usize = 3_000;

impl Scene {
    /// One whose store takes a while to answer.
    fn lagging(faults: impl IntoIterator<Item = Fault>) -> Self {
        let scene = Self::new(faults);
        scene.shelf.is_now(Temper { lag: LAG, ..Temper::default() });
        scene
    }

    async fn together(&self, asks: impl IntoIterator<Item = Ask>) -> Vec<Result<Verdict, Error>> {
        let mut running = Vec::new();
        for ask in asks {
            let keeper = self.keeper.clone();
            running.push(tokio::spawn(async move { keeper.ask(ask).await }));
        }
        let mut verdicts = Vec::new();
        for call in running {
            verdicts.push(call.await.unwrap().map(|answered| answered.verdict));
        }
        verdicts
    }
}

fn strangers(count: usize) -> impl Iterator<Item = Ask> {
    std::iter::repeat_with(|| ask(claim(somebody()))).take(count)
}

fn granted_among(verdicts: &[Result<Verdict, Error>]) -> usize {
    let in_progress = Verdict::InProgress { own_token: None };
    let granted = verdicts.iter().filter(|verdict| **verdict != Ok(in_progress.clone()));
    granted.inspect(|verdict| assert!(matches!(verdict, Ok(Verdict::Granted(_))))).count()
}

#[tokio::test(start_paused = true)]
async fn three_thousand_claims_of_a_live_key_cost_a_few_writes() {
    let scene = Scene::lagging([]);
    scene.granted(somebody()).await;
    let before = scene.shelf.sets();
    let verdicts = scene.together(strangers(CLAIMS)).await;
    assert_eq!(granted_among(&verdicts), 0);
    let written = scene.shelf.sets() - before;
    println!("{written} conditional writes for {CLAIMS} claims");
    assert!(written <= 10, "{written} writes");
}

#[tokio::test(start_paused = true)]
async fn of_three_thousand_claims_of_a_new_key_one_is_granted_and_few_are_written() {
    let scene = Scene::lagging([]);
    let verdicts = scene.together(strangers(CLAIMS)).await;
    assert_eq!(granted_among(&verdicts), 1);
    assert!(scene.shelf.sets() <= 10, "{} writes", scene.shelf.sets());
}

#[tokio::test(start_paused = true)]
async fn of_three_thousand_claims_of_a_released_key_one_is_granted_and_few_are_written() {
    let scene = Scene::lagging([]);
    let granted = scene.granted(somebody()).await;
    scene.ask(release(granted.token)).await.unwrap();
    let before = scene.shelf.sets();
    let verdicts = scene.together(strangers(CLAIMS)).await;
    assert_eq!(granted_among(&verdicts), 1);
    assert!(scene.shelf.sets() - before <= 10, "{} writes", scene.shelf.sets() - before);
    assert_eq!(scene.shelf.row().unwrap().record.attempt(), 2);
}

#[tokio::test(start_paused = true)]
async fn claims_that_were_probably_sent_before_share_their_looks_too() {
    let scene = Scene::lagging([]);
    scene.granted(somebody()).await;
    let before = (scene.shelf.sets(), scene.shelf.loads());
    let again = strangers(CLAIMS).map(|ask| Ask { likely_duplicate: true, ..ask });
    assert_eq!(granted_among(&scene.together(again).await), 0);
    let looks = scene.shelf.loads() - before.1;
    assert!(scene.shelf.sets() == before.0 && looks <= 10, "{looks} looks");
}

#[tokio::test(start_paused = true)]
async fn who_shares_is_ruled_on_by_her_own_name_and_payload() {
    let scene = Scene::lagging([]);
    let holder = somebody();
    let granted = scene.granted(holder).await;
    let other =
        Payload::from_hash(PayloadHash { scheme: "sha256".into(), digest: "11".repeat(32) });
    let Request::Claim(stranger) = claim(somebody()) else { unreachable!() };
    let reuse = Request::Claim(Claim { payload: other, ..stranger });
    let asks = [claim(somebody()), claim(holder), claim(somebody()), reuse, claim(holder)];
    let verdicts = scene.together(asks.map(ask)).await;
    let in_progress = Ok(Verdict::InProgress { own_token: None });
    assert_eq!([&verdicts[0], &verdicts[2]], [&in_progress, &in_progress]);
    for own in [&verdicts[1], &verdicts[4]] {
        let Ok(Verdict::Granted(again)) = own else { panic!("not granted: {own:?}") };
        assert_eq!((again.token, again.repeated), (granted.token, true));
        assert!(again.lease <= granted.lease);
    }
    let Ok(Verdict::Refused(refusal)) = &verdicts[3] else { panic!("{:?}", verdicts[3]) };
    assert!(matches!(refusal, Refusal::KeyReused { .. }), "{refusal:?}");
    assert_eq!(scene.shelf.sets(), 3, "they do not share");
}

/// A write was judged while the attempt ran, and its answer is slow. Meanwhile another process
/// reports success. Who comes after that must be told so.
#[tokio::test(start_paused = true)]
async fn nobody_shares_what_began_before_she_came() {
    let scene = Scene::new([Fault::None, Fault::Slow(Duration::from_secs(5))]);
    let granted = scene.granted(somebody()).await;
    let early = scene.keeper.clone();
    let early = tokio::spawn(async move { early.ask(ask(claim(somebody()))).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    scene.other_keeper().ask(ask(success(granted.token))).await.unwrap();
    let late = scene.together(strangers(3)).await;
    assert_eq!(late, [Ok(Verdict::Completed), Ok(Verdict::Completed), Ok(Verdict::Completed)]);
    let early = early.await.unwrap().unwrap().verdict;
    assert_eq!(early, Verdict::InProgress { own_token: None });
}

#[tokio::test(start_paused = true)]
async fn a_slow_write_holds_nobody_for_long() {
    let scene = Scene::new([Fault::None, Fault::Slow(Duration::from_secs(9))]);
    scene.granted(somebody()).await;
    let keeper = scene.keeper.clone();
    tokio::spawn(async move { keeper.ask(ask(claim(somebody()))).await });
    tokio::time::sleep(Duration::from_millis(1)).await;
    let start = Instant::now();
    assert_eq!(granted_among(&scene.together(strangers(100)).await), 0);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(scene.shelf.sets(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_goes_away_or_is_too_late_hurts_nobody() {
    let scene = Scene::lagging([]);
    scene.granted(somebody()).await;
    let keeper = scene.keeper.clone();
    let first = tokio::spawn(async move { keeper.ask(ask(claim(somebody()))).await });
    tokio::time::sleep(LAG / 3).await;
    // The next flight's leader: its deadline is over before the first has landed.
    let hasty = Ask { deadline: Instant::now() + LAG / 3, ..ask(claim(somebody())) };
    let asks = std::iter::once(hasty).chain(strangers(50));
    first.abort();
    let verdicts = scene.together(asks).await;
    assert_eq!(verdicts[0], Err(Error::Deadline));
    assert_eq!(granted_among(&verdicts[1..]), 0);
    assert!(scene.shelf.sets() <= 5, "{} writes", scene.shelf.sets());
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_leader_in_doubt() {
    let scene = Scene::lagging([Fault::None, Fault::None, Fault::UncertainLost]);
    scene.granted(somebody()).await;
    let verdicts = scene.together(strangers(100)).await;
    assert_eq!(granted_among(&verdicts), 0);
    assert!(scene.shelf.sets() <= 6, "{} writes", scene.shelf.sets());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_is_told_to_all_who_share() {
    let down = std::iter::repeat_n(Fault::Unavailable, 100);
    let scene = Scene::new(std::iter::once(Fault::Slow(LAG)).chain(down));
    let verdicts = scene.together(strangers(1_000)).await;
    assert!(matches!(verdicts[0], Ok(Verdict::Granted(_))), "{:?}", verdicts[0]);
    for verdict in &verdicts[1..] {
        assert!(matches!(verdict, Err(Error::Store(store::Error::Unavailable(_)))), "{verdict:?}");
    }
    assert!(scene.shelf.sets() <= 10, "{} writes", scene.shelf.sets());
}

#[tokio::test(start_paused = true)]
async fn no_flight_is_remembered_after_its_end() {
    let scene = Scene::lagging([Fault::UncertainLost, Fault::Unavailable]);
    scene.together(strangers(100)).await;
    let again = strangers(100).map(|ask| Ask { likely_duplicate: true, ..ask });
    scene.together(again).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    let inner = &scene.keeper.inner;
    for flights in [&inner.glances, &inner.looks, &inner.writes] {
        assert_eq!(flights.len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_anothers_refused_write_guesses_of_a_lease_is_no_promise_to_its_holder() {
    let scene = Scene::lagging([]);
    let holder = somebody();
    scene.granted(holder).await;
    scene.clock.advance(Duration::from_secs(3));
    let guess = Some(Duration::from_secs(77));
    scene.shelf.is_now(Temper { lag: LAG, guess, ..Temper::default() });
    let again = std::iter::once(ask(claim(holder)));
    let verdicts = scene.together(strangers(5).chain(again)).await;
    let Ok(Verdict::Granted(granted)) = &verdicts[5] else { panic!("{:?}", verdicts[5]) };
    assert!(granted.lease <= Duration::from_secs(27), "{:?} of 27 s", granted.lease);
}
