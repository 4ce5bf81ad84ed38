use super::*;

fn call(metadata: &[(&'static str, &str)]) -> Call {
    let mut request = Request::new(());
    for (name, value) in metadata {
        request.metadata_mut().insert(*name, value.parse().unwrap());
    }
    Call::of(&request, Duration::from_secs(60))
}

#[test]
fn a_transport_that_sends_again_says_so() {
    assert!(!call(&[]).resent);
    assert!(!call(&[("grpc-previous-rpc-attempts", "0")]).resent);
    assert!(!call(&[("grpc-previous-rpc-attempts", "x")]).resent);
    assert!(call(&[("grpc-previous-rpc-attempts", "1")]).resent);
}

#[test]
fn only_a_well_formed_traceparent_is_kept() {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let good = format!("00-{trace}-00f067aa0ba902b7-01");
    assert_eq!(call(&[("traceparent", &good)]).traceparent, Some(good));
    for bad in [
        String::new(),
        trace.to_owned(),
        format!("00-{trace}-00f067aa0ba902b7"),
        format!("00-{}-00f067aa0ba902b7-01", trace.to_uppercase()),
        format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
        format!("00-{trace}-{}-01", "0".repeat(16)),
        format!("00-{trace}-00f067aa0ba902b7-0x"),
    ] {
        assert_eq!(call(&[("traceparent", &bad)]).traceparent, None, "{bad}");
    }
}

#[test]
fn a_call_without_a_deadline_has_the_longest() {
    let call = call(&[]);
    assert_eq!(call.deadline - call.received, Duration::from_secs(60));
}
