use onced_proto::admin::v1::ExportedRecord;
use tempfile::TempDir;

use super::*;
use crate::{
    clock::Timestamp,
    intent::IntentId,
    store::{Lease, Stored, conformance::sample},
};

fn record(key: &str) -> ExportedRecord {
    let intent = IntentId::new("", "payments", "charge", key).unwrap();
    let record = sample::record(&intent, Timestamp(1_772_000_000_000_000));
    transfer::exported(
        &intent,
        &Stored {
            record,
            result: None,
            lease: Lease::Over,
            expires_in: None,
            result_expires_in: None,
        },
    )
}

fn part(keys: &[&str], cursor: &str) -> ExportResponse {
    ExportResponse {
        records: keys.iter().map(|key| record(key)).collect(),
        cursor: cursor.to_owned(),
        sealed: true,
        ..ExportResponse::default()
    }
}

fn last(of: &[&ExportResponse]) -> ExportResponse {
    let mut sum = Sum::new();
    for part in of {
        sum.take(part).unwrap();
    }
    ExportResponse { end: Some(sum.end()), sealed: true, ..ExportResponse::default() }
}

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out.onced");
    (folder, path)
}

#[test]
fn a_whole_file_is_read_as_it_was_written() {
    let (_folder, path) = folder();
    let parts = [part(&["a", "b"], "1"), part(&["c"], "")];
    let mut writer = Writer::create(&path, "payments").unwrap();
    for part in [parts[0].clone(), parts[1].clone(), last(&[&parts[0], &parts[1]])] {
        writer.put(part).unwrap();
    }
    let written = writer.finish().unwrap();
    let read = Reader::check(&path).unwrap();
    assert_eq!((read.tally, read.sealed), (written.tally, true));
    assert_eq!(read.tally.records, 3);
    assert!(Writer::create(&path, "payments").is_err(), "it would be overwritten");
}

#[test]
fn a_file_that_was_cut_off_anywhere_goes_on_from_its_last_whole_page() {
    let (_folder, path) = folder();
    let parts = [part(&["a", "b"], "1"), part(&["c"], ""), part(&["d"], "2")];
    let mut writer = Writer::create(&path, "").unwrap();
    for part in &parts {
        writer.put(part.clone()).unwrap();
    }
    writer.finish().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let first = head("").len() + parts[0].encode_length_delimited_to_vec().len();
    for length in [first, first + 1, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Reader::check(&path).is_err(), "{length}");
        let writer = Writer::resume(&path, "").unwrap();
        assert_eq!((writer.sum.cursor.as_str(), writer.sum.tally.records), ("1", 2), "{length}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), first as u64);
    }
    let mut writer = Writer::resume(&path, "").unwrap();
    let rest = part(&["c", "d"], "2");
    writer.put(rest.clone()).unwrap();
    // The server counts what it has sent this time; the file counts all of it.
    writer.put(last(&[&rest])).unwrap();
    writer.finish().unwrap();
    assert_eq!(Reader::check(&path).unwrap().tally.records, 4);
    assert!(Writer::resume(&path, "").unwrap().sum.is_whole);
}

#[test]
fn a_count_that_is_not_right_is_not_believed() {
    let (_folder, path) = folder();
    let mut writer = Writer::create(&path, "").unwrap();
    let first = part(&["a"], "1");
    writer.put(first.clone()).unwrap();
    assert!(writer.put(last(&[&first, &first])).is_err());
}

#[test]
fn a_file_of_another_namespace_is_not_gone_on_with() {
    let (_folder, path) = folder();
    Writer::create(&path, "payments").unwrap().finish().unwrap();
    assert!(Writer::resume(&path, "shipping").is_err());
    std::fs::write(&path, "something else\n").unwrap();
    assert!(Writer::resume(&path, "payments").is_err());
}

#[test]
fn one_part_that_could_change_makes_a_file_that_is_not_the_last() {
    let (_folder, path) = folder();
    let open = ExportResponse { sealed: false, ..part(&["a"], "1") };
    let mut writer = Writer::create(&path, "").unwrap();
    writer.put(open.clone()).unwrap();
    writer.put(last(&[&open])).unwrap();
    assert!(!writer.finish().unwrap().sealed);
    assert!(!Reader::check(&path).unwrap().sealed);
}
