//! Every message that somebody can send in the explored world, and what it can be told.
//!
//! A message is a name; the request behind it is made from what its sender knew when it first sent
//! it, so that a copy is the same request byte for byte.

use std::collections::BTreeMap;

use bytes::Bytes;
use onced::{
    payload::{Payload, PayloadHash},
    record::{Claimant, Content, Failure, FencingToken, NotAppliedReason},
    ruling::{
        Claim, Complete, Etag, Evidence, Finding, Reclaim, Refusal, Release, ReleasedGrant, Renew,
        Reported, ReportedResult, ReportedSuccess, Request, Resolve, ResolveVerdict, Verdict,
    },
};
use uuid::Uuid;

use super::{
    rules::Rules,
    world::{EXECUTIONS, Effect, JUDGES, Look, World},
};

/// The first actor that is a judge: executions come before.
pub(super) const FIRST_JUDGE: u8 = 3;
const _: () = assert!(FIRST_JUDGE as usize == EXECUTIONS);

/// How many kinds of message there are.
const KINDS: usize = 10;
/// How many messages there are.
pub(super) const MESSAGES: usize = (EXECUTIONS + JUDGES) * KINDS;

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Claim,
    Reclaim,
    /// Release by claimant.
    TakeBack,
    Release,
    Succeeded,
    Failed,
    Unknown,
    Renew,
    /// What the provider said.
    Resolve,
    /// Final failure, where the provider said that nothing happened.
    ResolveFailed,
}

pub(super) const ALL_KINDS: [Kind; KINDS] = [
    Kind::Claim,
    Kind::Reclaim,
    Kind::TakeBack,
    Kind::Release,
    Kind::Succeeded,
    Kind::Failed,
    Kind::Unknown,
    Kind::Renew,
    Kind::Resolve,
    Kind::ResolveFailed,
];

/// A message: what, by whom. Executions come first, then judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub actor: u8,
    pub kind: Kind,
}

/// What a message was told, as far as the second answer must equal the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Told {
    Reported,
    Conflict,
    FencedAndKept,
    Released,
    Resolved,
    /// An answer of the moment.
    Other,
}

impl Message {
    pub(super) fn index(self) -> usize {
        usize::from(self.actor) * KINDS + self.kind as usize
    }

    pub(super) fn of_index(index: usize) -> Self {
        let actor = u8::try_from(index / KINDS).unwrap_or(u8::MAX);
        Self { actor, kind: ALL_KINDS[index % KINDS] }
    }

    pub(super) fn bit(self) -> u64 {
        1 << self.index()
    }

    pub(super) fn is_judges(self) -> bool {
        usize::from(self.actor) >= EXECUTIONS
    }

    pub(super) fn is_report(self) -> bool {
        matches!(self.kind, Kind::Release | Kind::Succeeded | Kind::Failed | Kind::Unknown)
    }

    pub(super) fn look(self, world: &World) -> Look {
        let actor = usize::from(self.actor);
        match actor.checked_sub(EXECUTIONS) {
            Some(judge) => world.judges[judge].look,
            None => world.executions[actor].look,
        }
    }
}

impl Told {
    pub(super) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Reported { .. } => Self::Reported,
            Verdict::Released { .. } => Self::Released,
            Verdict::Resolved => Self::Resolved,
            Verdict::Refused(Refusal::OutcomeConflict { .. }) => Self::Conflict,
            Verdict::Refused(Refusal::Fenced { kept: true, .. }) => Self::FencedAndKept,
            _ => Self::Other,
        }
    }
}

pub(super) fn claimant(actor: u8) -> Claimant {
    Claimant(Uuid::from_u128(u128::from(actor) + 1))
}

/// The payload of every call: it is always the same intent.
fn payload() -> Payload {
    Payload::from_hash(PayloadHash { scheme: "sha256".to_owned(), digest: "9f86".to_owned() })
}

