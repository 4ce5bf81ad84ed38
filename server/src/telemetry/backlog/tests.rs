use std::fs;

use uuid::Uuid;

use super::*;
use crate::{
    clock::ManualClock,
    keeper::{Ask, Keeper},
    payload::{Payload, PayloadHash},
    policy::Mode,
    record::{Claimant, FencingToken},
    ruling::{self, Reported, ReportedResult, ReportedSuccess, Verdict},
    store::embedded::{Embedded, Options},
};

const CHARGE: &str = "[namespaces.payments.operations.charge]\neffect_class = 'external'\n\
                      reconcile = false\nlease = '30s'\n";
const LEASE: Duration = Duration::from_secs(30);
const LABELS: &str = r#"{namespace="payments",operation="charge"}"#;

/// One engine, a keeper over it, and what looks at it.
struct Scene {
    backlog: Backlog,
    keeper: Keeper,
    clock: Arc<ManualClock>,
    metrics: Arc<Metrics>,
    policies: Arc<Policies>,
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(Timestamp(1_772_000_000_000_000)));
        let options = Options::at(folder.path().join("data"));
        let options = Options { clock: Some(clock.clone()), ..options };
        let store: Arc<dyn Store> = Arc::new(Embedded::open(&options).unwrap());
        let file = folder.path().join("policy.toml");
        fs::write(&file, CHARGE).unwrap();
        let policies = Policies::open(Some(file), Mode::Serve, store.clone()).unwrap();
        let (policies, metrics) = (Arc::new(policies), Arc::new(Metrics::new()));
        let backlog = Backlog::new(store.clone(), policies.clone(), clock.clone(), metrics.clone());
        let keeper = Keeper::new(store, clock.clone());
        Self { backlog, keeper, clock, metrics, policies, folder }
    }

    async fn ask(&self, key: &str, request: ruling::Request) -> Verdict {
        let intent = intent(key);
        let now = tokio::time::Instant::now();
        let ask = Ask {
            intent: intent.clone(),
            request,
            policy: self.policies.current().policy("payments", "charge"),
            received: now,
            deadline: now + Duration::from_secs(10),
            likely_duplicate: false,
            fresh: false,
            room: None,
        };
        let answered = self.keeper.ask(ask).await.unwrap();
        self.metrics.answered(|| Scope::of("payments", "charge"), &intent, &answered);
        answered.verdict
    }

    async fn claim(&self, key: &str) -> FencingToken {
        let claim = ruling::Claim {
            claimant: Claimant(Uuid::new_v4()),
            holder: "pod-1".to_owned(),
            payload: payload(),
            lease: None,
            first_sent_time: None,
            amount: None,
            labels: BTreeMap::new(),
            traceparent: None,
        };
        match self.ask(key, ruling::Request::Claim(claim)).await {
            Verdict::Granted(granted) => granted.token,
            other => panic!("not granted: {other:?}"),
        }
    }

    async fn complete(&self, key: &str, token: FencingToken, outcome: Reported) {
        let complete = ruling::Complete { token, outcome, payload: None };
        let verdict = self.ask(key, ruling::Request::Complete(complete)).await;
        assert!(matches!(verdict, Verdict::Reported { .. }), "{verdict:?}");
    }

    async fn look(&mut self) {
        self.backlog.look().await.unwrap();
    }

    #[track_caller]
    fn shows(&self, name: &str, value: u64) {
        let line = format!("\nonced_{name}{LABELS} {value}\n");
        let page = self.metrics.prometheus();
        assert!(page.contains(&line), "no {line} in {page}");
    }
}

fn intent(key: &str) -> IntentId {
    IntentId::new("", "payments", "charge", key).unwrap()
}

fn payload() -> Payload {
    Payload::from_hash(PayloadHash { scheme: "sha256".to_owned(), digest: "00".repeat(32) })
}

fn success() -> Reported {
    Reported::Succeeded(ReportedSuccess {
        result: ReportedResult::NoneGiven,
        amount: None,
        provider_reference: String::new(),
    })
}

