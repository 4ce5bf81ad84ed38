//! The services as callers see them: each call is admitted, judged in form, ruled on by the keeper,
//! and answered.
//!
//! Thin glue over the wire and the keeper. Decides nothing about intents; knows no status codes.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use self::{call::Call, load::Load};
use crate::{
    clock::Clock,
    intent::IntentId,
    keeper::{Answered, Ask, Keeper},
    policy::{Policies, Policy},
    ruling::{Refusal, Request, Verdict},
    status::Denial,
    store,
    telemetry::{Metrics, Scope},
    wire::request,
};

mod admin;
mod backups;
pub mod call;
mod claims;
pub mod load;
mod policies;

pub use self::{admin::Admin, backups::Backups, claims::Claims, policies::PolicyReader};

/// How long before the end of the call a waiting Claim is answered, so that the answer still
/// arrives.
const ANSWER_MARGIN: Duration = Duration::from_millis(100);

/// Bounds of the service as a whole.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Claims that are ruled on at one time.
    pub claims_in_flight_max: usize,
    /// Claims that wait for somebody else's outcome at one time.
    pub waiters_max: usize,
    /// Longest life of one Watch.
    pub max_watch: Duration,
    /// Longest life of every other call.
    pub call_max: Duration,
    /// About how long a connection lives before its client is asked to make a new one; for ever if
    /// absent.
    pub connection_age: Option<Duration>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            claims_in_flight_max: 4_096,
            waiters_max: 10_000,
            max_watch: Duration::from_secs(600),
            call_max: Duration::from_secs(60),
            connection_age: None,
        }
    }
}

/// What every call works with.
pub struct Service {
    keeper: Arc<Keeper>,
    policies: Arc<Policies>,
    clock: Arc<dyn Clock>,
    /// By how much the clocks that judge leases may differ from `clock`.
    bounds: Bounds,
    load: Load,
    metrics: Arc<Metrics>,
    backups: Option<Backups>,
}

impl Service {
    /// A service over a keeper.
    pub fn new(
        keeper: Arc<Keeper>,
        policies: Arc<Policies>,
        clock: Arc<dyn Clock>,
        bounds: Bounds,
        metrics: Arc<Metrics>,
    ) -> Self {
        let load = Load::new(&bounds);
        Self { keeper, policies, clock, bounds, load, metrics, backups: None }
    }

    /// The same, where the store can be copied.
    #[must_use]
    pub fn with_backups(self, backups: Option<Backups>) -> Self {
        Self { backups, ..self }
    }

    /// From now on no new Claim is taken, and every Watch ends. Reports are taken to the last.
    pub fn drain(&self) {
        self.load.drain();
    }

    /// Returns when every Claim that was admitted is answered.
    pub async fn idle(&self) {
        self.load.idle().await;
    }

    fn policy_by_name(&self, names: Option<&onced_proto::v1::IntentId>) -> Option<Arc<Policy>> {
        let names = names?;
        self.policies.current().policy(&names.namespace, &names.operation)
    }

    fn policy(&self, intent: &IntentId) -> Option<Arc<Policy>> {
        self.policies.current().policy(intent.namespace(), intent.operation())
    }

    /// Under which labels a call is counted.
    fn scope(&self, namespace: &str, operation: &str) -> Scope {
        match self.policies.current().policy(namespace, operation) {
            Some(_) => Scope::of(namespace, operation),
            None => Scope::other(),
        }
    }

    fn scope_of(&self, intent: &IntentId) -> Scope {
        self.scope(intent.namespace(), intent.operation())
    }

    /// What a request is judged by; without a policy, by what any policy could allow.
    fn limits(&self, names: Option<&onced_proto::v1::IntentId>) -> request::Limits {
        let result_bytes_max = result_bytes_max(self.policy_by_name(names).as_deref());
        request::Limits { now: self.clock.now(), result_bytes_max }
    }

    /// Asks the keeper; a refusal is a denial.
    async fn ask(&self, ask: Ask) -> Result<Answered, Denial> {
        let intent = ask.intent.clone();
        let answered = self.keeper.ask(ask).await;
        self.taken(answered, intent)
    }

    /// Asks the keeper, and waits for somebody else's outcome until the drain begins.
    async fn ask_waiting(&self, ask: Ask, until: Instant) -> Result<Answered, Denial> {
        let intent = ask.intent.clone();
        let answered = self.keeper.ask_waiting(ask, until, self.load.draining()).await;
        self.taken(answered, intent)
    }

    fn taken(
        &self,
        answered: Result<Answered, crate::keeper::Error>,
        intent: IntentId,
    ) -> Result<Answered, Denial> {
        let answered =
            answered.map_err(|error| Denial::Failed { error, intent: intent.clone() })?;
        self.metrics.answered(|| self.scope_of(&intent), &intent, &answered);
        match answered.verdict {
            Verdict::Refused(refusal) => {
                Err(Denial::Refused { refusal, intent, now: answered.now })
            }
            _ => Ok(answered),
        }
    }
}

/// A plain question about an intent.
fn question(intent: IntentId, request: Request, policy: Option<Arc<Policy>>, call: &Call) -> Ask {
    Ask {
        intent,
        request,
        policy,
        received: call.received,
        deadline: call.deadline,
        likely_duplicate: call.resent,
        fresh: false,
        room: None,
    }
}

fn result_bytes_max(policy: Option<&Policy>) -> usize {
    policy.map_or(request::BYTES_MAX, |policy| policy.result_bytes_max as usize)
}

/// The verdict does not fit the request: a fault of the server, told as a record that cannot be
/// read.
fn misfit(intent: IntentId) -> Denial {
    let error = store::Error::Corrupt("the verdict does not fit the request".to_owned());
    Denial::Failed { error: error.into(), intent }
}

fn refused(refusal: Refusal, intent: &IntentId, answered: &Answered) -> Denial {
    Denial::Refused { refusal, intent: intent.clone(), now: answered.now }
}

#[cfg(test)]
pub(crate) mod trial;

#[cfg(test)]
mod tests;
