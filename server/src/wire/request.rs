//! Requests as they come from the wire: judged whole, then taken apart into the words of the
//! domain.
//!
//! Every violation is found, not only the first one. Nothing is corrected in silence, no key is
//! ever changed.

use std::{collections::BTreeMap, time::Duration};

use onced_proto::v1;
use uuid::Uuid;

use self::faults::Faults;
use crate::{
    clock::Timestamp,
    intent::{IntentId, RESERVED_NAMESPACE},
    policy::Strategy,
    record::{Claimant, FencingToken, NotAppliedReason},
    ruling,
    violation::Violation,
};

mod faults;
mod money;
mod outcome;
mod payload;
mod reclaim;

pub use self::reclaim::reclaim;

/// Largest token: exact in every language, and not reached before 2255. A larger one, once it stood
/// on a record, would leave no room for the next.
const TOKEN_MAX: i64 = (1 << 53) - 1;
/// Longest text for people, in bytes.
const TEXT_MAX: usize = 1_024;
/// Longest name for people, provider's id or media type, in bytes.
const NAME_MAX: usize = 255;
/// Most labels.
const LABELS_MAX: usize = 8;
/// How far ahead of the server's clock an initiator's may be.
const AHEAD_MAX: Duration = Duration::from_secs(60);
/// Largest payload or result that any policy allows, in bytes.
pub const BYTES_MAX: usize = 1 << 20;

/// What a request is judged by, beside itself.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the call was received.
    pub now: Timestamp,
    /// Largest result that the operation's policy takes, in bytes.
    pub result_bytes_max: usize,
}

/// A request about one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<R> {
    /// Which intent.
    pub intent: IntentId,
    /// What is asked.
    pub request: R,
}

/// What else a Claim asks for: how it is to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The request itself.
    pub claim: ruling::Claim,
    /// Wanted behaviour when another attempt runs, if told.
    pub strategy: Option<Strategy>,
    /// Longest hold, if told.
    pub wait: Option<Duration>,
    /// Look past the caches.
    pub fresh: bool,
    /// The caller thinks that it was sent before.
    pub likely_duplicate: bool,
}

type Checked<T> = Result<T, Vec<Violation>>;

/// Judges a Claim.
pub fn claim(
    request: v1::ClaimRequest,
    traceparent: Option<String>,
    limits: &Limits,
) -> Checked<Asked<Claim>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let claimant = claimant(&mut faults, &request.claimant);
    faults.length("holder", &request.holder, NAME_MAX);
    let payload = payload::required(&mut faults, request.payload);
    let lease = lease(&mut faults, request.lease);
    let strategy = strategy(&mut faults, request.in_progress_strategy);
    let wait = faults.span("wait", request.wait);
    let first_sent_time = first_sent(&mut faults, request.first_sent_time, limits.now);
    let amount = request.amount.map(|amount| money::money(&mut faults, "amount", amount));
    let labels: BTreeMap<_, _> = request.labels.into_iter().collect();
    check_labels(&mut faults, &labels);
    faults.finish(|| {
        let claim = ruling::Claim {
            claimant: claimant?,
            holder: request.holder,
            payload: payload?,
            lease,
            first_sent_time,
            amount,
            labels,
            traceparent,
        };
        let (fresh, likely_duplicate) = (request.fresh, request.likely_duplicate);
        let request = Claim { claim, strategy, wait, fresh, likely_duplicate };
        Some(Asked { intent: intent?, request })
    })
}

/// Judges a Complete.
pub fn complete(request: v1::CompleteRequest, limits: &Limits) -> Checked<Asked<ruling::Complete>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let token = token(&mut faults, request.fencing_token);
    let outcome = outcome::reported(&mut faults, request.outcome, limits.result_bytes_max);
    let payload = payload::optional(&mut faults, request.payload);
    faults.finish(|| {
        let request = ruling::Complete { token, outcome: outcome?, payload };
        Some(Asked { intent: intent?, request })
    })
}

/// Judges a Get.
pub fn get(request: v1::GetRequest) -> Checked<Asked<ruling::Get>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let payload = payload::optional(&mut faults, request.payload);
    faults.finish(|| Some(Asked { intent: intent?, request: ruling::Get { payload } }))
}

/// Judges a Watch: it looks like a Get, again and again.
pub fn watch(request: v1::WatchRequest) -> Checked<Asked<ruling::Get>> {
    get(v1::GetRequest { intent: request.intent, payload: request.payload })
}

/// Judges a Renew.
pub fn renew(request: v1::RenewRequest) -> Checked<Asked<ruling::Renew>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let token = token(&mut faults, request.fencing_token);
    let lease = lease(&mut faults, request.lease);
    faults.finish(|| Some(Asked { intent: intent?, request: ruling::Renew { token, lease } }))
}

