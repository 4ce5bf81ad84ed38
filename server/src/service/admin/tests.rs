use super::*;

fn request(namespace: &str, frozen: bool, sealed: bool, reason: &str) -> v1::FreezeRequest {
    let (namespace, reason) = (namespace.to_owned(), reason.to_owned());
    v1::FreezeRequest { namespace, frozen, sealed, reason }
}

#[test]
fn a_freeze_says_what_is_still_taken() {
    for (frozen, sealed, hold) in
        [(false, false, Hold::Open), (true, false, Hold::Frozen), (true, true, Hold::Sealed)]
    {
        assert_eq!(
            asked_hold(&request("shop", frozen, sealed, "a move")),
            Ok((Some("shop"), hold))
        );
    }
    assert_eq!(asked_hold(&request("", true, false, "a move")), Ok((None, Hold::Frozen)));
}

#[test]
fn every_fault_of_a_freeze_is_told() {
    let Err(Denial::Malformed(violations)) = asked_hold(&request("_onced", false, true, " "))
    else {
        panic!("it is malformed");
    };
    let fields: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(fields, ["namespace", "reason", "sealed"]);
}
