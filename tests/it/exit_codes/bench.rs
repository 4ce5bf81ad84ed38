//! `onced bench` on a real server, small.

use std::net::SocketAddr;

use onced::store::Error;
use onced_tests::harness::{
    InProcess,
    gate::{Gate, Rule},
    in_process::Setup,
};
use serde_json::Value;

use super::{Ended, onced};

const BENCH: &str = "bench --namespace payments --operation charge";

async fn bench(server: SocketAddr, more: &str) -> Ended {
    onced(server, &format!("{BENCH} --output json {more}")).await
}

async fn granted(server: &InProcess) -> u64 {
    let name = r#"onced_rulings_total{namespace="payments",operation="charge",verdict="granted"}"#;
    server.metric(name).await
}

/// Everything that it made has its outcome.
async fn nothing_is_open(server: &InProcess) -> bool {
    !server.store().any_unsettled("payments", "charge").await.expect("an answer")
}

#[track_caller]
fn latencies(told: &Value, call: &str, count: u64) {
    let of_call = &told["calls"][call];
    let [p50, p90, p99, max] = ["p50Micros", "p90Micros", "p99Micros", "maxMicros"]
        .map(|name| of_call[name].as_u64().expect("a latency"));
    assert_eq!(of_call["count"], count, "{call}: {told}");
    assert!(0 < p50 && p50 <= p90 && p90 <= p99 && p99 <= max, "{call}: {told}");
}

#[tokio::test]
async fn each_work_ends_at_its_count_and_leaves_nothing_open() {
    for (work, calls, records) in [
        ("claim", &[("claim", 250)][..], 250),
        ("claim-complete", &[("claim", 250), ("complete", 250)], 250),
        ("duplicate", &[("duplicate", 250)], 16),
        ("batch", &[("batch claim", 3), ("batch complete", 3)], 250),
    ] {
        let server = InProcess::start().await;
        let words = format!("--work {work} --count 250 --in-flight 8 --seconds 60");
        let ended = bench(server.address, &words).await;
        let told = ended.json();
        assert_eq!((ended.code, &told["count"]), (0, &250.into()), "{ended:?}");
        assert_eq!((ended.err.as_str(), &told["recordsLeft"]), ("", &records.into()), "{told}");
        for (call, count) in calls {
            latencies(&told, call, *count);
        }
        assert_eq!(told["calls"].as_object().expect("calls").len(), calls.len());
        assert_eq!(granted(&server).await, records);
        assert!(nothing_is_open(&server).await, "{work}");
    }
}

#[tokio::test]
async fn it_ends_when_the_time_is_up_and_says_what_stays() {
    let server = InProcess::start().await;
    let words = format!("{BENCH} --seconds 1 --count 10000000 --in-flight 2");
    let ended = onced(server.address, &words).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let records = granted(&server).await;
    let expected = format!("  left behind  {records} records, for 1month 14days");
    assert!(ended.out.contains(&expected), "{expected}: {}", ended.out);
    assert!(ended.out.contains("keys         bench:v1:"), "{ended:?}");
    assert_eq!(ended.err, "", "a bar is for terminals");
    assert!(nothing_is_open(&server).await);
}

#[tokio::test]
async fn it_goes_nowhere_that_it_should_not() {
    let server = InProcess::start().await;
    let ended = bench(server.address, "--endpoint http://10.0.0.7:7450").await;
    assert_eq!(ended.code, 64, "two endpoints: {ended:?}");
    let far = SocketAddr::from(([10, 0, 0, 7], 7450));
    let ended = onced(far, BENCH).await;
    assert_eq!(ended.code, 64, "{ended:?}");
    assert!(ended.err.contains("is not on this machine"), "{ended:?}");
    let payout = "bench --namespace payments --operation payout";
    let ended = onced(server.address, payout).await;
    assert_eq!(ended.code, 64, "{ended:?}");
    assert!(ended.err.contains("wait for reconciliation and never expire"), "{ended:?}");
    let nothing = "bench --namespace payments --operation none";
    assert_eq!(onced(server.address, nothing).await.code, 70);
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    assert_eq!(onced(nobody, &format!("{BENCH} --timeout 1s")).await.code, 69);
    assert_eq!(bench(server.address, "--in-flight 2000").await.code, 64);
    assert_eq!(granted(&server).await, 0);
}

#[tokio::test]
async fn what_fails_is_counted_by_its_code() {
    let gate = Gate::default();
    let server = InProcess::with(Setup { wrap: gate.wrap(), ..Setup::default() }).await;
    gate.set(Rule::Fail(Error::Unavailable("gone".to_owned())));
    let ended = bench(server.address, "--count 5 --in-flight 2 --seconds 60").await;
    let told = ended.json();
    assert_eq!((ended.code, &told["count"]), (69, &0.into()), "{ended:?}");
    assert_eq!(told["failures"], serde_json::json!({ "UNAVAILABLE": 5 }), "{told}");
}
