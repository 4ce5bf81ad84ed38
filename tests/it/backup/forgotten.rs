//! A backup under load, a kill, a restore: everything that was acknowledged before the backup is
//! there, and nothing that was acknowledged at all is granted again in silence.

use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use onced_proto::v1::{CompleteRequest, ErrorReason};
use onced_tests::harness::RulingExt;
use tokio::task::JoinSet;

use super::*;

/// Which the provider does not deduplicate.
const DANGEROUS: [&str; 4] = ["payout", "points", "bonus", "parcel"];

/// What callers were told of one intent.
#[derive(Clone, Debug)]
struct Told {
    intent: IntentId,
    token: i64,
    provider_key: String,
    /// It was granted, and told so, before the backup was asked for.
    granted_before: bool,
    /// So was its success.
    done_before: bool,
    done: bool,
}

impl Told {
    fn is_dangerous(&self) -> bool {
        DANGEROUS.contains(&&*self.intent.operation)
    }
}

/// Callers at work.
struct Load {
    calls: Calls,
    next: AtomicUsize,
    asked: AtomicBool,
    stop: AtomicBool,
    told: Mutex<Vec<Told>>,
}

impl Load {
    fn on(server: &Binary) -> Arc<Self> {
        Arc::new(Self {
            calls: server.calls(),
            next: AtomicUsize::new(0),
            asked: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            told: Mutex::default(),
        })
    }

    fn callers(self: &Arc<Self>, count: usize) -> JoinSet<()> {
        let mut callers = JoinSet::new();
        for _ in 0..count {
            let load = Arc::clone(self);
            callers.spawn(async move { while load.turn().await {} });
        }
        callers
    }

    /// One intent: claimed, and mostly completed.
    async fn turn(&self) -> bool {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let operations = ["payout", "points", "charge", "label"];
        let intent = intent("payments", operations[number % 4], &format!("k-{number}"));
        let asked_before = self.asked.load(Ordering::SeqCst);
        let Ok(ruling) = self.calls.claim(claim(&intent)).await else { return false };
        let granted_before = !self.asked.load(Ordering::SeqCst);
        let granted = ruling.granted();
        let mut told = Told {
            intent,
            token: granted.fencing_token,
            provider_key: granted.provider_key,
            granted_before,
            done_before: false,
            done: false,
        };
        let place = self.push(told.clone());
        // Some are left open at every moment, also across the backup.
        if number % 5 != 3 && !(asked_before && number.is_multiple_of(3)) {
            let report = complete(&told.intent, told.token, succeeded(&told.intent.key));
            if self.calls.complete(report).await.is_err() {
                return false;
            }
            told.done_before = !self.asked.load(Ordering::SeqCst);
            told.done = true;
            self.told.lock().expect("no panic")[place] = told;
        }
        !self.stop.load(Ordering::SeqCst)
    }

    fn push(&self, told: Told) -> usize {
        let mut all = self.told.lock().expect("no panic");
        all.push(told);
        all.len() - 1
    }

    fn told(&self) -> Vec<Told> {
        self.told.lock().expect("no panic").clone()
    }
}

/// Of operations that nobody had used before the backup.
async fn first_use_after(load: &Load) {
    for (namespace, operation) in [("payments", "bonus"), ("shipping", "parcel")] {
        for number in 0..5 {
            let intent = intent(namespace, operation, &format!("first-{number}"));
            let granted = load.calls.granted(&intent).await;
            let (token, provider_key) = (granted.fencing_token, granted.provider_key);
            let (granted_before, done_before, done) = (false, false, false);
            load.push(Told { intent, token, provider_key, granted_before, done_before, done });
        }
    }
}

/// A server that was backed up under load, went on, and was killed.
async fn lost() -> (PathBuf, Vec<Told>, Binary) {
    let mut server = Binary::with(POLICY, &[]).await;
    let load = Load::on(&server);
    let callers = load.callers(8);
    while load.told().len() < 400 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    load.asked.store(true, Ordering::SeqCst);
    let copy = back_up(&server).await;
    let made = load.told().len();
    first_use_after(&load).await;
    while load.told().len() < made + 400 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    server.kill9();
    timeout(BOUND, callers.join_all()).await.expect("callers that see its end");
    (copy, load.told(), server)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_a_restore_forgets_is_granted_in_silence() {
    let (copy, told, _lost) = lost().await;
    let server = restored(&copy).await;
    let calls = server.calls();
    let (mut gaps, mut kept) = (HashSet::new(), 0);
    for told in &told {
        let verdict = calls.duplicate(&told.intent).await;
        if told.done_before {
            kept += 1;
            let result = Verdict::succeeded(verdict).result;
            assert_eq!(result, Some(text(&told.intent.key)), "{told:?}");
            continue;
        }
        match verdict {
            Verdict::Granted(granted) => {
                assert!(!told.is_dangerous(), "granted again: {told:?}");
                assert!(!told.granted_before, "forgotten: {told:?}");
                assert!(granted.fencing_token > told.token, "{told:?}");
                // By this the provider knows it.
                assert_eq!(granted.provider_key, told.provider_key);
            }
            Verdict::Completed(_) => assert!(told.done, "never reported: {told:?}"),
            Verdict::InProgress(_) => {}
            Verdict::Unknown(unknown) => {
                if unknown.reason() == UnknownReason::MemoryGap {
                    assert!(!told.granted_before, "forgotten: {told:?}");
                    gaps.insert(told.intent.operation.clone());
                }
            }
        }
    }
    assert!(kept > 100, "{kept} outcomes were acknowledged before the backup");
    assert_eq!(gaps.len(), DANGEROUS.len(), "of each some were forgotten: {gaps:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_forgotten_can_be_told_again_and_is_accepted_in_the_end() {
    let (copy, told, _lost) = lost().await;
    let server = restored(&copy).await;
    let calls = server.calls();
    for (namespace, operation) in [
        ("payments", "payout"),
        ("payments", "points"),
        ("payments", "bonus"),
        ("shipping", "parcel"),
    ] {
        let mut forgotten = Vec::new();
        for told in told.iter().filter(|told| told.intent.operation == operation) {
            let told_now = calls.duplicate(&told.intent).await;
            if matches!(&told_now, Verdict::Unknown(it) if it.reason() == UnknownReason::MemoryGap)
            {
                forgotten.push(told);
            }
        }
        let [healed, first, old, later, ..] = &forgotten[..] else { panic!("{forgotten:?}") };
        // Its holder lives, and reports as if nothing had been.
        let report = complete(&healed.intent, healed.token, succeeded("late"));
        let report = CompleteRequest { payload: json(PAYLOAD), ..report };
        calls.complete(report).await.expect("a report that is taken");
        let told = calls.duplicate(&healed.intent).await.succeeded();
        assert_eq!(told.result, Some(text("late")));
        let refusal = calls.claim(sent_at(&old.intent, 1_700_000_000)).await.expect_err("too old");
        refusal.is(ErrorReason::IntentTooOld);
        in_gap(&calls.duplicate(&first.intent).await);
        accept(&calls, namespace, operation).await;
        calls.granted(&first.intent).await;
        let refusal = calls.claim(sent_at(&later.intent, 1_700_000_000)).await;
        refusal.expect_err("still too old").is(ErrorReason::IntentTooOld);
    }
}
