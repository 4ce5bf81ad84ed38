use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::{
    clock::{Clock, ManualClock, Timestamp},
    record::Record,
    store::{
        conformance::sample,
        embedded::{Embedded, Options},
    },
};

const NOW: Timestamp = Timestamp(1_772_000_000_000_000);

struct Place {
    store: Embedded,
    _folder: TempDir,
}

fn place() -> Place {
    let folder = TempDir::new().unwrap();
    let clock = Some(Arc::new(ManualClock::at(NOW)) as Arc<dyn Clock>);
    let options = Options { clock, reserve_bytes: 0, ..Options::at(folder.path()) };
    Place { store: Embedded::open(&options).unwrap(), _folder: folder }
}

impl Place {
    async fn land(&self, carried: &Stored) -> Landed {
        land(&self.store, &intent(), carried).await.unwrap()
    }

    async fn stands(&self) -> Stored {
        self.store.load(&intent(), Look::Fresh).await.unwrap().unwrap()
    }
}

fn intent() -> IntentId {
    IntentId::new("", "payments", "charge", "k").unwrap()
}

fn claimed() -> Stored {
    let record = sample::record(&intent(), NOW);
    carried(record, Lease::Live { left: Duration::from_millis(20_500) })
}

fn carried(record: Record, lease: Lease) -> Stored {
    Stored { record, result: None, lease, expires_in: None, result_expires_in: None }
}

fn settled(record: &Record) -> Stored {
    Stored {
        record: sample::succeeded(record),
        result: Some(bytes::Bytes::from_static(b"\0ok")),
        lease: Lease::Over,
        expires_in: Some(Duration::from_millis(90_001)),
        result_expires_in: Some(Duration::from_secs(45)),
    }
}

#[tokio::test]
async fn a_record_lands_with_its_revision_and_all_that_is_left_of_it_rounded_up() {
    let place = place();
    assert_eq!(place.land(&claimed()).await, Landed::Imported);
    let first = place.stands().await;
    assert_eq!(first.lease, Lease::Live { left: Duration::from_secs(21) });
    assert_eq!(first.expires_in, None);
    let carried = settled(&first.record);
    assert_eq!(place.land(&carried).await, Landed::Replaced);
    let second = place.stands().await;
    assert_eq!((&second.record, &second.result), (&carried.record, &carried.result));
    assert_eq!(second.lease, Lease::Over);
    assert_eq!(second.expires_in, Some(Duration::from_secs(91)));
    assert_eq!(second.result_expires_in, Some(Duration::from_secs(45)));
}

#[tokio::test]
async fn a_record_that_lands_again_changes_nothing() {
    let place = place();
    let carried = claimed();
    place.land(&carried).await;
    let before = place.stands().await;
    let shorter = Stored { lease: Lease::Over, ..carried };
    assert_eq!(place.land(&shorter).await, Landed::Present);
    assert_eq!(place.stands().await, before);
}

#[tokio::test]
async fn an_earlier_version_does_not_come_back() {
    let place = place();
    let earlier = claimed();
    let later = settled(&earlier.record);
    assert_eq!(place.land(&later).await, Landed::Imported);
    assert_eq!(place.land(&earlier).await, Landed::Present);
    assert_eq!(place.stands().await.record, later.record);
}

#[tokio::test]
async fn a_record_of_another_history_stays() {
    let place = place();
    let own = settled(&claimed().record);
    place.land(&own).await;
    let mut stranger = sample::record(&intent(), NOW.after(Duration::from_secs(1)));
    stranger.version = 9;
    let carried = carried(stranger, Lease::Over);
    assert_eq!(place.land(&carried).await, Landed::Conflict);
    assert_eq!(place.stands().await.record, own.record);
}

#[test]
fn a_record_that_went_on_in_both_places_is_not_overwritten() {
    let first = claimed().record;
    let here = sample::with_late_report(&first, NOW, "ch_1");
    let there = sample::next(&sample::next(&first));
    assert!(here.version < there.version);
    assert!(!history::follows(&here, &there) && !history::follows(&there, &here));
}

#[test]
fn a_later_version_holds_what_the_earlier_one_held() {
    let first = claimed().record;
    let second = sample::with_late_report(&first, NOW, "ch_1");
    let third = sample::succeeded(&second);
    assert!(history::follows(&first, &second) && history::follows(&second, &third));
    assert!(!history::follows(&third, &second) && !history::follows(&first, &first));
    let mut cut = sample::next(&third);
    cut.reports.clear();
    assert!(!history::follows(&third, &cut), "a report is gone");
    cut.late_reports_cut = 1;
    assert!(history::follows(&third, &cut), "a report was cut, and it says so");
}

#[test]
fn a_tally_is_the_same_in_any_order_and_tells_one_record_from_another() {
    let [one, two, three] = [1, 2, 3].map(uuid::Uuid::from_u128).map(crate::record::Revision);
    let of = |revisions: &[crate::record::Revision]| {
        let mut tally = Tally::default();
        for revision in revisions {
            tally.count(&intent(), *revision);
        }
        tally
    };
    assert_eq!(of(&[one, two]), of(&[two, one]));
    assert_ne!(of(&[one, two]), of(&[one, three]));
    assert_ne!(of(&[one, one]), of(&[two, two]));
    let mut merged = of(&[one]);
    merged.merge(&of(&[two]));
    assert_eq!(merged, of(&[one, two]));
}
