use super::*;

#[test]
fn who_is_told_to_ask_again_is_told_to_do_so_when_it_may_be_over() {
    let table = [(0, 1_000), (10, 50), (300, 300), (30_000, 1_000)];
    for (left, told) in table {
        let [left, told] = [left, told].map(Duration::from_millis);
        assert_eq!(retry_after(left), told, "{left:?} left");
    }
}
