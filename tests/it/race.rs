//! Many callers, one key, one grant; the others get the holder's outcome, byte for byte. And the
//! same proof fails where the store's logic is taken out.

use std::sync::Arc;

use onced::store::Store;
use onced_proto::v1::{ClaimRequest, Content, IntentId, completed, ruling::Verdict};
use onced_tests::{
    broken::{
        self, Flaw,
        replicated::Replicated,
        write::{CheckThenAct, InProcessLock},
    },
    harness::{Calls, InProcess, RulingExt, Setup, page, request::*},
};
use tokio::{sync::Barrier, task::JoinSet};

/// What one caller learned.
#[derive(Debug)]
enum Learned {
    /// She was granted, and reported this.
    Granted(Content),
    /// She was told this.
    Told(Option<Content>),
}

/// One race: `callers` claim `key` at once over `servers`, and wait.
async fn race(servers: &[InProcess], key: &str, callers: usize, fresh: bool) -> Result<(), String> {
    let (intent, start) = (charge(key), Arc::new(Barrier::new(callers)));
    let mut running = JoinSet::new();
    for caller in 0..callers {
        let calls = servers[caller % servers.len()].calls();
        let (intent, start) = (intent.clone(), start.clone());
        running.spawn(async move {
            start.wait().await;
            call(&calls, &intent, caller, fresh).await
        });
    }
    let learned: Result<Vec<_>, _> = running.join_all().await.into_iter().collect();
    judge(&learned?)
}

async fn call(
    calls: &Calls,
    intent: &IntentId,
    caller: usize,
    fresh: bool,
) -> Result<Learned, String> {
    let request = ClaimRequest { fresh, ..waiting_claim(intent) };
    let ruling = calls.claim(request).await.map_err(|refusal| format!("{refusal:?}"))?;
    match ruling.verdict.expect("a verdict") {
        Verdict::Granted(granted) => {
            let result = raw(format!("{}: effect of {caller} \0", uuid::Uuid::new_v4()));
            let outcome = succeeded_with(Some(result.clone()));
            let report = complete(intent, granted.fencing_token, outcome);
            let taken = calls.complete(report).await;
            taken.map(|_| Learned::Granted(result)).map_err(|refusal| format!("{refusal:?}"))
        }
        Verdict::Completed(completed) => match completed.outcome {
            Some(completed::Outcome::Succeeded(succeeded)) => Ok(Learned::Told(succeeded.result)),
            other => Err(format!("{other:?}")),
        },
        other => Err(format!("neither granted nor completed: {other:?}")),
    }
}

fn judge(learned: &[Learned]) -> Result<(), String> {
    let reported: Vec<_> = learned
        .iter()
        .filter_map(|learned| match learned {
            Learned::Granted(result) => Some(result),
            Learned::Told(_) => None,
        })
        .collect();
    let [result] = reported[..] else { return Err(format!("{} grants", reported.len())) };
    let differs = learned
        .iter()
        .find(|learned| matches!(learned, Learned::Told(told) if told.as_ref() != Some(result)));
    differs.map_or(Ok(()), |other| Err(format!("{result:?} was told as {other:?}")))
}

/// Servers over one store; each puts a flaw of its own before it.
async fn servers<F: Flaw>(
    count: usize,
    flaw: impl Fn() -> F + Send + Sync + 'static,
) -> Vec<InProcess> {
    let wrap = move |store: Arc<dyn Store>| broken::over(store, flaw());
    let first = InProcess::with(Setup { wrap: Some(Arc::new(wrap)), ..Setup::default() }).await;
    let mut servers = vec![first];
    while servers.len() < count {
        servers.push(servers[0].replica().await);
    }
    servers
}

