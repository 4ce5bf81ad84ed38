//! Those who wait for somebody else's outcome.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_waiter_gets_the_outcome_as_soon_as_it_is_written() {
    let scene = Scene::new([]);
    let granted = scene.granted(somebody()).await;
    let keeper = scene.keeper.clone();
    let until = Instant::now() + Duration::from_secs(8);
    let waiter = tokio::spawn(async move { wait(&keeper, ask(claim(somebody())), until).await });
    tokio::time::sleep(Duration::from_secs(3)).await;
    scene.ask(success(granted.token)).await.unwrap();
    let asked = Instant::now();
    assert_eq!(waiter.await.unwrap().unwrap().verdict, Verdict::Completed);
    assert!(asked.elapsed() < Duration::from_secs(1), "the waiter polled");
}

#[tokio::test(start_paused = true)]
async fn who_is_told_to_stop_waiting_while_being_granted_is_told_the_grant() {
    let slow = Fault::Slow(Duration::from_secs(1));
    let scene = Scene::new([Fault::None, Fault::None, Fault::None, slow]);
    let granted = scene.granted(somebody()).await;
    let (keeper, stop) = (scene.keeper.clone(), CancellationToken::new());
    let (until, stopped) = (Instant::now() + Duration::from_secs(8), stop.clone());
    let waiter =
        tokio::spawn(
            async move { keeper.ask_waiting(ask(claim(somebody())), until, &stopped).await },
        );
    tokio::time::sleep(Duration::from_secs(3)).await;
    scene.ask(release(granted.token)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    stop.cancel();
    let verdict = waiter.await.unwrap().unwrap().verdict;
    assert!(matches!(verdict, Verdict::Granted(_)), "{verdict:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_told_to_stop_waiting_is_answered_at_once() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    let (start, stop) = (Instant::now(), CancellationToken::new());
    let until = start + Duration::from_secs(8);
    let waits = scene.keeper.ask_waiting(ask(claim(somebody())), until, &stop);
    let stops = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        stop.cancel();
    };
    let (answered, ()) = tokio::join!(waits, stops);
    assert_eq!(answered.unwrap().verdict, Verdict::InProgress { own_token: None });
    assert_eq!(start.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn waiting_alone_grants_nothing() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    let start = Instant::now();
    let until = start + Duration::from_secs(5);
    let answered = wait(&scene.keeper, ask(claim(somebody())), until).await.unwrap();
    assert_eq!(answered.verdict, Verdict::InProgress { own_token: None });
    assert_eq!(start.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_waiter_over_a_slow_store_has_its_answer_before_its_deadline() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    scene.shelf.is_now(Temper { lag: Duration::from_millis(50), ..Temper::default() });
    let mut patient = ask(claim(somebody()));
    patient.deadline = Instant::now() + Duration::from_millis(300);
    let until = patient.deadline;
    let answered = wait(&scene.keeper, patient, until).await.unwrap();
    assert_eq!(answered.verdict, Verdict::InProgress { own_token: None });
}

#[tokio::test(start_paused = true)]
async fn a_waiter_whose_holder_dies_is_told_unknown_at_the_leases_end() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    let mut patient = ask(claim(somebody()));
    patient.deadline += Duration::from_secs(100);
    let (keeper, until) = (scene.keeper.clone(), Instant::now() + Duration::from_secs(90));
    let waiter = tokio::spawn(async move { wait(&keeper, patient, until).await });
    tokio::time::sleep(Duration::from_secs(29)).await;
    scene.clock.advance(Duration::from_secs(31));
    let verdict = waiter.await.unwrap().unwrap().verdict;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}
