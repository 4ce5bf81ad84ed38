//! Each command, each code.

use std::{net::SocketAddr, time::Duration};

use onced_proto::v1::ClaimRequest;
use onced_tests::harness::{Calls, InProcess, RulingExt, request::*};

use super::{CHARGE, Ended, JSON, onced};

const LEASE: Duration = Duration::from_secs(31);

/// A server, and an intent in every state; the state is the key.
async fn scene() -> (InProcess, Calls) {
    let server = InProcess::start().await;
    let calls = server.calls();
    calls.granted(&charge("over")).await;
    calls.granted(&intent("payments", "payout", "over")).await;
    server.advance(LEASE);
    calls.succeeded(&charge("succeeded"), "done").await;
    for key in ["failed", "disputed"] {
        let token = calls.granted(&charge(key)).await.fencing_token;
        calls.complete(complete(&charge(key), token, failed("declined"))).await.expect("taken");
        if key == "disputed" {
            let report = complete(&charge(key), token, succeeded("after all"));
            calls.complete(report).await.expect_err("a conflict");
        }
    }
    calls.granted(&charge("live")).await;
    (server, calls)
}

/// An address where nobody listens.
fn nowhere() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

#[track_caller]
fn is(ended: &Ended, code: i32) {
    assert_eq!(ended.code, code, "{ended:?}");
}

/// Runs a command on each of these keys.
async fn each(server: SocketAddr, command: &str, rest: &str, expected: &[(&str, i32)]) {
    for (key, code) in expected {
        let ended = onced(server, &format!("{command} {CHARGE} {key} {rest}")).await;
        assert_eq!(ended.code, *code, "{command} {key}: {ended:?}");
    }
}