/// Judges a Release.
pub fn release(request: v1::ReleaseRequest) -> Checked<Asked<ruling::Release>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let reason = not_applied_reason(&mut faults, request.reason);
    let grant = grant(&mut faults, request.grant, reason);
    faults.length("message", &request.message, TEXT_MAX);
    faults.finish(|| {
        let request = ruling::Release { grant: grant?, reason: reason? };
        Some(Asked { intent: intent?, request })
    })
}

fn grant(
    faults: &mut Faults,
    given: Option<v1::release_request::Grant>,
    reason: Option<NotAppliedReason>,
) -> Option<ruling::ReleasedGrant> {
    use v1::release_request::Grant;
    match given {
        None => faults.none("grant", "needs fencing_token or claimant"),
        Some(Grant::FencingToken(number)) => {
            Some(ruling::ReleasedGrant::Token(token(faults, number)))
        }
        Some(Grant::Claimant(text)) => {
            if reason.is_some_and(|reason| reason != NotAppliedReason::NotStarted) {
                faults.note("reason", "must be NOT_STARTED where the claimant names the grant");
            }
            claimant(faults, &text).map(ruling::ReleasedGrant::Claimant)
        }
    }
}

fn not_applied_reason(faults: &mut Faults, number: i32) -> Option<NotAppliedReason> {
    match v1::NotAppliedReason::try_from(number) {
        Ok(v1::NotAppliedReason::NotStarted) => Some(NotAppliedReason::NotStarted),
        Ok(v1::NotAppliedReason::RejectedByTarget) => Some(NotAppliedReason::RejectedByTarget),
        Ok(v1::NotAppliedReason::RolledBack) => Some(NotAppliedReason::RolledBack),
        Ok(v1::NotAppliedReason::Unspecified) => faults.none("reason", "is required"),
        Err(_) => faults.none("reason", format!("has no value {number}")),
    }
}

fn intent(faults: &mut Faults, given: Option<v1::IntentId>) -> Option<IntentId> {
    let Some(v1::IntentId { namespace, operation, key }) = given else {
        return faults.none("intent", "is required");
    };
    if namespace == RESERVED_NAMESPACE {
        faults.note("intent.namespace", "is reserved for the server");
    }
    faults.all(IntentId::new("intent", namespace, operation, key))
}

fn claimant(faults: &mut Faults, text: &str) -> Option<Claimant> {
    if text.is_empty() {
        return faults.none("claimant", "is required");
    }
    // Only the hyphenated form: the others would make several texts of one claimant.
    match Uuid::parse_str(text).ok().filter(|_| text.len() == 36) {
        Some(uuid) => Some(Claimant(uuid)),
        None => faults.none("claimant", "is not a UUID in text form"),
    }
}

fn token(faults: &mut Faults, number: i64) -> FencingToken {
    if number <= 0 {
        faults.note("fencing_token", "is required, and positive");
    } else if number > TOKEN_MAX {
        faults.note("fencing_token", "is larger than any that was ever issued");
    }
    FencingToken(number)
}

fn lease(faults: &mut Faults, given: Option<prost_types::Duration>) -> Option<Duration> {
    let lease = faults.span("lease", given)?;
    if lease.is_zero() {
        return faults.none("lease", "must be longer than nothing");
    }
    Some(lease)
}

fn strategy(faults: &mut Faults, number: i32) -> Option<Strategy> {
    match v1::InProgressStrategy::try_from(number) {
        Ok(v1::InProgressStrategy::Unspecified) => None,
        Ok(v1::InProgressStrategy::Pending) => Some(Strategy::Pending),
        Ok(v1::InProgressStrategy::Wait) => Some(Strategy::Wait),
        Ok(v1::InProgressStrategy::Reject) => Some(Strategy::Reject),
        Err(_) => faults.none("in_progress_strategy", format!("has no value {number}")),
    }
}

fn first_sent(
    faults: &mut Faults,
    given: Option<prost_types::Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let time = faults.moment("first_sent_time", given)?;
    if time > now.after(AHEAD_MAX) {
        return faults.none("first_sent_time", "lies more than 60 s ahead of the server's clock");
    }
    Some(time)
}

fn check_labels(faults: &mut Faults, labels: &BTreeMap<String, String>) {
    if labels.len() > LABELS_MAX {
        faults.note("labels", format!("has {} labels; at most {LABELS_MAX}", labels.len()));
    }
    let bytes: usize = labels.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > TEXT_MAX {
        faults.note("labels", format!("has {bytes} bytes in all; at most {TEXT_MAX}"));
    }
}

#[cfg(test)]
mod tests;
