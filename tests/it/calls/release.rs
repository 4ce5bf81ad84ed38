//! Release, failure and unknown are three reports with three meanings; and a Claim whose answer
//! never came is taken back.

use std::time::Duration;

use onced_proto::v1::{
    ClaimRequest, ErrorReason, NotAppliedReason, ReleaseRequest, State, UnknownReason,
};
use onced_tests::harness::{Gate, InProcess, Rule, RulingExt, Setup, request::*};
use tonic::Code;

#[tokio::test]
async fn a_released_intent_is_granted_again_under_a_higher_token_with_the_same_provider_key() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let first = calls.granted(&intent).await;
    let reasons = [
        NotAppliedReason::RejectedByTarget,
        NotAppliedReason::RolledBack,
        NotAppliedReason::NotStarted,
    ];
    let mut token = first.fencing_token;
    for (n, reason) in (2..).zip(reasons) {
        let request = ReleaseRequest { reason: reason.into(), ..release(&intent, token) };
        assert!(!calls.release(request.clone()).await.expect("a release").repeated);
        assert!(calls.release(request).await.expect("the same").repeated);
        let next = calls.granted(&intent).await;
        assert_eq!((next.attempt, &next.provider_key), (n, &first.provider_key));
        assert!(next.fencing_token > token && !next.reclaimed);
        token = next.fencing_token;
    }
}

#[tokio::test]
async fn three_reports_have_three_meanings() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let (released, declined, lost) = (charge("released"), charge("declined"), charge("lost"));
    let token = calls.granted(&released).await.fencing_token;
    calls.release(release(&released, token)).await.expect("a release");
    let token = calls.granted(&declined).await.fencing_token;
    calls.complete(complete(&declined, token, failed("card_declined"))).await.expect("a report");
    let token = calls.granted(&lost).await.fencing_token;
    calls.complete(complete(&lost, token, unknown())).await.expect("a report");
    for hours in [0, 1, 23] {
        server.advance(Duration::from_secs(hours * 3_600));
        assert_eq!(calls.duplicate(&declined).await.failed().r#type, "card_declined");
        assert_eq!(calls.duplicate(&lost).await.unknown().reason(), UnknownReason::Reported);
    }
    assert_eq!(calls.granted(&released).await.attempt, 2);
}

#[tokio::test]
async fn a_settled_intent_is_not_released() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.succeeded(&intent, "done").await;
    let refusal = calls.release(release(&intent, token)).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::AlreadySettled).code, Code::FailedPrecondition);
    calls.duplicate(&intent).await.succeeded();
}

#[tokio::test]
async fn a_claimant_is_spent_once_its_attempt_has_ended() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    let token = calls.claim(request.clone()).await.expect("a ruling").granted().fencing_token;
    calls.release(release(&intent, token)).await.expect("a release");
    let refusal = calls.claim(request.clone()).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::ClaimantSpent).code, Code::FailedPrecondition);
    calls.succeeded(&intent, "done").await;
    calls.claim(request).await.expect("the outcome is for everybody").succeeded();
}

#[tokio::test]
async fn a_grant_whose_answer_never_came_is_taken_back_by_its_claimant() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    calls.claim(request.clone()).await.expect("a ruling").granted();
    let back = release_by_claimant(&intent, &request.claimant);
    calls.release(back.clone()).await.expect("it is taken back");
    assert!(calls.release(back).await.expect("the same").repeated);
    calls.claim(request).await.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    assert_eq!(calls.granted(&intent).await.attempt, 2);
}

#[tokio::test]
async fn a_claim_that_arrives_after_its_own_release_is_not_granted() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    let back = release_by_claimant(&intent, &request.claimant);
    calls.release(back).await.expect("it is noted");
    calls.claim(request).await.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    assert_eq!(calls.granted(&intent).await.attempt, 1, "for everybody else it is fresh");
}

#[tokio::test]
async fn a_release_that_overtakes_its_own_claim_on_the_way_to_the_store_wins() {
    let gate = Gate::default();
    let server = InProcess::start().await;
    let slow = server.replica_with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    gate.set(Rule::HoldBefore);
    let claiming = tokio::spawn({
        let (calls, request) = (slow.calls(), request.clone());
        async move { calls.claim(request).await }
    });
    gate.holds_one().await;
    let back = release_by_claimant(&intent, &request.claimant);
    calls.release(back).await.expect("it is noted");
    gate.open();
    let refusal = claiming.await.expect("a task").expect_err("a refusal");
    refusal.is(ErrorReason::ClaimantSpent);
    assert_eq!(calls.granted(&intent).await.attempt, 1);
}

#[tokio::test]
async fn a_release_by_a_stranger_changes_nothing_for_the_holder() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let holder = ClaimRequest { holder: "pod-7".into(), ..claim(&intent) };
    let token = calls.claim(holder).await.expect("a ruling").granted().fencing_token;
    let stranger = claimant();
    calls.release(release_by_claimant(&intent, &stranger)).await.expect("it is noted");
    let request = ClaimRequest { claimant: stranger, ..claim(&intent) };
    calls.claim(request).await.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    calls.duplicate(&intent).await.in_progress();
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").state(), State::Succeeded);
}

#[tokio::test]
async fn a_release_needs_its_reason() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = claim(&intent);
    let token = calls.claim(request.clone()).await.expect("a ruling").granted().fencing_token;
    let bare = ReleaseRequest { reason: 0, ..release(&intent, token) };
    let refusal = calls.release(bare).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["reason"]);
    let by_claimant = release_by_claimant(&intent, &request.claimant);
    let reason = NotAppliedReason::RolledBack.into();
    let refusal = calls.release(ReleaseRequest { reason, ..by_claimant }).await;
    assert_eq!(refusal.expect_err("a refusal").fields(), ["reason"]);
    calls.duplicate(&intent).await.in_progress();
}
