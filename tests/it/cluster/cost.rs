//! What a call costs the cluster: conditional statements, counted one by one.

use onced::store::cql::Lwt;
use onced_proto::v1::{ClaimRequest, IntentId};
use onced_tests::harness::{Calls, Replica, RulingExt, Site, in_process::POLICIES, request::*};
use tonic::Request;
use uuid::Uuid;

/// Applied, lost and fresh reads, of the cluster; looks, as the server asked for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    applied: u64,
    lost: u64,
    fresh: u64,
    looks: u64,
}

const NOTHING: Cost = Cost { applied: 0, lost: 0, fresh: 0, looks: 0 };

async fn so_far(server: &Replica) -> Cost {
    let (counts, looks) = (&server.counts, server.server.metric(LOOKS).await);
    let none = counts.of(Lwt::Uncertain) + counts.of(Lwt::Failed);
    assert_eq!(none, 0, "a run that cannot be counted");
    Cost {
        applied: counts.of(Lwt::Applied),
        lost: counts.of(Lwt::Lost),
        fresh: counts.of(Lwt::Read),
        looks,
    }
}

const LOOKS: &str = r#"onced_store_call_duration_seconds_count{call="load"}"#;

/// What one call costs.
async fn cost<T>(server: &Replica, call: impl AsyncFnOnce(Calls) -> T) -> (Cost, T) {
    let before = so_far(server).await;
    let told = call(server.calls()).await;
    let after = so_far(server).await;
    let cost = Cost {
        applied: after.applied - before.applied,
        lost: after.lost - before.lost,
        fresh: after.fresh - before.fresh,
        looks: after.looks - before.looks,
    };
    (cost, told)
}

/// Two servers for whom the operation is not new.
async fn two(site: &Site) -> [Replica; 2] {
    let servers: [Replica; 2] = site.servers(POLICIES).await;
    for server in &servers {
        server.calls().granted(&fresh()).await;
    }
    servers
}

fn fresh() -> IntentId {
    charge(&format!("cost-{}", Uuid::new_v4()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fresh_claim_and_its_report_cost_one_conditional_write_each() {
    let Some(site) = Site::given().await else { return };
    let ([server, _], intent) = (two(&site).await, fresh());
    let (claimed, granted) = cost(&server, async |calls| calls.granted(&intent).await).await;
    assert_eq!(claimed, Cost { applied: 1, ..NOTHING });
    let report = complete(&intent, granted.fencing_token, succeeded("done"));
    let (paid, answer) = cost(&server, async |calls| calls.complete(report).await).await;
    answer.expect("a report that is taken");
    assert_eq!(paid, Cost { applied: 1, ..NOTHING });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_claim_costs_one_conditional_write() {
    let Some(site) = Site::given().await else { return };
    let ([here, there], intent) = (two(&site).await, fresh());
    here.calls().granted(&intent).await;
    let (lost, told) = cost(&there, async |calls| calls.duplicate(&intent).await).await;
    told.in_progress();
    assert_eq!(lost, Cost { lost: 1, ..NOTHING });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_by_another_server_costs_one_plain_look_more() {
    let Some(site) = Site::given().await else { return };
    let ([here, there], intent) = (two(&site).await, fresh());
    let token = here.calls().granted(&intent).await.fencing_token;
    let report = complete(&intent, token, succeeded("done"));
    let (paid, answer) = cost(&there, async |calls| calls.complete(report).await).await;
    answer.expect("a report that is taken");
    assert_eq!(paid, Cost { applied: 1, looks: 1, ..NOTHING });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duplicate_of_what_is_settled_costs_nothing_where_it_is_known() {
    let Some(site) = Site::given().await else { return };
    let ([here, there], intent) = (two(&site).await, fresh());
    here.calls().succeeded(&intent, "done").await;
    let (warm, told) = cost(&here, async |calls| calls.duplicate(&intent).await).await;
    told.succeeded();
    assert_eq!(warm, NOTHING);
    // Elsewhere it is a claim that is lost; from then on it is known there too.
    let (cold, told) = cost(&there, async |calls| calls.duplicate(&intent).await).await;
    told.succeeded();
    assert_eq!(cold, Cost { lost: 1, ..NOTHING });
    let (warm, told) = cost(&there, async |calls| calls.duplicate(&intent).await).await;
    told.succeeded();
    assert_eq!(warm, NOTHING);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_duplicate_that_says_that_it_is_sent_again_costs_one_plain_look() {
    let Some(site) = Site::given().await else { return };
    let ([here, there], intent) = (two(&site).await, fresh());
    here.calls().succeeded(&intent, "done").await;
    let mut again: Request<ClaimRequest> = Request::new(claim(&intent));
    again.metadata_mut().insert("grpc-previous-rpc-attempts", "1".parse().expect("a number"));
    let (looked, told) = cost(&there, async |calls| calls.claim(again).await).await;
    told.expect("a ruling").succeeded();
    assert_eq!(looked, Cost { looks: 1, ..NOTHING });
}
