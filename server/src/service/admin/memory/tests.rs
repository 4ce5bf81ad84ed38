use super::*;

fn request(namespace: &str, operation: &str, others: bool) -> v1::AcceptMemoryRequest {
    v1::AcceptMemoryRequest {
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
        reason: "compared with the provider".to_owned(),
        etag: String::new(),
        others,
    }
}

#[test]
fn an_operation_is_named_or_all_others_are_meant() {
    for (request, whose) in [
        (request("payments", "charge", false), ("payments", "charge")),
        (request("payments", "", true), ("payments", "")),
        (request("", "", true), ("", "")),
    ] {
        let judged = judged(&request).expect("no fault");
        assert_eq!((&*judged.namespace, &*judged.operation), whose);
        assert_eq!(judged.revision, None);
    }
}

#[test]
fn every_fault_of_an_acceptance_is_told() {
    let fields = |request| {
        let Err(wrong) = judged(&request) else { panic!("it has faults") };
        wrong.into_iter().map(|violation| violation.field).collect::<Vec<_>>()
    };
    assert_eq!(fields(request("", "", false)), ["namespace", "operation"]);
    assert_eq!(fields(request("_onced", "others:", true)), ["namespace", "operation"]);
    let (reason, etag) = ("x".repeat(501), "none".to_owned());
    let other = v1::AcceptMemoryRequest { reason, etag, ..request("A", "b/c", false) };
    assert_eq!(fields(other), ["namespace", "operation", "reason", "etag"]);
    let blank = v1::AcceptMemoryRequest { reason: " ".to_owned(), ..request("a", "b", false) };
    assert_eq!(fields(blank), ["reason"]);
}