/// What the effect returns: the same to all where the provider deduplicates.
fn success(rules: &Rules, actor: u8) -> ReportedSuccess {
    let body = if rules.deduplicates { "done".to_owned() } else { format!("done by {actor}") };
    ReportedSuccess {
        result: ReportedResult::Given(Content {
            body: Bytes::from(body),
            text: true,
            content_type: String::new(),
        }),
        amount: None,
        provider_reference: String::new(),
    }
}

/// What the provider's own listing tells.
fn seen_success() -> ReportedSuccess {
    ReportedSuccess {
        result: ReportedResult::NoneGiven,
        amount: None,
        provider_reference: "seen".to_owned(),
    }
}

fn failure(refused_by_provider: bool) -> Failure {
    let reference = if refused_by_provider { "refusal" } else { "" };
    Failure {
        kind: "declined".to_owned(),
        message: String::new(),
        detail: None,
        provider_reference: reference.to_owned(),
    }
}

/// The request behind a message.
pub(super) fn request(rules: &Rules, world: &World, message: Message) -> Request {
    match message.kind {
        Kind::Claim => Request::Claim(claim(message.actor)),
        Kind::Reclaim => Request::Reclaim(reclaim(world, message)),
        Kind::TakeBack => Request::Release(Release {
            grant: ReleasedGrant::Claimant(claimant(message.actor)),
            reason: NotAppliedReason::NotStarted,
        }),
        Kind::Release => Request::Release(Release {
            grant: ReleasedGrant::Token(token(world, message)),
            reason: NotAppliedReason::RejectedByTarget,
        }),
        Kind::Renew => Request::Renew(Renew {
            token: token(world, message),
            lease: Some(rules.policy.lease * 2),
        }),
        Kind::Succeeded => {
            complete(world, message, Reported::Succeeded(success(rules, message.actor)))
        }
        Kind::Failed => {
            let refused = world.executions[usize::from(message.actor)].effect == Effect::Refused;
            complete(world, message, Reported::Failed(failure(refused)))
        }
        Kind::Unknown => complete(world, message, Reported::Unknown),
        Kind::Resolve | Kind::ResolveFailed => Request::Resolve(resolve(world, message)),
    }
}

fn token(world: &World, message: Message) -> FencingToken {
    world.executions[usize::from(message.actor)].token.unwrap_or(FencingToken(1))
}

fn claim(actor: u8) -> Claim {
    Claim {
        claimant: claimant(actor),
        holder: String::new(),
        payload: payload(),
        lease: None,
        first_sent_time: None,
        amount: None,
        labels: BTreeMap::new(),
        traceparent: None,
    }
}

fn complete(world: &World, message: Message, outcome: Reported) -> Request {
    let token = token(world, message);
    Request::Complete(Complete { token, outcome, payload: Some(payload()) })
}

fn reclaim(world: &World, message: Message) -> Reclaim {
    let (etag, evidence) = match message.look(world) {
        Look::Provider { revision, marked, applied } => {
            let finding =
                if applied { Finding::Applied(seen_success()) } else { Finding::NotApplied };
            let evidence = Evidence { finding, reference: String::new() };
            (Some(Etag::Revision { revision, marked }), Some(evidence))
        }
        Look::Record { .. } | Look::No => (None, None),
    };
    Reclaim {
        claimant: claimant(message.actor),
        holder: String::new(),
        payload: payload(),
        etag,
        evidence,
        lease: None,
        reason: String::new(),
        principal: String::new(),
        traceparent: None,
    }
}

fn resolve(world: &World, message: Message) -> Resolve {
    let (etag, applied) = match message.look(world) {
        Look::Provider { revision, marked, applied } => {
            (Etag::Revision { revision, marked }, applied)
        }
        Look::Record { .. } | Look::No => (Etag::None, false),
    };
    let verdict = match (message.kind, applied) {
        (_, true) => ResolveVerdict::Succeeded(seen_success()),
        (Kind::ResolveFailed, false) => ResolveVerdict::Failed(failure(false)),
        (_, false) => ResolveVerdict::NotApplied,
    };
    Resolve {
        etag,
        verdict,
        reason: String::new(),
        reference: String::new(),
        principal: String::new(),
    }
}
