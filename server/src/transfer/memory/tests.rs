use std::time::Duration;

use super::*;
use crate::clock::Timestamp;

fn memory(start: i64, restored: bool, days: u64) -> Memory {
    Memory {
        revision: Revision(Uuid::nil()),
        start: Timestamp(start),
        smallest_retention: Duration::from_secs(days * 86_400),
        restored,
        gap: restored,
    }
}

#[test]
fn of_two_first_uses_the_earlier_one_counts() {
    assert_eq!(joined(&memory(5, false, 30), &memory(3, false, 45)), memory(3, false, 30));
    assert_eq!(joined(&memory(3, false, 45), &memory(5, false, 30)), memory(3, false, 30));
}

#[test]
fn what_a_restore_has_forgotten_stays_forgotten() {
    assert_eq!(joined(&memory(5, true, 30), &memory(3, false, 30)), memory(5, true, 30));
    assert_eq!(joined(&memory(3, false, 30), &memory(5, true, 30)), memory(5, true, 30));
    assert_eq!(joined(&memory(7, true, 30), &memory(5, true, 30)), memory(7, true, 30));
}
