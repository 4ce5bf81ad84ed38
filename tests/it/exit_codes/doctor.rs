//! `onced doctor` against stores whose keys are made well, and against two whose keys are not.

use std::time::Duration;

use onced_proto::v1::{BatchClaimRequest, BatchCompleteRequest, ClaimRequest, IntentId};
use onced_tests::harness::{Calls, InProcess, RulingExt, request::*};
use serde_json::Value;

use super::{Ended, onced};

/// Longer than any lease of these tests.
const LATER: Duration = Duration::from_secs(60);
const HOURS: Duration = Duration::from_secs(3 * 3_600);

/// An order id as shops make them.
fn order_id() -> String {
    format!("charge:v1:{}", claimant())
}

/// A claim for an order of a shop.
fn order(intent: &IntentId, number: usize) -> ClaimRequest {
    let payload = format!(r#"{{"order":{number},"cents":{}}}"#, number * 7 % 900);
    ClaimRequest { payload: json(&payload), ..claim(intent) }
}

/// Claims all; the tokens of those that are granted.
async fn claimed(calls: &Calls, requests: Vec<ClaimRequest>) -> Vec<(IntentId, i64)> {
    let mut granted = Vec::new();
    // No more at once than a cluster on one machine bears.
    for part in requests.chunks(50) {
        let requests = part.to_vec();
        let rulings = calls.batch_claim(BatchClaimRequest { requests }).await.expect("rulings");
        let tokens =
            rulings.into_iter().map(|ruling| ruling.expect("a ruling").granted().fencing_token);
        let intents = part.iter().filter_map(|request| request.intent.clone());
        granted.extend(intents.zip(tokens));
    }
    granted
}

/// Claims all, and completes all of them.
async fn done(calls: &Calls, requests: Vec<ClaimRequest>) {
    for part in claimed(calls, requests).await.chunks(50) {
        let reports =
            part.iter().map(|(intent, token)| complete(intent, *token, succeeded("done")));
        let requests = reports.collect();
        calls.batch_complete(BatchCompleteRequest { requests }).await.expect("taken");
    }
}

async fn doctor(server: &InProcess, more: &str) -> Ended {
    onced(server.address, format!("doctor --output json {more}").trim_end()).await
}

/// Operation, finding and certainty of each finding.
#[track_caller]
fn found(ended: &Ended) -> Vec<[String; 3]> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let findings = ended.json()["findings"].as_array().expect("findings").clone();
    let row = |one: &Value| ["operation", "finding", "certainty"].map(|name| text(&one[name]));
    findings.iter().map(row).collect()
}

#[tokio::test]
async fn a_fresh_server_is_healthy() {
    let server = InProcess::start().await;
    let ended = onced(server.address, "doctor").await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.starts_with("healthy: nothing is wrong with 6 operations\n"), "{ended:?}");
    assert!(!ended.out.contains('\u{1b}'), "colours are for terminals");
}

