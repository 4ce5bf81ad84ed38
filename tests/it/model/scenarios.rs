//! What is explored: each scenario is a choice of who takes part and of what may go wrong. The
//! short ones run always, the long ones with `--ignored`.

use onced::{policy::Policy, record::EffectClass};

use super::rules::{
    Opening::{Claim, Reclaim},
    Rules,
};

/// Two attempts, and an operator who looks, asks and decides.
pub(super) fn judged(class: EffectClass) -> Rules {
    Rules { executions: &[Claim, Reclaim], judges: 1, ..Rules::of_class(class) }
}

/// Two Claims, answers lost and asked for again, writes that wait or whose fate is not known,
/// renewals.
pub(super) fn waiting(class: EffectClass) -> Rules {
    Rules {
        executions: &[Claim, Claim],
        tasks: 1,
        resends: 1,
        reports: 1,
        uncertain: 1,
        renewals: true,
        slow: true,
        ..Rules::of_class(class)
    }
}

/// A Claim and a takeover, and one message that is late or doubled.
pub(super) fn doubled(class: EffectClass) -> Rules {
    Rules { executions: &[Claim, Reclaim], copies: 1, ..Rules::of_class(class) }
}

/// One Claim, given up while it may still arrive.
pub(super) fn given_up(class: EffectClass) -> Rules {
    Rules {
        executions: &[Claim],
        copies: 1,
        tasks: 1,
        resends: 1,
        judges: 1,
        ..Rules::of_class(class)
    }
}

/// Three attempts.
pub(super) fn three(class: EffectClass) -> Rules {
    Rules { executions: &[Claim, Claim, Reclaim], ..Rules::of_class(class) }
}

/// Holders that say what they do not know, and a provider that is not the right one.
pub(super) fn careless(class: EffectClass) -> Rules {
    Rules { honest_holders: false, right_provider: false, reports: 1, ..three(class) }
}

/// Claim itself takes over, and there is but one further attempt.
pub(super) fn on_expiry() -> Rules {
    let keyed = Rules::of_class(EffectClass::Keyed);
    let policy = Policy { reclaim_on_expiry: true, max_attempts: 2, ..keyed.policy.clone() };
    Rules { policy, executions: &[Claim, Claim, Claim], ..keyed }
}

/// Everything that two executions, a judge and a network can do.
pub(super) fn long_pair(class: EffectClass) -> Rules {
    Rules { renewals: true, resends: 1, tasks: 1, uncertain: 1, ..judged(class) }
}

/// Two Claims with a late or doubled message, and writes that wait.
pub(super) fn long_doubled(class: EffectClass) -> Rules {
    Rules {
        executions: &[Claim, Claim],
        copies: 1,
        tasks: 1,
        resends: 1,
        renewals: true,
        ..Rules::of_class(class)
    }
}

/// Two attempts, a late or doubled message, and a judge.
pub(super) fn long_judged(class: EffectClass) -> Rules {
    Rules { copies: 1, ..judged(class) }
}

/// Three executions, a judge, answers lost.
pub(super) fn long_three(class: EffectClass) -> Rules {
    Rules { judges: 1, resends: 1, ..three(class) }
}

/// Three executions, and a late or doubled message.
pub(super) fn long_three_doubled(class: EffectClass) -> Rules {
    Rules { copies: 1, ..three(class) }
}

/// Careless holders, and a late or doubled message.
pub(super) fn long_careless(class: EffectClass) -> Rules {
    Rules { executions: &[Claim, Reclaim], copies: 1, reports: 2, ..careless(class) }
}

/// Careless holders, and an operator who is misled.
pub(super) fn long_misled(class: EffectClass) -> Rules {
    Rules { executions: &[Claim, Reclaim], judges: 1, reports: 2, ..careless(class) }
}
