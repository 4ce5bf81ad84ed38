use std::collections::HashSet;

use data_encoding::HEXLOWER;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Vectors {
    accepted: Vec<Accepted>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Accepted {
    name: String,
    namespace: String,
    operation: String,
    key: String,
    identity: String,
    provider_key_text: String,
    provider_key_uuid: String,
}

#[derive(Deserialize)]
struct Refused {
    name: String,
    namespace: String,
    operation: String,
    key: String,
    fields: Vec<String>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../client/vectors/intents.json")).unwrap()
}

#[test]
fn the_identity_and_the_provider_keys_have_golden_vectors() {
    for case in vectors().accepted {
        let intent =
            IntentId::new("intent", &case.namespace, &case.operation, &case.key).expect(&case.name);
        let identity = intent.identity();
        assert_eq!(HEXLOWER.encode(&identity.0), case.identity, "{}", case.name);
        let text = identity.provider_key(ProviderKeyForm::Text);
        assert_eq!(text, case.provider_key_text, "{}", case.name);
        let uuid = identity.provider_key(ProviderKeyForm::Uuid);
        assert_eq!(uuid, case.provider_key_uuid, "{}", case.name);
    }
}

#[test]
fn names_are_kept_byte_for_byte() {
    for case in vectors().accepted {
        let intent =
            IntentId::new("intent", &case.namespace, &case.operation, &case.key).expect(&case.name);
        let kept = (intent.namespace(), intent.operation(), intent.key());
        let given = (case.namespace.as_str(), case.operation.as_str(), case.key.as_str());
        assert_eq!(kept, given, "{}", case.name);
    }
}

#[test]
fn names_that_differ_in_one_byte_or_one_boundary_are_different_intents() {
    let accepted = vectors().accepted;
    let texts: HashSet<_> = accepted.iter().map(|case| &case.provider_key_text).collect();
    let uuids: HashSet<_> = accepted.iter().map(|case| &case.provider_key_uuid).collect();
    assert_eq!((texts.len(), uuids.len()), (accepted.len(), accepted.len()));
}

#[test]
fn every_name_at_fault_is_named_at_once() {
    for case in vectors().refused {
        let violations = IntentId::new("intent", &case.namespace, &case.operation, &case.key)
            .expect_err(&case.name);
        let fields: Vec<_> = violations.into_iter().map(|violation| violation.field).collect();
        let expected: Vec<_> = case.fields.iter().map(|field| format!("intent.{field}")).collect();
        assert_eq!(fields, expected, "{}", case.name);
    }
}

#[test]
fn what_is_wrong_is_told_with_the_numbers() {
    #[track_caller]
    fn check(operation: &str, key: &str, expected: &str) {
        let violations = IntentId::new("", "payments", operation, key).unwrap_err();
        let told: Vec<_> = violations
            .into_iter()
            .map(|violation| format!("{} {}", violation.field, violation.description))
            .collect();
        assert_eq!(told, [expected]);
    }
    check("", "k", "operation is required");
    check("Charge", "k", "operation holds 'C'; only a-z, 0-9, '.', '_' and '-' are allowed");
    check(&"o".repeat(129), "k", "operation has 129 characters; at most 128");
    check("charge", "", "key is required");
    check("charge", &"\u{1f600}".repeat(129), "key has 516 bytes; at most 512");
    check("charge", "a\n", "key holds the control character '\\n'");
    check("charge", "\u{200b} ", "key is blank");
}

#[test]
fn a_provider_key_is_short_printable_ascii() {
    for case in vectors().accepted {
        assert_eq!(case.provider_key_text.len(), 38);
        assert_eq!(case.provider_key_uuid.len(), 36);
        assert!(case.provider_key_text.bytes().all(|byte| byte.is_ascii_graphic()));
    }
}

#[test]
fn the_reserved_namespace_is_a_valid_name() {
    assert_eq!(name_fault(RESERVED_NAMESPACE), None);
}
