//! Keys: which are taken, and that two that differ in any byte are two intents.

use onced_proto::v1::ErrorReason;
use onced_tests::harness::{InProcess, RulingExt, request::*};

#[tokio::test]
async fn odd_keys_have_one_verdict_each() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let refused = [
        "",
        " ",
        " \t ",
        "\u{a0}",
        "\u{200b}",
        "\u{200f}\u{200e}",
        "\0",
        "a\0b",
        "a\nb",
        "a\u{85}b",
    ];
    for key in refused {
        let refusal = calls.claim(claim(&charge(key))).await.expect_err(key);
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["intent.key"], "{key:?}");
        assert!(!refusal.violations[0].1.contains('\n'), "what is told is escaped");
    }
    for key in ["null", "k", "a\u{200b}b", "\u{200f}a", " k ", "undefined", "0", "é", "🦀"] {
        assert_eq!(calls.granted(&charge(key)).await.attempt, 1, "{key:?}");
    }
}

#[tokio::test]
async fn a_key_may_have_512_bytes_and_no_more() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for longest in ["k".repeat(512), "🦀".repeat(128)] {
        assert_eq!(calls.granted(&charge(&longest)).await.attempt, 1);
        let longer = format!("{longest}k");
        let refusal = calls.claim(claim(&charge(&longer))).await.expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["intent.key"]);
    }
}

#[tokio::test]
async fn keys_that_look_alike_are_distinct_intents() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let mut provider_keys = std::collections::BTreeSet::new();
    let keys = ["Key", "key", "k1", "k1 ", " k1", "k1\u{200b}", "é", "e\u{301}", "a:b", "a%3Ab"];
    for key in keys {
        let granted = calls.granted(&charge(key)).await;
        assert_eq!(granted.attempt, 1, "{key:?}");
        provider_keys.insert(granted.provider_key);
    }
    assert_eq!(provider_keys.len(), keys.len());
}

#[tokio::test]
async fn the_parts_of_a_name_do_not_run_together() {
    let policies = r#"
[namespaces.a.operations."b.c"]
effect_class = "naturally_idempotent"
[namespaces."a.b".operations.c]
effect_class = "naturally_idempotent"
"#;
    let server = InProcess::with_policies(policies).await;
    let calls = server.calls();
    let one = calls.granted(&intent("a", "b.c", "d:e")).await;
    let other = calls.granted(&intent("a.b", "c", "d:e")).await;
    assert_ne!(one.provider_key, other.provider_key);
    assert_eq!((one.attempt, other.attempt), (1, 1));
}

#[tokio::test]
async fn one_key_under_other_operations_and_namespaces_is_another_intent() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let intents = [
        charge("order-1"),
        intent("payments", "refund", "order-1"),
        intent("shipping", "charge", "order-1"),
    ];
    for (n, intent) in intents.iter().enumerate() {
        let payload = if n == 1 { json("{}") } else { json(PAYLOAD) };
        let request = onced_proto::v1::ClaimRequest { payload, ..claim(intent) };
        assert_eq!(calls.claim(request).await.expect("a ruling").granted().attempt, 1);
    }
    calls.duplicate(&intents[0]).await.in_progress();
    calls.duplicate(&intents[2]).await.in_progress();
}
