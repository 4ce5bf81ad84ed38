use super::{Of, Place};
use crate::store::{Error, Page};

fn place(time: i64, operation: &str, key: &str) -> Place {
    Place { time, operation: operation.to_owned(), key: key.to_owned() }
}

fn page(cursor: Vec<u8>) -> Page {
    Page { cursor, size: 1 }
}

#[test]
fn a_cursor_leads_back_to_its_place() {
    for place in [place(i64::MIN, "charge", "k"), place(7, "a", "chargé:v1:☃")] {
        let cursor = page(place.cursor(Of::LateReports));
        assert_eq!(Place::read(Of::LateReports, &cursor), Ok(Some(place)));
    }
    assert_eq!(Place::read(Of::LateReports, &page(Vec::new())), Ok(None));
}

#[test]
fn a_foreign_cursor_is_refused() {
    let cursor = place(7, "charge", "k").cursor(Of::Unreconciled);
    let not_text = [&cursor[..], &[0xff]].concat();
    for foreign in [vec![9], cursor[..14].to_vec(), not_text] {
        let read = Place::read(Of::Unreconciled, &page(foreign));
        assert!(matches!(read, Err(Error::Corrupt(_))), "{read:?}");
    }
    let other_listing = Place::read(Of::LateReports, &page(cursor));
    assert!(matches!(other_listing, Err(Error::Corrupt(_))), "{other_listing:?}");
}

#[test]
fn of_the_same_time_only_operations_that_are_listed_later_go_on() {
    let place = place(7, "charge", "k");
    assert_eq!(place.within("charge"), (7, "k"));
    assert_eq!(place.within("refund"), (7, ""));
    assert_eq!(place.within("alert"), (8, ""));
}
