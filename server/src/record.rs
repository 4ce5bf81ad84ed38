//! What is remembered of one intent.
//!
//! Plain values: no clock, no I/O. How a record is laid out on disk is `record/codec.rs`; what is
//! done with it is `ruling.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use uuid::Uuid;

use crate::{clock::Timestamp, payload::PayloadHash};

pub use self::{
    outcome::{
        Content, ContentInfo, Failure, Money, Outcome, ResultKind, Settlement, Source, Success,
    },
    report::{Answer, NotAppliedReason, Report, ReportKind, Said},
};

/// Most tokens that are ever issued for one key.
pub const TOKENS_MAX: usize = 1_000;
/// Earlier attempts, late reports and audit entries whose details are kept.
pub const DETAILS_MAX: usize = 16;
/// Spent claimants that are noted on a record.
pub const SPENT_MAX: usize = 16;
/// How long a spent claimant is noted.
pub const SPENT_FOR: Duration = Duration::from_secs(600);

/// Rises with every grant of a key. Positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FencingToken(pub i64);

/// Names one Claim or Reclaim call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claimant(pub Uuid);

/// Names one write of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Revision(pub Uuid);

/// All that is remembered of one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct Record {
    /// Fresh with every write.
    pub revision: Revision,
    /// Counts the writes.
    pub version: u64,
    /// When it was last written.
    pub written: Timestamp,
    /// What was asked for; absent if it was adopted from the provider, or holds spent claimants
    /// alone.
    pub payload_hash: Option<PayloadHash>,
    /// Where it stands, as written; a lease may have ended since.
    pub state: State,
    /// Settled, but contradicted.
    pub disputed: bool,
    /// Reported by a holder of whose grant there was no record.
    pub orphan: bool,
    /// Recorded from the provider's view, without a claim.
    pub adopted: bool,
    /// The success was reported after its attempt had been released.
    pub after_release: bool,
    /// Every token ever issued, in their order. At most [`TOKENS_MAX`].
    pub grants: Vec<Grant>,
    /// Grants since reconciliation or Resolve last released it: what `max_attempts` bounds.
    pub grants_since_release: u32,
    /// The current token was named by a Renew, Complete or Release.
    pub token_used: bool,
    /// Who holds the current attempt, for people.
    pub holder: String,
    /// Request id, trace id: for people.
    pub labels: BTreeMap<String, String>,
    /// By which rules the current attempt was granted.
    pub terms: Terms,
    /// Key forwarded to the provider: the same for every attempt.
    pub provider_key: String,
    /// First grant; for a record without one, its making.
    pub first_claim_time: Timestamp,
    /// End of the current lease as estimated, or the time at which it was cleared. Not for deciding
    /// who holds it.
    pub lease_end: Timestamp,
    /// What the effect is meant to move.
    pub amount: Option<Money>,
    /// When it was compared with the provider, or resolved.
    pub reconcile_time: Option<Timestamp>,
    /// When the provider was first seen not to have it.
    pub absence_seen: Option<Timestamp>,
    /// Every report and the answer it got, oldest first.
    pub reports: Vec<Report>,
    /// How many late reports were cut.
    pub late_reports_cut: u32,
    /// Who changed it by hand or by reconciliation, oldest first; at most [`DETAILS_MAX`].
    pub audit: Vec<AuditEntry>,
    /// How many audit entries were cut.
    pub audit_cut: u32,
    /// Claimants that gave up before they were granted, oldest first; at most [`SPENT_MAX`].
    pub spent: Vec<SpentClaimant>,
    /// How many spent claimants were cut before their time.
    pub spent_cut: u32,
    /// W3C traceparent of the granted call.
    pub traceparent: Option<String>,
}

/// Where a record stands, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Granted; the store knows whether its lease is live.
    Claimed,
    /// Nobody knows whether it happened.
    Unknown(UnknownCause),
    /// Surely not done.
    Released,
    /// It has an outcome.
    Settled(Settlement),
}

/// What made a record unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownCause {
    /// The holder said that it does not know.
    Reported,
    /// The last attempt had no effect; an earlier one may have had.
    EarlierAttempt,
}

