//! Every duplicate gets the original outcome, byte for byte, or is told why there are no bytes.

use onced_proto::v1::{
    ClaimRequest, Content, ErrorReason, Failed, ResultAbsence, Succeeded, complete_request::Outcome,
};
use onced_tests::harness::{InProcess, RulingExt, request::*};
use tonic::Code;

/// Completes with `given`; what duplicates get, from the cache, from the store, and on another
/// server.
async fn replays(given: Outcome) -> Vec<onced_proto::v1::Completed> {
    let server = InProcess::start().await;
    let other = server.replica().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    calls.complete(complete(&intent, token, given)).await.expect("a report");
    let fresh = ClaimRequest { fresh: true, ..claim(&intent) };
    let shown = calls.get(get_whole(&intent)).await.expect("an intent").completed;
    vec![
        calls.duplicate(&intent).await.completed(),
        calls.claim(fresh).await.expect("a ruling").completed(),
        other.calls().duplicate(&intent).await.completed(),
        other.calls().duplicate(&intent).await.completed(),
        calls.reclaim(reclaim(&intent)).await.expect("a ruling").completed(),
        shown.expect("an outcome"),
    ]
}

async fn check_result(given: Option<Content>, absence: ResultAbsence) {
    let replays = replays(succeeded_with(given.clone())).await;
    for replay in replays {
        let (attempt, succeeded) = (replay.attempt, replay.succeeded());
        assert_eq!(succeeded.result, given);
        assert_eq!(succeeded.result_absence(), absence);
        assert_eq!(attempt, 1);
    }
}

trait Outcomes {
    fn succeeded(self) -> Succeeded;
}

impl Outcomes for onced_proto::v1::Completed {
    fn succeeded(self) -> Succeeded {
        onced_proto::v1::ruling::Verdict::Completed(self).succeeded()
    }
}

#[tokio::test]
async fn a_text_is_replayed_as_text() {
    check_result(Some(text("Grüße")), ResultAbsence::Unspecified).await;
}

#[tokio::test]
async fn bytes_are_replayed_as_bytes_with_their_type() {
    let typed = Content { content_type: "application/x-tar".into(), ..raw(vec![0xff, 0, 0x80]) };
    check_result(Some(typed), ResultAbsence::Unspecified).await;
}

#[tokio::test]
async fn an_empty_result_one_zero_byte_and_no_result_are_three_things() {
    check_result(Some(raw(Vec::new())), ResultAbsence::Unspecified).await;
    check_result(Some(text("")), ResultAbsence::Unspecified).await;
    check_result(Some(raw(vec![0])), ResultAbsence::Unspecified).await;
    check_result(None, ResultAbsence::NoneGiven).await;
}

#[tokio::test]
async fn a_result_that_was_left_out_is_told_as_left_out() {
    let result_absence = ResultAbsence::Omitted.into();
    let omitted = Succeeded { result_absence, ..Succeeded::default() };
    for replay in replays(Outcome::Succeeded(omitted)).await {
        let succeeded = replay.succeeded();
        assert_eq!(
            (succeeded.result.clone(), succeeded.result_absence()),
            (None, ResultAbsence::Omitted)
        );
    }
}

#[tokio::test]
async fn a_failure_is_replayed_with_all_that_raises_it_again() {
    let failure = Failed {
        r#type: "card_declined".into(),
        message: "no funds".into(),
        detail: Some(raw(vec![0, 1])),
        provider_reference: "re_1".into(),
        ..Failed::default()
    };
    for replay in replays(Outcome::Failed(failure.clone())).await {
        let verdict = onced_proto::v1::ruling::Verdict::Completed(replay);
        assert_eq!(verdict.failed(), failure);
    }
}

#[tokio::test]
async fn the_largest_result_is_taken_and_one_byte_more_is_refused_before_anything_is_written() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for size in [65_535, 65_536] {
        let intent = charge(&format!("order-{size}"));
        let token = calls.granted(&intent).await.fencing_token;
        let result = raw(vec![1; size]);
        let report = complete(&intent, token, succeeded_with(Some(result.clone())));
        calls.complete(report).await.expect("a report");
        assert_eq!(calls.duplicate(&intent).await.succeeded().result, Some(result));
    }
    let intent = charge("too large");
    let token = calls.granted(&intent).await.fencing_token;
    let before = calls.get(get_whole(&intent)).await.expect("an intent");
    let report = complete(&intent, token, succeeded_with(Some(raw(vec![1; 65_537]))));
    let refusal = calls.complete(report).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).code, Code::InvalidArgument);
    assert_eq!(refusal.fields(), ["succeeded.result"]);
    assert_eq!(calls.get(get_whole(&intent)).await.expect("an intent"), before);
    let result_absence = ResultAbsence::Omitted.into();
    let omitted = Outcome::Succeeded(Succeeded { result_absence, ..Succeeded::default() });
    calls.complete(complete(&intent, token, omitted)).await.expect("it is still completable");
}

#[tokio::test]
async fn the_intent_names_its_key_and_its_payload_as_they_were_given() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("  Order 1 é"));
    calls.granted(&intent).await;
    let shown = calls.get(get(&intent)).await.expect("an intent");
    assert_eq!(shown.id, Some(intent));
}
