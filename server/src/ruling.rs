//! The decision procedure: what every request gets, whatever is stored.
//!
//! No clock, no I/O, no async, no wire types. The same inputs give the same ruling. A ruling is a verdict and, where
//! something changes, a write; the verdict may be answered only after the write was applied, on exactly the record that
//! was judged. Refusals are verdicts, not errors.

use std::{collections::BTreeMap, time::Duration};

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    payload::{Payload, PayloadHash},
    policy::Policy,
    record::{
        Claimant, Content, Failure, FencingToken, Money, NotAppliedReason, Revision, Standing,
    },
    store::{Memory, Stored, Write},
};

mod audit;
mod claim;
mod complete;
mod draft;
mod duplicate;
mod get;
mod grant;
mod look;
mod memory;
mod reclaim;
mod release;
mod renew;
mod resolve;

pub use self::{
    draft::content,
    duplicate::duplicate,
    look::{evidence_start, present, shown_etag, standing, terms},
};

/// A request, already valid in form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// May I?
    Claim(Claim),
    /// This is what became of it.
    Complete(Complete),
    /// Where does it stand?
    Get(Get),
    /// Let me take it over.
    Reclaim(Reclaim),
    /// I need longer.
    Renew(Renew),
    /// It surely did not happen.
    Release(Release),
    /// An operator's verdict.
    Resolve(Resolve),
}

/// Request for the right to perform an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Names this call.
    pub claimant: Claimant,
    /// Who that is, for people.
    pub holder: String,
    /// What is asked for.
    pub payload: Payload,
    /// Wanted lease.
    pub lease: Option<Duration>,
    /// When the initiator first sent the intent.
    pub first_sent_time: Option<Timestamp>,
    /// What the effect is meant to move.
    pub amount: Option<Money>,
    /// For people.
    pub labels: BTreeMap<String, String>,
    /// W3C traceparent of the call.
    pub traceparent: Option<String>,
}

/// Report of an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Under which token.
    pub token: FencingToken,
    /// What became of it.
    pub outcome: Reported,
    /// As in the grant.
    pub payload: Option<Payload>,
}

/// A reported outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reported {
    /// It happened.
    Succeeded(ReportedSuccess),
    /// It finally failed without effect.
    Failed(Failure),
    /// The holder does not know.
    Unknown,
}

/// A reported success, with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedSuccess {
    /// The result.
    pub result: ReportedResult,
    /// What it moved, if told.
    pub amount: Option<Money>,
    /// The provider's own id; empty if not told.
    pub provider_reference: String,
}

/// A result as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportedResult {
    /// The effect returns nothing.
    NoneGiven,
    /// There is one, and it is left out.
    Omitted,
    /// This.
    Given(Content),
}

/// Request to see a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Get {
    /// Compared first, if given.
    pub payload: Option<Payload>,
}

/// Request to take over an unresolved intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reclaim {
    /// Names this call.
    pub claimant: Claimant,
    /// Who that is, for people.
    pub holder: String,
    /// What is asked for.
    pub payload: Payload,
    /// The record that was judged.
    pub etag: Option<Etag>,
    /// What was found out at the provider. Given only with an etag.
    pub evidence: Option<Evidence>,
    /// Wanted lease.
    pub lease: Option<Duration>,
    /// Why.
    pub reason: String,
    /// Who asks, as authenticated.
    pub principal: String,
    /// W3C traceparent of the call.
    pub traceparent: Option<String>,
}

/// Names a record as it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Etag {
    /// There was no record.
    None,
    /// This revision.
    Revision {
        /// Which.
        revision: Revision,
        /// The server marked it: seen with its lease over and its evidence time come.
        marked: bool,
    },
}

/// What was found out at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// What.
    pub finding: Finding,
    /// Where it can be seen again.
    pub reference: String,
}

/// What the provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It does not have it.
    NotApplied,
    /// It has it.
    Applied(ReportedSuccess),
}

