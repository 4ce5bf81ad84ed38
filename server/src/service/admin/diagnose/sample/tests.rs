use super::*;

/// A record of a sample: its payload, begun and over at so many seconds, and how it went.
fn glimpse(payload: u64, begun: i64, over: i64, end: End) -> Glimpse {
    let at = |seconds: i64| Timestamp(seconds * 1_000_000);
    Glimpse { payload: Some(payload), begun: at(begun), over: Some(at(over)), end }
}

fn told(glimpses: Vec<Glimpse>) -> v1::RecordSample {
    let names = ("payments".to_owned(), "charge".to_owned());
    let mut samples = Samples::default();
    samples.operations.insert(names, glimpses);
    samples.told("payments", "charge")
}

/// So many intents with a payload of their own, a minute apart, after all others.
fn others(count: u16) -> impl Iterator<Item = Glimpse> {
    let one = |n: u16| {
        let begun = 1_000_000 + i64::from(n) * 60;
        glimpse(10_000 + u64::from(n), begun, begun + 1, End::Succeeded)
    };
    (0..count).map(one)
}

#[test]
fn an_attempt_that_died_and_was_followed_under_another_key_is_seen() {
    let died = [glimpse(1, 0, 30, End::Unresolved), glimpse(1, 60, 61, End::Succeeded)];
    let told = told(died.into_iter().chain(others(20)).collect());
    assert_eq!((told.unresolved_count, told.unresolved_followed_count), (1, 1));
    assert_eq!((told.succeeded_count, told.succeeded_followed_count), (21, 0));
    assert_eq!((told.shared_count, told.pairs_count, told.near_pairs_count), (2, 1, 1));
    assert_eq!((told.records_count, told.payloads_count, told.complete), (22, 21, false));
}

#[test]
fn what_comes_much_later_or_at_the_same_time_is_not_near() {
    for (second, near) in [(60, 1), (899, 1), (901, 0), (3_700, 0), (0, 0)] {
        let pair = [glimpse(1, 0, 1, End::Succeeded), glimpse(1, second, 9_999, End::Other)];
        let told = told(pair.into_iter().chain(others(20)).collect());
        assert_eq!((told.pairs_count, told.near_pairs_count), (1, near), "{second}");
        assert_eq!(told.succeeded_followed_count, i64::from(second <= 3_600), "{second}");
    }
}

#[test]
fn a_pair_with_many_others_between_is_not_near() {
    let between = (0..9).map(|n| glimpse(100 + n, 10, 11, End::Succeeded));
    let pair = [glimpse(1, 0, 1, End::Succeeded), glimpse(1, 20, 21, End::Succeeded)];
    let told = told(pair.into_iter().chain(between).collect());
    assert_eq!((told.pairs_count, told.near_pairs_count), (1, 0));
}

#[test]
fn a_payload_that_many_have_tells_no_intents_apart() {
    let many = (0..100).map(|n| glimpse(7, n * 60, n * 60 + 1, End::Succeeded));
    let told = told(many.collect());
    assert_eq!((told.shared_count, told.pairs_count, told.near_pairs_count), (0, 0, 0));
    assert_eq!((told.succeeded_count, told.succeeded_followed_count), (100, 99));
}
