use std::time::Duration;

use super::{Fate, Hint};
use crate::{
    clock::Timestamp,
    record::{Record, State},
    store::{Lease, Stored, conformance::sample},
};

const CLAIMED: Timestamp = Timestamp(1_772_000_000_000_000);
const EXPIRES: Option<Duration> = Some(Duration::from_secs(3_600));

fn claimed() -> Record {
    sample::record(&sample::intent("payments", "charge", "k"), CLAIMED)
}

/// How a hint that was written so long after the claim is judged by a record that was written last
/// a minute after it.
#[track_caller]
fn check(record: Record, expires_in: Option<Duration>, seconds: u64, wanted: Fate) {
    let intent = sample::intent("payments", "charge", "k");
    let written = CLAIMED.after(Duration::from_secs(seconds));
    let hint = Hint { written, ..Hint::of(&intent, &claimed(), written) };
    let record = Record { written: CLAIMED.after(Duration::from_secs(60)), ..record };
    let stored =
        Stored { record, result: None, lease: Lease::Over, expires_in, result_expires_in: None };
    assert_eq!(Fate::of(&hint, Some(&stored)), wanted);
}

fn of_another_claim(record: &Record) -> Record {
    Record { first_claim_time: CLAIMED.after(Duration::from_micros(1)), ..record.clone() }
}

#[test]
fn a_hint_of_an_open_record_stays_whenever_it_was_written() {
    for seconds in [0, 120] {
        check(claimed(), None, seconds, Fate::Open);
        check(sample::succeeded(&claimed()), None, seconds, Fate::Open);
        check(sample::released(&claimed()), EXPIRES, seconds, Fate::Open);
    }
}

#[test]
fn a_hint_is_spent_once_its_record_was_settled_after_it() {
    check(sample::succeeded(&claimed()), EXPIRES, 0, Fate::Spent);
}

#[test]
fn a_hint_that_is_newer_than_its_record_announces_a_write_that_may_yet_come() {
    check(sample::succeeded(&claimed()), EXPIRES, 120, Fate::Stray);
}

#[test]
fn a_hint_of_a_claim_that_lost_is_spent_unless_there_is_room_for_it_again() {
    for (record, expires_in) in [(claimed(), None), (sample::succeeded(&claimed()), EXPIRES)] {
        check(of_another_claim(&record), expires_in, 120, Fate::Spent);
    }
    let released = Record { state: State::Released, ..claimed() };
    check(of_another_claim(&released), EXPIRES, 120, Fate::Stray);
}

#[test]
fn a_hint_without_a_record_is_stray() {
    let hint = Hint::of(&sample::intent("payments", "charge", "k"), &claimed(), CLAIMED);
    assert_eq!(Fate::of(&hint, None), Fate::Stray);
}
