use super::*;

#[test]
fn durations_are_read_as_people_write_them() {
    assert_eq!(parse("30s"), Ok(Duration::from_secs(30)));
    assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
    assert_eq!(parse("1h 5m"), Ok(Duration::from_secs(3_900)));
}

#[test]
fn a_duration_without_unit_sign_or_sense_is_refused() {
    for text in ["30", "", "-5s", "soon", "20000years"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_duration_keeps_its_fraction_on_the_wire() {
    let wire = to_wire(Duration::new(2, 500_000_000));
    assert_eq!((wire.seconds, wire.nanos), (2, 500_000_000));
    assert_eq!(from_wire(Some(&wire)), Duration::from_millis(2_500));
}

#[test]
fn a_negative_or_absent_duration_is_zero() {
    let negative = prost_types::Duration { seconds: -3, nanos: 0 };
    assert_eq!(from_wire(Some(&negative)), Duration::ZERO);
    assert_eq!(from_wire(None), Duration::ZERO);
}

#[test]
fn people_see_milliseconds_at_most() {
    let wire = to_wire(Duration::new(29, 998_123_456));
    assert_eq!(show(Some(&wire)).as_deref(), Some("29s 998ms"));
    assert_eq!(show(None), None);
}
