//! Keepers in this process, without a wire: one that goes on, and one that is forgotten before it
//! is asked about an intent for the second time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Result, ensure};
use onced::{
    clock::Clock,
    intent::IntentId,
    keeper::{Ask, Keeper},
    payload::{Payload, PayloadHash},
    policy::Policy,
    record::{Claimant, EffectClass},
    ruling::{Claim, Request, Verdict},
    store::Store,
};
use tokio::time::Instant;
use uuid::Uuid;

use crate::claims;

pub(super) struct Keepers {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    policy: Arc<Policy>,
    lasting: Keeper,
    cold: Mutex<Cold>,
}

/// A keeper, and how many it was asked about.
struct Cold {
    keeper: Keeper,
    asked: usize,
}

impl Keepers {
    pub(super) fn over(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let new = || Keeper::new(Arc::clone(&store), Arc::clone(&clock));
        let (lasting, cold) = (new(), Mutex::new(Cold { keeper: new(), asked: 0 }));
        let policy = Arc::new(Policy::of_class(EffectClass::Keyed));
        Self { store, clock, policy, lasting, cold }
    }

    /// Claims an intent that nobody has used; its key.
    pub(super) async fn fresh(&self) -> Result<String> {
        let key = claims::fresh_key();
        let answered = self.lasting.ask(self.claim(&key, false)?).await?;
        ensure!(matches!(answered.verdict, Verdict::Granted(_)), "{:?}", answered.verdict);
        Ok(key)
    }

    /// Claims what is settled, and what this keeper has in mind.
    pub(super) async fn warm(&self, key: &str) -> Result<()> {
        duplicate(&self.lasting, self.claim(key, true)?).await
    }

    /// Claims the next one of what is settled, of a keeper that has not seen it.
    pub(super) async fn cold(&self, settled: &[String], told: bool) -> Result<()> {
        let (keeper, key) = self.next(settled);
        duplicate(&keeper, self.claim(key, told)?).await
    }

    fn next<'a>(&self, settled: &'a [String]) -> (Keeper, &'a str) {
        let mut cold = self.cold.lock().unwrap_or_else(PoisonError::into_inner);
        if cold.asked == settled.len() {
            let keeper = Keeper::new(Arc::clone(&self.store), Arc::clone(&self.clock));
            *cold = Cold { keeper, asked: 0 };
        }
        cold.asked += 1;
        (cold.keeper.clone(), &settled[cold.asked - 1])
    }

    fn claim(&self, key: &str, likely_duplicate: bool) -> Result<Ask> {
        let received = Instant::now();
        let claim = Claim {
            claimant: Claimant(Uuid::new_v4()),
            holder: "bench".to_owned(),
            payload: Payload::from_hash(
                PayloadHash::parse(claims::HASH).map_err(anyhow::Error::msg)?,
            ),
            lease: None,
            first_sent_time: None,
            amount: None,
            labels: BTreeMap::new(),
            traceparent: None,
        };
        Ok(Ask {
            intent: IntentId::new("intent", claims::NAMESPACE, claims::OPERATION, key)
                .map_err(|violation| anyhow::anyhow!("{violation:?}"))?,
            request: Request::Claim(claim),
            policy: Some(Arc::clone(&self.policy)),
            received,
            deadline: received + Duration::from_secs(30),
            likely_duplicate,
            fresh: false,
            room: None,
        })
    }
}

async fn duplicate(keeper: &Keeper, ask: Ask) -> Result<()> {
    let answered = keeper.ask(ask).await?;
    ensure!(answered.verdict == Verdict::Completed, "{:?}", answered.verdict);
    Ok(())
}
