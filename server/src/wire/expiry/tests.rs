use std::time::Duration;

use super::*;
use crate::store::conformance::sample;

const START: Timestamp = Timestamp(1_772_000_000_123_456);

fn settled(expires_in: Option<Duration>) -> Stored {
    let intent = crate::intent::IntentId::new("", "payments", "charge", "k").unwrap();
    let record = sample::succeeded(&sample::record(&intent, START));
    let lease = crate::store::Lease::Over;
    Stored { record, result: None, lease, expires_in, result_expires_in: None }
}

#[test]
fn an_expiry_is_told_alike_whenever_the_store_was_looked_at() {
    let complete_time = settled(None).record.settlement().unwrap().complete_time;
    let day = Duration::from_secs(86_400);
    for passed in [0, 1, 499_999, 1_000_000, 3_600_000_000] {
        for wavers in [0, 7, 40_000] {
            let now = complete_time.after(Duration::from_micros(passed + wavers));
            let stored = settled(day.checked_sub(Duration::from_micros(passed)));
            assert_eq!(expire_time(&stored, now), Some(complete_time.after(day)), "{passed}");
        }
    }
}

#[test]
fn what_does_not_expire_has_no_such_time() {
    assert_eq!(expire_time(&settled(None), START), None);
}
