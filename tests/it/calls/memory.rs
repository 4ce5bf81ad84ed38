//! A key is fresh only if the store would remember it; and until when it remembers.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, ErrorReason, IntentId, OutcomeSource};
use onced_tests::harness::{Engine, InProcess, RulingExt, request::*};
use tonic::Code;

const DAY: Duration = Duration::from_secs(86_400);
const SECOND: Duration = Duration::from_secs(1);

fn sent(server: &InProcess, ago: Duration, intent: &IntentId) -> ClaimRequest {
    let micros = server.now().before(ago).0;
    let first_sent_time =
        Some(prost_types::Timestamp { seconds: micros.div_euclid(1_000_000), nanos: 0 });
    ClaimRequest { first_sent_time, ..claim(intent) }
}

#[tokio::test]
async fn an_intent_from_before_the_memory_is_too_old_and_evidence_is_the_way_out() {
    let server = InProcess::start().await;
    let (calls, old, done) = (server.calls(), charge("old"), charge("done"));
    for intent in [&old, &done] {
        let refusal = calls.claim(sent(&server, DAY, intent)).await.expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::IntentTooOld).code, Code::FailedPrecondition);
        assert!(!refusal.told("memory_start_time").is_empty());
    }
    calls.claim(sent(&server, Duration::ZERO, &charge("new"))).await.expect("a ruling").granted();
    let early = reclaim_with(&old, "none", not_applied());
    calls.reclaim(early).await.expect_err("a refusal").is(ErrorReason::EvidenceTooEarly);
    // The longest lease and the delay of evidence after the memory's start.
    server.advance(331 * SECOND + Engine::chosen().doubt());
    let granted = calls.reclaim(reclaim_with(&old, "none", not_applied())).await;
    assert_eq!(granted.expect("a ruling").granted().attempt, 1);
    let told = calls.reclaim(reclaim_with(&done, "none", applied())).await;
    assert_eq!(told.expect("a ruling").completed().source(), OutcomeSource::Reconciliation);
    calls.duplicate(&done).await.succeeded();
}

#[tokio::test]
async fn an_old_intent_that_is_remembered_gets_its_outcome() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "done").await;
    server.advance(10 * DAY);
    let request = sent(&server, 9 * DAY, &intent);
    calls.claim(request).await.expect("a ruling").succeeded();
    let request = sent(&server, 20 * DAY, &intent);
    calls.claim(request).await.expect("the record itself is the memory").succeeded();
}

#[tokio::test]
async fn the_first_days_backlog_is_fresh_where_the_policy_says_so() {
    let policies = r#"
[namespaces.payments.operations.charge]
effect_class = "external"
nothing_sent_before_memory = true
"#;
    let server = InProcess::with_policies(policies).await;
    let request = sent(&server, DAY, &charge("order-1"));
    server.calls().claim(request).await.expect("a ruling").granted();
}

#[tokio::test]
async fn an_outcome_is_remembered_for_the_retention_and_every_ruling_says_until_when() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let first = calls.succeeded(&intent, "done").await;
    let fresh = || ClaimRequest { fresh: true, ..claim(&intent) };
    let told = calls.claim(fresh()).await.expect("a ruling").completed();
    let expires = told.expire_time.expect("a time");
    assert_eq!(expires.seconds, (server.now().0 / 1_000_000) + 45 * 86_400);
    server.advance(44 * DAY + 86_399 * SECOND);
    calls.claim(fresh()).await.expect("a ruling").succeeded();
    server.advance(2 * SECOND);
    let old = ClaimRequest { fresh: true, ..sent(&server, 46 * DAY, &intent) };
    calls.claim(old).await.expect_err("a refusal").is(ErrorReason::IntentTooOld);
    let granted = calls.claim(fresh()).await.expect("a ruling").granted();
    assert_eq!(granted.attempt, 1, "a caller that does not say when it was sent");
    assert!(granted.fencing_token > first, "tokens rise though the key was forgotten");
    let late = complete(&intent, first, succeeded("done"));
    calls.complete(late).await.expect_err("a refusal").is(ErrorReason::Fenced);
}

#[tokio::test]
async fn what_is_unresolved_or_waits_for_the_provider_does_not_expire() {
    let server = InProcess::start().await;
    let (calls, open, paid) =
        (server.calls(), charge("open"), intent("payments", "payout", "paid"));
    calls.granted(&open).await;
    calls.succeeded(&paid, "done").await;
    server.advance(400 * DAY);
    calls.duplicate(&open).await.unknown();
    let told = calls.duplicate(&paid).await.completed();
    assert_eq!(told.expire_time, None);
}

#[tokio::test]
async fn a_result_that_was_dropped_before_its_record_is_told_as_expired() {
    let policies = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
result_retention = "1d"
"#;
    let server = InProcess::with_policies(policies).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "done").await;
    server.advance(DAY + SECOND);
    let request = ClaimRequest { fresh: true, ..claim(&intent) };
    let told = calls.claim(request).await.expect("a ruling").succeeded();
    assert_eq!(told.result, None);
    assert_eq!(told.result_absence(), onced_proto::v1::ResultAbsence::Expired);
}

#[tokio::test]
async fn replicas_whose_clocks_differ_by_minutes_grant_once_and_with_rising_tokens() {
    let server = InProcess::start().await;
    let intent = charge("order-1");
    let mut last = 0;
    for (ahead, behind) in [(5, 0), (0, 5), (300, 0), (0, 300)] {
        let now = server.now().after(ahead * SECOND).before(behind * SECOND);
        let other = server.replica_at(now).await;
        let granted = other.calls().granted(&intent).await;
        assert!(granted.fencing_token > last, "tokens rise whoever grants");
        last = granted.fencing_token;
        server.calls().duplicate(&intent).await.in_progress();
        server.advance(Duration::from_millis(29_900));
        server.calls().duplicate(&intent).await.in_progress();
        other.calls().release(release(&intent, last)).await.expect("a release");
    }
}
