use super::*;

fn kept_of(total: usize, byte: &str) -> Kept {
    Kept::of(byte.repeat(total).as_bytes(), DETAIL_BYTES_MAX, TAIL_MAX)
}

fn report(fate: Fate, kept: &Kept, result_bytes_max: i32) -> Report {
    let intent = IntentId::default();
    let granted = Granted { result_bytes_max, fencing_token: 7, ..Granted::default() };
    Attempt { intent: &intent, granted: &granted, payload: &None }.report(fate, kept)
}

fn outcome(report: Report) -> Outcome {
    match report {
        Report::Complete(request) => request.outcome.unwrap(),
        Report::Release(_) => panic!("{report:?}"),
    }
}

#[test]
fn an_output_up_to_the_limit_of_the_grant_is_the_result() {
    for (length, is_kept) in [(0, true), (9, true), (10, true), (11, false)] {
        let report = report(Fate::Succeeded(0), &kept_of(length, "x"), 10);
        let Outcome::Succeeded(succeeded) = outcome(report) else { panic!("not a success") };
        assert_eq!(succeeded.result.is_some(), is_kept, "{length}");
        assert_eq!(succeeded.result_absence() == ResultAbsence::Omitted, !is_kept, "{length}");
    }
}

#[test]
fn of_a_failure_that_said_too_much_the_end_is_kept() {
    let long = kept_of(DETAIL_BYTES_MAX, "é");
    let Outcome::Failed(failed) = outcome(report(Fate::Failed(3), &long, 10)) else {
        panic!("not a failure")
    };
    assert_eq!((failed.r#type.as_str(), failed.detail), ("exit-3", None));
    assert!(failed.message.starts_with('…') && failed.message.ends_with("éé"));
    assert!(failed.message.len() <= 1_024, "{}", failed.message.len());
    let bytes = Kept::of(&vec![0xFF; DETAIL_BYTES_MAX + 1], DETAIL_BYTES_MAX, TAIL_MAX);
    let Outcome::Failed(failed) = outcome(report(Fate::Failed(3), &bytes, 10)) else {
        panic!("not a failure")
    };
    assert!(failed.message.len() <= 1_024, "{}", failed.message.len());
}

#[test]
fn what_surely_did_nothing_is_given_back_and_what_is_not_known_is_said_to_be_unknown() {
    let released = report(Fate::NotApplied(75), &kept_of(1, "x"), 10);
    let Report::Release(request) = released else { panic!("{released:?}") };
    assert_eq!(request.grant, Some(Grant::FencingToken(7)));
    let unknown = outcome(report(Fate::Unknown, &kept_of(1, "x"), 10));
    assert!(matches!(unknown, Outcome::Unknown(_)));
}

#[test]
fn the_line_of_an_outcome_holds_the_hash_in_place_of_the_payload() {
    let payload = |payload| Some(Payload { payload: Some(payload) });
    let hash = |given| {
        let request = CompleteRequest { payload: given, ..CompleteRequest::default() };
        match without_payload(&Report::Complete(request)) {
            Report::Complete(CompleteRequest { payload: Some(payload), .. }) => payload.payload,
            other => panic!("{other:?}"),
        }
    };
    let Some(payload::Payload::Hash(json)) = hash(payload(payload::Payload::Json("[1]".into())))
    else {
        panic!("no hash")
    };
    assert!(json.starts_with("jcs-sha256:"), "{json}");
    let secret = payload::Payload::Bytes(b"secret".to_vec().into());
    let Some(payload::Payload::Hash(bytes)) = hash(payload(secret)) else { panic!("no hash") };
    assert!(bytes.starts_with("sha256:"), "{bytes}");
}
