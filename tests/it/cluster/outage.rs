//! The whole cluster stands still: every call ends in time and says that nothing, or nothing
//! definite, happened; when the cluster goes on, so does everything else.

use std::time::Duration;

use onced::store::cql::Lwt;
use onced_proto::v1::{ClaimRequest, IntentId};
use onced_tests::harness::{
    Calls, CqlProxy, Nodes, Refusal, Replica, RulingExt, Site, in_process::POLICIES, request::*,
};
use tokio::time::{Instant, sleep, timeout};
use tonic::Code;
use uuid::Uuid;

use super::load;
use crate::histories::{chance, chance::Chance};

/// Longest life of a call.
const CALL: Duration = Duration::from_secs(2);
/// What a slow machine may need beside it.
const SLACK: Duration = Duration::from_secs(3);

/// A refusal that tells that nothing, or nothing definite, happened.
#[track_caller]
fn is_down(refusal: &Refusal) {
    let told = (refusal.code, refusal.reason.as_str());
    let is_it = matches!(
        told,
        (Code::Unavailable, "STORE_UNAVAILABLE" | "STORE_UNCERTAIN")
            | (Code::DeadlineExceeded, "DEADLINE")
    );
    assert!(is_it, "{refusal:?}");
}

async fn in_time<T>(answer: impl Future<Output = T>) -> T {
    timeout(CALL + SLACK, answer).await.expect("an answer in time")
}

/// An intent that is claimed and one that is not, and what they are told while nothing answers.
struct Outage {
    claimed: IntentId,
    token: i64,
    first: ClaimRequest,
}

impl Outage {
    async fn before(calls: &Calls) -> Self {
        let claimed = charge(&format!("outage-{}", Uuid::new_v4()));
        let token = calls.granted(&claimed).await.fencing_token;
        let first = claim(&charge(&format!("outage-{}", Uuid::new_v4())));
        Self { claimed, token, first }
    }

    async fn refused(&self, calls: &Calls) {
        let report = complete(&self.claimed, self.token, succeeded("done"));
        let (first, duplicate, renewed, shown, taken) = tokio::join!(
            in_time(calls.claim(self.first.clone())),
            in_time(calls.claim(claim(&self.claimed))),
            in_time(calls.renew(renew(&self.claimed, self.token))),
            in_time(calls.get(get_whole(&self.claimed))),
            in_time(calls.complete(report)),
        );
        is_down(&first.expect_err("no grant"));
        is_down(&duplicate.expect_err("no ruling"));
        is_down(&renewed.expect_err("no lease"));
        is_down(&shown.expect_err("no intent"));
        is_down(&taken.expect_err("no report"));
    }

    /// The same server goes on.
    async fn ends(&self, calls: &Calls) {
        let end = Instant::now() + Duration::from_secs(60);
        let granted = loop {
            match calls.claim(self.first.clone()).await {
                Ok(ruling) => break ruling.granted(),
                Err(refusal) => is_down(&refusal),
            }
            assert!(Instant::now() < end, "it does not go on");
            sleep(Duration::from_millis(200)).await;
        };
        assert_eq!(granted.attempt, 1);
        let report = complete(&self.claimed, self.token, succeeded("done"));
        calls.complete(report).await.expect("a report that is taken");
        let told = calls.duplicate(&self.claimed).await.succeeded();
        assert_eq!(told.result, Some(text("done")));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_nothing_of_the_cluster_answers_calls_end_in_time_and_grant_nothing() {
    let Some(site) = Site::given().await else { return };
    let proxy = CqlProxy::before(site.contact_points()).await;
    let server = site.through(&proxy.contact_points).answering_within(CALL).server(POLICIES).await;
    let calls = server.calls();
    let outage = Outage::before(&calls).await;
    proxy.stop();
    Box::pin(outage.refused(&calls)).await;
    proxy.cont();
    outage.ends(&calls).await;
}

/// Callers at work while all nodes stop for a while.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes and starts three nodes: part of `make prove`"]
async fn while_all_three_nodes_are_stopped_calls_end_in_time_and_grant_nothing() {
    let nodes = Nodes::up(3).await;
    let site = Site::on(nodes.contact_points()).await;
    let chance = Chance::of(chance::seed());
    let servers: [Replica; 3] = site.servers(load::POLICY).await;
    let strict = site.answering_within(CALL).server(POLICIES).await;
    let load = load::on("outage", 60);
    let stops = async {
        for _ in 0..3 {
            let outage = Outage::before(&strict.calls()).await;
            nodes.all().for_each(|node| nodes.stop(node));
            Box::pin(outage.refused(&strict.calls())).await;
            sleep(Duration::from_secs(4)).await;
            nodes.all().for_each(|node| nodes.cont(node));
            outage.ends(&strict.calls()).await;
            sleep(Duration::from_secs(8)).await;
        }
    };
    load::during(&load, &servers, 12, &chance, Box::pin(stops)).await;
    assert!(servers.iter().any(|server| server.counts.of(Lwt::Uncertain) > 0));
    load::judge(&load, &servers).await;
}
