//! Answers in the shapes that the engines give them. Those of Cassandra were seen; those of
//! ScyllaDB are made from its documentation, since it cannot be run here.

use scylla::value::CqlValue;
use uuid::Uuid;

use super::{Answered, Cells, lease_of, record_of};
use crate::{
    clock::Timestamp,
    record::{Record, codec},
    store::{Error, Lease, conformance::sample},
};

const ROW: [&str; 8] =
    ["[applied]", "namespace", "operation", "key", "lease", "record", "result", "revision"];

fn record() -> Record {
    let intent = crate::intent::IntentId::new("test", "payments", "charge", "k");
    sample::record(&intent.expect("valid names"), Timestamp(1_780_000_000_000_000))
}

fn applied(yes: bool) -> CqlValue {
    CqlValue::Boolean(yes)
}

/// A whole row, as a refused insert tells it.
fn row(yes: bool, record: &Record) -> Vec<Option<CqlValue>> {
    let text = |text: &str| Some(CqlValue::Text(text.to_owned()));
    vec![
        Some(applied(yes)),
        text("payments"),
        text("charge"),
        text("k"),
        Some(CqlValue::Uuid(Uuid::from_u128(7))),
        Some(CqlValue::Blob(codec::encode(record))),
        None,
        Some(CqlValue::Uuid(record.revision.0)),
    ]
}

fn refused(answered: Result<Answered, Error>) -> Cells {
    match answered {
        Ok(Answered::Refused(cells)) => cells,
        Ok(Answered::Applied) => panic!("it was refused"),
        Err(error) => panic!("it was refused, not {error}"),
    }
}

#[test]
fn cassandra_says_of_an_applied_write_only_that_it_was() {
    let answered = Answered::of_first(&["[applied]"], vec![Some(applied(true))]);
    assert!(matches!(answered, Ok(Answered::Applied)));
}

#[test]
fn scylla_tells_no_row_where_an_insert_was_applied_but_all_its_columns() {
    let mut cells = vec![None; ROW.len()];
    cells[0] = Some(applied(true));
    assert!(matches!(Answered::of_first(&ROW, cells), Ok(Answered::Applied)));
}

#[test]
fn the_old_row_that_scylla_tells_of_an_applied_write_is_not_taken_for_a_refusal() {
    let answered = Answered::of_first(&ROW, row(true, &record()));
    assert!(matches!(answered, Ok(Answered::Applied)));
}

#[test]
fn both_tell_the_whole_row_that_refused_an_insert() {
    let record = record();
    let cells = refused(Answered::of_first(&ROW, row(false, &record)));
    assert_eq!(cells.lease(), Some(Uuid::from_u128(7)));
    assert_eq!(cells.record(), Ok(Some(record)));
}

#[test]
fn a_refused_update_tells_the_columns_of_its_condition_or_none_at_all() {
    for names in [&["[applied]", "lease", "revision"][..], &["[applied]"]] {
        let mut cells = vec![None; names.len()];
        cells[0] = Some(applied(false));
        let cells = refused(Answered::of_first(names, cells));
        assert_eq!(cells.record(), Ok(None));
    }
}

#[test]
fn an_answer_that_does_not_say_whether_it_was_applied_is_uncertain() {
    for cells in [vec![None], vec![Some(CqlValue::Int(1))]] {
        let answered = Answered::of_first(&["[applied]"], cells);
        assert!(matches!(answered, Err(Error::Uncertain(_))));
    }
    let elsewhere = Answered::of_first(&["lease"], vec![Some(applied(true))]);
    assert!(matches!(elsewhere, Err(Error::Uncertain(_))));
}

#[test]
fn a_row_without_a_revision_is_no_record_and_one_with_another_is_corrupt() {
    let record = record();
    let bytes = codec::encode(&record);
    assert_eq!(record_of(None, Some(bytes.clone())), Ok(None));
    for (revision, bytes) in [(Uuid::from_u128(1), Some(bytes)), (record.revision.0, None)] {
        assert!(matches!(record_of(Some(revision), bytes), Err(Error::Corrupt(_))));
    }
}

#[test]
fn of_a_lease_less_is_told_than_it_lives() {
    let held = Some(Uuid::from_u128(7));
    let told = |left| match lease_of(held, Some(left), 2) {
        Lease::Live { left } => left.as_secs(),
        Lease::Over => panic!("it is held"),
    };
    assert_eq!([33, 32, 4, 3, 1, 0].map(told), [30, 29, 1, 0, 0, 0]);
    assert_eq!(lease_of(None, None, 2), Lease::Over);
}
