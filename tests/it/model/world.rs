//! The world that is explored: one row, a provider, executions, judges, and what is under way
//! between them.
//!
//! Holds no rule of its own about who may do what; the row is written by compare-and-set alone, as
//! an engine does it.

use std::{sync::Arc, time::Duration};

use onced::{
    clock::Timestamp,
    record::{FencingToken, Revision},
    ruling::Verdict,
    store::{
        Expected, Expiry, Lease, LeaseExpected, LeaseWrite, Memory, ResultWrite, Stored, Write,
    },
};
use uuid::Uuid;

use super::{
    message::{MESSAGES, Message, Told},
    rules::{PROVIDER_WINDOW, Rules},
};

/// What is left of the provider's window when it is nearly over: less than a lease.
pub(super) const WINDOW_REST: Duration = Duration::from_secs(10);

/// Most executions in one world.
pub(super) const EXECUTIONS: usize = 3;
/// Most judges: operators and reconcilers.
pub(super) const JUDGES: usize = 2;

/// Everything at one moment.
#[derive(Clone)]
pub(super) struct World {
    pub now: Timestamp,
    pub row: Option<Row>,
    pub memory: Memory,
    pub provider: Provider,
    pub executions: [Execution; EXECUTIONS],
    pub judges: [Judge; JUDGES],
    /// Ruled, and not yet written.
    pub tasks: Vec<Task>,
    /// Every message that was ever sent, as a set of bits: a copy of each may be under way.
    pub sent: u64,
    /// What each message was told first.
    pub told: [Option<Told>; MESSAGES],
    pub copies_left: u8,
    pub uncertain_left: u8,
    /// How many revisions were made.
    pub revisions: u32,
}

/// The row of the intent, and its lease on the store's clock.
#[derive(Clone)]
pub(super) struct Row {
    pub stored: Arc<Stored>,
    pub lease_end: Timestamp,
}

/// The provider: the truth.
#[derive(Clone, Copy)]
pub(super) struct Provider {
    /// How often the effect happened.
    pub applied: u8,
    /// What it remembers of the provider key, where it deduplicates.
    pub remembers: Remembered,
    /// Where the provider's window stands.
    pub window: Window,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Remembered {
    Nothing,
    Applied,
    Refused,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Window {
    Open,
    NearlyOver,
    Over,
}

/// One execution: one claimant, one Claim or Reclaim, and at most one effect.
#[derive(Clone, Copy)]
pub(super) struct Execution {
    pub asked: Stage,
    pub resends_left: u8,
    /// What it saw before a Reclaim.
    pub look: Look,
    /// Its token, once told.
    pub token: Option<FencingToken>,
    /// It may still send its effect, until its deadline.
    pub right: bool,
    pub deadline: Timestamp,
    pub effect: Effect,
    /// When its effect, once sent, has arrived or never will.
    pub effect_end: Timestamp,
    pub reports_left: u8,
    /// What it reported, as bits of [`super::message::Kind`].
    pub said: u16,
    /// It sent "if you granted it, take it back", and was told OK then.
    pub taken_back: Option<Timestamp>,
    /// The grant that its claimant was first told of.
    pub granted: Option<(FencingToken, u32)>,
    /// Its token was used in a write.
    pub used: bool,
    /// A success that it reported was answered as kept.
    pub success: Kept,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    No,
    /// No answer came yet.
    Waiting,
    Answered,
    /// It takes no answer any more.
    GaveUp,
}

/// The effect of one execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    NotSent,
    InFlight,
    Applied,
    Refused,
    /// Sent, and never seen again.
    Vanished,
}

/// A reported success.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    No,
    Yes,
    /// Kept, and said to be wrong by a judge since.
    Refuted,
}

/// What somebody saw before judging: first the record, then the provider.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    No,
    Record { revision: Revision, marked: bool },
    Provider { revision: Revision, marked: bool, applied: bool },
}

/// An operator or a reconciler: one look, one judgement.
#[derive(Clone, Copy)]
pub(super) struct Judge {
    pub look: Look,
    pub done: bool,
}

/// A ruling whose write is under way.
#[derive(Clone)]
pub(super) struct Task {
    pub message: Message,
    pub copy: bool,
    pub ruled: Arc<(Verdict, Write)>,
    pub at: Timestamp,
    /// The provider surely deduplicated then.
    pub deduplicated: bool,
    /// It was written, and the replica does not know.
    pub uncertain: bool,
}

