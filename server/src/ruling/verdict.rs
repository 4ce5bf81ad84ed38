//! What a caller is told. Refusals are verdicts, not errors.

use std::time::Duration;

use super::Etag;
use crate::{
    clock::Timestamp,
    payload::PayloadHash,
    record::{FencingToken, Standing},
};

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