async fn rounds(servers: &[InProcess], rounds: usize, callers: usize) -> Result<(), String> {
    for round in 0..rounds {
        let fresh = round % 2 == 1;
        let raced = race(servers, &format!("round-{round}"), callers, fresh).await;
        raced.map_err(|fault| format!("round {round}: {fault}"))?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_callers_one_is_granted_and_the_others_get_her_outcome() {
    let servers = [InProcess::start().await];
    rounds(&servers, 6, 50).await.expect("one grant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_callers_one_is_granted() {
    let servers = [InProcess::start().await];
    rounds(&servers, 2, 200).await.expect("one grant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_fifty_callers_of_three_servers_one_is_granted_and_the_others_get_her_outcome() {
    let servers = servers(3, Replicated::default).await;
    rounds(&servers, 4, 50).await.expect("one grant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_of_two_servers_over_one_store_find_one_grant_among_them() {
    let servers = servers(2, || broken::None).await;
    for round in 0..5 {
        let granted = grants(&servers, &format!("round-{round}"), 50).await;
        assert_eq!(granted, 1, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_proof_fails_on_a_store_that_looks_and_then_writes() {
    // Two: the callers of one server do not write at one time.
    let servers = servers(2, || CheckThenAct).await;
    let mut most = 0;
    for round in 0..20 {
        most = most.max(grants(&servers, &format!("round-{round}"), 50).await);
    }
    assert!(most > 1, "a look before a write guards nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_proof_fails_where_each_server_has_a_lock_of_its_own() {
    let servers = servers(2, InProcessLock::default).await;
    let mut most = 0;
    for round in 0..20 {
        most = most.max(grants(&servers, &format!("round-{round}"), 50).await);
    }
    assert!(most > 1, "a lock in one process is no lock over two");
}

/// How many of so many callers are granted at once; none waits, none reports.
async fn grants(servers: &[InProcess], key: &str, callers: usize) -> usize {
    let (intent, start) = (charge(key), Arc::new(Barrier::new(callers)));
    let mut running = JoinSet::new();
    for caller in 0..callers {
        let calls = servers[caller % servers.len()].calls();
        let (request, start) = (claim(&intent), start.clone());
        running.spawn(async move {
            start.wait().await;
            calls.claim(request).await.expect("a ruling").verdict
        });
    }
    let verdicts = running.join_all().await;
    verdicts.iter().filter(|verdict| matches!(verdict, Some(Verdict::Granted(_)))).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_thousand_claims_of_one_hot_key_cost_the_store_a_few_writes() {
    let server = InProcess::start().await;
    let (calls, intent) = (server.calls(), charge("hot"));
    let verdicts = stampede(&calls, &intent, 3_000).await;
    let granted: Vec<_> = verdicts
        .into_iter()
        .filter_map(|verdict| match verdict {
            Verdict::Granted(granted) => Some(granted),
            Verdict::InProgress(_) => None,
            other => panic!("{other:?}"),
        })
        .collect();
    let [granted] = &granted[..] else { panic!("{} grants", granted.len()) };
    let written = writes(&server).await;
    println!("{written} conditional writes for 3 000 claims");
    // As many as fit one after the other into the time that so many calls take.
    assert!(written <= 300, "{written} writes");
    let report = complete(&intent, granted.fencing_token, succeeded("done"));
    calls.complete(report).await.expect("a report");
    let before = writes(&server).await;
    for verdict in stampede(&calls, &intent, 3_000).await {
        assert_eq!(verdict.succeeded().result, Some(text("done")));
    }
    assert_eq!(writes(&server).await, before, "a settled intent is told from memory");
}

async fn stampede(calls: &Calls, intent: &IntentId, claims: usize) -> Vec<Verdict> {
    let mut running = JoinSet::new();
    for _ in 0..claims {
        let (calls, request) = (calls.clone(), claim(intent));
        running.spawn(async move { calls.claim(request).await.expect("a ruling").into_verdict() });
    }
    running.join_all().await
}

/// Conditional writes so far, whatever came of them.
async fn writes(server: &InProcess) -> u64 {
    let metrics = server.metrics().await;
    let kinds = page::series(&metrics, "onced_store_lwt_total");
    kinds
        .iter()
        .map(|line| line.rsplit(' ').next().map_or(0, |n| n.parse().expect("a number")))
        .sum()
}
