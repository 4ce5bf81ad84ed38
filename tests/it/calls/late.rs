//! Late, stale and foreign writers: refused, kept as evidence, and nothing else is moved by them.

use std::time::Duration;

use onced_proto::v1::{
    CompleteRequest, ErrorReason, IntentId, State, complete_request::Outcome, late_report,
};
use onced_tests::harness::{Calls, InProcess, RulingExt, request::*};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);

/// The first attempt's lease ends; a second is taken over. Both tokens.
async fn two_attempts(server: &InProcess, calls: &Calls, intent: &IntentId) -> (i64, i64) {
    let first = calls.granted(intent).await.fencing_token;
    server.advance(31 * SECOND);
    let second = calls.reclaim(reclaim(intent)).await.expect("a ruling").granted().fencing_token;
    (first, second)
}

#[tokio::test]
async fn a_late_completion_is_fenced_and_kept_and_the_new_result_is_intact() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let (first, second) = two_attempts(&server, &calls, &intent).await;
    calls.complete(complete(&intent, second, succeeded("new"))).await.expect("a report");
    let late = calls.complete(complete(&intent, first, succeeded("old"))).await;
    let refusal = late.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::Fenced).code, Code::Aborted);
    assert_eq!(refusal.told("current_attempt"), "2");
    assert_eq!(refusal.told("kept_as_late_report"), "true");
    let told = calls.duplicate(&intent).await.succeeded();
    assert_eq!(told.result, Some(text("new")));
    let shown = calls.get(get_whole(&intent)).await.expect("an intent");
    assert_eq!((shown.state(), shown.attempt), (State::Succeeded, 2));
    let [report] = &shown.late_reports[..] else { panic!("{:?}", shown.late_reports) };
    assert_eq!(report.fencing_token, first);
    assert!(matches!(report.outcome, Some(late_report::Outcome::Succeeded(_))));
}

#[tokio::test]
async fn the_stale_holder_can_neither_renew_nor_release() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let (first, _) = two_attempts(&server, &calls, &intent).await;
    let before = calls.get(get_whole(&intent)).await.expect("an intent");
    calls.renew(renew(&intent, first)).await.expect_err("a refusal").is(ErrorReason::Fenced);
    calls.release(release(&intent, first)).await.expect_err("a refusal").is(ErrorReason::Fenced);
    let report = complete(&intent, first, unknown());
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::Fenced);
    let after = calls.get(get_whole(&intent)).await.expect("an intent");
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_duplicate_without_a_token_of_its_own_changes_nothing() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let before = calls.get(get_whole(&intent)).await.expect("an intent");
    for foreign in [token + 1, 1 << 52, 0, -1, i64::MAX] {
        for outcome in [succeeded("mine"), failed("mine"), unknown()] {
            let refusal = calls.complete(complete(&intent, foreign, outcome)).await;
            refusal.expect_err("a refusal").is(ErrorReason::InvalidField);
        }
        let refusal = calls.release(release(&intent, foreign)).await.expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["fencing_token"]);
        calls.renew(renew(&intent, foreign)).await.expect_err("a refusal");
    }
    // A token that is older than the record belongs to a forgotten one.
    let report = complete(&intent, token - 1, succeeded("mine"));
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::Fenced);
    assert_eq!(calls.get(get_whole(&intent)).await.expect("an intent"), before);
}

#[tokio::test]
async fn another_outcome_is_a_conflict_and_kept() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.succeeded(&intent, "one").await;
    let refusal = calls.complete(complete(&intent, token, succeeded("two"))).await;
    let refusal = refusal.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::OutcomeConflict).code, Code::FailedPrecondition);
    assert_eq!(refusal.told("recorded_outcome"), "succeeded");
    let report = complete(&intent, token, failed("declined"));
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::OutcomeConflict);
    let shown = calls.get(get_whole(&intent)).await.expect("an intent");
    assert_eq!((shown.late_reports.len(), shown.disputed), (2, false));
    assert_eq!(calls.duplicate(&intent).await.succeeded().result, Some(text("one")));
}

#[tokio::test]
async fn a_success_after_a_failure_disputes_it_and_every_ruling_says_so() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    calls.complete(complete(&intent, token, failed("declined"))).await.expect("a report");
    assert!(!calls.duplicate(&intent).await.completed().disputed);
    let report = complete(&intent, token, succeeded("it went through"));
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::OutcomeConflict);
    let told = calls.duplicate(&intent).await.completed();
    assert!(told.disputed && told.expire_time.is_none(), "a disputed record does not expire");
    let ruling = calls.reclaim(reclaim(&intent)).await.expect("a ruling").completed();
    assert!(ruling.disputed);
    assert!(calls.get(get(&intent)).await.expect("an intent").disputed);
}

#[tokio::test]
async fn a_late_success_makes_an_open_intent_contested() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let (first, second) = two_attempts(&server, &calls, &intent).await;
    let report = complete(&intent, first, succeeded("old"));
    calls.complete(report).await.expect_err("a refusal").is(ErrorReason::Fenced);
    let renewed = calls.renew(renew(&intent, second)).await.expect("an extension");
    assert!(renewed.contested, "the holder is told to stop before the effect");
    calls.duplicate(&intent).await.in_progress();
    calls.complete(complete(&intent, second, failed("declined"))).await.expect("a report");
    assert!(calls.duplicate(&intent).await.completed().disputed);
}

#[tokio::test]
async fn success_after_release_is_taken_and_marked() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    calls.release(release(&intent, token)).await.expect("a release");
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    assert!(calls.get(get(&intent)).await.expect("an intent").after_release);
    calls.duplicate(&intent).await.succeeded();
}

#[tokio::test]
async fn copies_of_old_reports_move_nothing_once_others_have_moved_the_record() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    let released = release(&intent, token);
    calls.release(released.clone()).await.expect("a release");
    let second = calls.granted(&intent).await.fencing_token;
    assert!(calls.release(released.clone()).await.expect("a copy").repeated);
    calls.duplicate(&intent).await.in_progress();
    let report = complete(&intent, second, failed("declined"));
    calls.complete(report.clone()).await.expect("a report");
    let before = calls.get(get_whole(&intent)).await.expect("an intent");
    assert!(calls.complete(report).await.expect("a copy").repeated);
    assert!(calls.release(released).await.expect("a copy").repeated);
    assert_eq!(calls.get(get_whole(&intent)).await.expect("an intent"), before);
}

#[tokio::test]
async fn a_success_without_a_record_is_kept_if_it_carries_its_payload() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = server.now().0;
    let bare = complete(&intent, token, succeeded("done"));
    let refusal = calls.complete(bare.clone()).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::KeyNotFound).code, Code::NotFound);
    let with_payload = |outcome: Outcome| CompleteRequest {
        payload: json(PAYLOAD),
        outcome: Some(outcome),
        ..bare.clone()
    };
    for outcome in [failed("declined"), unknown()] {
        let refusal = calls.complete(with_payload(outcome)).await.expect_err("a refusal");
        refusal.is(ErrorReason::KeyNotFound);
    }
    calls.complete(with_payload(succeeded("done"))).await.expect("it is kept");
    let shown = calls.get(get_whole(&intent)).await.expect("an intent");
    assert!(shown.orphan && shown.expire_time.is_none());
    assert_eq!(calls.duplicate(&intent).await.succeeded().result, Some(text("done")));
}
