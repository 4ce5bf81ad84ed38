//! Complete, Renew and Release: what a holder reports. Taken in overload, without a policy, and to
//! the last of a drain.

use onced_proto::v1;

use super::super::{Service, call::Call, misfit, question};
use crate::{
    intent::IntentId,
    keeper::Answered,
    record::FencingToken,
    ruling::{Renewed, Reported, Request, Verdict},
    status::Denial,
    wire::{
        outcome::Sight,
        request,
        time::{duration, timestamp},
    },
};

impl Service {
    /// Takes one outcome.
    pub(super) async fn complete(
        &self,
        request: v1::CompleteRequest,
        call: &Call,
    ) -> Result<v1::CompleteResponse, Denial> {
        let limits = self.limits(request.intent.as_ref());
        let asked = request::complete(request, &limits).map_err(Denial::Malformed)?;
        let (intent, token) = (asked.intent, asked.request.token);
        let said = said(&asked.request.outcome);
        let policy = self.policy(&intent);
        let ask = question(intent.clone(), Request::Complete(asked.request), policy, call);
        let answered = self.ask(ask).await;
        self.metrics.reported(&self.scope_of(&intent), said, answered.as_ref());
        let answered = answered?;
        let Verdict::Reported { repeated, late } = answered.verdict else {
            return Err(misfit(intent));
        };
        let intent = self.completed_intent(&intent, token, &answered);
        Ok(v1::CompleteResponse { intent, repeated, late })
    }

    fn completed_intent(
        &self,
        intent: &IntentId,
        token: FencingToken,
        answered: &Answered,
    ) -> Option<v1::Intent> {
        let stored = answered.stored.as_ref()?;
        let own_token = stored.record.token().filter(|current| *current == token);
        Some(self.shown(intent, stored, answered, own_token, Sight::Outline))
    }

    /// Extends one lease.
    pub(super) async fn renew(
        &self,
        request: v1::RenewRequest,
        call: &Call,
    ) -> Result<v1::RenewResponse, Denial> {
        let asked = request::renew(request).map_err(Denial::Malformed)?;
        let (intent, policy) = (asked.intent.clone(), self.policy(&asked.intent));
        let ask = question(asked.intent, Request::Renew(asked.request), policy, call);
        let answered = self.ask(ask).await?;
        let Verdict::Renewed(renewed) = answered.verdict else { return Err(misfit(intent)) };
        Ok(self::renewed(renewed, &answered))
    }

    /// Frees one intent of which the effect surely did not happen.
    pub(super) async fn release(
        &self,
        request: v1::ReleaseRequest,
        call: &Call,
    ) -> Result<v1::ReleaseResponse, Denial> {
        let asked = request::release(request).map_err(Denial::Malformed)?;
        let (intent, policy) = (asked.intent.clone(), self.policy(&asked.intent));
        let ask = question(asked.intent, Request::Release(asked.request), policy, call);
        let answered = self.ask(ask).await;
        self.metrics.reported(&self.scope_of(&intent), "released", answered.as_ref());
        match answered?.verdict {
            Verdict::Released { repeated } => Ok(v1::ReleaseResponse { repeated }),
            _ => Err(misfit(intent)),
        }
    }
}

fn renewed(renewed: Renewed, answered: &Answered) -> v1::RenewResponse {
    v1::RenewResponse {
        lease: Some(duration(renewed.lease)),
        lease_expire_time: Some(timestamp(answered.now.after(renewed.lease))),
        hold_expire_time: Some(timestamp(renewed.hold_end)),
        contested: renewed.contested,
    }
}

fn said(outcome: &Reported) -> &'static str {
    match outcome {
        Reported::Succeeded(_) => "succeeded",
        Reported::Failed(_) => "failed",
        Reported::Unknown => "unknown",
    }
}
