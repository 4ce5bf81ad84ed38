//! Get: where does it stand? And an intent as it is shown.

use onced_proto::v1;

use super::super::{Service, call::Call, misfit, question, result_bytes_max};
use crate::{
    intent::IntentId,
    keeper::Answered,
    record::FencingToken,
    ruling::{self, Request, Verdict},
    status::Denial,
    store::Stored,
    wire::{self, outcome::Sight, request},
};

impl Service {
    /// Shows one intent.
    pub(super) async fn get(
        &self,
        request: v1::GetRequest,
        call: &Call,
    ) -> Result<v1::GetResponse, Denial> {
        let asked = request::get(request).map_err(Denial::Malformed)?;
        let sight = sight(&asked.request);
        let policy = self.policy(&asked.intent);
        let intent = asked.intent;
        let ask = question(intent.clone(), Request::Get(asked.request), policy, call);
        let answered = self.ask(ask).await?;
        match (&answered.verdict, &answered.stored) {
            (Verdict::Shown, Some(stored)) => {
                let intent = self.shown(&intent, stored, &answered, None, sight);
                Ok(v1::GetResponse { intent: Some(intent) })
            }
            _ => Err(misfit(intent)),
        }
    }

    /// An intent with what of it may be seen.
    pub(super) fn shown(
        &self,
        intent: &IntentId,
        stored: &Stored,
        answered: &Answered,
        own_token: Option<FencingToken>,
        sight: Sight,
    ) -> v1::Intent {
        let policy = self.policy(intent);
        let policy = policy.as_deref();
        let (given, now) = (answered.given(policy), answered.now);
        let facts = wire::ruling::Facts {
            stored: Some(stored),
            provider_key: &stored.record.provider_key,
            result_bytes_max: result_bytes_max(policy),
            waited: std::time::Duration::ZERO,
            now,
            sight,
        };
        let unknown = match ruling::duplicate(stored, &given, now) {
            Some(Verdict::Unknown(unknown)) => Some(wire::ruling::unknown(&unknown, &facts)),
            _ => None,
        };
        let etag = ruling::shown_etag(stored, &given, now);
        let shown = wire::intent::Shown { intent, stored, etag, unknown, own_token, sight, now };
        wire::intent::intent(shown)
    }
}

/// Who sends no payload sees that there is an outcome, and not which.
pub(super) fn sight(get: &ruling::Get) -> Sight {
    if get.payload.is_some() { Sight::Whole } else { Sight::Fact }
}
