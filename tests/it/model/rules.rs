//! The bounds of one exploration: the policy, who takes part, and how much may go wrong.

use std::time::Duration;

use onced::{
    clock::Timestamp,
    policy::Policy,
    record::EffectClass,
    ruling::{Given, Request, Ruling},
    store::Stored,
};

/// A core: the real one, or one that is broken on purpose.
pub(super) type Core = fn(Option<&Stored>, &Request, &Given<'_>, Timestamp) -> Ruling;

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
            core: onced::ruling::rule,
            policy,
            deduplicates,
            executions: &[Opening::Claim, Opening::Claim, Opening::Reclaim],
            judges: 1,
            honest_holders: true,
            right_provider: true,
            resends: 1,
            reports: 2,
            renewals: false,
            copies: 1,
            uncertain: 0,
            tasks: 1,
        }
    }

    /// Nobody lies: what the record says must be true.
    pub(super) fn is_honest(&self) -> bool {
        self.honest_holders && self.right_provider
    }
}
