//! The metrics by their promised names, with labels of bounded number.

use std::time::Duration;

use onced_proto::v1::ClaimRequest;
use onced_tests::harness::{InProcess, RulingExt, page, request::*};

const CHARGE: &str = r#"namespace="payments",operation="charge""#;

/// The value of a metric of `payments/charge` with one more label.
async fn charge_metric(server: &InProcess, name: &str, label: &str) -> u64 {
    server.metric(&format!("{name}{{{CHARGE},{label}}}")).await
}

#[tokio::test]
async fn rulings_and_refusals_are_counted() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    calls.duplicate(&intent).await;
    let other = ClaimRequest { payload: json("{}"), ..claim(&intent) };
    calls.claim(other).await.expect_err("a refusal");
    server.advance(Duration::from_secs(31));
    calls.duplicate(&intent).await;
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    for _ in 0..3 {
        calls.duplicate(&intent).await;
    }
    for (verdict, times) in [("granted", 1), ("in_progress", 1), ("unknown", 1), ("completed", 3)] {
        let label = format!("verdict=\"{verdict}\"");
        assert_eq!(charge_metric(&server, "onced_rulings_total", &label).await, times, "{verdict}");
    }
    let reused = charge_metric(&server, "onced_refusals_total", r#"reason="KEY_REUSED""#).await;
    assert_eq!(reused, 1);
}

#[tokio::test]
async fn outcomes_late_reports_and_takeovers_are_counted() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let first = calls.granted(&intent).await.fencing_token;
    server.advance(Duration::from_secs(31));
    let second = calls.reclaim(reclaim(&intent)).await.expect("a ruling").granted().fencing_token;
    let report = complete(&intent, second, succeeded("done"));
    calls.complete(report.clone()).await.expect("a report");
    calls.complete(report).await.expect("the same again");
    calls.complete(complete(&intent, first, succeeded("old"))).await.expect_err("fenced");
    let late = charge("late");
    let token = calls.granted(&late).await.fencing_token;
    server.advance(Duration::from_secs(31));
    calls.complete(complete(&late, token, failed("declined"))).await.expect("a report");
    let outcomes = "onced_outcomes_total";
    assert_eq!(charge_metric(&server, outcomes, r#"outcome="succeeded",late="false""#).await, 1);
    assert_eq!(charge_metric(&server, outcomes, r#"outcome="failed",late="true""#).await, 1);
    let kept = charge_metric(&server, "onced_late_reports_total", r#"outcome="succeeded""#).await;
    assert_eq!(kept, 1);
    assert_eq!(charge_metric(&server, "onced_reclaims_total", r#"kind="reclaim""#).await, 1);
}

#[tokio::test]
async fn calls_store_and_build_are_told() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    calls.duplicate(&intent).await;
    let metrics = server.metrics().await;
    let labels = r#"rpc_method="onced.v1.ClaimService/Claim",rpc_status_code="OK""#;
    let called = &format!("rpc_server_call_duration_seconds_count{{{labels}}}");
    assert_eq!(page::value(&metrics, called), 2);
    assert_eq!(page::value(&metrics, r#"onced_store_lwt_total{kind="applied"}"#), 1);
    assert_eq!(page::value(&metrics, r#"onced_store_lwt_total{kind="lost"}"#), 1);
    let stored = r#"onced_store_call_duration_seconds_count{call="compare_and_set"}"#;
    assert_eq!(page::value(&metrics, stored), 2);
    let build = format!("onced_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(page::value(&metrics, &build), 1);
}

#[tokio::test]
async fn keys_that_look_made_per_attempt_are_counted() {
    let server = InProcess::start().await;
    let claimant = claimant();
    let request = ClaimRequest { claimant: claimant.clone(), ..claim(&charge(&claimant)) };
    server.calls().claim(request).await.expect("a ruling");
    let label = r#"warning="KEY_HAS_CALL_ID""#;
    assert_eq!(charge_metric(&server, "onced_key_warnings_total", label).await, 1);
}

#[tokio::test]
async fn a_caller_makes_no_label() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for n in 0..20 {
        let name = format!("made-up-{n}");
        calls.claim(claim(&intent(&name, &name, &name))).await.expect_err("a refusal");
        calls.claim(claim(&intent("payments", &name, &name))).await.expect_err("a refusal");
        let unserved =
            http::uri::PathAndQuery::try_from(format!("/{name}/{name}")).expect("a path");
        let mut client = tonic::client::Grpc::new(calls.connection().channel());
        client.ready().await.expect("a connection");
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        client.unary(tonic::Request::new(()), unserved, codec).await.expect_err("unserved");
    }
    let metrics = server.metrics().await;
    assert!(!metrics.contains("made-up"), "{metrics}");
    let refused =
        r#"onced_refusals_total{namespace="_other",operation="_other",reason="OPERATION_UNKNOWN"}"#;
    assert_eq!(page::value(&metrics, refused), 40);
    assert_eq!(page::series(&metrics, "onced_refusals_total").len(), 1);
}

#[tokio::test]
async fn the_page_is_prometheus_text_and_openmetrics_when_asked() {
    let server = InProcess::start().await;
    let plain = page::get(server.admin, "/metrics").await.expect("a page");
    assert!(plain.head.contains("text/plain; version=0.0.4"), "{}", plain.head);
    let open = page::get_as(server.admin, "/metrics", "application/openmetrics-text").await;
    let open = open.expect("a page");
    assert!(open.head.contains("application/openmetrics-text"), "{}", open.head);
    assert!(open.body.ends_with("# EOF\n"));
}
