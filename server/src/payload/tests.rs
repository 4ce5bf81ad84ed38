use data_encoding::BASE64;
use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Vectors {
    json: Vec<Json>,
    refused_json: Vec<RefusedJson>,
    numbers: Vec<Number>,
    bytes: Vec<Raw>,
    hashes: Hashes,
}

#[derive(Deserialize)]
struct Json {
    name: String,
    text: String,
    canonical: String,
    hash: String,
}

#[derive(Deserialize)]
struct RefusedJson {
    name: String,
    text: String,
    #[serde(default = "once")]
    times: usize,
}

#[derive(Deserialize)]
struct Number {
    bits: String,
    text: String,
}

#[derive(Deserialize)]
struct Raw {
    name: String,
    base64: String,
    hash: String,
}

#[derive(Deserialize)]
struct Hashes {
    accepted: Vec<String>,
    refused: Vec<String>,
}

fn once() -> usize {
    1
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../client/vectors/payload_hashes.json")).unwrap()
}

fn json(text: &str) -> Payload {
    Payload::from_json(text).unwrap()
}

fn raw(text: impl Into<Bytes>) -> Payload {
    Payload::from_bytes(text.into())
}

#[test]
fn json_has_golden_vectors() {
    for case in vectors().json {
        let canonical = canonical::canonical(&case.text).expect(&case.name);
        assert_eq!(String::from_utf8(canonical).unwrap(), case.canonical, "{}", case.name);
        assert_eq!(json(&case.text).hash().to_string(), case.hash, "{}", case.name);
    }
}

#[test]
fn a_canonical_form_is_its_own_canonical_form() {
    for case in vectors().json {
        let canonical = canonical::canonical(&case.canonical).expect(&case.name);
        assert_eq!(String::from_utf8(canonical).unwrap(), case.canonical, "{}", case.name);
    }
}

#[test]
fn what_is_not_i_json_is_refused() {
    for case in vectors().refused_json {
        let told = Payload::from_json(&case.text.repeat(case.times)).expect_err(&case.name);
        assert!(told.starts_with("is not I-JSON: "), "{}: {told}", case.name);
    }
}

#[test]
fn numbers_read_and_are_written_as_ecmascript_does() {
    for case in vectors().numbers {
        let bits = u64::from_str_radix(&case.bits, 16).unwrap();
        let value = f64::from_bits(bits);
        assert_eq!(ryu_js::Buffer::new().format(value), case.text, "{}", case.bits);
        let read: f64 = serde_json::from_str(&case.text).unwrap();
        assert_eq!(read.to_bits() << 1, bits << 1, "{}", case.bits);
    }
}

#[test]
fn raw_bytes_have_golden_vectors() {
    for case in vectors().bytes {
        let bytes = BASE64.decode(case.base64.as_bytes()).unwrap();
        assert_eq!(raw(bytes).hash().to_string(), case.hash, "{}", case.name);
    }
}

#[test]
fn a_hash_reads_as_it_is_shown() {
    for text in vectors().hashes.accepted {
        assert_eq!(PayloadHash::parse(&text).expect(&text).to_string(), text);
    }
}

#[test]
fn a_hash_of_another_shape_is_refused() {
    for text in vectors().hashes.refused {
        assert!(PayloadHash::parse(&text).is_err(), "{text:?}");
    }
}

#[test]
fn what_is_wrong_with_a_hash_is_told_with_the_numbers() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(PayloadHash::parse(text).unwrap_err(), expected);
    }
    check("9f86", "is not <scheme>:<lower-case hex digest>");
    check("SHA256:9f", "has a scheme that is not 1 to 32 characters of a-z, 0-9 and '-'");
    check("sha256:9F", "has a digest that is not lower-case hexadecimal");
    check("sha256:9f", "has a digest of 2 characters; sha256 has 64");
    check("x:123", "has a digest of 3 characters; an even number from 2 to 128 is allowed");
}

/// The stored hash is that of `stored`; what `given` is told.
#[track_caller]
fn check(given: &Payload, stored: &Payload, expected: Comparison) {
    assert_eq!(given.compare(stored.hash()), expected, "{} and {}", given.hash(), stored.hash());
}

