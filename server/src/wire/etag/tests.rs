use super::*;

#[test]
fn every_etag_comes_back_from_its_text() {
    let revision = Revision(Uuid::from_u128(7));
    for etag in [
        Etag::None,
        Etag::Revision { revision, marked: false },
        Etag::Revision { revision, marked: true },
    ] {
        assert_eq!(parse(&text(etag)), Some(etag));
    }
}

#[test]
fn a_mark_alone_and_other_words_are_no_etags() {
    for text in ["", "None", "+evidence", "none+evidence", "00000000", "x+evidence"] {
        assert_eq!(parse(text), None, "{text:?}");
    }
}
