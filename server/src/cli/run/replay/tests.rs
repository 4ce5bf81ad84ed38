use super::*;

#[test]
fn the_exit_code_comes_back_from_the_media_type() {
    let content = |content_type: &str| Content { body: None, content_type: content_type.into() };
    assert_eq!(code_in(&content(&with_code("text/plain; charset=utf-8", 3))), Some(3));
    for foreign in ["", "text/plain", "a/b; onced-exit-code=", "a/b; onced-exit-code=256"] {
        assert_eq!(code_in(&content(foreign)), None, "{foreign}");
    }
}
