use super::*;

fn answer(code: Code, message: &str) -> Response<Body> {
    corrected(Status::new(code, message).into_http())
}

#[test]
fn the_field_is_named_from_the_outside_in() {
    let message = "IntentId.key: ClaimRequest.intent: invalid string value: data is not UTF-8";
    assert_eq!(unreadable(message), Violation::new("", "intent.key", "is not UTF-8"));
    let message = "invalid wire type value: 7";
    assert_eq!(unreadable(message), Violation::new("", "request", "is not a well-formed message"));
}

#[test]
fn a_fault_of_the_server_stays_one() {
    for (code, message) in [
        (Code::Internal, "Missing request message."),
        (Code::OutOfRange, "another range"),
        (Code::Unknown, "failed to decode Protobuf message: x"),
    ] {
        let status = Status::from_header_map(answer(code, message).headers()).unwrap();
        assert_eq!((status.code(), status.message()), (code, message));
    }
}

#[test]
fn a_status_of_our_own_is_not_touched() {
    let own = Denial::Deadline.status();
    let answer = corrected(own.clone().into_http());
    let status = Status::from_header_map(answer.headers()).unwrap();
    assert_eq!((status.code(), status.details()), (own.code(), own.details()));
}
