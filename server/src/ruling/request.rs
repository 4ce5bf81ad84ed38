//! What can be asked, already valid in form.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    clock::Timestamp,
    payload::Payload,
    record::{Claimant, Content, Failure, FencingToken, Money, NotAppliedReason, Revision},
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
