use std::time::Duration;

use onced_proto::v1::{self, claim_service_server::ClaimService};
use tokio_stream::StreamExt;
use tonic::{Code, Request};

use super::trial::{
    self, Trial, claim, completed, fields, granted, id, in_progress, payload, reason, success,
    text, waiting,
};

async fn ruling(claims: &super::Claims, request: v1::ClaimRequest) -> Option<v1::Ruling> {
    claims.claim(Request::new(request)).await.unwrap().into_inner().ruling
}

#[tokio::test]
async fn a_claim_is_granted_once_and_its_outcome_replayed_byte_for_byte() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("charge:v1:1")).await);
    assert_eq!((grant.attempt, grant.repeated), (1, false));
    in_progress(ruling(&claims, claim("charge:v1:1")).await);

    let report = success("charge:v1:1", grant.fencing_token, "ch_1");
    let answer = claims.complete(Request::new(report)).await.unwrap().into_inner();
    let intent = answer.intent.unwrap();
    assert_eq!(intent.fencing_token, grant.fencing_token);
    assert_eq!(intent.state(), v1::State::Succeeded);

    let replay = completed(ruling(&claims, claim("charge:v1:1")).await);
    assert_eq!((text(&replay), replay.attempt), ("ch_1", 1));
    assert!(replay.expire_time.is_some());
}

#[tokio::test]
async fn every_violation_is_named_at_once() {
    let trial = Trial::new();
    let mut request = claim(" ");
    request.claimant = "pod-1".to_owned();
    request.payload = None;
    let status = trial.claims().claim(Request::new(request)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(reason(&status).0, "INVALID_FIELD");
    assert_eq!(fields(&status), ["intent.key", "claimant", "payload"]);
}

#[tokio::test]
async fn another_payload_is_refused_with_both_prefixes_and_no_result() {
    let trial = Trial::new();
    let claims = trial.claims();
    granted(ruling(&claims, claim("k")).await);
    let other = v1::ClaimRequest { payload: Some(payload("11 EUR")), ..claim("k") };
    let status = claims.claim(Request::new(other)).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let (reason, metadata) = reason(&status);
    assert_eq!(reason, "KEY_REUSED");
    assert_ne!(metadata["expected_hash_prefix"], metadata["given_hash_prefix"]);
}

#[tokio::test]
async fn a_waiting_duplicate_gets_the_holders_outcome() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let duplicate = tokio::spawn({
        let claims = claims.clone();
        async move { ruling(&claims, waiting("k")).await }
    });
    let page = || trial.metrics.prometheus();
    let is_waiting = "onced_waiters{namespace=\"payments\",operation=\"charge\"} 1";
    while !page().contains(is_waiting) {
        tokio::task::yield_now().await;
    }
    let report = success("k", grant.fencing_token, "ch_2");
    claims.complete(Request::new(report)).await.unwrap();
    assert_eq!(text(&completed(duplicate.await.unwrap())), "ch_2");
    assert!(!page().contains(is_waiting));
}

#[tokio::test]
async fn a_waiting_duplicate_is_told_in_progress_when_its_time_is_over() {
    let trial = Trial::new();
    let claims = trial.claims();
    granted(ruling(&claims, claim("k")).await);
    let wait = Some(prost_types::Duration { seconds: 0, nanos: 30_000_000 });
    in_progress(ruling(&claims, v1::ClaimRequest { wait, ..waiting("k") }).await);
}

#[tokio::test]
async fn a_duplicate_that_asks_for_rejection_is_told_when_to_come_back() {
    use tonic_types::StatusExt;
    let trial = Trial::new();
    let claims = trial.claims();
    granted(ruling(&claims, claim("k")).await);
    let mut duplicate = claim("k");
    duplicate.set_in_progress_strategy(v1::InProgressStrategy::Reject);
    let status = claims.claim(Request::new(duplicate)).await.unwrap_err();
    assert_eq!(status.code(), Code::Aborted);
    let (reason, metadata) = reason(&status);
    assert_eq!((reason.as_str(), metadata["attempt"].as_str()), ("IN_PROGRESS", "1"));
    assert!(status.get_details_retry_info().unwrap().retry_delay > Some(Duration::ZERO));
}

