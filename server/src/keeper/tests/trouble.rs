//! A clock that is off: no lease starts, and reports are taken.

use super::*;
use crate::{ruling::Get, store::Trouble};

const CLOCK_OFF: Trouble = Trouble::ClockOff { by: Duration::from_secs(61) };

impl Scene {
    fn suffers(&self, trouble: Option<Trouble>) {
        self.shelf.is_now(Temper { trouble, ..Temper::default() });
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_granted_and_the_store_is_not_asked_while_the_clock_is_off() {
    let scene = Scene::new([]);
    scene.suffers(Some(CLOCK_OFF));
    for request in [claim(somebody()), reports::reclaim(somebody())] {
        let error = scene.ask(request).await.unwrap_err();
        let Error::Store(store::Error::Unavailable(told)) = error else { panic!("{error:?}") };
        assert!(told.contains("the clock is 61 s off"), "{told}");
    }
    assert_eq!((scene.shelf.sets(), scene.shelf.loads()), (0, 0));
    assert!(!scene.shelf.has_memory(), "the memory was begun on a clock that is off");
    scene.suffers(None);
    scene.granted(somebody()).await;
}

#[tokio::test(start_paused = true)]
async fn reports_and_looks_go_on_while_the_clock_is_off() {
    for report in [success as fn(_) -> _, release, renew, |_| Request::Get(Get { payload: None })] {
        let scene = Scene::new([]);
        let token = scene.granted(somebody()).await.token;
        scene.suffers(Some(CLOCK_OFF));
        let verdict = scene.ask(report(token)).await.unwrap().verdict;
        assert!(!matches!(verdict, Verdict::Refused(_)), "{verdict:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_look_begins_no_memory() {
    let scene = Scene::new([]);
    scene.suffers(Some(CLOCK_OFF));
    let verdict = scene.ask(Request::Get(Get { payload: None })).await.unwrap().verdict;
    assert!(matches!(verdict, Verdict::Refused(_)), "{verdict:?}");
    assert!(!scene.shelf.has_memory(), "the memory was begun by a look");
}

#[tokio::test(start_paused = true)]
async fn evidence_waits_longer_by_what_the_clock_is_off() {
    let scene = Scene::new([]);
    scene.granted(somebody()).await;
    let look = || Request::Get(Get { payload: None });
    let bound = scene.ask(look()).await.unwrap().clock_bound;
    scene.suffers(Some(CLOCK_OFF));
    let widened = scene.ask(look()).await.unwrap().clock_bound;
    assert_eq!(widened - bound, Duration::from_secs(61));
}

#[tokio::test(start_paused = true)]
async fn another_trouble_is_left_to_the_store() {
    for trouble in [Trouble::DiskReserve, Trouble::Unreachable, Trouble::Stopped] {
        let scene = Scene::new([]);
        scene.suffers(Some(trouble));
        scene.granted(somebody()).await;
    }
}
