//! Policies change while claims are open: the stricter of then and now applies, and nothing open is
//! orphaned.

use std::time::Duration;

use onced::policy::Reload;
use onced_proto::v1::{EffectClass, ErrorReason, ReclaimRule};
use onced_tests::harness::{InProcess, RulingExt, request::*};

const KEYED: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
[namespaces.payments.operations.refund]
effect_class = "external"
"#;
const EXTERNAL: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "external"
[namespaces.payments.operations.refund]
effect_class = "keyed"
provider_window = "24h"
"#;
const WITHOUT: &str = r#"
[namespaces.payments.operations.refund]
effect_class = "external"
"#;

#[tokio::test]
async fn an_edited_class_neither_loosens_nor_forgets_what_was_granted() {
    let server = InProcess::with_policies(KEYED).await;
    let (calls, charge, refund) = (server.calls(), charge("1"), intent("payments", "refund", "1"));
    calls.granted(&charge).await;
    calls.granted(&refund).await;
    assert_eq!(server.set_policies(EXTERNAL).await, Reload::Taken);
    server.advance(Duration::from_secs(31));
    for intent in [&charge, &refund] {
        let told = calls.reclaim(reclaim(intent)).await.expect("a ruling").unknown();
        assert_eq!(told.reclaim_rule(), ReclaimRule::EvidenceRequired);
    }
    let shown = calls.get(get(&charge)).await.expect("an intent");
    assert_eq!(shown.effect_class(), EffectClass::Keyed);
}

#[tokio::test]
async fn an_operation_with_open_intents_cannot_be_removed() {
    let server = InProcess::with_policies(KEYED).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    assert!(matches!(server.set_policies(WITHOUT).await, Reload::Refused(_)));
    calls.granted(&charge("order-2")).await;
    server.advance(Duration::from_secs(31));
    assert!(matches!(server.set_policies(WITHOUT).await, Reload::Refused(_)));
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
}

#[tokio::test]
async fn reports_and_looks_need_no_policy() {
    let server = InProcess::with_policies(KEYED).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.succeeded(&intent, "done").await;
    assert_eq!(server.set_policies(WITHOUT).await, Reload::Taken);
    let refusal = calls.claim(claim(&intent)).await.expect_err("a refusal");
    refusal.is(ErrorReason::OperationUnknown);
    assert!(calls.get(get_whole(&intent)).await.expect("an intent").completed.is_some());
    let report = complete(&intent, token, succeeded("done"));
    assert!(calls.complete(report).await.expect("the report again").repeated);
    calls.renew(renew(&intent, token)).await.expect_err("lost").is(ErrorReason::LeaseLost);
    calls.release(release(&intent, token)).await.expect_err("no").is(ErrorReason::AlreadySettled);
}

#[tokio::test]
async fn a_shorter_longest_lease_binds_renewals_of_what_was_granted_before() {
    let server = InProcess::with_policies(KEYED).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let shorter = KEYED
        .replace("provider_window = \"24h\"", "provider_window = \"24h\"\nmax_lease = \"40s\"");
    assert_eq!(server.set_policies(&shorter).await, Reload::Taken);
    let request = onced_proto::v1::RenewRequest {
        lease: span(Duration::from_secs(300)),
        ..renew(&intent, token)
    };
    let renewed = calls.renew(request).await.expect("an extension");
    assert_eq!(renewed.lease, span(Duration::from_secs(40)));
}
