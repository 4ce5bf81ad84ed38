//! Evidence: judged on the very record that was seen, after its lease was over and the provider had
//! time to see the effect.

use std::time::Duration;

use onced_proto::v1::{ErrorReason, OutcomeSource, ReclaimRule, ResultAbsence, State};
use onced_tests::harness::{Calls, Engine, InProcess, RulingExt, request::*};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);

fn payout() -> onced_proto::v1::IntentId {
    intent("payments", "payout", "payout-1")
}

async fn etag(calls: &Calls) -> String {
    calls.duplicate(&payout()).await.unknown().etag
}

#[tokio::test]
async fn dangerous_classes_are_not_taken_over_without_evidence() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for operation in ["payout", "points"] {
        let intent = intent("payments", operation, "1");
        calls.granted(&intent).await;
        server.advance(100 * SECOND);
        let told = calls.reclaim(reclaim(&intent)).await.expect("a ruling").unknown();
        assert_eq!(told.reclaim_rule(), ReclaimRule::EvidenceRequired);
        assert_eq!(calls.get(get(&intent)).await.expect("an intent").attempt, 1);
    }
}

#[tokio::test]
async fn an_etag_that_was_read_too_early_carries_no_evidence() {
    let server = InProcess::start().await;
    let calls = server.calls();
    calls.granted(&payout()).await;
    server.advance(31 * SECOND);
    let early = etag(&calls).await;
    for pause in [0, 28, 3_600] {
        server.advance(pause * SECOND);
        let request = reclaim_with(&payout(), &early, not_applied());
        let refusal = calls.reclaim(request).await.expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::EvidenceTooEarly).code, Code::FailedPrecondition);
        assert!(!refusal.told("evidence_start_time").is_empty());
    }
    let late = etag(&calls).await;
    assert_ne!(late, early, "the same record, seen when evidence counts");
    let granted = calls.reclaim(reclaim_with(&payout(), &late, not_applied())).await;
    let granted = granted.expect("a ruling").granted();
    assert_eq!((granted.attempt, granted.reclaimed), (2, true));
}

#[tokio::test]
async fn evidence_that_it_was_applied_records_the_success() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let token = calls.granted(&payout()).await.fencing_token;
    server.advance(61 * SECOND + Engine::chosen().doubt());
    let request = reclaim_with(&payout(), &etag(&calls).await, applied());
    let told = calls.reclaim(request).await.expect("a ruling").completed();
    assert_eq!(told.source(), OutcomeSource::Reconciliation);
    let absence = calls.duplicate(&payout()).await.succeeded().result_absence();
    assert_eq!(absence, ResultAbsence::NeverKnown);
    // The holder's own result, should it come after all, fills the gap.
    calls.complete(complete(&payout(), token, succeeded("done"))).await.expect("a report");
    assert_eq!(calls.duplicate(&payout()).await.succeeded().result, Some(text("done")));
}

#[tokio::test]
async fn evidence_about_one_attempt_does_not_free_the_next() {
    let server = InProcess::start().await;
    let calls = server.calls();
    calls.granted(&payout()).await;
    server.advance(61 * SECOND + Engine::chosen().doubt());
    let seen_by_the_operator = etag(&calls).await;
    let request = reclaim_with(&payout(), &seen_by_the_operator, not_applied());
    calls.reclaim(request).await.expect("a ruling").granted();
    // Attempt 2 sends and dies; the operator's finding, about attempt 1, arrives.
    server.advance(100 * SECOND);
    let request = reclaim_with(&payout(), &seen_by_the_operator, not_applied());
    let refusal = calls.reclaim(request).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::EtagMismatch).code, Code::Aborted);
    assert!(!refusal.told("etag").is_empty());
    assert_eq!(calls.get(get(&payout())).await.expect("an intent").attempt, 2);
}

#[tokio::test]
async fn evidence_cannot_free_what_somebody_reported_as_done() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let first = calls.granted(&payout()).await.fencing_token;
    server.advance(61 * SECOND + Engine::chosen().doubt());
    let request = reclaim_with(&payout(), &etag(&calls).await, not_applied());
    calls.reclaim(request).await.expect("a ruling").granted();
    let report = complete(&payout(), first, succeeded("done after all"));
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::Fenced);
    server.advance(100 * SECOND + Engine::chosen().doubt());
    let told = calls.duplicate(&payout()).await.unknown();
    assert!(told.contested);
    assert_eq!(told.reclaim_rule(), ReclaimRule::ResolveRequired);
    let request = reclaim_with(&payout(), &told.etag, not_applied());
    let told = calls.reclaim(request).await.expect("a ruling").unknown();
    assert_eq!(told.reclaim_rule(), ReclaimRule::ResolveRequired);
    assert_eq!(calls.get(get(&payout())).await.expect("an intent").attempt, 2);
}

#[tokio::test]
async fn a_reported_unknown_starts_the_delay_of_evidence_anew() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let token = calls.granted(&payout()).await.fencing_token;
    server.advance(5 * SECOND);
    calls.complete(complete(&payout(), token, unknown())).await.expect("a report");
    let shown = calls.get(get(&payout())).await.expect("an intent");
    assert_eq!(shown.state(), State::Unknown);
    server.advance(29 * SECOND);
    let request = reclaim_with(&payout(), &etag(&calls).await, not_applied());
    calls.reclaim(request).await.expect_err("a refusal").is(ErrorReason::EvidenceTooEarly);
    server.advance(2 * SECOND + Engine::chosen().doubt());
    let request = reclaim_with(&payout(), &etag(&calls).await, not_applied());
    calls.reclaim(request).await.expect("a ruling").granted();
}
