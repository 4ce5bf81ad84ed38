//! What keeps a process from granting.

use std::time::Duration;

use super::Found;
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