#[tokio::test]
async fn holders_that_die_leave_intents_that_grow_old_until_they_are_settled() {
    let mut scene = Scene::new();
    scene.look().await;
    for name in ["in_progress", "unresolved", "oldest_unresolved_age_seconds"] {
        scene.shows(name, 0);
    }
    let mut tokens = Vec::new();
    for key in ["a", "b", "c"] {
        tokens.push(scene.claim(key).await);
    }
    scene.look().await;
    scene.shows("in_progress", 3);
    scene.shows("unresolved", 0);
    scene.shows("leases_ended_total", 0);
    scene.shows("oldest_unreconciled_age_seconds", 0);

    for minutes in [1, 2, 3] {
        scene.clock.advance(Duration::from_secs(60));
        scene.look().await;
        scene.shows("in_progress", 0);
        scene.shows("unresolved", 3);
        scene.shows("oldest_unresolved_age_seconds", minutes * 60 - LEASE.as_secs());
        scene.shows("oldest_unreconciled_age_seconds", minutes * 60);
        scene.shows("leases_ended_total", 3);
    }
    for (key, token) in ["a", "b", "c"].into_iter().zip(tokens) {
        scene.complete(key, token, success()).await;
    }
    scene.look().await;
    scene.shows("unresolved", 0);
    scene.shows("oldest_unresolved_age_seconds", 0);
    scene.shows("oldest_unreconciled_age_seconds", 0);
    scene.shows("unreconciled_bytes", 0);
    scene.shows("leases_ended_total", 3);
}

#[tokio::test]
async fn a_lease_that_ends_between_two_looks_is_counted_when_its_outcome_comes() {
    let mut scene = Scene::new();
    scene.look().await;
    let token = scene.claim("late").await;
    scene.clock.advance(LEASE);
    scene.complete("late", token, success()).await;
    scene.complete("late", token, success()).await;
    scene.look().await;
    scene.shows("leases_ended_total", 1);
}

#[tokio::test]
async fn who_reports_in_time_has_no_ended_lease_even_if_it_does_not_know() {
    let mut scene = Scene::new();
    scene.look().await;
    let (done, lost) = (scene.claim("done").await, scene.claim("lost").await);
    scene.complete("done", done, success()).await;
    scene.complete("lost", lost, Reported::Unknown).await;
    scene.clock.advance(LEASE);
    scene.look().await;
    scene.shows("unresolved", 1);
    scene.shows("oldest_unresolved_age_seconds", 30);
    scene.shows("leases_ended_total", 0);
}

#[tokio::test]
async fn what_had_ended_before_the_server_started_is_unresolved_but_no_news() {
    let mut scene = Scene::new();
    scene.claim("old").await;
    scene.clock.advance(LEASE);
    scene.look().await;
    scene.look().await;
    scene.shows("unresolved", 1);
    let page = scene.metrics.prometheus();
    assert!(!page.contains("onced_leases_ended_total{") || page.contains("charge\"} 0"), "{page}");
}

#[tokio::test]
async fn a_long_list_is_looked_through_in_parts_and_told_when_its_end_is_reached() {
    let mut scene = Scene::new();
    scene.backlog.part = Part { page: 2, pages_max: 2 };
    for number in 0..5 {
        scene.claim(&format!("k{number}")).await;
    }
    scene.look().await;
    assert!(!scene.metrics.prometheus().contains("onced_in_progress{"));
    scene.look().await;
    scene.shows("in_progress", 5);
    scene.look().await;
    scene.shows("in_progress", 5);
}

#[tokio::test]
async fn an_operation_that_has_left_the_policies_is_told_of_no_more() {
    let mut scene = Scene::new();
    scene.look().await;
    scene.shows("in_progress", 0);
    let other = CHARGE.replace("charge", "refund");
    fs::write(scene.folder.path().join("policy.toml"), other).unwrap();
    scene.policies.reload().await;
    scene.look().await;
    assert!(!scene.metrics.prometheus().contains(&format!("onced_in_progress{LABELS}")));
}
