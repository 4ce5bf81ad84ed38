use super::*;

#[track_caller]
fn check(text: &str, expected: i64) {
    assert_eq!(parse(text).map(|time| time.seconds), Ok(expected), "{text}");
}

#[test]
fn a_time_is_read_with_its_zone() {
    check("2026-01-31T12:00:00Z", 1_769_860_800);
    check("2026-01-31T13:00:00+01:00", 1_769_860_800);
    check("2026-01-31T07:00:00-05:00", 1_769_860_800);
    assert_eq!(parse("2026-01-31T12:00:00.25Z").map(|time| time.nanos), Ok(250_000_000));
}

#[test]
fn a_time_without_zone_is_refused_and_so_is_nonsense() {
    for text in ["2026-01-31T12:00:00", "2026-01-31", "2026-13-31T12:00:00Z", "now", ""] {
        assert!(parse(text).is_err(), "{text}");
    }
}