#[tokio::test]
async fn the_same_claimant_is_told_its_own_grant_whatever_the_strategy() {
    let trial = Trial::new();
    let claims = trial.claims();
    let first = claim("k");
    let mut again = first.clone();
    again.set_in_progress_strategy(v1::InProgressStrategy::Reject);
    let grant = granted(ruling(&claims, first).await);
    let repeated = granted(ruling(&claims, again).await);
    assert!(repeated.repeated);
    assert_eq!(repeated.fencing_token, grant.fencing_token);
}

#[tokio::test]
async fn get_without_a_payload_shows_neither_result_nor_token() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let report = success("k", grant.fencing_token, "secret");
    claims.complete(Request::new(report)).await.unwrap();
    let shown = async |payload| {
        let request = Request::new(v1::GetRequest { intent: Some(id("k")), payload });
        claims.get(request).await.unwrap().into_inner().intent.unwrap()
    };
    let bare = shown(None).await;
    assert_eq!((bare.state(), bare.fencing_token), (v1::State::Succeeded, 0));
    assert!(!format!("{bare:?}").contains("secret"));
    assert_eq!(bare.payload_hash, "");
    let whole = shown(Some(payload("10 EUR"))).await;
    assert_eq!(text(&whole.completed.unwrap()), "secret");
}

#[tokio::test]
async fn get_of_an_unknown_key_and_claim_of_an_unknown_operation_are_not_found() {
    let trial = Trial::new();
    let claims = trial.claims();
    let request = v1::GetRequest { intent: Some(id("nobody")), payload: None };
    let status = claims.get(Request::new(request)).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).0.as_str()), (Code::NotFound, "KEY_NOT_FOUND"));
}

#[tokio::test]
async fn renew_extends_and_release_frees() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let lease = Some(prost_types::Duration { seconds: 60, nanos: 0 });
    let fencing_token = grant.fencing_token;
    let renew = v1::RenewRequest { intent: Some(id("k")), fencing_token, lease };
    let renewed = claims.renew(Request::new(renew)).await.unwrap().into_inner();
    assert!(renewed.lease.unwrap().seconds > 50);

    let mut release = v1::ReleaseRequest {
        intent: Some(id("k")),
        grant: Some(v1::release_request::Grant::FencingToken(fencing_token)),
        ..v1::ReleaseRequest::default()
    };
    let status = claims.release(Request::new(release.clone())).await.unwrap_err();
    assert_eq!(fields(&status), ["reason"]);
    release.set_reason(v1::NotAppliedReason::NotStarted);
    claims.release(Request::new(release)).await.unwrap();
    assert_eq!(granted(ruling(&claims, claim("k")).await).attempt, 2);
}

#[tokio::test]
async fn while_draining_claims_are_refused_and_reports_taken() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    claims.0.drain();
    let status = claims.claim(Request::new(claim("l"))).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).0.as_str()), (Code::Unavailable, "DRAINING"));
    let lease = None;
    let fencing_token = grant.fencing_token;
    let renew = v1::RenewRequest { intent: Some(id("k")), fencing_token, lease };
    claims.renew(Request::new(renew)).await.unwrap();
    let report = success("k", grant.fencing_token, "ch_3");
    claims.complete(Request::new(report)).await.unwrap();
    claims.0.idle().await;
}

#[tokio::test]
async fn a_drain_answers_who_waits() {
    let trial = Trial::new();
    let claims = trial.claims();
    granted(ruling(&claims, claim("k")).await);
    let duplicate = tokio::spawn({
        let claims = claims.clone();
        async move { ruling(&claims, waiting("k")).await }
    });
    while !trial.metrics.prometheus().contains("operation=\"charge\"} 1") {
        tokio::task::yield_now().await;
    }
    claims.0.drain();
    in_progress(duplicate.await.unwrap());
}

