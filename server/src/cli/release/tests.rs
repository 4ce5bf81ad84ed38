use std::time::Duration;

use super::*;
use crate::cli::connection::Output;

fn told(repeated: bool) -> String {
    let connection = Connection {
        profile: None,
        endpoint: crate::cli::ENDPOINT.to_owned(),
        timeout: Duration::from_secs(1),
        output: Output::Text,
    };
    let intent = IntentArgs { namespace: "n".into(), operation: "o".into(), key: "k".into() };
    page(repeated, &Next::new(&connection, &intent, &PayloadArgs::default())).render(false)
}

#[test]
fn a_release_claims_nothing_about_other_attempts() {
    for repeated in [false, true] {
        let text = told(repeated);
        assert!(text.starts_with("taken: this attempt surely did nothing"), "{text}");
        assert!(text.ends_with("onced get --namespace n --operation o --key k\n"), "{text}");
        assert!(!text.contains("released"), "{text}");
    }
}

#[test]
fn a_release_that_was_taken_before_is_told_so() {
    assert_ne!(told(true), told(false));
}
