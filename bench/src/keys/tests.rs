use std::collections::HashSet;

use super::*;
use crate::claims::fresh_key;

#[test]
fn loaded_keys_are_all_different_and_as_long_as_those_of_callers() {
    let keys: HashSet<String> = (0..10_000).map(loaded).collect();
    assert_eq!(keys.len(), 10_000);
    assert!(keys.iter().all(|key| key.len() == fresh_key().len()));
}

#[test]
fn any_loaded_key_is_one_of_those_that_were_loaded() {
    let keys: HashSet<String> = (0..100).map(loaded).collect();
    let asked: HashSet<String> = (0..1_000).map(|turn| any_loaded(turn, 100)).collect();
    assert_eq!(asked, keys, "every one is asked for, and no other");
}
