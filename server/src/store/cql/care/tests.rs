//! What keeps a process from granting.

use std::time::Duration;

use super::{Found, Offset, apart, off};
use crate::store::Trouble;

const OFF: Option<Duration> = Some(Duration::from_secs(61));

#[test]
fn a_cluster_that_falls_silent_does_not_set_a_clock_right() {
    let trouble = |off, is_silent| Found { off, is_silent }.trouble();
    assert_eq!(trouble(None, false), None);
    assert_eq!(trouble(None, true), Some(Trouble::Unreachable));
    for is_silent in [false, true] {
        let told = trouble(OFF, is_silent).expect("a clock that is off");
        assert!(told.bars_leases(), "{told}");
    }
}

/// So many seconds ahead, known to a second.
fn ahead(seconds: i64) -> Offset {
    let micros = seconds * 1_000_000;
    Offset { least: micros, most: micros + 1_000_000 }
}

#[test]
fn a_clock_is_off_by_as_much_as_is_sure() {
    let seconds =
        |seen: &[i64]| off(&seen.iter().copied().map(ahead).collect::<Vec<_>>()).as_secs();
    assert_eq!(seconds(&[0, 0]), 0);
    assert_eq!(seconds(&[70, 0]), 70);
    assert_eq!(seconds(&[0, -70]), 69);
}

#[test]
fn clocks_that_agree_are_not_apart_however_wrong_ones_own_is() {
    let seconds =
        |seen: &[i64]| apart(&seen.iter().copied().map(ahead).collect::<Vec<_>>()).as_secs();
    assert_eq!(seconds(&[300, 300, 300]), 0);
    assert_eq!(seconds(&[300, 310, 300]), 9);
    assert_eq!(seconds(&[-5, 5]), 9);
}
