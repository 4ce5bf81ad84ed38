//! The bounds of one exploration: the policy, who takes part, and how much may go wrong.

use std::time::Duration;

use onced::{
    clock::Timestamp,
    policy::Policy,
    record::EffectClass,
    ruling::{Given, Request, Ruling},
    store::Stored,
};

use super::invariant::Invariant;

/// What a core is asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub stored: Option<&'a Stored>,
    pub request: &'a Request,
    pub given: &'a Given<'a>,
    pub now: Timestamp,
}

/// A core: the real one, or one that is broken on purpose.
pub(super) type Core = fn(Asked<'_>) -> Ruling;

/// The real one.
pub(super) fn real(asked: Asked<'_>) -> Ruling {
    onced::ruling::rule(asked.stored, asked.request, asked.given, asked.now)
}

/// How long the provider remembers a key, in the explored worlds.
pub(super) const PROVIDER_WINDOW: Duration = Duration::from_secs(86_400);

/// How an execution begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    Claim,
    Reclaim,
}

/// What is explored.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bound of its own")]
pub(super) struct Rules {
    pub core: Core,
    pub policy: Policy,
    /// The provider deduplicates by the provider key.
    pub deduplicates: bool,
    /// Who takes part, and how each begins.
    pub executions: &'static [Opening],
    /// How many judgements operators and reconcilers make.
    pub judges: usize,
    /// Holders say only what they know, and send nothing after they said that they did not.
    pub honest_holders: bool,
    /// The provider that is asked is the right one.
    pub right_provider: bool,
    /// How often each execution sends its Claim again.
    pub resends: u8,
    /// How many reports each execution makes.
    pub reports: u8,
    /// Whether holders renew.
    pub renewals: bool,
    /// How many copies arrive late, of whatever was sent.
    pub copies: u8,
    /// How many writes are applied without the replica knowing it.
    pub uncertain: u8,
    /// Whether time also passes while a lease runs.
    pub slow: bool,
    /// The store writes only on the row that was judged.
    pub store_compares: bool,
    /// The one invariant that is looked at; all if absent.
    pub only: Option<Invariant>,
    /// How many rulings may wait for their write at a time.
    pub tasks: usize,
}

impl Rules {
    pub(super) fn of_class(class: EffectClass) -> Self {
        let deduplicates = class == EffectClass::Keyed;
        let policy = Policy {
            provider_window: deduplicates.then_some(PROVIDER_WINDOW),
            max_attempts: 3,
            ..Policy::of_class(class)
        };
        Self {
            core: real,
            policy,
            deduplicates,
            executions: &[Opening::Claim],
            judges: 0,
            honest_holders: true,
            right_provider: true,
            resends: 0,
            reports: 2,
            renewals: false,
            copies: 0,
            uncertain: 0,
            slow: false,
            store_compares: true,
            only: None,
            tasks: 0,
        }
    }

    /// Nobody lies: what the record says must be true.
    pub(super) fn is_honest(&self) -> bool {
        self.honest_holders && self.right_provider
    }
}
