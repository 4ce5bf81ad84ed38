use super::{sketch::Sketch, *};

const HOUR: Duration = Duration::from_secs(3_600);

fn at(hours: u32) -> Timestamp {
    Timestamp(1_772_000_000_000_000).after(HOUR * hours)
}

fn charge() -> Scope {
    Scope::of("payments", "charge")
}

/// Keys are claimed, these of them again.
fn claim(keys: &KeyUse, names: std::ops::Range<u64>, again: bool, now: Timestamp) {
    for name in names {
        let hash = keys.hasher.hash_one(name);
        keys.with(&charge(), |hours| hours.at(now).claimed(hash, again));
    }
}

/// Not further off than a tenth.
#[track_caller]
fn about(found: u64, expected: u64) {
    assert!(found.abs_diff(expected) * 10 <= expected, "{found}, not about {expected}");
}

#[test]
fn a_sketch_knows_about_how_many_distinct_hashes_it_has() {
    let hasher = RandomState::new();
    for count in [0_u64, 1, 10, 200, 1_000, 5_000, 100_000] {
        let sketch = Sketch::default();
        for hash in 0..count {
            sketch.add(hasher.hash_one(hash));
            sketch.add(hasher.hash_one(hash));
        }
        let slack = (count / 5).max(1);
        assert!(sketch.count().abs_diff(count) <= slack, "{} of {count}", sketch.count());
    }
}

#[test]
fn keys_are_distinct_over_all_hours_and_counted_once_where_they_come_again() {
    let keys = KeyUse::default();
    claim(&keys, 0..1_000, false, at(0));
    for hour in [1, 2] {
        claim(&keys, 0..100, true, at(hour));
    }
    let used = keys.used(&charge(), at(2));
    assert_eq!(used.hours.len(), 3);
    about(used.whole.keys, 1_000);
    about(used.whole.keys_again, 100);
    assert_eq!(used.hours[0].keys_again, 0, "none is none");
    about(used.hours[2].keys, 100);
    assert_eq!(used.hours[2].keys, used.hours[2].keys_again, "the same keys are as many");
}

#[test]
fn what_is_two_days_old_is_gone_and_its_room_used_again() {
    let keys = KeyUse::default();
    claim(&keys, 0..100, false, at(0));
    keys.count(&charge(), Count::KeyReused, 3, at(0));
    assert_eq!(keys.used(&charge(), at(47)).whole.count(Count::KeyReused), 3);
    let gone = keys.used(&charge(), at(48));
    assert_eq!((gone.hours.len(), gone.whole.keys, gone.whole.count(Count::KeyReused)), (0, 0, 0));
    claim(&keys, 100..110, false, at(48));
    let used = keys.used(&charge(), at(48));
    about(used.whole.keys, 10);
    assert_eq!((used.hours.len(), used.whole.count(Count::KeyReused)), (1, 0));
}

#[test]
fn more_operations_than_there_is_room_for_are_counted_together() {
    let keys = KeyUse::default();
    for operation in 0..OPERATIONS_MAX + 10 {
        let scope = Scope::of("n", &operation.to_string());
        keys.count(&scope, Count::Claims, 1, at(0));
    }
    assert_eq!(keys.whole(at(0)).len(), OPERATIONS_MAX + 1);
    assert_eq!(keys.used(&Scope::other(), at(0)).whole.count(Count::Claims), 10);
    keys.forget(&Scope::of("n", "0"));
    assert_eq!(keys.used(&Scope::of("n", "0"), at(0)).whole.count(Count::Claims), 0);
}
