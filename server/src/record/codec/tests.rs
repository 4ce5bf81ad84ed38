use bytes::Bytes;
use proptest::prelude::*;

use super::*;

mod arbitrary;
mod maximal;

use maximal::maximal;

const FIXTURE: &[u8] = include_bytes!("../fixtures/format-1-maximal.binpb");

#[test]
fn a_record_written_by_the_first_version_reads_as_it_was() {
    assert_eq!(decode(FIXTURE), Ok(maximal()));
}

#[test]
fn the_layout_of_format_1_does_not_change() {
    assert_eq!(encode(&maximal()), FIXTURE);
}

#[test]
fn the_format_comes_first() {
    assert_eq!(FIXTURE[..2], [0x08, 0x01]);
}

#[test]
fn a_newer_format_is_refused_by_its_number() {
    for newer in [2, 3, 127, 128, u32::MAX] {
        let header = layout::Header { format: newer }.encode_to_vec();
        let body_of_another_shape = [0x12, 0x03, 1, 2, 3];
        let cell = [header.as_slice(), &body_of_another_shape].concat();
        assert_eq!(decode(&cell), Err(Error::FormatTooNew(newer)));
    }
}

#[test]
fn a_record_without_format_is_corrupt() {
    assert_corrupt(b"");
    assert_corrupt(&changed(|cell| cell.format = 0));
}

#[test]
fn a_record_cut_anywhere_is_corrupt() {
    for length in 0..FIXTURE.len() {
        assert_corrupt(&FIXTURE[..length]);
    }
}

#[test]
fn bytes_after_the_record_make_it_corrupt() {
    let unknown_field = [0xf8, 0x07, 0x01];
    assert_corrupt(&[FIXTURE, &unknown_field].concat());
    let the_version_again = [0x10, 0x07];
    assert_corrupt(&[FIXTURE, &the_version_again].concat());
    assert_corrupt(&[FIXTURE, &[0x00]].concat());
}

#[test]
fn a_flipped_bit_never_panics_and_never_reads_as_something_that_cannot_be_written() {
    for position in 0..FIXTURE.len() {
        for bit in 0..8 {
            let mut cell = FIXTURE.to_vec();
            cell[position] ^= 1 << bit;
            if let Ok(record) = decode(&cell) {
                assert_eq!(decode(&encode(&record)), Ok(record), "bit {bit} of byte {position}");
            }
        }
    }
}