#[tokio::test]
async fn too_many_claims_are_shed_and_reports_are_not() {
    let mut trial = Trial::new();
    trial.bounds.claims_in_flight_max = 1;
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let busy = claims.0.load.admit(1).unwrap();
    let status = claims.claim(Request::new(claim("l"))).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(reason(&status).0, "OVERLOADED");
    assert!(status.metadata().contains_key(crate::status::PUSHBACK));
    let report = success("k", grant.fencing_token, "ch_4");
    claims.complete(Request::new(report)).await.unwrap();
    drop(busy);
    granted(ruling(&claims, claim("l")).await);
}

#[tokio::test]
async fn a_waiter_holds_no_place_that_a_claim_could_take() {
    let mut trial = Trial::new();
    trial.bounds.claims_in_flight_max = 1;
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let duplicate = tokio::spawn({
        let claims = claims.clone();
        async move { ruling(&claims, waiting("k")).await }
    });
    while !trial.metrics.prometheus().contains("operation=\"charge\"} 1") {
        tokio::task::yield_now().await;
    }
    granted(ruling(&claims, claim("other")).await);
    let report = success("k", grant.fencing_token, "ch_5");
    claims.complete(Request::new(report)).await.unwrap();
    completed(duplicate.await.unwrap());
}

#[tokio::test]
async fn a_watch_tells_each_change_and_ends_with_the_outcome() {
    let trial = Trial::new();
    let claims = trial.claims();
    let request = v1::WatchRequest { intent: Some(id("k")), payload: Some(payload("10 EUR")) };
    let mut events = claims.watch(Request::new(request)).await.unwrap().into_inner();
    let first = events.next().await.unwrap().unwrap();
    assert_eq!((first.state(), first.ruling), (v1::State::Unspecified, None));
    let grant = granted(ruling(&claims, claim("k")).await);
    let second = events.next().await.unwrap().unwrap();
    assert_eq!(in_progress(second.ruling).fencing_token, 0);
    let report = success("k", grant.fencing_token, "ch_6");
    claims.complete(Request::new(report)).await.unwrap();
    let last = events.next().await.unwrap().unwrap();
    assert_eq!(text(&completed(last.ruling)), "ch_6");
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_watch_tells_the_end_of_a_lease() {
    let trial = Trial::new();
    let claims = trial.claims();
    let lease = Some(prost_types::Duration { seconds: 2, nanos: 0 });
    granted(ruling(&claims, v1::ClaimRequest { lease, ..claim("k") }).await);
    let request = v1::WatchRequest { intent: Some(id("k")), payload: None };
    let mut events = claims.watch(Request::new(request)).await.unwrap().into_inner();
    assert_eq!(events.next().await.unwrap().unwrap().state(), v1::State::InProgress);
    let over = events.next().await.unwrap().unwrap();
    assert_eq!(over.state(), v1::State::Unknown);
    let Some(v1::ruling::Verdict::Unknown(unknown)) = over.ruling.unwrap().verdict else {
        panic!("not unknown");
    };
    assert_eq!(unknown.reason(), v1::UnknownReason::LeaseEnded);
}

#[tokio::test]
async fn a_drain_ends_a_watch_and_says_so() {
    let trial = Trial::new();
    let claims = trial.claims();
    let request = v1::WatchRequest { intent: Some(id("k")), payload: None };
    let mut events = claims.watch(Request::new(request)).await.unwrap().into_inner();
    events.next().await.unwrap().unwrap();
    claims.0.drain();
    let status = events.next().await.unwrap().unwrap_err();
    assert_eq!((status.code(), reason(&status).0.as_str()), (Code::Unavailable, "DRAINING"));
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_watch_ends_well_when_its_time_is_over() {
    let mut trial = Trial::new();
    trial.bounds.max_watch = Duration::from_millis(30);
    let request = v1::WatchRequest { intent: Some(id("k")), payload: None };
    let mut events = trial.claims().watch(Request::new(request)).await.unwrap().into_inner();
    events.next().await.unwrap().unwrap();
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_key_that_holds_its_claimant_is_granted_with_a_warning() {
    let trial = Trial::new();
    let mut request = claim("k");
    request.intent = Some(trial::id(&format!("charge:v1:{}", request.claimant)));
    let ruling = ruling(&trial.claims(), request).await.unwrap();
    assert_eq!(ruling.warnings[0].r#type(), v1::WarningType::KeyHasCallId);
    granted(Some(ruling));
    let page = trial.metrics.prometheus();
    assert!(page.contains("onced_key_warnings_total{"), "{page}");
}

#[tokio::test]
async fn every_answer_tells_the_same_time_until_which_it_is_remembered() {
    let trial = Trial::new();
    let claims = trial.claims();
    let grant = granted(ruling(&claims, claim("k")).await);
    let report = success("k", grant.fencing_token, "ch_1");
    let told = claims.complete(Request::new(report)).await.unwrap().into_inner();
    let first = told.intent.unwrap().expire_time.unwrap();
    for n in 0..10 {
        let fresh = n % 2 == 0;
        let again = v1::ClaimRequest { fresh, ..claim("k") };
        assert_eq!(completed(ruling(&claims, again).await).expire_time, Some(first));
        let get = v1::GetRequest { intent: Some(id("k")), payload: Some(payload("10 EUR")) };
        let shown = claims.get(Request::new(get)).await.unwrap().into_inner().intent.unwrap();
        assert_eq!(shown.expire_time, Some(first));
        assert_eq!(shown.completed.unwrap().expire_time, Some(first));
    }
}

#[track_caller]
fn warns(ruling: Option<&v1::Ruling>) -> Vec<v1::WarningType> {
    ruling.expect("a ruling").warnings.iter().map(v1::Warning::r#type).collect()
}

#[tokio::test]
async fn a_lease_that_was_shortened_is_warned_of() {
    let claims = Trial::new().claims();
    let lease = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let long = ruling(&claims, v1::ClaimRequest { lease: lease(3_600), ..claim("k") }).await;
    assert_eq!(warns(long.as_ref()), [v1::WarningType::LeaseShortened]);
    assert_eq!(granted(long).lease.unwrap().seconds, 300);
    let fits = ruling(&claims, v1::ClaimRequest { lease: lease(300), ..claim("l") }).await;
    assert_eq!(warns(fits.as_ref()), []);
}

#[tokio::test]
async fn a_record_without_a_hash_is_answered_with_a_warning() {
    use crate::store::conformance::sample;
    let trial = Trial::new();
    let intent = crate::intent::IntentId::new("", "payments", "charge", "k").unwrap();
    let record = sample::succeeded(&sample::record(&intent, trial.clock.now()));
    let adopted =
        crate::record::Record { payload_hash: None, adopted: true, grants: Vec::new(), ..record };
    let write = sample::claim(adopted, 1);
    let write = crate::store::Write { lease: crate::store::LeaseWrite::Clear, ..write };
    trial.keeper.store().compare_and_set(&intent, &write).await.unwrap();
    let answer = ruling(&trial.claims(), claim("k")).await;
    assert_eq!(warns(answer.as_ref()), [v1::WarningType::HashUnchecked]);
    completed(answer);
}

#[tokio::test]
async fn a_watch_that_nobody_reads_ends_when_its_time_is_over() {
    let mut trial = Trial::new();
    trial.bounds.max_watch = Duration::from_millis(200);
    let claims = trial.claims();
    let request = v1::WatchRequest { intent: Some(id("w")), payload: None };
    let unread = claims.watch(Request::new(request)).await.unwrap();
    let grant = granted(claims.claim(Request::new(claim("w"))).await.unwrap().into_inner().ruling);
    claims.complete(Request::new(success("w", grant.fencing_token, "done"))).await.unwrap();
    let ended = async {
        while std::sync::Arc::strong_count(&claims.0) > 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), ended).await.expect("the watch goes on");
    drop(unread);
}