impl World {
    /// No record, nobody has done anything.
    pub(super) fn start(rules: &Rules) -> Self {
        let start = Timestamp(1_000_000_000_000_000);
        let execution = Execution {
            asked: Stage::No,
            resends_left: rules.resends,
            look: Look::No,
            token: None,
            right: false,
            deadline: start,
            effect: Effect::NotSent,
            effect_end: start,
            reports_left: rules.reports,
            said: 0,
            taken_back: None,
            granted: None,
            used: false,
            success: Kept::No,
        };
        Self {
            now: start,
            row: None,
            memory: Memory {
                revision: Revision(Uuid::from_u128(u128::MAX)),
                start,
                smallest_retention: Duration::from_secs(45 * 86_400),
                restored: false,
                gap: false,
            },
            provider: Provider { applied: 0, remembers: Remembered::Nothing, window: Window::Open },
            executions: [execution; EXECUTIONS],
            judges: [Judge { look: Look::No, done: false }; JUDGES],
            tasks: Vec::new(),
            sent: 0,
            told: [None; MESSAGES],
            copies_left: rules.copies,
            uncertain_left: rules.uncertain,
            revisions: 0,
        }
    }

    pub(super) fn stored(&self) -> Option<&Stored> {
        self.row.as_ref().map(|row| &*row.stored)
    }

    pub(super) fn is_live(&self) -> bool {
        self.stored().is_some_and(|stored| stored.lease.is_live())
    }

    /// A revision that was never used in this world.
    pub(super) fn fresh_revision(&mut self) -> Uuid {
        self.revisions += 1;
        Uuid::from_u128(u128::from(self.revisions))
    }

    /// Time passes: leases end, effects under way for too long never arrive, the provider forgets.
    pub(super) fn pass_to(&mut self, now: Timestamp, rules: &Rules) {
        self.now = now;
        self.pass_window(rules);
        for execution in &mut self.executions {
            if execution.effect == Effect::InFlight && now >= execution.effect_end {
                execution.effect = Effect::Vanished;
            }
        }
        if let Some(row) = &mut self.row
            && row.stored.lease.is_live()
        {
            let left = row.lease_end.since(now);
            let lease = if left.is_zero() { Lease::Over } else { Lease::Live { left } };
            Arc::make_mut(&mut row.stored).lease = lease;
        }
    }

    fn pass_window(&mut self, rules: &Rules) {
        let Some(end) = self.window_end(rules) else { return };
        if self.now >= end {
            self.provider.window = Window::Over;
            self.provider.remembers = Remembered::Nothing;
        } else if self.now >= end.before(WINDOW_REST) {
            self.provider.window = Window::NearlyOver;
        }
    }

    /// The earliest time at which the provider may forget the key.
    pub(super) fn window_end(&self, rules: &Rules) -> Option<Timestamp> {
        let stored = self.stored().filter(|stored| !stored.record.grants.is_empty())?;
        if !rules.deduplicates {
            return None;
        }
        (self.provider.window != Window::Over)
            .then(|| stored.record.first_claim_time.after(PROVIDER_WINDOW))
    }

    /// Whether the provider surely still deduplicates.
    pub(super) fn is_deduplicated(&self, rules: &Rules) -> bool {
        rules.deduplicates && self.provider.window == Window::Open
    }

    /// Compare-and-set, as an engine does it.
    pub(super) fn apply(&mut self, write: Write, rules: &Rules) -> bool {
        if rules.store_compares && !self.expects(write.expected) {
            return false;
        }
        let old = self.row.take();
        let (lease, lease_end) = match write.lease {
            LeaseWrite::Start(seconds) => {
                let left = Duration::from_secs(u64::from(seconds.get()));
                (Lease::Live { left }, self.now.after(left))
            }
            LeaseWrite::Clear => (Lease::Over, self.now),
            LeaseWrite::Keep => old
                .as_ref()
                .map_or((Lease::Over, self.now), |old| (old.stored.lease, old.lease_end)),
        };
        let result = match write.result {
            ResultWrite::Keep => old.as_ref().and_then(|old| old.stored.result.clone()),
            ResultWrite::Clear => None,
            ResultWrite::Set(bytes) => Some(bytes),
        };
        let expires_in = match write.expiry {
            Expiry::Never => None,
            Expiry::Keep => old.as_ref().and_then(|old| old.stored.expires_in),
            Expiry::After(seconds) => Some(Duration::from_secs(u64::from(seconds.get()))),
        };
        let stored =
            Stored { record: write.record, result, lease, expires_in, result_expires_in: None };
        self.row = Some(Row { stored: Arc::new(stored), lease_end });
        true
    }

    pub(super) fn expects(&self, expected: Expected) -> bool {
        match (expected, self.stored()) {
            (Expected::None, row) => row.is_none(),
            (Expected::Revision { .. }, None) => false,
            (Expected::Revision { revision, lease }, Some(stored)) => {
                let lease_as_judged = match lease {
                    LeaseExpected::Any => true,
                    LeaseExpected::Live => stored.lease.is_live(),
                    LeaseExpected::Over => !stored.lease.is_live(),
                };
                stored.record.revision == revision && lease_as_judged
            }
        }
    }
}
