//! Claim: granted once, repeated to its own claimant, and what everybody else is told.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, ErrorReason, InProgressStrategy, WarningType};
use onced_tests::harness::{Engine, InProcess, RulingExt, request::*};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_fresh_claim_is_granted_with_all_that_its_holder_needs() {
    let server = InProcess::start().await;
    let ruling = server.calls().claim(claim(&charge("order-1"))).await.expect("a ruling");
    assert!(ruling.warnings.is_empty());
    let granted = ruling.granted();
    assert_eq!(granted.attempt, 1);
    assert!(granted.fencing_token >= server.now().0 && granted.fencing_token < 1 << 53);
    assert!(granted.provider_key.starts_with("once1-"));
    assert_eq!(granted.provider_key.len(), 38);
    assert_eq!(granted.lease, span(30 * SECOND));
    assert_eq!(granted.effect_timeout, span(20 * SECOND));
    assert_eq!(granted.result_bytes_max, 65_536);
    assert!(!granted.repeated && !granted.reclaimed);
    let forgotten = granted.provider_key_expire_time.expect("the provider's window");
    assert_eq!(forgotten.seconds, server.now().0 / 1_000_000 + 86_400);
    assert!(granted.waited.is_some() && granted.lease_expire_time.is_some());
}

#[tokio::test]
async fn a_claim_sent_again_gets_the_same_grant_marked_repeated_with_what_is_left() {
    let server = InProcess::start().await;
    let (calls, request) = (server.calls(), claim(&charge("order-1")));
    let first = calls.claim(request.clone()).await.expect("a ruling").granted();
    server.advance(10 * SECOND);
    let again = calls.claim(request).await.expect("a ruling").granted();
    assert!(!first.repeated && again.repeated);
    assert_eq!(again.fencing_token, first.fencing_token);
    assert_eq!((again.attempt, again.provider_key), (first.attempt, first.provider_key));
    assert_eq!(again.lease, span(20 * SECOND));
}

#[tokio::test]
async fn a_grant_is_repeated_for_half_a_minute_only_and_not_once_its_token_was_used() {
    let server = InProcess::start().await;
    let (calls, lease) = (server.calls(), span(60 * SECOND));
    let slow = ClaimRequest { lease, ..claim(&charge("slow")) };
    calls.claim(slow.clone()).await.expect("a ruling").granted();
    let renewed = ClaimRequest { lease, ..claim(&charge("renewed")) };
    let token = calls.claim(renewed.clone()).await.expect("a ruling").granted().fencing_token;
    server.advance(10 * SECOND);
    calls.renew(renew(&charge("renewed"), token)).await.expect("an extension");
    let told = calls.claim(renewed).await.expect("a ruling").in_progress();
    assert_eq!(told.fencing_token, token, "its own claimant is told its token");
    server.advance(21 * SECOND);
    let told = calls.claim(slow).await.expect("a ruling").in_progress();
    assert_eq!(told.attempt, 1);
    assert_ne!(told.fencing_token, 0);
}

#[tokio::test]
async fn a_claimant_that_is_a_message_id_is_told_that_its_grant_is_a_repeat() {
    let server = InProcess::start().await;
    let (calls, message) = (server.calls(), claim(&charge("order-1")));
    calls.claim(message.clone()).await.expect("a ruling").granted();
    // The holder is killed; the message is delivered again, inside the lease, and after it.
    let redelivered = calls.claim(message.clone()).await.expect("a ruling").granted();
    assert!(redelivered.repeated, "the second execution must see that it is not the first");
    server.advance(31 * SECOND);
    calls.claim(message).await.expect("a ruling").unknown();
}

#[tokio::test]
async fn another_claimant_is_told_who_is_at_it_and_when_to_ask_again() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let holder = ClaimRequest { holder: "pod-7".into(), ..claim(&intent) };
    calls.claim(holder).await.expect("a ruling").granted();
    // The effect takes long; the caller asks again after one, two and four seconds.
    for pause in [1, 2, 4] {
        server.advance(pause * SECOND);
        let told = calls.duplicate(&intent).await.in_progress();
        assert_eq!((told.attempt, told.holder.as_str()), (1, "pod-7"));
        assert_eq!(told.fencing_token, 0, "the token is its holder's alone");
        let retry = told.retry_after.expect("a retry hint");
        assert!(retry.seconds > 0 || retry.nanos > 0);
        assert!(told.first_claim_time.is_some() && told.lease_expire_time.is_some());
    }
}