#[tokio::test]
async fn order_ids_that_are_uuids_are_healthy_with_and_without_a_retry() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let orders: Vec<_> = (0..300).map(|n| order(&charge(&order_id()), n)).collect();
    done(&calls, orders.clone()).await;
    for retried in orders.iter().take(6) {
        let again = ClaimRequest { claimant: claimant(), ..retried.clone() };
        calls.claim(again).await.expect("the outcome");
    }
    let never_retried =
        |operation: &'static str| move |n| order(&intent("payments", operation, &order_id()), n);
    done(&calls, (0..300).map(never_retried("refund")).collect()).await;
    let same_payload = (0..300).map(|_| claim(&intent("payments", "payout", &order_id())));
    done(&calls, same_payload.collect()).await;
    // Amounts alone, which meet by chance.
    let amounts = (0..300).map(|n| {
        let payload = json(&format!(r#"{{"cents":{}}}"#, n * n * 31 % 397));
        ClaimRequest { payload, ..claim(&intent("payments", "points", &order_id())) }
    });
    done(&calls, amounts.collect()).await;
    server.advance(HOURS);
    let ended = doctor(&server, "").await;
    assert_eq!((ended.code, found(&ended)), (0, vec![]), "{ended:?}");
    let told = onced(server.address, "doctor --namespace payments --operation charge").await;
    assert!(told.out.contains("  healthy\n"), "{told:?}");
    let whole = &ended.json()["numbers"]["diagnoses"][0]["whole"];
    let again: u32 = whole["keysAgainCount"].as_str().expect("a count").parse().expect("a number");
    assert!((5..=7).contains(&again), "about six: {whole}");
}

#[tokio::test]
async fn the_library_that_sends_a_call_again_is_no_retry() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let orders: Vec<_> = (0..120).map(|n| order(&charge(&order_id()), n)).collect();
    done(&calls, orders.clone()).await;
    for order in &orders {
        calls.claim(order.clone()).await.expect("the same again");
    }
    let ended = doctor(&server, "").await;
    assert_eq!((ended.code, found(&ended)), (0, vec![]), "{ended:?}");
    let whole = &ended.json()["numbers"]["diagnoses"][0]["whole"];
    assert_eq!(whole.get("keysAgainCount"), None, "{whole}");
    assert_eq!(whole["claimsCount"], "240");
}

/// Orders of which some attempts die; each retry makes a key of its own.
async fn keys_per_attempt(server: &InProcess, died: usize, orders: usize) {
    let calls = server.calls();
    let attempts = |orders: std::ops::Range<usize>| -> Vec<_> {
        orders.map(|n| order(&charge(&order_id()), n)).collect()
    };
    done(&calls, attempts(died..orders)).await;
    claimed(&calls, attempts(0..died)).await;
    server.advance(LATER);
    done(&calls, attempts(0..died)).await;
}

#[tokio::test]
async fn keys_that_are_made_for_each_attempt_are_found_where_attempts_die() {
    let server = InProcess::start().await;
    keys_per_attempt(&server, 8, 200).await;
    let expected = ["charge", "KEY_PER_ATTEMPT", "probably"].map(str::to_owned);
    let ended = doctor(&server, "").await;
    assert_eq!((ended.code, found(&ended)), (18, vec![expected.clone()]), "{ended:?}");
    let replica = server.replica().await;
    let ended = doctor(&replica, "").await;
    assert_eq!(found(&ended), [expected], "the store shows it too: {ended:?}");
    let told = onced(server.address, "doctor").await;
    assert!(told.out.contains("probably: each attempt has a key of its own"), "{told:?}");
    assert!(told.out.contains("of 8 intents with an attempt that died, 8 were"), "{told:?}");
    assert_eq!(doctor(&server, "--operation refund").await.code, 0);
}

#[tokio::test]
async fn keys_that_are_made_for_each_attempt_are_found_where_only_answers_get_lost() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for first in (0..200).step_by(10) {
        let orders = || (first..first + 10).map(|n| order(&charge(&order_id()), n));
        done(&calls, orders().collect()).await;
        server.clock.advance(Duration::from_secs(20));
        done(&calls, orders().step_by(3).collect()).await;
    }
    let ended = doctor(&server, "").await;
    let expected = ["charge", "KEY_PER_ATTEMPT", "probably"].map(str::to_owned);
    assert_eq!((ended.code, found(&ended)), (18, vec![expected]), "{ended:?}");
}

