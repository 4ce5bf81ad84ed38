use onced_proto::v1::{
    Content, NotAppliedReason, Payload, Succeeded, complete_request::Outcome, content::Body,
    payload, release_request::Grant,
};

use super::*;

fn intent() -> IntentId {
    IntentId { namespace: "n".into(), operation: "o".into(), key: "k\n\"é\"".into() }
}

fn complete(body: Body) -> Report {
    let content_type = "text/plain".to_owned();
    let result = Some(Content { body: Some(body), content_type });
    let hash = payload::Payload::Hash("sha256:ab".into());
    Report::Complete(CompleteRequest {
        intent: Some(intent()),
        fencing_token: 1_764_547_200_000_001,
        payload: Some(Payload { payload: Some(hash) }),
        outcome: Some(Outcome::Succeeded(Succeeded { result, ..Default::default() })),
    })
}

fn release() -> Report {
    Report::Release(ReleaseRequest {
        intent: Some(intent()),
        grant: Some(Grant::FencingToken(7)),
        reason: NotAppliedReason::NotStarted.into(),
        message: "no such file".into(),
    })
}

#[test]
fn a_report_comes_back_from_its_line_as_it_was() {
    let bytes = Body::Bytes(vec![0, 0xFF, b'\n', b'\r'].into());
    for report in [complete(bytes), complete(Body::Text("a\nb\u{2028}\0".into())), release()] {
        let line = report.line().unwrap();
        assert!(!line.contains(['\n', '\r']), "{line}");
        assert_eq!(Report::all_in(&line).unwrap(), [report]);
    }
}

#[test]
fn every_line_is_found_among_others() {
    let (first, second) = (complete(Body::Text("1".into())), release());
    let (one, two) = (first.line().unwrap(), second.line().unwrap());
    let log = format!("starting\nJul 1 cron: {one}\nonced: something\r\n{two}\r\n");
    assert_eq!(Report::all_in(&log).unwrap(), [first, second]);
}

#[test]
fn a_line_that_is_not_understood_is_refused_and_never_half_taken() {
    let line = release().line().unwrap();
    for (what, text) in [
        ("no line", "nothing".to_owned()),
        ("cut", line[..line.len() - 3].to_owned()),
        ("a newer field", line.replace("\"reason\"", "\"why\"")),
        ("a newer word", line.replace("\"release\"", "\"retract\"")),
        ("no object", format!("{MARK}7")),
        ("two", format!("{MARK}{}", json!({ "complete": {}, "release": {} }))),
    ] {
        assert!(Report::all_in(&text).is_err(), "{what}: {text}");
    }
}
