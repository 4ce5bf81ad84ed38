use super::*;
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::Revision,
    store::{Answer, Find, Listing, Look, Memory, Page, Remembered, Scope, Set, Stored, Write},
};

/// A store that is only asked what troubles it.
#[derive(Default)]
struct Patient(Mutex<Option<Trouble>>);

impl Patient {
    fn suffers(&self, trouble: Option<Trouble>) {
        *self.0.lock().unwrap() = trouble;
    }
}

const UNASKED: &str = "readiness asks for trouble only";

impl Store for Patient {
    fn trouble(&self) -> Option<Trouble> {
        *self.0.lock().unwrap()
    }

    fn load<'a>(&'a self, _: &'a IntentId, _: Look) -> Answer<'a, Option<Stored>> {
        unreachable!("{UNASKED}")
    }

    fn compare_and_set<'a>(&'a self, _: &'a IntentId, _: &'a Write) -> Answer<'a, Set> {
        unreachable!("{UNASKED}")
    }

    fn unreconciled<'a>(&'a self, _: &'a Scope, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn late_reports<'a>(&'a self, _: &'a Scope, _: Timestamp, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn find<'a>(&'a self, _: &'a str, _: &'a Find) -> Answer<'a, Vec<(IntentId, Stored)>> {
        unreachable!("{UNASKED}")
    }

    fn any_unsettled<'a>(&'a self, _: &'a str, _: &'a str) -> Answer<'a, bool> {
        unreachable!("{UNASKED}")
    }

    fn memory<'a>(&'a self, _: &'a str, _: &'a str) -> Answer<'a, Option<Memory>> {
        unreachable!("{UNASKED}")
    }

    fn set_memory<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: Option<Revision>,
        _: &'a Memory,
    ) -> Answer<'a, Memory> {
        unreachable!("{UNASKED}")
    }

    fn scan<'a>(&'a self, _: Option<&'a str>, _: &'a Page) -> Answer<'a, Listing> {
        unreachable!("{UNASKED}")
    }

    fn memories<'a>(&'a self, _: Option<&'a str>) -> Answer<'a, Vec<Remembered>> {
        unreachable!("{UNASKED}")
    }

    fn clock_bound(&self) -> Duration {
        unreachable!("{UNASKED}")
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_in_trouble_makes_a_replica_unready_until_it_was_well_for_a_while() {
    let store = Arc::new(Patient::default());
    let (health, _service) = Health::serving(store.clone()).await;
    assert_eq!(health.ready(), Ok(()));
    store.suffers(Some(Trouble::DiskReserve));
    assert_eq!(health.ready(), Err(Unready::Troubled(Trouble::DiskReserve)));
    store.suffers(None);
    tokio::time::advance(QUIET / 2).await;
    assert_eq!(health.ready(), Err(Unready::Recovering(Trouble::DiskReserve)));
    store.suffers(Some(Trouble::DiskReserve));
    assert!(health.ready().is_err());
    store.suffers(None);
    tokio::time::advance(QUIET.mul_f64(0.9)).await;
    assert!(health.ready().is_err(), "the time starts anew");
    tokio::time::advance(QUIET / 10).await;
    assert_eq!(health.ready(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_drains_says_that_first() {
    let store = Arc::new(Patient::default());
    let (health, _service) = Health::serving(store.clone()).await;
    store.suffers(Some(Trouble::Stopped));
    let told = health.ready().unwrap_err().to_string();
    assert_eq!(told, "the store has stopped: a commit failed");
    health.drain().await;
    assert_eq!(health.ready(), Err(Unready::Draining));
}

#[tokio::test(start_paused = true)]
async fn a_replica_whose_clock_is_off_or_that_reaches_no_store_says_so() {
    let store = Arc::new(Patient::default());
    let (health, _service) = Health::serving(store.clone()).await;
    let off = Trouble::ClockOff { by: Duration::from_secs(75) };
    for (trouble, says) in [(off, "the clock is 75 s off"), (Trouble::Unreachable, "reached")] {
        store.suffers(Some(trouble));
        let told = health.ready().unwrap_err().to_string();
        assert!(told.contains(says), "{told}");
    }
}