/// Request for a longer lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renew {
    /// Of which grant.
    pub token: FencingToken,
    /// Wanted lease from now.
    pub lease: Option<Duration>,
}

/// Statement that the effect surely did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Of which grant.
    pub grant: ReleasedGrant,
    /// Why it is certain.
    pub reason: NotAppliedReason,
}

/// Which grant is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleasedGrant {
    /// The one with this token.
    Token(FencingToken),
    /// The one that this call was given, if it was given one.
    Claimant(Claimant),
}

/// An operator's verdict on an intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolve {
    /// The record that was judged.
    pub etag: Etag,
    /// What became of it.
    pub verdict: ResolveVerdict,
    /// Why.
    pub reason: String,
    /// Ticket, report or provider reference.
    pub reference: String,
    /// Who decides, as authenticated.
    pub principal: String,
}

/// What an operator found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveVerdict {
    /// It happened.
    Succeeded(ReportedSuccess),
    /// It finally failed without effect.
    Failed(Failure),
    /// It did not happen: the next attempt is free.
    NotApplied,
}

/// What a ruling needs beside the record and the request.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The operation's policy today, if it has one.
    pub policy: Option<&'a Policy>,
    /// How far back the store remembers the operation.
    pub memory: &'a Memory,
    /// For the write, if there is one.
    pub revision: Uuid,
    /// The provider key of the intent, in the policy's form.
    pub provider_key: &'a str,
    /// By how much the clocks that judge leases may differ from `now`.
    pub clock_bound: Duration,
}

/// A verdict, and the write that must be applied before it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What the caller is told.
    pub verdict: Verdict,
    /// What must stand first.
    pub write: Option<Box<Write>>,
}

/// What the caller is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// To Claim and Reclaim: perform the effect now.
    Granted(Granted),
    /// To Claim and Reclaim: it has an outcome; the record holds it.
    Completed,
    /// To Claim and Reclaim: somebody is at it.
    InProgress {
        /// To the attempt's own claimant alone.
        own_token: Option<FencingToken>,
    },
    /// To Claim and Reclaim: nobody knows.
    Unknown(Unknown),
    /// To Complete: taken.
    Reported {
        /// The same report was taken before.
        repeated: bool,
        /// It came after the end of its lease.
        late: bool,
    },
    /// To Get: here it is.
    Shown,
    /// To Renew: held for this much longer.
    Renewed(Renewed),
    /// To Release: taken.
    Released {
        /// The same was said before.
        repeated: bool,
    },
    /// To Resolve: taken; the record holds it.
    Resolved,
    /// To any: no, and why.
    Refused(Refusal),
}

/// The right to perform the effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// Which attempt.
    pub attempt: u32,
    /// Its token.
    pub token: FencingToken,
    /// The key to forward to the provider.
    pub provider_key: String,
    /// What is left of the lease; from the sending of the write, where there is one.
    pub lease: Duration,
    /// This claimant was given this grant before.
    pub repeated: bool,
    /// An unresolved attempt was taken over for it.
    pub reclaimed: bool,
    /// The wanted lease was shortened to the policy's longest.
    pub lease_shortened: bool,
    /// When the provider forgets the provider key.
    pub provider_key_expire_time: Option<Timestamp>,
    /// Longest time that one call of the effect may run.
    pub effect_timeout: Duration,
}

/// Nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Why.
    pub reason: UnknownReason,
    /// What Reclaim would need.
    pub reclaim_rule: ReclaimRule,
    /// Before this, evidence proves nothing.
    pub evidence_start: Timestamp,
    /// The record as judged: what Reclaim and Resolve are to name.
    pub etag: Etag,
    /// To the attempt's own claimant alone.
    pub own_token: Option<FencingToken>,
}

