//! Batches: each item on its own, in order, within what clients can read.

use std::time::Duration;

use onced_proto::v1::{
    BatchClaimRequest, BatchCompleteRequest, BatchReleaseRequest, BatchRenewRequest, ClaimRequest,
    ErrorReason, InProgressStrategy, ResultAbsence, batch_complete_result, batch_release_result,
    batch_renew_result,
};
use onced_tests::harness::{InProcess, Refusal, RulingExt, request::*};
use prost::Message;
use tonic::Code;

#[tokio::test]
async fn answers_come_in_the_order_of_the_requests_and_one_refusal_changes_no_other() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let (done, held, lost) = (charge("done"), charge("held"), charge("lost"));
    calls.succeeded(&done, "result").await;
    calls.granted(&lost).await;
    server.advance(Duration::from_secs(31));
    calls.granted(&held).await;
    let reused = ClaimRequest { payload: json("{}"), ..claim(&charge("done-too")) };
    calls.claim(claim(&charge("done-too"))).await.expect("a ruling").granted();
    let nobodys = claim(&intent("payments", "gift", "1"));
    let malformed = ClaimRequest { claimant: "job".into(), ..claim(&charge("malformed")) };
    let fresh = claim(&charge("fresh"));
    let requests =
        vec![claim(&done), reused, claim(&held), nobodys, claim(&lost), malformed, fresh];
    let mut results = calls.batch_claim(BatchClaimRequest { requests }).await.expect("results");
    assert_eq!(results.len(), 7);
    let mut next = || results.remove(0);
    assert_eq!(next().expect("a ruling").succeeded().result, Some(text("result")));
    assert_eq!(
        next().expect_err("a refusal").is(ErrorReason::KeyReused).code,
        Code::FailedPrecondition
    );
    next().expect("a ruling").in_progress();
    assert_eq!(
        next().expect_err("a refusal").is(ErrorReason::OperationUnknown).told("operation"),
        "gift"
    );
    next().expect("a ruling").unknown();
    assert_eq!(next().expect_err("a refusal").is(ErrorReason::InvalidField).fields(), ["claimant"]);
    assert_eq!(next().expect("a ruling").granted().attempt, 1);
}

#[tokio::test]
async fn the_same_intent_twice_refuses_the_whole_batch_before_anything_is_written() {
    let server = InProcess::start().await;
    let (calls, one, two) = (server.calls(), charge("one"), charge("two"));
    let refusal = calls.batch_claim(batch([&one, &two, &one, &two])).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::InvalidField).code, Code::InvalidArgument);
    assert_eq!(refusal.fields(), ["requests[2].intent", "requests[3].intent"]);
    for intent in [&one, &two] {
        calls.get(get(intent)).await.expect_err("no record").is(ErrorReason::KeyNotFound);
    }
}

#[tokio::test]
async fn a_batch_has_one_to_a_thousand_items() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let intents: Vec<_> = (0..1_001).map(|n| charge(&format!("order-{n}"))).collect();
    for refused in [batch([]), batch(&intents)] {
        let refusal = calls.batch_claim(refused).await.expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["requests"]);
    }
    let results = calls.batch_claim(batch(&intents[..1_000])).await.expect("results");
    for result in results {
        assert_eq!(result.expect("a ruling").granted().attempt, 1);
    }
}

#[tokio::test]
async fn an_item_that_would_wait_or_be_rejected_is_refused_alone() {
    let server = InProcess::start().await;
    let strategies = [
        InProgressStrategy::Wait,
        InProgressStrategy::Reject,
        InProgressStrategy::Pending,
        InProgressStrategy::Unspecified,
    ];
    let requests = (0..).zip(strategies).map(|(n, strategy)| ClaimRequest {
        in_progress_strategy: strategy.into(),
        ..claim(&charge(&format!("order-{n}")))
    });
    let request = BatchClaimRequest { requests: requests.collect() };
    let results = server.calls().batch_claim(request).await.expect("results");
    for refused in &results[..2] {
        let refusal = refused.as_ref().expect_err("a refusal");
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["in_progress_strategy"]);
    }
    assert!(results[2].is_ok() && results[3].is_ok());
}

