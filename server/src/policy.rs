//! What the server does with each operation: the policy file.
//!
//! Never read by an engine. `policy/file.rs` reads the file, `policy/judge.rs` says what is wrong
//! with it, `policy/live.rs` reloads it, `policy/report.rs` tells people what it says.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    intent::ProviderKeyForm,
    record::{EffectClass, Terms},
};

pub mod file;
mod judge;
pub mod live;
pub mod report;
mod rules;

pub use self::{
    file::PolicySet,
    live::{Policies, Reload},
    rules::{LastExpiry, Rules},
};
pub use crate::fault::Fault;

/// How the server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// For real: only what the file declares.
    Serve,
    /// On the developer's machine: any name, short memories allowed.
    Dev,
}

/// Shortest lease.
pub const LEASE_MIN: Duration = Duration::from_secs(2);

/// One operation's policy, every default filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub struct Policy {
    /// Kind of effect.
    pub effect_class: EffectClass,
    /// How long the provider remembers our key; past it, keyed counts as external.
    pub provider_window: Option<Duration>,
    /// Form of the provider key.
    pub provider_key: ProviderKeyForm,
    /// Lease when none is asked for.
    pub lease: Duration,
    /// Longest lease that one Claim or Renew can ask for.
    pub max_lease: Duration,
    /// Longest time that renewals can hold one attempt.
    pub max_hold: Duration,
    /// Longest time that one call of the effect may run.
    pub effect_timeout: Duration,
    /// Grants until reconciliation or Resolve must open it again.
    pub max_attempts: u32,
    /// How long a settled intent is remembered.
    pub retention: Duration,
    /// How long its result is kept.
    pub result_retention: Duration,
    /// Largest result, in bytes.
    pub result_bytes_max: u32,
    /// What a duplicate of a running attempt gets.
    pub in_progress_strategy: Strategy,
    /// Longest hold of a waiting call.
    pub max_wait: Duration,
    /// Claim itself reclaims an unresolved intent, where the provider deduplicates.
    pub reclaim_on_expiry: bool,
    /// Settled intents are compared with the provider before they may expire.
    pub reconcile: bool,
    /// When they are.
    pub reconcile_after: Duration,
    /// How long after the lease's end evidence counts.
    pub evidence_delay: Duration,
    /// Two spaced findings of absence release without a person.
    pub release_on_absence: bool,
    /// Nothing was sent before the operation's memory starts.
    pub nothing_sent_before_memory: bool,
    /// Declared windows by name; retention covers the longest.
    pub windows: BTreeMap<String, Duration>,
}

/// What a duplicate of a running attempt gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `in progress` at once.
    Pending,
    /// The outcome, if it comes soon enough.
    Wait,
    /// A refusal; only ever by call.
    Reject,
}

impl Policy {
    /// The defaults, for an effect class.
    pub fn of_class(effect_class: EffectClass) -> Self {
        const DAY: u64 = 86_400;
        Self {
            effect_class,
            provider_window: None,
            provider_key: ProviderKeyForm::Text,
            lease: Duration::from_secs(30),
            max_lease: Duration::from_secs(300),
            max_hold: Duration::from_secs(3_600),
            effect_timeout: Duration::from_secs(20),
            max_attempts: 5,
            retention: Duration::from_secs(45 * DAY),
            result_retention: Duration::from_secs(45 * DAY),
            result_bytes_max: 65_536,
            in_progress_strategy: Strategy::Pending,
            max_wait: Duration::from_secs(10),
            reclaim_on_expiry: false,
            reconcile: effect_class == EffectClass::External,
            reconcile_after: Duration::from_secs(2 * DAY),
            evidence_delay: Duration::from_secs(30),
            release_on_absence: false,
            nothing_sent_before_memory: false,
            windows: BTreeMap::new(),
        }
    }

    /// The rules that a grant made now is held to.
    pub fn terms(&self, lease: Duration) -> Terms {
        Terms {
            effect_class: self.effect_class,
            provider_window: self.provider_window,
            lease,
            max_lease: self.max_lease,
            max_hold: self.max_hold,
            effect_timeout: self.effect_timeout,
            evidence_delay: self.evidence_delay,
            retention: self.retention,
            result_retention: self.result_retention,
            reconcile: self.reconcile,
        }
    }

    /// The lease for a wish: whole seconds, at least [`LEASE_MIN`], at most `max_lease`.
    pub fn lease_for(&self, wanted: Option<Duration>) -> Duration {
        whole_seconds(wanted.unwrap_or(self.lease)).clamp(LEASE_MIN, self.max_lease.max(LEASE_MIN))
    }
}

/// Rounded up to whole seconds.
pub fn whole_seconds(span: Duration) -> Duration {
    Duration::from_secs(span.as_secs() + u64::from(span.subsec_nanos() > 0))
}

/// By strictness.
pub(crate) const CLASSES: [EffectClass; 4] = [
    EffectClass::NaturallyIdempotent,
    EffectClass::Keyed,
    EffectClass::Accumulative,
    EffectClass::External,
];

/// The name of a class in the policy file, in logs and on the command line.
pub fn class_name(class: EffectClass) -> &'static str {
    match class {
        EffectClass::NaturallyIdempotent => "naturally_idempotent",
        EffectClass::Keyed => "keyed",
        EffectClass::Accumulative => "accumulative",
        EffectClass::External => "external",
    }
}
