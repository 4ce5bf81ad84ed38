//! Durations as people write them.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let span = duration_of(text).unwrap();
    assert_eq!(told(span), expected);
    assert_eq!(duration_of(expected), Ok(span), "what is told can be written");
}

#[test]
fn durations_are_told_exactly_and_in_the_form_that_a_file_takes() {
    check("45d", "45d");
    check("2h 30m", "2h 30m");
    check("90000s", "1d 1h");
    check("1500ms", "1s 500ms");
    check("1ms 7ns", "1ms 7ns");
    check("1month", "30d 10h 33m 36s");
    check("0", "0s");
}

#[test]
fn durations_without_a_unit_or_beyond_the_longest_expiry_are_refused() {
    assert!(duration_of("30").is_err());
    assert!(duration_of("").is_err());
    assert!(duration_of("4294967295s").is_ok());
    assert!(duration_of("4294967296s").is_err());
}
