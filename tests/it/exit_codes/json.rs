//! `--output json` is the protobuf JSON mapping: names in camel case, 64-bit numbers as texts,
//! defaults left out.

use onced_proto::v1::ClaimRequest;
use onced_tests::harness::{InProcess, RulingExt, in_process::START, request::*};
use serde_json::{Value, json};

use super::{CHARGE, JSON, onced};

/// Takes a member out, which must be a text.
fn taken(object: &mut Value, name: &str) -> String {
    let member = object.as_object_mut().expect("an object").remove(name);
    member.as_ref().and_then(Value::as_str).unwrap_or_else(|| panic!("{name}: {member:?}")).into()
}

#[tokio::test]
async fn a_grant_is_printed_as_protobuf_maps_it() {
    let server = InProcess::start().await;
    let words = format!("claim {CHARGE} order-1 {JSON} --output json");
    let mut printed = onced(server.address, &words).await.json();
    let granted = &mut printed["ruling"]["granted"];
    let waited = taken(granted, "waited");
    let seconds: f64 = waited.strip_suffix('s').expect("seconds").parse().expect("a number");
    assert!((0.0..60.0).contains(&seconds), "{waited}");
    let key = taken(granted, "providerKey");
    assert!(key.starts_with("once1-") && key.len() == 38, "{key}");
    let expected = json!({ "ruling": { "granted": {
        "attempt": 1,
        "fencingToken": START.0.to_string(),
        "lease": "30s",
        "leaseExpireTime": "2026-02-25T06:13:50Z",
        "resultBytesMax": 65_536,
        "providerKeyExpireTime": "2026-02-26T06:13:20Z",
        "effectTimeout": "20s",
    } } });
    assert_eq!(printed, expected);
}

#[tokio::test]
async fn an_outcome_is_printed_as_protobuf_maps_it() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let outcome = succeeded_with(Some(raw(vec![0, 0xFF, 0xFE])));
    calls.complete(complete(&intent, token, outcome)).await.expect("a report");
    let words = format!("claim {CHARGE} order-1 {JSON} --output json");
    let mut printed = onced(server.address, &words).await.json();
    let completed = &mut printed["ruling"]["completed"];
    taken(completed, "expireTime");
    let expected = json!({ "ruling": { "completed": {
        "succeeded": { "result": { "bytes": "AP/+" } },
        "attempt": 1,
        "completeTime": "2026-02-25T06:13:20Z",
        "source": "OUTCOME_SOURCE_HOLDER",
    } } });
    assert_eq!(printed, expected);
}

#[tokio::test]
async fn an_intent_is_printed_as_protobuf_maps_it() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let labels = [("trace".to_owned(), "7".to_owned())].into();
    let request = ClaimRequest { holder: "pod-7".into(), labels, ..claim(&intent) };
    calls.claim(request).await.expect("a ruling").granted();
    let shown = calls.get(get_whole(&intent)).await.expect("an intent");
    let words = format!("get {CHARGE} order-1 {JSON} --output json");
    let printed = onced(server.address, &words).await.json();
    let expected = json!({ "intent": {
        "id": { "namespace": "payments", "operation": "charge", "key": "order-1" },
        "state": "STATE_IN_PROGRESS",
        "etag": shown.etag,
        "payloadHash": shown.payload_hash,
        "attempt": 1,
        "providerKey": shown.provider_key,
        "holder": "pod-7",
        "firstClaimTime": "2026-02-25T06:13:20Z",
        "claimTime": "2026-02-25T06:13:20Z",
        "leaseExpireTime": "2026-02-25T06:13:50Z",
        "effectClass": "EFFECT_CLASS_KEYED",
        "labels": { "trace": "7" },
    } });
    assert!(!shown.etag.is_empty() && shown.payload_hash.starts_with("jcs-sha256:"));
    assert_eq!(printed, expected);
}

#[tokio::test]
async fn a_refusal_is_printed_as_a_status_with_its_details() {
    let server = InProcess::start().await;
    server.calls().granted(&charge("order-1")).await;
    let other = r#"--json {"amount":101} --output json"#;
    let ended = onced(server.address, &format!("claim {CHARGE} order-1 {other}")).await;
    assert_eq!(ended.out, "");
    let printed: Value = serde_json::from_str(&ended.err).expect("JSON");
    let details = printed["details"].as_array().expect("details");
    let info = details.iter().find(|detail| detail["reason"].is_string()).expect("a reason");
    assert_eq!(
        (info["reason"].as_str(), info["domain"].as_str()),
        (Some("KEY_REUSED"), Some("onced.v1"))
    );
    let kind = info["@type"].as_str().expect("a type");
    assert!(kind.ends_with("/google.rpc.ErrorInfo"), "{kind}");
}
