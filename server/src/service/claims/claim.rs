//! Claim: may I?

use std::{sync::Arc, time::Duration};

use onced_proto::v1;
use tokio::time::Instant;

use super::super::{ANSWER_MARGIN, Service, call::Call, question, refused};
use crate::{
    intent::IntentId,
    keeper::{Answered, Ask, Room},
    policy::{Policy, Strategy},
    ruling::{Refusal, Request, Verdict},
    status::Denial,
    store::Lease,
    wire::{
        request::{self, Asked},
        warning,
    },
};

impl Service {
    /// Rules on one Claim.
    pub(super) async fn claim(
        &self,
        request: v1::ClaimRequest,
        call: &Call,
    ) -> Result<v1::Ruling, Denial> {
        let admitted = self.load.admit(1)?;
        let asked = self.asked_claim(request, call)?;
        let policy = self.policy_for_grant(&asked.intent)?;
        let strategy = asked.request.strategy.unwrap_or(policy.in_progress_strategy);
        let until = wait_end(asked.request.wait, &policy, call);
        let warnings = self.key_warnings(&asked);
        let ask = claim_question(asked, policy.clone(), call);
        let room = Some(admitted.room());
        let mut answered = self.ask(Ask { room, ..ask.clone() }).await?;
        if strategy == Strategy::Wait && is_anothers(&answered) {
            drop(admitted);
            answered = self.wait(&ask, answered, until).await?;
        }
        if strategy == Strategy::Reject && is_anothers(&answered) {
            return Err(rejected(&ask.intent, &answered));
        }
        self.ruled(&ask, &answered, warnings)
    }

    /// Rules on one Claim of a batch: never waits.
    pub(super) async fn claim_at_once(
        &self,
        request: v1::ClaimRequest,
        call: &Call,
        room: Room,
    ) -> Result<v1::Ruling, Denial> {
        let asked = self.asked_claim(request, call)?;
        let policy = self.policy_for_grant(&asked.intent)?;
        let warnings = self.key_warnings(&asked);
        let ask = claim_question(asked, policy.clone(), call);
        let answered = self.ask(Ask { room: Some(room), ..ask.clone() }).await?;
        self.ruled(&ask, &answered, warnings)
    }

    fn asked_claim(
        &self,
        request: v1::ClaimRequest,
        call: &Call,
    ) -> Result<Asked<request::Claim>, Denial> {
        let limits = self.limits(request.intent.as_ref());
        request::claim(request, call.traceparent.clone(), &limits).map_err(Denial::Malformed)
    }

    /// The policy of an operation that is to be granted: there must be one.
    pub(super) fn policy_for_grant(&self, intent: &IntentId) -> Result<Arc<Policy>, Denial> {
        self.policy(intent).ok_or_else(|| Denial::OperationUnknown {
            namespace: intent.namespace().to_owned(),
            operation: intent.operation().to_owned(),
        })
    }

    fn key_warnings(&self, asked: &Asked<request::Claim>) -> Vec<v1::Warning> {
        let claim = &asked.request.claim;
        let traceparent = claim.traceparent.as_deref();
        let now = self.clock.now();
        let warnings = warning::key_warnings(asked.intent.key(), claim.claimant, traceparent, now);
        self.metrics.key_warnings(&self.scope_of(&asked.intent), &warnings, now);
        warnings
    }

    /// Waits for the other attempt's outcome; without room for one more waiter the first answer
    /// stands.
    async fn wait(
        &self,
        ask: &Ask,
        answered: Answered,
        until: Instant,
    ) -> Result<Answered, Denial> {
        let waits = until > Instant::now();
        let Some(_admitted) = self.load.admit_waiter().filter(|_| waits) else {
            return Ok(answered);
        };
        let _counted = self.metrics.waiting(&self.scope_of(&ask.intent));
        let ask = Ask { likely_duplicate: true, ..ask.clone() };
        self.ask_waiting(ask, until).await
    }
}

fn claim_question(asked: Asked<request::Claim>, policy: Arc<Policy>, call: &Call) -> Ask {
    let request::Claim { claim, fresh, likely_duplicate, .. } = asked.request;
    let ask = question(asked.intent, Request::Claim(claim), Some(policy), call);
    Ask { fresh, likely_duplicate: likely_duplicate || call.resent, ..ask }
}

/// An attempt of somebody else is under way: its own claimant neither waits nor is rejected.
fn is_anothers(answered: &Answered) -> bool {
    matches!(answered.verdict, Verdict::InProgress { own_token: None })
}

fn wait_end(asked: Option<Duration>, policy: &Policy, call: &Call) -> Instant {
    let longest = asked.map_or(policy.max_wait, |wait| wait.min(policy.max_wait));
    let before_deadline = call.deadline.checked_sub(ANSWER_MARGIN).unwrap_or(call.received);
    (call.received + longest).min(before_deadline)
}

fn rejected(intent: &IntentId, answered: &Answered) -> Denial {
    let stored = answered.stored.as_ref();
    let left = stored.map_or(Duration::ZERO, |stored| match stored.lease {
        Lease::Live { left } => left,
        Lease::Over => Duration::ZERO,
    });
    let attempt = stored.map_or(0, |stored| stored.record.attempt());
    refused(Refusal::InProgress { attempt, left }, intent, answered)
}
