use super::*;

fn row(key: &str, place: i64) -> Row {
    (String::new(), String::new(), key.to_owned(), None, place)
}

fn keys(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.2.as_str()).collect()
}

#[test]
fn a_page_ends_before_a_place_that_it_cannot_hold_whole() {
    let rows = vec![row("a", 1), row("b", 2), row("c", 2)];
    let (kept, next) = cut(rows, 2).unwrap();
    assert_eq!(keys(&kept), ["a"]);
    let page = Page { cursor: next.unwrap(), size: 2 };
    assert_eq!(super::place(&page), Ok(1));
}

#[test]
fn the_last_page_has_no_next_one() {
    let (kept, next) = cut(vec![row("a", 1), row("b", 2)], 2).unwrap();
    assert_eq!((keys(&kept), next), (vec!["a", "b"], None));
}

#[test]
fn rows_of_one_place_that_no_page_holds_are_not_passed_over() {
    assert!(cut(vec![row("a", 1), row("b", 1)], 1).is_err());
}

#[test]
fn a_cursor_of_another_engine_is_refused() {
    for cursor in [vec![0; 16], vec![TAG], vec![TAG; 8], vec![TAG; 10]] {
        assert!(super::place(&Page { cursor, size: 1 }).is_err());
    }
}
