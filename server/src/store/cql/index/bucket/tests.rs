use super::{Bucket, SHARDS, shard};
use crate::{clock::Timestamp, store::conformance::sample};

const DAY: i64 = 86_400_000_000;

#[test]
fn a_time_lies_in_its_hour_and_its_day() {
    for micros in [0, 1, DAY - 1, DAY, 1_772_000_000_000_000] {
        let time = Timestamp(micros);
        assert!(Bucket::hour_of(time).hour().contains(&micros));
        assert!(Bucket::day_of(time).day().contains(&micros));
    }
}

#[test]
fn the_hours_of_a_day_are_carried_together_and_never_into_an_hour() {
    let last = Bucket::hour_of(Timestamp(DAY - 1));
    assert_eq!([Bucket(0).carried(), last.carried()], [Bucket(-1), Bucket(-1)]);
    assert_eq!(Bucket::hour_of(Timestamp(DAY)).carried(), Bucket(-2));
}

#[test]
fn a_bucket_is_due_once_in_a_day() {
    let bucket = Bucket::hour_of(Timestamp(7 * DAY + 5));
    let due = (0..24).filter(|hour| bucket.is_due(Timestamp(9 * DAY + hour * DAY / 24)));
    assert_eq!(due.count(), 1);
}

#[test]
fn intents_are_spread_over_all_shards() {
    let intent = |number| sample::intent("payments", "charge", &format!("k{number}"));
    let mut seen: Vec<_> = (0..200).map(|number| shard(&intent(number))).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (0..SHARDS).collect::<Vec<_>>());
}
