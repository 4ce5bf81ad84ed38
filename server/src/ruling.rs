//! The decision procedure: what every request gets, whatever is stored.
//!
//! No clock, no I/O, no async, no wire types. The same inputs give the same ruling. A ruling is a
//! verdict and, where something changes, a write; the verdict may be answered only after the write
//! was applied, on exactly the record that was judged. Refusals are verdicts, not errors.

use std::time::Duration;

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    policy::Policy,
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
mod request;
mod resolve;
mod verdict;

pub use self::{
    duplicate::duplicate,
    look::{evidence_start, present, shown_etag, standing, terms},
    request::{
        Claim, Complete, Etag, Evidence, Finding, Get, Reclaim, Release, ReleasedGrant, Renew,
        Reported, ReportedResult, ReportedSuccess, Request, Resolve, ResolveVerdict,
    },
    verdict::{Granted, ReclaimRule, Refusal, Renewed, Unknown, UnknownReason, Verdict},
};

/// What a ruling needs beside the record and the request.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The operation's policy today, if it has one.
    pub policy: Option<&'a Policy>,
    /// How far back the store remembers the operation.
    pub memory: &'a Memory,
    /// Since when grants may be forgotten, where the memory has a gap.
    pub forgotten_since: Timestamp,
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
