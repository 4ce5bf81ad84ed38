//! A lease is bounded and renewed by its holder only; when it ends, the intent is unknown: neither
//! free nor stuck.

use std::time::Duration;

use onced_proto::v1::{ClaimRequest, ErrorReason, RenewRequest, State, UnknownReason, WarningType};
use onced_tests::harness::{Gate, InProcess, Refusal, Rule, RulingExt, Setup, request::*};
use tonic::Code;

const SECOND: Duration = Duration::from_secs(1);
const DAY: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
lease = "2s"
effect_timeout = "2s"
retention = "24h"
result_retention = "24h"
"#;

#[tokio::test]
async fn a_holder_that_was_killed_leaves_an_unknown_soon_and_never_a_free_key() {
    let server = InProcess::with_policies(DAY).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let granted = calls.granted(&intent).await;
    assert_eq!(granted.lease, span(2 * SECOND));
    for pause in [3, 12, 3_600, 100_000] {
        server.advance(pause * SECOND);
        let told = calls.duplicate(&intent).await.unknown();
        assert_eq!((told.attempt, told.reason()), (1, UnknownReason::LeaseEnded));
    }
}

#[tokio::test]
async fn an_unknown_ruling_says_since_when_and_what_can_be_done_about_it() {
    let server = InProcess::start().await;
    let (calls, start) = (server.calls(), server.now().0 / 1_000_000);
    let intents: Vec<_> = (0..50).map(|n| charge(&format!("order-{n}"))).collect();
    for intent in &intents {
        calls.claim(ClaimRequest { holder: "pod-7".into(), ..claim(intent) }).await.expect("ruled");
    }
    server.advance(100 * SECOND);
    for intent in &intents {
        let told = calls.duplicate(intent).await.unknown();
        let seconds = |time: Option<prost_types::Timestamp>| time.expect("a time").seconds - start;
        assert_eq!(seconds(told.first_claim_time), 0);
        assert_eq!(seconds(told.unknown_time), 30);
        assert_eq!(seconds(told.evidence_start_time), 60);
        assert!(told.retry_after.is_some() && !told.etag.is_empty());
        assert_eq!((told.holder.as_str(), told.fencing_token), ("pod-7", 0));
        assert!(told.provider_key.starts_with("once1-"));
    }
}

#[tokio::test]
async fn its_own_claimant_is_told_the_token_so_that_it_can_still_report() {
    let server = InProcess::start().await;
    let (calls, request) = (server.calls(), claim(&charge("order-1")));
    let token = calls.claim(request.clone()).await.expect("a ruling").granted().fencing_token;
    server.advance(31 * SECOND);
    let told = calls.claim(request).await.expect("a ruling").unknown();
    assert_eq!((told.fencing_token, told.attempt), (token, 1));
    let report = complete(&charge("order-1"), token, succeeded("late"));
    assert!(calls.complete(report).await.expect("a report").late);
    assert!(calls.duplicate(&charge("order-1")).await.completed().late);
}

#[tokio::test]
async fn an_outcome_that_could_not_be_saved_is_unknown_and_not_free() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    gate.set(Rule::Fail(onced::store::Error::Unavailable("down".into())));
    let report = complete(&intent, token, succeeded("done"));
    let refusal = calls.complete(report.clone()).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::StoreUnavailable).code, Code::Unavailable);
    assert!(refusal.retry.is_some());
    gate.open();
    server.advance(31 * SECOND);
    calls.duplicate(&intent).await.unknown();
    calls.complete(report).await.expect("the report, sent again");
    calls.duplicate(&intent).await.succeeded();
}

#[tokio::test]
async fn a_renewal_extends_and_never_shortens() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    server.advance(20 * SECOND);
    let renewed = calls.renew(renew(&intent, token)).await.expect("an extension");
    assert_eq!(renewed.lease, span(30 * SECOND));
    let before = calls.get(get(&intent)).await.expect("an intent").etag;
    let shorter = RenewRequest { lease: span(5 * SECOND), ..renew(&intent, token) };
    let renewed = calls.renew(shorter).await.expect("an answer");
    assert_eq!(renewed.lease, span(30 * SECOND), "what is left is answered");
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").etag, before);
    server.advance(29 * SECOND);
    calls.duplicate(&intent).await.in_progress();
    server.advance(2 * SECOND);
    calls.duplicate(&intent).await.unknown();
}

#[tokio::test]
async fn a_renewal_after_the_end_is_lost_even_if_nobody_took_over() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let ends = [
        (Duration::from_millis(29_999), true),
        (30 * SECOND, false),
        (Duration::from_millis(30_001), false),
    ];
    for (n, (after, is_live)) in ends.into_iter().enumerate() {
        let intent = charge(&format!("order-{n}"));
        let token = calls.granted(&intent).await.fencing_token;
        server.advance(after);
        let answer = calls.renew(renew(&intent, token)).await;
        assert_eq!(answer.is_ok(), is_live, "{after:?}: {answer:?}");
        if let Err(refusal) = answer {
            assert_eq!(refusal.is(ErrorReason::LeaseLost).code, Code::Aborted);
            assert!(!refusal.told("lease_expire_time").is_empty());
        }
    }
}