#[tokio::test]
async fn claim_ends_with_zero_for_a_fresh_grant_and_for_nothing_else() {
    let (server, calls) = scene().await;
    let at = server.address;
    let states = [
        ("new", 0),
        ("new", 11),
        ("live", 11),
        ("over", 12),
        ("succeeded", 10),
        ("failed", 14),
        ("disputed", 12),
    ];
    each(at, "claim", JSON, &states).await;
    each(at, "claim", &format!("{JSON} --reject"), &[("live", 11)]).await;
    each(at, "claim", &format!("{JSON} --wait 50ms"), &[("live", 11)]).await;
    each(at, "claim", r#"--json {"amount":101}"#, &[("succeeded", 70), ("live", 70)]).await;
    let mine = ClaimRequest { claimant: claimant(), ..claim(&charge("mine")) };
    calls.claim(mine.clone()).await.expect("a ruling").granted();
    let again = format!("{JSON} --claimant {}", mine.claimant);
    each(at, "claim", &again, &[("mine", 13), ("other", 0), ("other", 13)]).await;
    each(at, "claim", &format!("{JSON} --lease 0s"), &[("zero", 64)]).await;
    is(&onced(at, &format!("claim {CHARGE} new")).await, 64);
    is(
        &onced(at, &format!("claim --namespace payments --operation none --key 1 {JSON}")).await,
        70,
    );
    let nobody = format!("claim {CHARGE} new {JSON} --timeout 1s");
    let ended = onced(nowhere(), &nobody).await;
    is(&ended, 69);
    assert!(ended.err.contains("nothing answers at http://"), "{ended:?}");
    assert!(!ended.err.contains("--by-claimant"), "nothing was sent: {ended:?}");
}

#[tokio::test]
async fn reclaim_ends_with_the_codes_of_claim() {
    let (server, _) = scene().await;
    let (at, rest) = (server.address, format!("{JSON} --reason holder-died"));
    let states = [
        ("none", 70),
        ("live", 11),
        ("succeeded", 10),
        ("failed", 14),
        ("disputed", 12),
        ("over", 0),
        ("over", 11),
    ];
    each(at, "reclaim", &rest, &states).await;
    let payout = format!("reclaim --namespace payments --operation payout --key over {rest}");
    is(&onced(at, &payout).await, 12);
    let mine = format!("{rest} --claimant {}", claimant());
    server.advance(LEASE);
    each(at, "reclaim", &mine, &[("over", 0), ("over", 13)]).await;
    each(at, "reclaim", JSON, &[("over", 64)]).await;
    each(nowhere(), "reclaim", &format!("{rest} --timeout 1s"), &[("over", 69)]).await;
}

#[tokio::test]
async fn reports_end_with_zero_where_they_are_taken() {
    let (server, calls) = scene().await;
    let at = server.address;
    let token = calls.granted(&charge("mine")).await.fencing_token;
    let held = format!("--token {token}");
    each(at, "renew", &held, &[("mine", 0), ("none", 70)]).await;
    let done = format!("{held} --succeeded --text done");
    each(at, "complete", &done, &[("none", 70), ("mine", 0), ("mine", 0)]).await;
    each(at, "complete", &format!("{held} --succeeded --text other"), &[("mine", 70)]).await;
    each(at, "complete", &format!("{held} --failed declined"), &[("mine", 70)]).await;
    each(at, "complete", &format!("{held} --unknown"), &[("mine", 0)]).await;
    each(at, "renew", &held, &[("mine", 70)]).await;
    each(at, "release", &format!("{held} --reason not-started"), &[("mine", 70)]).await;
    let freed = calls.granted(&charge("freed")).await.fencing_token;
    let release = format!("--token {freed} --reason rolled-back");
    each(at, "release", &release, &[("freed", 0), ("freed", 0), ("none", 70)]).await;
    let by_claimant = format!("--by-claimant {}", claimant());
    each(at, "release", &by_claimant, &[("none", 0), ("none", 0), ("live", 0)]).await;
    each(at, "claim", JSON, &[("mine", 10), ("freed", 0)]).await;
}

#[tokio::test]
async fn reports_that_are_wrong_or_reach_nobody_end_with_64_and_69() {
    let (server, _) = scene().await;
    let wrong = [
        ("complete", "--token 1"),
        ("complete", "--succeeded"),
        ("complete", "--token 0 --succeeded"),
        ("complete", "--token 1 --succeeded --failed declined"),
        ("complete", "--token 9007199254740991 --succeeded"),
        ("renew", "--token 0"),
        ("renew", "--token 9007199254740991"),
        ("release", "--token 1"),
        ("release", "--token 9007199254740991 --reason not-started"),
        ("get", "--output xml"),
    ];
    for (command, rest) in wrong {
        each(server.address, command, rest, &[("live", 64)]).await;
    }
    let nobody = [
        ("complete", "--token 1 --succeeded --timeout 1s"),
        ("renew", "--token 1 --timeout 1s"),
        ("release", "--token 1 --reason not-started --timeout 1s"),
        ("get", "--timeout 1s"),
    ];
    for (command, rest) in nobody {
        each(nowhere(), command, rest, &[("live", 69)]).await;
    }
}

#[tokio::test]
async fn get_ends_with_zero_where_there_is_something_to_show() {
    let (server, _) = scene().await;
    let keys = ["live", "over", "succeeded", "failed", "disputed"].map(|key| (key, 0));
    each(server.address, "get", JSON, &keys).await;
    each(server.address, "get", r#"--json {"amount":101}"#, &[("succeeded", 70)]).await;
    each(server.address, "get", JSON, &[("none", 70)]).await;
}

#[tokio::test]
async fn a_holder_whose_lease_is_over_learns_that_from_renew_and_is_fenced_once_it_is_taken_over() {
    let (server, calls) = scene().await;
    let (at, key) = (server.address, charge("mine"));
    let token = calls.granted(&key).await.fencing_token;
    server.advance(LEASE);
    each(at, "renew", &format!("--token {token}"), &[("mine", 70)]).await;
    calls.reclaim(reclaim(&key)).await.expect("a ruling").granted();
    let report = format!("--token {token} --succeeded --text late");
    let ended = onced(at, &format!("complete {CHARGE} mine {report}")).await;
    is(&ended, 70);
    assert!(ended.err.contains("FENCED"), "{ended:?}");
}
