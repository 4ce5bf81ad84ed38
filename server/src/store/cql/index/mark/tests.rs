//! How long a name is kept.

use std::time::Duration;

use super::name_life;
use crate::{clock::Timestamp, store::cql::LAST_EXPIRY};

const DAY: Duration = Duration::from_secs(86_400);
const NOW: Timestamp = Timestamp(1_780_000_000_000_000);

#[test]
fn a_name_outlives_its_record_and_stays_where_that_does() {
    assert_eq!(name_life(None, DAY, NOW), 0);
    assert_eq!(name_life(Some(Duration::from_secs(60)), DAY, NOW), 86_460);
}

#[test]
fn a_name_is_no_reason_to_refuse_a_report_whose_record_ends_at_the_last_moment() {
    let last_day = LAST_EXPIRY.before(DAY);
    assert_eq!(name_life(Some(DAY), DAY, last_day), 86_400);
    assert_eq!(name_life(Some(Duration::MAX), DAY, NOW), 367_483_646);
}