#[tokio::test]
async fn a_renewal_that_arrives_after_a_report_revives_nothing() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for outcome in [succeeded("done"), failed("declined"), unknown()] {
        let intent = charge(&format!("{outcome:?}"));
        let token = calls.granted(&intent).await.fencing_token;
        calls.complete(complete(&intent, token, outcome)).await.expect("a report");
        lost(calls.renew(renew(&intent, token)).await);
    }
    let intent = charge("released");
    let token = calls.granted(&intent).await.fencing_token;
    calls.release(release(&intent, token)).await.expect("a release");
    lost(calls.renew(renew(&intent, token)).await);
    assert_eq!(calls.get(get(&intent)).await.expect("an intent").state(), State::Released);
}

#[tokio::test]
async fn a_renewal_that_a_report_overtakes_on_its_way_to_the_store_is_lost() {
    let gate = Gate::default();
    let server = InProcess::start().await;
    let slow = server.replica_with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let token = calls.granted(&intent).await.fencing_token;
    server.advance(10 * SECOND);
    gate.set(Rule::HoldBefore);
    let renewal = tokio::spawn({
        let (calls, request) = (slow.calls(), renew(&intent, token));
        async move { calls.renew(request).await }
    });
    gate.holds_one().await;
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    gate.open();
    lost(renewal.await.expect("a task"));
    calls.duplicate(&intent).await.succeeded();
}

#[track_caller]
fn lost<T: std::fmt::Debug>(answer: Result<T, Refusal>) {
    answer.expect_err("a refusal").is(ErrorReason::LeaseLost);
}

#[tokio::test]
async fn renewals_reach_no_further_than_the_longest_hold() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let longest = ClaimRequest { lease: span(300 * SECOND), ..claim(&intent) };
    let token = calls.claim(longest).await.expect("a ruling").granted().fencing_token;
    for _ in 0..14 {
        server.advance(250 * SECOND);
        calls.renew(renew(&intent, token)).await.expect("an extension");
    }
    server.advance(98 * SECOND);
    let last = calls.renew(renew(&intent, token)).await.expect("the last extension");
    assert_eq!(last.lease, span(2 * SECOND));
    server.advance(SECOND);
    let refusal = calls.renew(renew(&intent, token)).await.expect_err("a refusal");
    assert_eq!(refusal.is(ErrorReason::HoldExhausted).code, Code::FailedPrecondition);
    assert!(!refusal.told("hold_expire_time").is_empty());
}

#[tokio::test]
async fn a_wanted_lease_is_a_violation_or_a_real_deadline() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let refused = [(0, 0), (-1, 0), (0, -1), (i64::MIN, 0)];
    for (seconds, nanos) in refused {
        let lease = Some(prost_types::Duration { seconds, nanos });
        let refusal = calls.claim(ClaimRequest { lease, ..claim(&charge("refused")) }).await;
        let refusal = refusal.expect_err("a violation");
        assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["lease"]);
    }
    let taken = [(0, 1, 2, false), (1, 0, 2, false), (2, 1, 3, false), (301, 0, 300, true)];
    for (seconds, nanos, given, shortened) in taken {
        let lease = Some(prost_types::Duration { seconds, nanos });
        let intent = charge(&format!("{seconds}.{nanos}"));
        let ruling = calls.claim(ClaimRequest { lease, ..claim(&intent) }).await.expect("ruled");
        let warned = ruling.warnings.iter().any(|w| w.r#type() == WarningType::LeaseShortened);
        assert_eq!(warned, shortened);
        assert_eq!(ruling.granted().lease, span(given * SECOND));
        server.advance(given * SECOND);
        calls.duplicate(&intent).await.unknown();
    }
    let endless = Some(prost_types::Duration { seconds: i64::MAX, nanos: 0 });
    let answer = calls.claim(ClaimRequest { lease: endless, ..claim(&charge("endless")) }).await;
    match answer {
        Ok(ruling) => assert_eq!(ruling.granted().lease, span(300 * SECOND)),
        Err(refusal) => assert_eq!(refusal.is(ErrorReason::InvalidField).fields(), ["lease"]),
    }
}

#[tokio::test]
async fn a_grant_whose_lease_is_over_before_it_could_be_told_is_not_given() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    let (calls, intent) = (server.calls(), charge("order-1"));
    let request = ClaimRequest { lease: span(2 * SECOND), ..claim(&intent) };
    gate.set(Rule::HoldAfter);
    let stopped = tokio::spawn({
        let calls = server.calls();
        async move { calls.claim(request).await }
    });
    gate.holds_one().await;
    // The whole service stands still for longer than the lease; the monotonic clock goes on.
    tokio::time::sleep(Duration::from_millis(2_050)).await;
    server.advance(3 * SECOND);
    gate.open();
    let told = stopped.await.expect("a task").expect("a ruling").unknown();
    assert_ne!(told.fencing_token, 0, "its own claimant is told what it never knew it held");
    calls.duplicate(&intent).await.unknown();
}
