use onced_proto::{admin::v1::ExportedMemory, v1::Policy};
use prost_types::Timestamp;

use super::*;

/// In the middle of an hour.
const NOW: i64 = 1_772_000_000 / 3_600 * 3_600 + 1_800;

fn at(seconds: i64) -> Timestamp {
    Timestamp { seconds, nanos: 0 }
}

/// An hour so many hours ago: keys, and those that came again.
fn hour(ago: i64, keys: i64, again: i64) -> KeyWindow {
    let start_time = Some(at(NOW - 1_800 - ago * 3_600));
    let (keys_count, keys_again_count) = (keys, again);
    KeyWindow { start_time, keys_count, keys_again_count, ..KeyWindow::default() }
}

/// So many keys, each granted once, and those that came again.
fn whole(keys: i64, again: i64) -> KeyWindow {
    let claims_count = keys + again;
    KeyWindow { claims_count, first_grants_count: keys, ..hour(0, keys, again) }
}

fn used(whole: KeyWindow) -> Diagnosis {
    Diagnosis { whole: Some(whole), ..Diagnosis::default() }
}

fn sampled(sample: RecordSample) -> Diagnosis {
    Diagnosis { sample: Some(sample), ..Diagnosis::default() }
}

/// What is found, by its causes.
#[track_caller]
fn check(diagnosis: &Diagnosis, expected: &[(Cause, Certainty)]) {
    let found = findings(diagnosis, NOW);
    let causes: Vec<_> = found.iter().map(|finding| (finding.cause, finding.certainty)).collect();
    assert_eq!(causes, expected, "{found:?}");
}

use Cause::*;
use Certainty::*;

#[test]
fn nothing_is_said_where_there_is_nothing_or_nothing_wrong() {
    check(&Diagnosis::default(), &[]);
    check(&used(whole(1_000_000, 0)), &[]);
    check(&used(whole(1_000, 30)), &[]);
    check(&used(whole(1_000, 900)), &[]);
    let sample = RecordSample {
        records_count: 20_000,
        complete: true,
        payloads_count: 20_000,
        unresolved_count: 3,
        succeeded_count: 19_997,
        ..RecordSample::default()
    };
    check(&sampled(sample), &[]);
}