#[tokio::test]
async fn keys_that_stopped_to_come_again_are_found() {
    let server = InProcess::start().await;
    let calls = server.calls();
    for hour in 0..10 {
        let numbers = hour * 100..hour * 100 + 100;
        let orders: Vec<_> = numbers.map(|n| order(&charge(&order_id()), n)).collect();
        done(&calls, orders.clone()).await;
        // A release in the seventh hour makes new keys.
        for retried in orders.iter().take(if hour < 7 { 7 } else { 0 }) {
            let again = ClaimRequest { claimant: claimant(), ..retried.clone() };
            calls.claim(again).await.expect("the outcome");
        }
        let ended = doctor(&server, "").await;
        assert_eq!(ended.code, if hour < 8 { 0 } else { 18 }, "hour {hour}: {ended:?}");
        server.clock.advance(Duration::from_secs(3_600));
    }
    let told = onced(server.address, "doctor").await;
    assert!(told.out.contains(" keys none was claimed again; "), "{told:?}");
}

#[tokio::test]
async fn intents_that_share_a_key_are_found_by_refusals_and_by_replays() {
    let server = InProcess::start().await;
    let calls = server.calls();
    let customer =
        |operation: &str, n: usize| intent("payments", operation, &format!("c{}", n % 20));
    done(&calls, (0..20).map(|n| order(&customer("charge", n), n)).collect()).await;
    for n in 20..60 {
        calls.claim(order(&customer("charge", n), n)).await.expect_err("another payload");
    }
    done(&calls, (0..20).map(|n| claim(&customer("refund", n))).collect()).await;
    for n in 0..510 {
        calls.claim(claim(&customer("refund", n))).await.expect("the outcome");
    }
    let ended = doctor(&server, "").await;
    let expected = [["charge", "TOO_FEW_KEYS", "surely"], ["refund", "TOO_FEW_KEYS", "probably"]];
    assert_eq!(
        (ended.code, found(&ended)),
        (18, expected.map(|row| row.map(str::to_owned)).into())
    );
}

#[tokio::test]
async fn what_is_left_open_contradicted_or_late_is_found() {
    let server = InProcess::start().await;
    let calls = server.calls();
    calls.granted(&charge("left")).await;
    let payout = intent("payments", "payout", "disputed");
    let token = calls.granted(&payout).await.fencing_token;
    calls.complete(complete(&payout, token, failed("declined"))).await.expect("taken");
    calls.complete(complete(&payout, token, succeeded("after all"))).await.expect_err("a conflict");
    server.advance(LATER);
    assert_eq!(doctor(&server, "--operation charge").await.code, 0, "not for long yet");
    server.advance(HOURS);
    let ended = doctor(&server, "").await;
    let rows = [
        ["charge", "UNRESOLVED", "surely"],
        ["payout", "DISPUTED", "surely"],
        ["payout", "LATE_REPORTS", "surely"],
    ];
    assert_eq!(found(&ended), rows.map(|row| row.map(str::to_owned)), "{ended:?}");
}

#[tokio::test]
async fn a_name_that_is_misspelt_is_not_told_to_be_healthy() {
    let server = InProcess::start().await;
    for (words, code) in [
        ("--namespace payment", 64),
        ("--operation charges", 64),
        ("--namespace _onced", 64),
        ("--namespace payments", 0),
        ("--records 0", 64),
    ] {
        let ended = doctor(&server, words).await;
        assert_eq!(ended.code, code, "{words}: {ended:?}");
    }
    let nobody = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    assert_eq!(onced(nobody, "doctor --timeout 1s").await.code, 69);
}

#[tokio::test]
async fn no_more_records_are_read_than_asked_for_and_it_says_so() {
    let server = InProcess::start().await;
    let calls = server.calls();
    done(&calls, (0..100).map(|n| order(&charge(&order_id()), n)).collect()).await;
    let sample = async |more: &str| {
        let ended = doctor(&server, more).await;
        ended.json()["numbers"]["diagnoses"][0]["sample"].clone()
    };
    let cut = sample("--operation charge --records 40").await;
    assert_eq!((&cut["recordsCount"], cut.get("complete")), (&"40".into(), None), "{cut}");
    let whole = sample("--operation charge").await;
    assert_eq!((&whole["recordsCount"], &whole["complete"]), (&"100".into(), &true.into()));
}