#[tokio::test]
async fn results_that_would_not_fit_are_left_out_and_said_to_be() {
    let server = InProcess::start().await;
    let (calls, result) = (server.calls(), raw(vec![7; 60_000]));
    let intents: Vec<_> = (0..80).map(|n| charge(&format!("order-{n}"))).collect();
    for intent in &intents {
        let token = calls.granted(intent).await.fencing_token;
        let report = complete(intent, token, succeeded_with(Some(result.clone())));
        calls.complete(report).await.expect("a report");
    }
    let response =
        calls.claims().batch_claim(batch(&intents)).await.expect("an answer").into_inner();
    assert!(response.encoded_len() <= 3 << 20, "{} bytes", response.encoded_len());
    let (mut sent, mut left_out) = (0, 0);
    for told in calls.batch_claim(batch(&intents)).await.expect("results") {
        let succeeded = told.expect("a ruling").succeeded();
        match succeeded.result_absence() {
            ResultAbsence::NotSent => {
                assert_eq!(succeeded.result, None);
                left_out += 1;
            }
            absence => {
                assert_eq!(
                    (absence, succeeded.result.as_ref()),
                    (ResultAbsence::Unspecified, Some(&result))
                );
                sent += 1;
            }
        }
    }
    assert_eq!(sent + left_out, 80);
    assert!(sent >= 50, "as many as fit are sent: {sent}");
    assert!(left_out > 0);
    let last = &intents[79];
    assert_eq!(calls.duplicate(last).await.succeeded().result, Some(result), "alone it is whole");
}

#[tokio::test]
async fn the_largest_answer_of_a_batch_of_reports_stays_readable() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let intents: Vec<_> = (0..1_000).map(|n| charge(&format!("{n:0>512}"))).collect();
    let granted = calls.batch_claim(batch(&intents)).await.expect("results");
    let requests = intents.iter().zip(granted).map(|(intent, ruling)| {
        complete(intent, ruling.expect("a ruling").granted().fencing_token, succeeded("done"))
    });
    let request = BatchCompleteRequest { requests: requests.collect() };
    let response = calls.batch_complete(request).await.expect("an answer");
    assert!(response.encoded_len() < 4 << 20);
    assert_eq!(response.results.len(), 1_000);
}

#[tokio::test]
async fn reports_in_batches_are_taken_one_by_one() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let (good, bad) = (charge("good"), charge("bad"));
    let token = calls.granted(&good).await.fencing_token;
    let requests = vec![renew(&bad, token), renew(&good, token)];
    let renewed = calls.batch_renew(BatchRenewRequest { requests }).await.expect("an answer");
    let [first, second] = &renewed.results[..] else { panic!("{renewed:?}") };
    let Some(batch_renew_result::Result::Status(status)) = first.result.clone() else { panic!() };
    Refusal::of_message(status).is(ErrorReason::KeyNotFound);
    assert!(matches!(second.result, Some(batch_renew_result::Result::Response(_))));
    let requests = vec![release(&bad, token), release(&good, token)];
    let released = calls.batch_release(BatchReleaseRequest { requests }).await.expect("an answer");
    let [first, second] = &released.results[..] else { panic!("{released:?}") };
    assert!(matches!(first.result, Some(batch_release_result::Result::Status(_))));
    assert!(matches!(second.result, Some(batch_release_result::Result::Response(_))));
    let token = calls.granted(&good).await.fencing_token;
    let requests = vec![complete(&bad, token, failed("x")), complete(&good, token, succeeded("y"))];
    let done = calls.batch_complete(BatchCompleteRequest { requests }).await.expect("an answer");
    let [first, second] = &done.results[..] else { panic!("{done:?}") };
    assert!(matches!(first.result, Some(batch_complete_result::Result::Status(_))));
    assert!(matches!(second.result, Some(batch_complete_result::Result::Response(_))));
    calls.duplicate(&good).await.succeeded();
}