#[test]
fn an_end_of_all_repeats_is_told_where_repeats_were_usual() {
    let hours = |usual: [i64; 12], quiet: i64, keys: i64| {
        let before = (0..).zip(usual).map(|(n, again)| hour(quiet + 11 - n, 100, again));
        let since = (0..quiet).rev().map(|ago| hour(ago, keys, 0));
        Diagnosis { hours: before.chain(since).collect(), ..used(whole(10_000, 50)) }
    };
    check(&hours([5; 12], 2, 100), &[(KeyPerAttempt, Probable)]);
    check(&hours([5; 12], 1, 100), &[]);
    check(&hours([5; 12], 0, 0), &[]);
    check(&hours([1; 12], 5, 100), &[]);
    let one_incident = [90, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    check(&hours(one_incident, 20, 1_000), &[]);
    let a_short_history = Diagnosis {
        hours: (0..8).rev().map(|ago| hour(ago, 1_000, if ago > 3 { 50 } else { 0 })).collect(),
        ..used(whole(8_000, 200))
    };
    check(&a_short_history, &[]);
}

#[test]
fn attempts_that_die_and_never_come_back_are_told() {
    let died = |ago, ended, keys, again| {
        let hours = vec![KeyWindow { leases_ended_count: ended, ..hour(ago, keys, again) }];
        let whole = KeyWindow { leases_ended_count: ended, ..whole(keys, again) };
        Diagnosis { hours, ..used(whole) }
    };
    check(&died(2, 40, 1_000, 0), &[(KeyPerAttempt, Probable)]);
    check(&died(2, 40, 1_000, 3), &[(KeyPerAttempt, Probable)]);
    check(&died(2, 40, 1_000, 4), &[]);
    check(&died(2, 9, 1_000, 0), &[]);
    check(&died(2, 10, 99, 0), &[(LeasesEnd, Certain)]);
    check(&died(0, 40, 1_000, 0), &[]);
    check(&died(2, 100, 1_000, 0), &[(LeasesEnd, Certain), (KeyPerAttempt, Probable)]);
    check(&died(2, 900, 1_000, 0), &[(LeasesEnd, Certain)]);
    check(&died(2, 49, 1_000, 60), &[]);
    check(&died(2, 50, 1_000, 60), &[(LeasesEnd, Certain)]);
}

#[test]
fn keys_with_their_own_id_or_time_in_them_are_told_where_they_are_the_habit() {
    let warned =
        |warned, keys, again| used(KeyWindow { key_warnings_count: warned, ..whole(keys, again) });
    check(&warned(1_000, 1_000, 0), &[(KeyPerAttempt, Certain)]);
    check(&warned(200, 1_000, 0), &[(KeyPerAttempt, Certain)]);
    check(&warned(199, 1_000, 0), &[]);
    check(&warned(1_000, 1_000, 20), &[]);
    check(&warned(99, 99, 0), &[]);
}

#[test]
fn one_key_for_two_intents_is_told_by_refusals_repeats_and_replays() {
    let reused = |reused, keys| used(KeyWindow { key_reused_count: reused, ..whole(keys, 1) });
    check(&reused(2, 10), &[]);
    check(&reused(3, 10), &[(TooFewKeys, Probable)]);
    check(&reused(10, 100), &[(TooFewKeys, Certain)]);
    check(&reused(10, 10_000), &[(TooFewKeys, Probable)]);
    check(&used(whole(1_000, 950)), &[(TooFewKeys, Probable)]);
    check(&used(whole(99, 99)), &[]);
    let few = |replays, keys| used(KeyWindow { replays_count: replays, ..whole(keys, keys / 2) });
    check(&few(500, 25), &[(TooFewKeys, Probable)]);
    check(&few(499, 5), &[]);
    check(&few(500, 26), &[]);
}

#[test]
fn what_died_and_was_asked_for_under_another_key_is_told_unless_everything_is() {
    let sample = |died, followed, well, well_followed| {
        sampled(RecordSample {
            records_count: died + well,
            unresolved_count: died,
            unresolved_followed_count: followed,
            succeeded_count: well,
            succeeded_followed_count: well_followed,
            ..RecordSample::default()
        })
    };
    check(&sample(10, 8, 1_000, 10), &[(KeyPerAttempt, Probable)]);
    check(&sample(5, 5, 0, 0), &[(KeyPerAttempt, Probable)]);
    check(&sample(4, 4, 1_000, 0), &[]);
    check(&sample(20, 9, 1_000, 0), &[]);
    check(&sample(100, 100, 1_000, 999), &[]);
    check(&sample(100, 60, 1_000, 130), &[]);
}

#[test]
fn payloads_in_quick_succession_are_told_and_those_by_chance_are_not() {
    let sample = |records, shared, pairs, near| {
        sampled(RecordSample {
            records_count: records,
            shared_count: shared,
            pairs_count: pairs,
            near_pairs_count: near,
            ..RecordSample::default()
        })
    };
    check(&sample(300, 200, 100, 100), &[(KeyPerAttempt, Probable)]);
    check(&sample(300, 200, 100, 80), &[(KeyPerAttempt, Probable)]);
    check(&sample(300, 200, 100, 79), &[]);
    check(&sample(300, 38, 19, 19), &[]);
    check(&sample(1_000, 99, 50, 50), &[]);
}

#[test]
fn what_is_open_for_long_contradicted_or_late_is_told() {
    let open = |open| Diagnosis { open: Some(open), ..Diagnosis::default() };
    let unresolved = |ago| OpenIntents {
        unresolved_count: 3,
        oldest_unresolved_time: Some(at(NOW - ago)),
        ..OpenIntents::default()
    };
    check(&open(unresolved(3_600)), &[]);
    check(&open(unresolved(3_601)), &[(Unresolved, Certain)]);
    let disputed = OpenIntents { disputed_count: 1, ..OpenIntents::default() };
    check(&open(disputed), &[(Disputed, Certain)]);
    let late = OpenIntents { late_reports_count: 1, ..OpenIntents::default() };
    check(&open(late), &[(LateReports, Certain)]);
}

#[test]
fn a_memory_with_a_gap_or_shorter_than_a_window_is_told() {
    const DAY: i64 = 86_400;
    let days = |days| Some(prost_types::Duration { seconds: days * DAY, nanos: 0 });
    let remembered = |smallest: i64, gap| {
        let windows = [("retries".to_owned(), days(3).unwrap())].into();
        let memory = ExportedMemory {
            smallest_retention_micros: Some(smallest * DAY * 1_000_000),
            gap,
            ..ExportedMemory::default()
        };
        let policy = Policy { retention: days(45), windows, ..Policy::default() };
        Diagnosis { policy: Some(policy), memory: Some(memory), ..Diagnosis::default() }
    };
    check(&remembered(45, false), &[]);
    check(&remembered(3, false), &[]);
    check(&remembered(2, false), &[(MemoryTooShort, Certain)]);
    check(&remembered(45, true), &[(MemoryGap, Certain)]);
    check(&Diagnosis { memory: None, ..remembered(1, true) }, &[]);
}

#[test]
fn signs_of_one_cause_are_one_finding_as_sure_as_the_surest() {
    let many = KeyWindow { key_reused_count: 100, ..whole(1_000, 1_000) };
    let found = findings(&used(many), NOW);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].certainty, found[0].signs.len()), (Certain, 2));
}

#[test]
fn shares_are_told_in_tenths() {
    for (part, whole, told) in [
        (0, 0, "-"),
        (0, 10, "0.0 %"),
        (1, 10_000, "under 0.1 %"),
        (1, 3, "33.3 %"),
        (5, 5, "100.0 %"),
    ] {
        assert_eq!(percent(part, whole), told);
    }
}
