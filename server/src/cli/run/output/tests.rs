use super::*;

fn kept(chunks: &[&str], limit: usize) -> Kept {
    let mut kept = Kept::default();
    for chunk in chunks {
        kept.push(chunk.as_bytes(), limit, 4);
    }
    kept
}

#[test]
fn an_output_up_to_the_limit_is_kept_whole() {
    assert_eq!(kept(&[], 5).whole(5), Some(&b""[..]));
    assert_eq!(kept(&["ab", "cde"], 5).whole(5), Some(&b"abcde"[..]));
}

#[test]
fn of_a_longer_one_the_end_is_kept_and_no_more_memory_is_used() {
    let kept = kept(&["abc", "def", "ghi", "jkl"], 5);
    assert_eq!((kept.whole(5), kept.tail(3), kept.total), (None, &b"jkl"[..], 12));
    assert_eq!((kept.head.len(), kept.tail(99)), (6, &b"ijkl"[..]));
}

#[test]
fn an_output_that_was_cut_is_not_taken_for_the_whole() {
    let cut = Kept { is_cut: true, ..kept(&["ab"], 5) };
    assert_eq!((cut.whole(5), cut.tail(9)), (None, &b"ab"[..]));
}
