use super::*;

fn page() -> Page {
    Page::new(Tone::Good, "granted", "go")
        .row("attempt", Some(1))
        .row("token", Some(17))
        .row("holder", Some(""))
        .row("amount", None::<String>)
        .next("onced get")
}

#[test]
fn the_verdict_comes_first_and_empty_facts_are_left_out() {
    assert_eq!(
        page().render(false),
        "granted: go\n  attempt  1\n  token    17\nnext:\n  onced get\n"
    );
}

#[test]
fn colour_changes_the_verdict_alone() {
    let coloured = page().render(true);
    let rest = page().render(false);
    assert_eq!(coloured.strip_prefix("\u{1b}[1;32mgranted\u{1b}[0m"), rest.strip_prefix("granted"));
}

#[test]
fn text_from_others_cannot_drive_the_terminal() {
    let page = Page::new(Tone::Bad, "refused", "a\u{1b}[2J").row("holder", Some("x\n\u{7}y"));
    let text = page.next("do\rthis").render(false);
    assert_eq!(text, "refused: a\\u{1b}[2J\n  holder  x\\n\\u{7}y\nnext:\n  do\\rthis\n");
}
