//! Taking over: explicit or by declared policy, under a higher token, with the same provider key,
//! and only as the effect class permits.

use std::time::Duration;

use onced_proto::v1::{ErrorReason, IntentId, ReclaimRule, State};
use onced_tests::harness::{Calls, Gate, InProcess, Rule, RulingExt, Setup, request::*};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);
const BY_POLICY: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "1h"
reclaim_on_expiry = true
"#;

#[tokio::test]
async fn the_next_attempt_has_a_higher_token_and_the_same_provider_key() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for operation in ["charge", "label"] {
        let intent = intent("payments", operation, "order-1");
        let first = calls.granted(&intent).await;
        server.advance(31 * SECOND);
        let told = calls.duplicate(&intent).await.unknown();
        assert_eq!(told.reclaim_rule(), ReclaimRule::Allowed);
        let second = calls.reclaim(reclaim(&intent)).await.expect("a ruling").granted();
        assert!(second.reclaimed && !second.repeated);
        assert_eq!(second.attempt, 2);
        assert!(second.fencing_token > first.fencing_token);
        assert_eq!(second.provider_key, first.provider_key);
        let shown = calls.get(get(&intent)).await.expect("an intent");
        assert_eq!(shown.audit_entries.len(), 1);
        assert_eq!(shown.audit_entries[0].reason, "the holder died");
        assert_eq!(shown.earlier_attempts[0].end_state(), State::Unknown);
    }
}

#[tokio::test]
async fn a_live_lease_is_in_progress_whatever_is_known() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let etag = calls.get(get(&intent)).await.expect("an intent").etag;
    calls.reclaim(reclaim(&intent)).await.expect("a ruling").in_progress();
    for finding in [not_applied(), applied()] {
        let request = reclaim_with(&intent, &etag, finding);
        calls.reclaim(request).await.expect("a ruling").in_progress();
    }
}

#[tokio::test]
async fn a_settled_intent_is_completed_and_not_taken_over() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.succeeded(&intent, "done").await;
    server.advance(31 * SECOND);
    let told = calls.reclaim(reclaim(&intent)).await.expect("a ruling").succeeded();
    assert_eq!(told.result, Some(text("done")));
}

#[tokio::test]
async fn a_reclaim_of_what_was_never_claimed_is_not_found() {
    let server = InProcess::start().await;
    let refusal = server.calls().reclaim(reclaim(&charge("order-1"))).await.expect_err("refused");
    assert_eq!(refusal.is(ErrorReason::KeyNotFound).code, Code::NotFound);
}

#[tokio::test]
async fn by_policy_a_claim_takes_over_itself_and_says_so() {
    let server = InProcess::with_policies(BY_POLICY).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let first = calls.granted(&intent).await;
    server.advance(31 * SECOND);
    let second = calls.granted(&intent).await;
    assert!(second.reclaimed && !second.repeated);
    assert_eq!((second.attempt, &second.provider_key), (2, &first.provider_key));
    assert!(second.fencing_token > first.fencing_token);
}

#[tokio::test]
async fn past_the_providers_window_a_keyed_effect_needs_evidence() {
    let server = InProcess::with_policies(BY_POLICY).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    // Another lease and another send must still fit into the window.
    server.advance(3_550 * SECOND);
    let told = calls.duplicate(&intent).await.unknown();
    assert_eq!(told.reclaim_rule(), ReclaimRule::EvidenceRequired);
    let told = calls.reclaim(reclaim(&intent)).await.expect("a ruling").unknown();
    assert_eq!(told.reclaim_rule(), ReclaimRule::EvidenceRequired);
}

#[tokio::test]
async fn attempts_are_used_up_by_taking_over() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    for attempt in 2..=5 {
        server.advance(31 * SECOND);
        let granted = calls.reclaim(reclaim(&intent)).await.expect("a ruling").granted();
        assert_eq!(granted.attempt, attempt);
    }
    server.advance(31 * SECOND);
    let told = calls.reclaim(reclaim(&intent)).await.expect("a ruling").unknown();
    assert_eq!(told.reclaim_rule(), ReclaimRule::AttemptsExhausted);
}

#[tokio::test]
async fn the_holders_report_wins_over_a_reclaim_that_was_judged_before_it() {
    let gate = Gate::default();
    let server = InProcess::start().await;
    let slow = server.replica_with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    server.advance(31 * SECOND);
    gate.set(Rule::HoldBefore);
    let reclaiming = tokio::spawn({
        let (calls, request) = (slow.calls(), reclaim(&intent));
        async move { calls.reclaim(request).await }
    });
    gate.holds_one().await;
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    gate.open();
    let told = reclaiming.await.expect("a task").expect("a ruling").succeeded();
    assert_eq!(told.result, Some(text("done")));
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").attempt, 1);
}

/// Attempt 1 sends and dies; attempt 2 is taken over by class.
async fn taken_over(server: &InProcess, calls: &Calls, intent: &IntentId) -> i64 {
    calls.granted(intent).await;
    server.advance(31 * SECOND);
    calls.reclaim(reclaim(intent)).await.expect("a ruling").granted().fencing_token
}

#[tokio::test]
async fn a_release_frees_nothing_that_an_earlier_attempt_may_have_done() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = taken_over(&server, &calls, &intent).await;
    calls.release(release(&intent, token)).await.expect("a release");
    calls.duplicate(&intent).await.unknown();
    server.advance(25 * 3_600 * SECOND);
    let told = calls.duplicate(&intent).await.unknown();
    assert_eq!(told.reclaim_rule(), ReclaimRule::EvidenceRequired, "the provider has forgotten");
    calls.reclaim(reclaim(&intent)).await.expect("a ruling").unknown();
}

#[tokio::test]
async fn a_failure_speaks_for_its_own_attempt_unless_the_provider_itself_refused() {
    let server = InProcess::start().await;
    let (calls, clean, refused) = (server.calls(), charge("clean"), charge("refused"));
    let token = taken_over(&server, &calls, &clean).await;
    calls.complete(complete(&clean, token, failed("declined"))).await.expect("a report");
    calls.duplicate(&clean).await.unknown();
    let token = taken_over(&server, &calls, &refused).await;
    let by_provider = onced_proto::v1::Failed {
        r#type: "declined".into(),
        provider_reference: "re_1".into(),
        ..Default::default()
    };
    let outcome = onced_proto::v1::complete_request::Outcome::Failed(by_provider);
    calls.complete(complete(&refused, token, outcome)).await.expect("a report");
    calls.duplicate(&refused).await.failed();
}