#[tokio::test]
async fn a_claim_that_would_rather_be_rejected_is_aborted_with_a_time_to_try_again() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let in_progress_strategy = InProgressStrategy::Reject.into();
    let request = ClaimRequest { in_progress_strategy, ..claim(&intent) };
    let refusal = calls.claim(request).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InProgress).code, Code::Aborted);
    assert_eq!(refusal.told("attempt"), "1");
    assert!(!refusal.told("lease_expire_time").is_empty());
    assert!(refusal.retry.is_some_and(|retry| !retry.is_zero()));
}

#[tokio::test]
async fn a_claim_that_waits_gets_the_outcome_as_soon_as_it_is_there() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let waiting = tokio::spawn({
        let (calls, request) = (server.calls(), waiting_claim(&intent));
        async move { calls.claim(request).await }
    });
    until_waiting(&server).await;
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    let outcome = waiting.await.expect("a task").expect("a ruling").succeeded();
    assert_eq!(outcome.result, Some(text("done")));
}

#[tokio::test]
async fn a_claim_waits_no_longer_than_it_asked_for() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    calls.granted(&intent).await;
    let wait = span(Duration::from_millis(50));
    let request = ClaimRequest { wait, ..waiting_claim(&intent) };
    calls.claim(request).await.expect("a ruling").in_progress();
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").attempt, 1);
}

#[tokio::test]
async fn who_waits_for_a_released_attempt_is_granted_a_whole_lease_from_then() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let waiting = tokio::spawn({
        let (calls, request) = (server.calls(), waiting_claim(&intent));
        async move { calls.claim(request).await }
    });
    until_waiting(&server).await;
    server.advance(25 * SECOND);
    calls.release(release(&intent, token)).await.expect("a release");
    let granted = waiting.await.expect("a task").expect("a ruling").granted();
    assert_eq!((granted.attempt, granted.lease), (2, span(30 * SECOND)));
    assert!(granted.fencing_token > token);
}

#[tokio::test]
async fn nothing_is_granted_to_a_waiter_whose_deadline_is_over() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let mut request = tonic::Request::new(waiting_claim(&intent));
    request.set_timeout(Engine::chosen().short_wait());
    match calls.claim(request).await {
        Ok(ruling) => drop(ruling.in_progress()),
        // A store that several machines share may take longer for the last look.
        Err(refusal) => drop(refusal.is(ErrorReason::Deadline)),
    }
    calls.release(release(&intent, token)).await.expect("a release");
    let shown = calls.get(get(&intent)).await.expect("an intent");
    assert_eq!((shown.attempt, shown.state()), (1, onced_proto::v1::State::Released));
}

#[tokio::test]
async fn a_key_that_is_made_for_each_call_is_warned_about_and_not_refused() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let claimant = claimant();
    let request =
        ClaimRequest { claimant: claimant.clone(), ..claim(&charge(&format!("c:{claimant}"))) };
    let ruling = calls.claim(request).await.expect("a ruling");
    let kinds: Vec<_> = ruling.warnings.iter().map(onced_proto::v1::Warning::r#type).collect();
    assert_eq!(kinds, [WarningType::KeyHasCallId]);
    ruling.granted();
    let key = format!("order-{}", server.now().0 / 1_000_000);
    let ruling = calls.claim(claim(&charge(&key))).await.expect("a ruling");
    assert_eq!(ruling.warnings[0].r#type(), WarningType::KeyHasClock);
    ruling.granted();
    let healthy = uuid::Uuid::new_v4().to_string();
    let ruling = calls.claim(claim(&charge(&healthy))).await.expect("a ruling");
    assert!(ruling.warnings.is_empty(), "an order id that is a UUID is healthy");
}

/// Returns when a Claim waits at this server.
async fn until_waiting(server: &InProcess) {
    let waiters = r#"onced_waiters{namespace="payments",operation="charge"}"#;
    while server.metric(waiters).await < 1 {
        tokio::task::yield_now().await;
    }
}
