//! Callers at work on a few intents: they claim, report, renew, give back, take over, and send
//! again what got no answer. All that they see is written down.
//!
//! Every call has a bound: one that hangs fails the run.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use onced_proto::v1::{ClaimRequest, IntentId, ReclaimRequest};
use onced_tests::harness::{Calls, Refusal, request::*};
use tokio::{task::JoinSet, time::timeout};
use uuid::Uuid;

use super::{
    call::{Asked, Call, Moment, Said, Told},
    chance::Chance,
    search,
};

/// The lease of the server's policy, and what makes room for many attempts.
pub(crate) const POLICY: &str = r#"
[namespaces.payments.operations.charge]
effect_class = "keyed"
provider_window = "24h"
lease = "2s"
effect_timeout = "1s"
max_attempts = 1000
"#;

/// Longest time that any call may take.
const BOUND: Duration = Duration::from_secs(20);

/// A call that is sent again later: its answer was lost, or a copy of it was delayed.
type Again = (usize, Asked);

/// One run over a few intents.
pub(crate) struct Load {
    keys: Vec<IntentId>,
    start: Instant,
    seen: Mutex<BTreeMap<usize, Vec<Call>>>,
    again: Mutex<Vec<Again>>,
    stop: AtomicBool,
}

impl Load {
    pub(crate) fn on(name: &str, keys: usize) -> Arc<Self> {
        let keys = (0..keys).map(|key| charge(&format!("{name}-{key}"))).collect();
        Arc::new(Self {
            keys,
            start: Instant::now(),
            seen: Mutex::default(),
            again: Mutex::default(),
            stop: AtomicBool::new(false),
        })
    }

    pub(crate) fn keys(&self) -> std::ops::Range<usize> {
        0..self.keys.len()
    }

    pub(crate) fn now(&self) -> Moment {
        u64::try_from(self.start.elapsed().as_micros()).expect("a run that is short")
    }

    /// What was seen of an intent so far.
    pub(crate) fn seen(&self, key: usize) -> Vec<Call> {
        locked(&self.seen).get(&key).cloned().unwrap_or_default()
    }

    /// Fails unless somebody was told such a thing.
    #[track_caller]
    pub(crate) fn has_seen(&self, what: &str, is_it: impl Fn(&Told) -> bool) {
        let seen = locked(&self.seen);
        let mut told = seen.values().flatten().filter_map(|call| call.told.as_ref());
        assert!(told.any(is_it), "{what} never came up in this run");
    }

