use onced_proto::v1::claim_service_server::ClaimService;
use tonic::{Code, Request};

use super::*;
use crate::{
    service::trial::{Trial, claim as one, fields, granted, id, payload, success},
    wire::request::BYTES_MAX,
};

async fn claimed(
    claims: &crate::service::Claims,
    requests: Vec<v1::ClaimRequest>,
) -> Result<Vec<v1::BatchClaimResult>, tonic::Status> {
    let request = Request::new(v1::BatchClaimRequest { requests });
    Ok(claims.batch_claim(request).await?.into_inner().results)
}

#[tokio::test]
async fn items_are_answered_each_on_its_own_and_in_order() {
    use v1::batch_claim_result::Result::{Ruling, Status};
    let trial = Trial::new();
    let claims = trial.claims();
    claimed(&claims, vec![one("b")]).await.unwrap();
    let other = v1::ClaimRequest { payload: Some(payload("11 EUR")), ..one("b") };
    let mut waits = one("d");
    waits.set_in_progress_strategy(v1::InProgressStrategy::Wait);
    let nameless = v1::ClaimRequest { intent: None, ..one("x") };
    let results = claimed(&claims, vec![one("a"), other, one("c"), waits, nameless]).await.unwrap();
    let codes: Vec<i32> = results
        .iter()
        .map(|result| match &result.result {
            Some(Ruling(ruling)) => {
                granted(Some(ruling.clone()));
                0
            }
            Some(Status(status)) => {
                assert!(!status.details.is_empty());
                status.code
            }
            None => panic!("no answer"),
        })
        .collect();
    let (invalid, failed) = (Code::InvalidArgument.into(), Code::FailedPrecondition.into());
    assert_eq!(codes, [0, failed, 0, invalid, invalid]);
}

#[tokio::test]
async fn one_intent_twice_refuses_the_whole_and_nothing_is_written() {
    let trial = Trial::new();
    let claims = trial.claims();
    let status = claimed(&claims, vec![one("a"), one("b"), one("a")]).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(fields(&status), ["requests[2].intent"]);
    let get = v1::GetRequest { intent: Some(id("b")), payload: None };
    assert_eq!(claims.get(Request::new(get)).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn a_batch_has_one_to_a_thousand_items() {
    let trial = Trial::new();
    let claims = trial.claims();
    assert_eq!(fields(&claimed(&claims, Vec::new()).await.unwrap_err()), ["requests"]);
    let many = (0..=ITEMS_MAX).map(|n| one(&n.to_string())).collect();
    assert_eq!(fields(&claimed(&claims, many).await.unwrap_err()), ["requests"]);
}

#[tokio::test]
async fn a_batch_is_shed_whole_when_there_is_no_room_and_reports_are_not() {
    let mut trial = Trial::new();
    trial.bounds.claims_in_flight_max = 2;
    let claims = trial.claims();
    let results = claimed(&claims, vec![one("a"), one("b")]).await.unwrap();
    let _busy = claims.0.load.admit(1).unwrap();
    let status = claimed(&claims, vec![one("c"), one("d")]).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let tokens = results.into_iter().map(|result| match result.result {
        Some(v1::batch_claim_result::Result::Ruling(ruling)) => granted(Some(ruling)).fencing_token,
        other => panic!("{other:?}"),
    });
    let requests =
        ["a", "b"].into_iter().zip(tokens).map(|(key, token)| success(key, token, "ok")).collect();
    let request = Request::new(v1::BatchCompleteRequest { requests });
    let results = claims.batch_complete(request).await.unwrap().into_inner().results;
    for result in results {
        assert!(matches!(result.result, Some(v1::batch_complete_result::Result::Response(_))));
    }
}

#[tokio::test]
async fn leases_are_renewed_and_attempts_released_in_batches() {
    use v1::release_request::Grant::FencingToken;
    let trial = Trial::new();
    let claims = trial.claims();
    let ruling = claims.claim(Request::new(one("a"))).await.unwrap().into_inner().ruling;
    let fencing_token = granted(ruling).fencing_token;
    let renew = |key| v1::RenewRequest { intent: Some(id(key)), fencing_token, lease: None };
    let request = Request::new(v1::BatchRenewRequest { requests: vec![renew("a"), renew("b")] });
    let results = claims.batch_renew(request).await.unwrap().into_inner().results;
    assert!(matches!(results[0].result, Some(v1::batch_renew_result::Result::Response(_))));
    assert!(matches!(results[1].result, Some(v1::batch_renew_result::Result::Status(_))));
    let mut release = v1::ReleaseRequest { intent: Some(id("a")), ..Default::default() };
    release.grant = Some(FencingToken(fencing_token));
    release.set_reason(v1::NotAppliedReason::NotStarted);
    let request = Request::new(v1::BatchReleaseRequest { requests: vec![release] });
    let results = claims.batch_release(request).await.unwrap().into_inner().results;
    assert!(matches!(results[0].result, Some(v1::batch_release_result::Result::Response(_))));
}

#[test]
fn results_go_in_as_long_as_there_is_room_and_the_rest_say_that_they_were_not_sent() {
    use v1::{batch_claim_result::Result::Ruling, ruling::Verdict::Completed};
    let body = Some(v1::content::Body::Bytes(vec![7; BYTES_MAX].into()));
    let result = Some(v1::Content { body, content_type: String::new() });
    let succeeded = v1::Succeeded { result, ..v1::Succeeded::default() };
    let outcome = Some(v1::completed::Outcome::Succeeded(succeeded));
    let completed = v1::Completed { outcome, ..v1::Completed::default() };
    let ruling = v1::Ruling { verdict: Some(Completed(completed)), warnings: Vec::new() };
    let item = v1::BatchClaimResult { result: Some(Ruling(ruling)) };
    let mut results = vec![item; 4];
    fit(&mut results, leave_result_out);
    let answer = v1::BatchClaimResponse { results };
    assert!(answer.encoded_len() < 4 << 20);
    let absences: Vec<_> = answer.results.iter().map(absence).collect();
    let (sent, not_sent) = (v1::ResultAbsence::Unspecified, v1::ResultAbsence::NotSent);
    assert_eq!(absences, [sent, sent, not_sent, not_sent]);
}

fn absence(result: &v1::BatchClaimResult) -> v1::ResultAbsence {
    use v1::{batch_claim_result::Result::Ruling, ruling::Verdict::Completed};
    match &result.result {
        Some(Ruling(v1::Ruling { verdict: Some(Completed(completed)), .. })) => {
            match &completed.outcome {
                Some(v1::completed::Outcome::Succeeded(succeeded)) => succeeded.result_absence(),
                other => panic!("{other:?}"),
            }
        }
        other => panic!("{other:?}"),
    }
}
