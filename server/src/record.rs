//! What is remembered of one intent.
//!
//! Plain values: no clock, no I/O. How a record is laid out on disk is `record/codec.rs`; what is done with it is
//! `ruling.rs`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use bytes::Bytes;
use uuid::Uuid;

use crate::{clock::Timestamp, payload::PayloadHash};

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
    /// What was asked for; absent if it was adopted from the provider, or holds spent claimants alone.
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
    /// End of the current lease as estimated, or the time at which it was cleared. Not for deciding who holds it.
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

/// An outcome and how it came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// What became of it.
    pub outcome: Outcome,
    /// Which attempt; 0 where no attempt is known.
    pub attempt: u32,
    /// When it was recorded.
    pub complete_time: Timestamp,
    /// Who said so.
    pub source: Source,
    /// It was reported after its lease had ended.
    pub late: bool,
}

/// Succeeded or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It happened.
    Succeeded(Success),
    /// It finally failed and surely had no effect.
    Failed(Failure),
}

impl Outcome {
    /// The provider's own id, if it was told.
    pub fn provider_reference(&self) -> Option<&str> {
        let reference = match self {
            Self::Succeeded(success) => &success.provider_reference,
            Self::Failed(failure) => &failure.provider_reference,
        };
        (!reference.is_empty()).then_some(reference)
    }
}

/// How an outcome became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The holder reported it.
    Holder,
    /// The provider was asked.
    Reconciliation,
    /// An operator resolved it.
    Operator,
}

/// It happened. The bytes of its result are stored beside the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Success {
    /// What is known of the result.
    pub result: ResultKind,
    /// What it moved, if told.
    pub amount: Option<Money>,
    /// The provider's own id; empty if not told.
    pub provider_reference: String,
}

/// What is known of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// The effect returns nothing.
    NoneGiven,
    /// There was one, and the holder left it out.
    Omitted,
    /// Nobody but the holder ever knew it.
    NeverKnown,
    /// It was erased on request.
    Erased,
    /// It was given, empty or not; the bytes are kept for the result retention.
    Given(ContentInfo),
}

/// All of a content but its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentInfo {
    /// How many bytes.
    pub length: u64,
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
    /// Media type; empty if not told.
    pub content_type: String,
    /// It was given as text.
    pub text: bool,
}

/// Bytes with their type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The bytes, replayed as given.
    pub body: Bytes,
    /// They were given as text.
    pub text: bool,
    /// Media type; empty if not told.
    pub content_type: String,
}

/// It finally failed and surely had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Machine-readable class: `card_declined`.
    pub kind: String,
    /// For people.
    pub message: String,
    /// What a caller needs to raise the same error again.
    pub detail: Option<Content>,
    /// The provider's own id of the refusal; empty if not told.
    pub provider_reference: String,
}

/// An amount in a currency; the shape of google.type.Money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Money {
    /// ISO 4217 code.
    pub currency_code: String,
    /// Whole units.
    pub units: i64,
    /// Billionths of a unit, of the same sign.
    pub nanos: i32,
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

/// One report and the answer that it got; sent again it gets that answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Under which token.
    pub token: FencingToken,
    /// Of what kind, and what it said, without the bytes of its result.
    pub said: Said,
    /// Digest of all that it said.
    pub digest: [u8; 32],
    /// What it was told.
    pub answer: Answer,
    /// When.
    pub time: Timestamp,
    /// An operator's verdict says that it was wrong.
    pub refuted: bool,
}

/// What a report says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It happened.
    Succeeded(Success),
    /// It finally failed without effect.
    Failed(Failure),
    /// The holder does not know.
    Unknown,
    /// It surely did not happen.
    Released(NotAppliedReason),
}

/// The kind of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKind {
    /// It happened.
    Succeeded,
    /// It finally failed without effect.
    Failed,
    /// The holder does not know.
    Unknown,
    /// It surely did not happen.
    Released,
}

impl Said {
    /// Its kind.
    pub fn kind(&self) -> ReportKind {
        match self {
            Self::Succeeded(_) => ReportKind::Succeeded,
            Self::Failed(_) => ReportKind::Failed,
            Self::Unknown => ReportKind::Unknown,
            Self::Released(_) => ReportKind::Released,
        }
    }

    /// The provider's own id, if it was told.
    pub fn provider_reference(&self) -> Option<&str> {
        let reference = match self {
            Self::Succeeded(success) => &success.provider_reference,
            Self::Failed(failure) => &failure.provider_reference,
            Self::Unknown | Self::Released(_) => return None,
        };
        (!reference.is_empty()).then_some(reference)
    }
}

/// What a report was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Taken.
    Recorded {
        /// It came after the end of its lease.
        late: bool,
    },
    /// Another outcome is recorded; kept as a late report.
    Conflict,
    /// Its token is not current; kept as a late report.
    Fenced,
}

impl Report {
    /// It came under a token, or with an outcome, that was not taken: evidence, never dropped.
    pub fn is_late(&self) -> bool {
        !matches!(self.answer, Answer::Recorded { .. })
    }

    /// It says that the effect happened, and nobody has said that this is wrong.
    pub fn is_standing_success(&self) -> bool {
        matches!(self.said, Said::Succeeded(_)) && !self.refuted
    }
}

/// Why a holder is certain that nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAppliedReason {
    /// The effect was never started.
    NotStarted,
    /// The target answered that it did not do it.
    RejectedByTarget,
    /// It was part of a local transaction that was rolled back.
    RolledBack,
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