#[test]
fn payloads_of_one_scheme_are_the_same_or_differ() {
    check(&raw("a"), &raw("a"), Comparison::Same);
    check(&raw("a"), &raw("b"), Comparison::Differs);
    check(&json(r#"{"a":1,"b":2}"#), &json(r#"{"b":2.0, "a":1}"#), Comparison::Same);
    check(&json(r#"{"a":1}"#), &json(r#"{"a":2}"#), Comparison::Differs);
    check(&json("\"caf\u{e9}\""), &json("\"cafe\u{301}\""), Comparison::Differs);
    check(&opaque("md5:00"), &opaque("md5:00"), Comparison::Same);
    check(&opaque("md5:00"), &opaque("md5:01"), Comparison::Differs);
}

#[test]
fn raw_bytes_are_read_as_json_where_json_is_stored() {
    let stored = json(r#"{"a":1,"b":[true,null]}"#);
    check(&raw(r#"{ "b" : [true, null], "a" : 1.0 }"#), &stored, Comparison::Same);
    check(&raw(r#"{"a":1,"b":[true,false]}"#), &stored, Comparison::Differs);
}

#[test]
fn raw_bytes_that_are_not_i_json_are_of_another_scheme_than_json() {
    let stored = json(r#"{"a":1}"#);
    check(&raw("amount=1"), &stored, Comparison::SchemeDiffers);
    check(&raw(r#"{"a":1,"a":1}"#), &stored, Comparison::SchemeDiffers);
    check(&raw(&b"\"\xff\""[..]), &stored, Comparison::SchemeDiffers);
    check(&raw(""), &stored, Comparison::SchemeDiffers);
}

#[test]
fn payloads_of_different_schemes_neither_match_nor_mismatch() {
    let text = r#"{"a":1}"#;
    let hash_alone = Payload::from_hash(raw(text).hash().clone());
    check(&json(text), &raw(text), Comparison::SchemeDiffers);
    check(&hash_alone, &json(text), Comparison::SchemeDiffers);
    check(&opaque("md5:00"), &raw(text), Comparison::SchemeDiffers);
    check(&opaque("md5:00"), &opaque("md4:00"), Comparison::SchemeDiffers);
    check(&raw(text), &opaque("md5:00"), Comparison::SchemeDiffers);
    check(&json(text), &opaque("md5:00"), Comparison::SchemeDiffers);
}

fn opaque(text: &str) -> Payload {
    Payload::from_hash(PayloadHash::parse(text).unwrap())
}

#[test]
fn huge_payloads_that_differ_in_the_last_byte_differ() {
    let one = vec![b'a'; 1 << 20];
    let mut other = one.clone();
    other[(1 << 20) - 1] = b'b';
    check(&raw(one.clone()), &raw(one), Comparison::Same);
    check(&raw(other), &raw(vec![b'a'; 1 << 20]), Comparison::Differs);

    let text = format!("\"{}", "a".repeat((1 << 20) - 3));
    check(&json(&format!("{text}a\"")), &json(&format!("{text}b\"")), Comparison::Differs);
}

#[test]
fn depth_is_bounded_in_objects_too() {
    let nested = |depth| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    assert!(Payload::from_json(&nested(127)).is_ok());
    assert!(Payload::from_json(&nested(128)).is_err());
    assert!(Payload::from_json(&nested(200_000)).is_err());
}

#[test]
fn what_is_wrong_with_json_is_told_without_its_content() {
    let told = Payload::from_json(r#"{"secret":"hunter2","secret":"hunter2"}"#).unwrap_err();
    assert!(told.contains("two members of the same name"), "{told}");
    assert!(!told.contains("hunter2") && !told.contains("secret"), "{told}");
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-(1_i64 << 53)..=1_i64 << 53).prop_map(Into::into),
        any::<i32>().prop_map(|number| (f64::from(number) / 1024.0).into()),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn a_canonical_form_holds_the_same_value_and_whitespace_changes_nothing(value in any_json()) {
        let canonical = canonical::canonical(&value.to_string()).unwrap();
        let spaced = canonical::canonical(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
        prop_assert_eq!(&canonical, &spaced);
        let read: serde_json::Value = serde_json::from_slice(&canonical).unwrap();
        let again = canonical::canonical(&read.to_string()).unwrap();
        prop_assert_eq!(canonical, again);
    }

    #[test]
    fn any_text_at_all_never_panics(text in any::<String>()) {
        let _ = Payload::from_json(&text);
        let _ = PayloadHash::parse(&text);
    }
}
