use super::{Merged, merge};

#[test]
fn pieces_that_are_read_whole_are_known_whole() {
    let merged = merge(vec![vec![1, 4], vec![2, 4], vec![]], 3);
    assert_eq!(merged, Merged { places: vec![1, 2, 4], until: None });
}

#[test]
fn nothing_is_known_past_the_end_of_a_piece_that_may_go_on() {
    let merged = merge(vec![vec![1, 3, 5], vec![2, 9], vec![4, 6, 7]], 3);
    assert_eq!(merged, Merged { places: vec![1, 2, 3, 4, 5], until: Some(5) });
}