/// Why nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The lease ended without an outcome.
    LeaseEnded,
    /// The holder said so.
    Reported,
    /// The store's memory does not reach back far enough to say that the key is fresh.
    MemoryGap,
    /// Somebody reported success under an attempt that is not settled.
    SuccessReported,
    /// The last attempt had no effect; an earlier one may have had.
    EarlierAttempt,
}

/// What Reclaim would need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReclaimRule {
    /// Nothing: the provider deduplicates by the provider key.
    Allowed,
    /// Evidence that the effect did not happen.
    EvidenceRequired,
    /// Reconciliation or an operator: the attempts are used up.
    AttemptsExhausted,
    /// Reconciliation or an operator: a success was reported.
    ResolveRequired,
}

/// A longer lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewed {
    /// What is left now; from the sending of the write, where there is one.
    pub lease: Duration,
    /// Past this no renewal is given.
    pub hold_end: Timestamp,
    /// Somebody else reported success meanwhile.
    pub contested: bool,
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request cannot be meant so: a field, and what is wrong with it.
    InvalidField {
        /// Path of the field.
        field: &'static str,
        /// What is wrong.
        description: String,
    },
    /// Same key, other payload.
    KeyReused {
        /// The stored hash.
        stored: PayloadHash,
        /// The given one.
        given: PayloadHash,
        /// First grant of the key.
        first_claim_time: Timestamp,
    },
    /// Hashes of two schemes cannot be compared.
    HashSchemeDiffers {
        /// The stored scheme.
        stored: String,
        /// The given one.
        given: String,
    },
    /// Resolve of a live lease.
    InProgress {
        /// Which attempt.
        attempt: u32,
        /// What is left of its lease.
        left: Duration,
    },
    /// The token is not current.
    Fenced {
        /// The attempt that is.
        current_attempt: u32,
        /// The report was kept as evidence.
        kept: bool,
    },
    /// This claimant's attempt has ended.
    ClaimantSpent,
    /// The lease has ended.
    LeaseLost {
        /// When.
        lease_end: Timestamp,
    },
    /// The longest hold is reached.
    HoldExhausted {
        /// When it was.
        hold_end: Timestamp,
    },
    /// Another outcome is recorded.
    OutcomeConflict {
        /// Which.
        recorded: Standing,
    },
    /// It has an outcome.
    AlreadySettled {
        /// Which.
        recorded: Standing,
    },
    /// The record changed since it was judged.
    EtagMismatch {
        /// What stands there now.
        etag: Etag,
    },
    /// The record was judged before evidence counts.
    EvidenceTooEarly {
        /// From when on it does.
        evidence_start: Timestamp,
    },
    /// No record, and first sent before the memory reaches.
    IntentTooOld {
        /// How far it reaches.
        memory_start: Timestamp,
    },
    /// No record.
    KeyNotFound,
    /// No policy for the operation.
    OperationUnknown,
}

impl Ruling {
    fn answer(verdict: Verdict) -> Self {
        Self { verdict, write: None }
    }

    fn refuse(refusal: Refusal) -> Self {
        Self::answer(Verdict::Refused(refusal))
    }

    fn after(write: Write, verdict: Verdict) -> Self {
        Self { verdict, write: Some(Box::new(write)) }
    }
}

/// What a request gets, given what is stored.
pub fn rule(
    stored: Option<&Stored>,
    request: &Request,
    given: &Given<'_>,
    now: Timestamp,
) -> Ruling {
    match request {
        Request::Claim(claim) => claim::rule(stored, claim, given, now),
        Request::Complete(complete) => complete::rule(stored, complete, given, now),
        Request::Get(get) => get::rule(stored, get),
        Request::Reclaim(reclaim) => reclaim::rule(stored, reclaim, given, now),
        Request::Renew(renew) => renew::rule(stored, renew, given, now),
        Request::Release(release) => release::rule(stored, release, given, now),
        Request::Resolve(resolve) => resolve::rule(stored, resolve, given, now),
    }
}

#[cfg(test)]
mod tests;