/// One grant of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Its token.
    pub token: FencingToken,
    /// 1, 2, 3 …; 0 for a grant that the store has forgotten.
    pub attempt: u32,
    /// To which call; absent for a grant that the store has forgotten.
    pub claimant: Option<Claimant>,
    /// To whom, for people.
    pub holder: String,
    /// When.
    pub claim_time: Timestamp,
    /// How it ended.
    pub end: AttemptEnd,
    /// When it ended.
    pub end_time: Option<Timestamp>,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// It has not, as far as the record knows.
    Open,
    /// Without a word: its effect may have happened.
    Unresolved,
    /// Its holder said that it surely did nothing.
    Released,
    /// Evidence or an operator says that it surely did nothing.
    Cleared,
    /// Its holder reported a final failure without effect.
    Failed,
    /// Its holder reported success.
    Succeeded,
}

/// The rules by which an attempt was granted; later policy edits loosen none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Kind of effect.
    pub effect_class: EffectClass,
    /// How long the provider remembers our key.
    pub provider_window: Option<Duration>,
    /// The lease that was given.
    pub lease: Duration,
    /// Longest lease that a Renew can ask for.
    pub max_lease: Duration,
    /// Longest time that renewals can hold one attempt.
    pub max_hold: Duration,
    /// Longest time that one call of the effect may run.
    pub effect_timeout: Duration,
    /// How long after the lease's end evidence counts.
    pub evidence_delay: Duration,
    /// How long a settled intent is remembered.
    pub retention: Duration,
    /// How long its result is kept.
    pub result_retention: Duration,
    /// Settled intents are compared with the provider before they may expire.
    pub reconcile: bool,
}

/// Kind of effect, by strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EffectClass {
    /// Doing it twice is the same as once.
    NaturallyIdempotent,
    /// The target deduplicates by the provider key.
    Keyed,
    /// Each time adds up, and the target does not deduplicate.
    Accumulative,
    /// Outside, not reversible, and the target does not surely deduplicate.
    External,
}

/// A change made by hand or by reconciliation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who.
    pub principal: String,
    /// Why, as told.
    pub reason: String,
    /// Ticket, report or provider reference.
    pub reference: String,
    /// When.
    pub time: Timestamp,
    /// Where it stood.
    pub before: Standing,
    /// Where it stands.
    pub after: Standing,
    /// The revision that was judged.
    pub judged: Revision,
    /// Digest of the decision: the same one sent again is answered OK.
    pub decision: [u8; 32],
}

/// Where an intent stands, derived from the record and its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Granted, lease live.
    Live,
    /// Granted, lease over.
    Over,
    /// Said to be unknown.
    Unknown,
    /// Surely not done.
    Released,
    /// Done.
    Succeeded,
    /// Finally failed.
    Failed,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Live => "in progress",
            Self::Over | Self::Unknown => "unknown",
            Self::Released => "released",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        })
    }
}

/// A claimant that gave up before it was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentClaimant {
    /// Which.
    pub claimant: Claimant,
    /// When it was noted.
    pub time: Timestamp,
}

impl Record {
    /// The current grant, if there ever was one: the last that the store did not forget.
    pub fn current(&self) -> Option<&Grant> {
        self.grants.iter().rev().find(|grant| grant.attempt > 0).or(self.grants.last())
    }

    /// The current token, if there is one.
    pub fn token(&self) -> Option<FencingToken> {
        self.current().map(|grant| grant.token)
    }

    /// The current attempt; 0 if there is none.
    pub fn attempt(&self) -> u32 {
        self.current().map_or(0, |grant| grant.attempt)
    }

    /// The outcome, if there is one.
    pub fn settlement(&self) -> Option<&Settlement> {
        match &self.state {
            State::Settled(settlement) => Some(settlement),
            State::Claimed | State::Unknown(_) | State::Released => None,
        }
    }

    /// Somebody reported success, nobody refuted it, and it is not settled.
    pub fn is_contested(&self) -> bool {
        self.settlement().is_none() && self.reports.iter().any(Report::is_standing_success)
    }

    /// When the newest late report came, if there is one.
    pub fn last_late_report(&self) -> Option<Timestamp> {
        self.reports.iter().filter(|report| report.is_late()).map(|report| report.time).max()
    }

    /// Every id of the provider's own that the outcome or a report names.
    pub fn provider_references(&self) -> BTreeSet<&str> {
        let outcome = self.settlement().and_then(|settled| settled.outcome.provider_reference());
        let reported = self.reports.iter().filter_map(|report| report.said.provider_reference());
        outcome.into_iter().chain(reported).collect()
    }

    /// It holds spent claimants alone: for everybody else there is no record.
    pub fn is_spent_only(&self) -> bool {
        self.grants.is_empty()
            && self.payload_hash.is_none()
            && !self.adopted
            && self.state == State::Released
    }
}

pub mod codec;
mod outcome;
mod report;
