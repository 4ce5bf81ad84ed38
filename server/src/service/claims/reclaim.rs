//! Reclaim: let me take it over. And the ruling that it shares with Claim.

use onced_proto::v1;

use super::super::{Service, call::Call, misfit, question, result_bytes_max};
use crate::{
    intent::ProviderKeyForm,
    keeper::{Answered, Ask},
    ruling::{Request, Verdict},
    status::Denial,
    telemetry::{metrics::verdict_name, span},
    wire::{outcome::Sight, request, ruling, warning},
};

impl Service {
    /// Rules on one Reclaim.
    pub(super) async fn reclaim(
        &self,
        request: v1::ReclaimRequest,
        call: &Call,
    ) -> Result<v1::Ruling, Denial> {
        let admitted = self.load.admit(1)?;
        let limits = self.limits(request.intent.as_ref());
        let (principal, traceparent) = (call.principal.clone(), call.traceparent.clone());
        let asked = request::reclaim(request, principal, traceparent, &limits)
            .map_err(Denial::Malformed)?;
        let policy = self.policy_for_grant(&asked.intent)?;
        let request = Request::Reclaim(asked.request);
        let ask = question(asked.intent, request, Some(policy), call);
        let room = Some(admitted.room());
        let answered = self.ask(Ask { room, ..ask.clone() }).await?;
        self.ruled(&ask, &answered, Vec::new())
    }

    /// A ruling as it is answered and counted.
    pub(super) fn ruled(
        &self,
        ask: &Ask,
        answered: &Answered,
        mut warnings: Vec<v1::Warning>,
    ) -> Result<v1::Ruling, Denial> {
        let (intent, policy) = (&ask.intent, ask.policy.as_deref());
        let form = policy.map_or(ProviderKeyForm::Text, |policy| policy.provider_key);
        let provider_key = intent.identity().provider_key(form);
        let facts = ruling::Facts {
            stored: answered.stored.as_ref(),
            provider_key: &provider_key,
            result_bytes_max: result_bytes_max(policy),
            waited: answered.waited,
            now: answered.now,
            sight: Sight::Whole,
        };
        let verdict = ruling::verdict(&answered.verdict, &facts);
        let verdict = verdict.ok_or_else(|| misfit(intent.clone()))?;
        warnings.extend(ruling_warnings(answered));
        self.count(ask, answered);
        trace(facts.provider_key, answered);
        Ok(v1::Ruling { verdict: Some(verdict), warnings })
    }
}

impl Service {
    fn count(&self, ask: &Ask, answered: &Answered) {
        let verdict = &answered.verdict;
        let scope = self.scope_of(&ask.intent);
        self.metrics.ruled(&scope, verdict);
        self.metrics.key_use().ruled(&scope, ask.intent.key(), &ask.request, answered);
        if matches!(verdict, Verdict::Granted(grant) if grant.reclaimed) {
            let by_call = matches!(ask.request, Request::Reclaim(_));
            self.metrics.reclaimed(&scope, if by_call { "reclaim" } else { "policy" });
        }
    }
}

/// A ruling is noted on its span; a replay is linked to the call that did it.
fn trace(provider_key: &str, answered: &Answered) {
    span::ruled(provider_key, verdict_name(&answered.verdict));
    let original = answered.stored.as_ref().and_then(|stored| stored.record.traceparent.as_ref());
    if let (Verdict::Completed | Verdict::InProgress { .. } | Verdict::Unknown(_), Some(original)) =
        (&answered.verdict, original)
    {
        span::link(original);
    }
}

fn ruling_warnings(answered: &Answered) -> Option<v1::Warning> {
    let stored = answered.stored.as_ref();
    match &answered.verdict {
        Verdict::Granted(grant) => grant.lease_shortened.then(warning::lease_shortened),
        Verdict::Completed => stored
            .is_some_and(|stored| stored.record.payload_hash.is_none())
            .then(warning::hash_unchecked),
        _ => None,
    }
}