    /// Starts callers that go on until [`Self::stop`], each over a connection of her own.
    pub(crate) fn callers(
        self: &Arc<Self>,
        count: u64,
        calls: impl Fn(u64) -> Calls,
        chance: &Chance,
    ) -> JoinSet<()> {
        self.stop.store(false, Ordering::Release);
        let mut running = JoinSet::new();
        for caller in 0..count {
            let (load, calls, mut chance) = (self.clone(), calls(caller), chance.part(caller));
            running.spawn(async move {
                while !load.stop.load(Ordering::Acquire) {
                    load.episode(&calls, &mut chance).await;
                }
            });
        }
        running
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// The server is dead since before `moment`: nothing that it left unanswered has an effect any
    /// more.
    pub(crate) fn killed(&self, moment: Moment) {
        for call in locked(&self.seen).values_mut().flatten() {
            call.end = call.end.min(moment.max(call.invoked));
        }
    }

    /// Checks all histories.
    pub(crate) fn check(&self) -> Result<(), String> {
        for key in self.keys() {
            let checked = search::check(&self.seen(key));
            checked.map_err(|fault| format!("{}: {fault}", self.keys[key].key))?;
        }
        Ok(())
    }

    /// One thing that a caller does, from her question to its end.
    async fn episode(&self, calls: &Calls, chance: &mut Chance) {
        let copy = locked(&self.again).pop();
        if let Some((key, asked)) = copy.filter(|_| chance.below(3) > 0) {
            let told = self.send(calls, key, asked).await;
            return self.act(calls, key, told, chance).await;
        }
        let key = chance.pick(&self.keys().collect::<Vec<_>>());
        let told = match chance.below(20) {
            0 => self.send(calls, key, Asked::Get).await,
            1 => self.send(calls, key, Asked::TakeBack(Uuid::new_v4())).await,
            _ => self.send(calls, key, Asked::Claim(Uuid::new_v4())).await,
        };
        let told = match told {
            Some(Told::Unknown(_)) if chance.below(2) == 0 => {
                self.send(calls, key, Asked::Reclaim(Uuid::new_v4())).await
            }
            told => told,
        };
        self.act(calls, key, told, chance).await;
    }

    /// What a holder does.
    async fn act(&self, calls: &Calls, key: usize, told: Option<Told>, chance: &mut Chance) {
        let Some(Told::Granted { token, .. }) = told else { return };
        let result = || {
            let text = format!("{} \0 done under {token}", Uuid::new_v4());
            Asked::Complete(token, Said::Succeeded(text.into()))
        };
        let report = match chance.below(16) {
            0..4 => result(),
            4..9 => Asked::Release(token),
            9..11 => Asked::Complete(token, Said::Failed("declined".to_owned())),
            11 => Asked::Complete(token, Said::Unknown),
            12 => {
                self.send(calls, key, Asked::Renew(token)).await;
                result()
            }
            // She is never heard of again; or much later.
            13 => return self.put_off(key, result()),
            _ => return,
        };
        if chance.below(8) == 0 {
            self.put_off(key, report.clone());
        }
        self.send(calls, key, report).await;
    }

    fn put_off(&self, key: usize, asked: Asked) {
        locked(&self.again).insert(0, (key, asked));
    }

    /// Sends a call and writes down what came of it.
    pub(crate) async fn send(&self, calls: &Calls, key: usize, asked: Asked) -> Option<Told> {
        let invoked = self.now();
        let answer = timeout(BOUND, self.answer(calls, &self.keys[key], &asked, invoked)).await;
        let answer = answer.unwrap_or_else(|_| panic!("a call that hangs: {asked:?}"));
        let told = answer.map_or_else(|refusal| Told::of_refusal(&refusal), Some);
        if matches!(&told, Some(Told::Refused(reason)) if nothing_happened(reason)) {
            return told;
        }
        if told.is_none() {
            self.put_off(key, asked.clone());
        }
        let end = if told.is_some() { self.now() } else { Moment::MAX };
        let call = Call { asked, invoked, told: told.clone(), end };
        locked(&self.seen).entry(key).or_default().push(call);
        told
    }

    async fn answer(
        &self,
        calls: &Calls,
        intent: &IntentId,
        asked: &Asked,
        invoked: Moment,
    ) -> Result<Told, Refusal> {
        let by = |claimant: &Uuid| claimant.to_string();
        Ok(match asked {
            Asked::Claim(claimant) => {
                let request = ClaimRequest { claimant: by(claimant), ..claim(intent) };
                Told::of_ruling(calls.claim(request).await?, invoked)
            }
            Asked::Reclaim(claimant) => {
                let request = ReclaimRequest { claimant: by(claimant), ..reclaim(intent) };
                Told::of_ruling(calls.reclaim(request).await?, invoked)
            }
            Asked::Complete(token, said) => {
                calls.complete(said.request(intent, *token)).await.map(|_| Told::Taken)?
            }
            Asked::Renew(token) => {
                Told::of_renewal(&calls.renew(renew(intent, *token)).await?, invoked)
            }
            Asked::Release(token) => {
                calls.release(release(intent, *token)).await.map(|_| Told::Taken)?
            }
            Asked::TakeBack(claimant) => {
                let request = release_by_claimant(intent, &by(claimant));
                calls.release(request).await.map(|_| Told::Taken)?
            }
            Asked::Get => Told::of_intent(&calls.get(get_whole(intent)).await?),
        })
    }
}

fn nothing_happened(reason: &str) -> bool {
    ["STORE_UNAVAILABLE", "OVERLOADED", "DRAINING", "CONTENDED"].contains(&reason)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