#[test]
fn nothing_that_is_required_has_a_default() {
    let cases: [fn(&mut layout::Record); 13] = [
        |cell| cell.version = None,
        |cell| cell.write_time_micros = None,
        |cell| cell.state = None,
        |cell| cell.grants_since_release = None,
        |cell| cell.terms = None,
        |cell| cell.first_claim_time_micros = None,
        |cell| cell.lease_end_time_micros = None,
        |cell| cell.revision = Bytes::new(),
        |cell| cell.payload_hash = Some(layout::PayloadHash::default()),
        |cell| cell.grants[0] = layout::Grant::default(),
        |cell| cell.reports[0] = layout::Report::default(),
        |cell| cell.audit[0] = layout::AuditEntry::default(),
        |cell| cell.spent[0] = layout::SpentClaimant::default(),
    ];
    for (case, change) in cases.into_iter().enumerate() {
        assert!(matches!(decode(&changed(change)), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn no_part_of_a_grant_has_a_default() {
    let cases: [fn(&mut layout::Grant); 6] = [
        |grant| grant.token = None,
        |grant| grant.attempt = None,
        |grant| grant.claimant = Some(Bytes::from_static(&[7; 15])),
        |grant| grant.claim_time_micros = None,
        |grant| grant.end = 0,
        |grant| grant.end = 7,
    ];
    for (case, change) in cases.into_iter().enumerate() {
        let cell = changed(|cell| change(&mut cell.grants[0]));
        assert!(matches!(decode(&cell), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn no_part_of_the_terms_has_a_default() {
    let cases: [fn(&mut layout::Terms); 10] = [
        |terms| terms.effect_class = 0,
        |terms| terms.effect_class = 5,
        |terms| terms.lease_micros = None,
        |terms| terms.max_lease_micros = None,
        |terms| terms.max_hold_micros = None,
        |terms| terms.effect_timeout_micros = None,
        |terms| terms.evidence_delay_micros = None,
        |terms| terms.retention_micros = None,
        |terms| terms.result_retention_micros = None,
        |terms| terms.reconcile = None,
    ];
    for (case, change) in cases.into_iter().enumerate() {
        let cell = changed(|cell| change(cell.terms.as_mut().unwrap()));
        assert!(matches!(decode(&cell), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn no_part_of_a_report_has_a_default() {
    let cases: [fn(&mut layout::Report); 9] = [
        |report| report.token = None,
        |report| report.said = None,
        |report| report.said = Some(layout::report::Said::Released(0)),
        |report| report.said = Some(layout::report::Said::Succeeded(layout::Success::default())),
        |report| report.digest = Bytes::from_static(&[7; 31]),
        |report| report.digest = Bytes::from_static(&[7; 33]),
        |report| report.answer = 0,
        |report| report.answer = 5,
        |report| report.time_micros = None,
    ];
    for (case, change) in cases.into_iter().enumerate() {
        let cell = changed(|cell| change(&mut cell.reports[0]));
        assert!(matches!(decode(&cell), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn no_part_of_an_outcome_has_a_default() {
    let cases: [fn(&mut layout::Settlement); 6] = [
        |settled| settled.outcome = None,
        |settled| settled.attempt = None,
        |settled| settled.complete_time_micros = None,
        |settled| settled.source = 0,
        |settled| succeeded(settled).result = Some(layout::success::Result::Absent(0)),
        |settled| {
            succeeded(settled).result =
                Some(layout::success::Result::Given(layout::ContentInfo::default()));
        },
    ];
    for (case, change) in cases.into_iter().enumerate() {
        let cell = changed(|cell| match &mut cell.state {
            Some(layout::record::State::Settled(settled)) => change(settled),
            _ => panic!("the fixture is settled"),
        });
        assert!(matches!(decode(&cell), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn no_part_of_an_audit_entry_has_a_default() {
    let cases: [fn(&mut layout::AuditEntry); 5] = [
        |entry| entry.time_micros = None,
        |entry| entry.before = 0,
        |entry| entry.after = 7,
        |entry| entry.judged = Bytes::from_static(&[7; 17]),
        |entry| entry.decision = Bytes::new(),
    ];
    for (case, change) in cases.into_iter().enumerate() {
        let cell = changed(|cell| change(&mut cell.audit[0]));
        assert!(matches!(decode(&cell), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn values_out_of_range_are_corrupt() {
    let cases: [fn(&mut layout::Record); 8] = [
        |cell| cell.grants[0].token = Some(0),
        |cell| cell.grants[0].token = Some(-1),
        |cell| cell.reports[0].token = Some(0),
        |cell| cell.amount.as_mut().unwrap().nanos = 1_000_000_000,
        |cell| cell.amount.as_mut().unwrap().nanos = i32::MIN,
        |cell| cell.terms.as_mut().unwrap().lease_micros = Some(-1),
        |cell| cell.terms.as_mut().unwrap().provider_window_micros = Some(-1),
        |cell| cell.state = Some(layout::record::State::Unknown(3)),
    ];
    for (case, change) in cases.into_iter().enumerate() {
        assert!(matches!(decode(&changed(change)), Err(Error::Corrupt(_))), "case {case}");
    }
}

#[test]
fn a_label_that_stands_twice_is_corrupt() {
    assert_corrupt(&changed(|cell| cell.labels.push(cell.labels[0].clone())));
}

#[test]
fn what_is_wrong_is_told_without_what_the_record_holds() {
    let Err(Error::Corrupt(text)) = decode(&changed(|cell| cell.terms = None)) else {
        panic!("it has no terms");
    };
    assert_eq!(text, "its terms are missing");
}

#[test]
fn spans_are_kept_in_whole_microseconds() {
    let mut record = maximal();
    record.terms.lease = std::time::Duration::from_nanos(1_999);
    let kept = decode(&encode(&record)).unwrap();
    assert_eq!(kept.terms.lease, std::time::Duration::from_micros(1));
}

proptest! {
    #[test]
    fn every_record_reads_as_it_was_written(record in arbitrary::record()) {
        prop_assert_eq!(decode(&encode(&record)), Ok(record));
    }

    #[test]
    fn a_cut_record_is_corrupt(record in arbitrary::record(), cut in any::<prop::sample::Index>()) {
        let cell = encode(&record);
        let cut = cut.index(cell.len());
        prop_assert!(matches!(decode(&cell[..cut]), Err(Error::Corrupt(_))), "cut at {}", cut);
    }

    #[test]
    fn any_bytes_at_all_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = decode(&bytes);
        let _ = decode(&[&[0x08, 0x01], bytes.as_slice()].concat());
    }
}

fn changed(change: impl FnOnce(&mut layout::Record)) -> Vec<u8> {
    let mut cell = layout::Record::decode(FIXTURE).unwrap();
    change(&mut cell);
    cell.encode_to_vec()
}

fn succeeded(settled: &mut layout::Settlement) -> &mut layout::Success {
    match &mut settled.outcome {
        Some(layout::settlement::Outcome::Succeeded(success)) => success,
        _ => panic!("the fixture succeeded"),
    }
}

#[track_caller]
fn assert_corrupt(cell: &[u8]) {
    let decoded = decode(cell);
    assert!(matches!(decoded, Err(Error::Corrupt(_))), "{} bytes: {decoded:?}", cell.len());
}
