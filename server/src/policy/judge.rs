//! What is wrong with a policy whose settings are each well formed.
//!
//! Reads no file and knows no line: a finding names its settings, and the reader finds the place.

use std::time::Duration;

use super::{LEASE_MIN, Mode, Policy, Rules};
use crate::{
    document::told,
    record::{EffectClass, TOKENS_MAX},
};

/// A record must outlive its longest lease by this and the margin.
const OUTLIVES_LEASE_BY: Duration = Duration::from_secs(60);
/// Shortest retention outside development: tokens rise with the clock even after a key was
/// forgotten.
const RETENTION_MIN: Duration = Duration::from_secs(3_600);
/// Largest result that any policy can allow.
const RESULT_BYTES_MAX: u32 = 1 << 20;

/// One contradiction: the settings it rests on, the guilty one first, and what it is.
pub(super) struct Finding {
    pub(super) settings: &'static [&'static str],
    pub(super) message: String,
}

/// Everything for which a policy is refused.
pub(super) fn findings(policy: &Policy, rules: &Rules) -> Vec<Finding> {
    let mut found = leases(policy);
    found.extend(retentions(policy, rules));
    found.extend(beyond_expiries(policy, rules));
    found.extend(windows(policy));
    found.extend(classes(policy));
    found.extend(limits(policy));
    found
}

/// What is accepted, but a person should know.
pub(super) fn notes(policy: &Policy) -> Vec<String> {
    let mut notes = Vec::new();
    if policy.effect_class == EffectClass::External && !policy.reconcile {
        notes.push(
            "external without reconcile: the holder's report is believed and retention starts at \
             completion; unresolved intents still wait for evidence or Resolve"
                .to_owned(),
        );
    }
    if policy.effect_class != EffectClass::Keyed
        && let Some(window) = policy.provider_window
    {
        notes.push(format!("provider_window {} is used by keyed alone", told(window)));
    }
    if policy.windows.is_empty() {
        notes.push("no windows declared: nothing checks that retention is long enough".to_owned());
    }
    notes
}

fn leases(policy: &Policy) -> Vec<Finding> {
    let Policy { lease, max_lease, max_hold, effect_timeout, evidence_delay, .. } = policy;
    let too_short = (*lease < LEASE_MIN).then(|| Finding {
        settings: &["lease"],
        message: format!("lease {} is under {}", told(*lease), told(LEASE_MIN)),
    });
    let no_time = effect_timeout.is_zero().then(|| Finding {
        settings: &["effect_timeout"],
        message: "effect_timeout is zero: no effect could run".to_owned(),
    });
    [
        too_short,
        no_time,
        above(&["effect_timeout", "lease"], *effect_timeout, *lease),
        above(&["lease", "max_lease"], *lease, *max_lease),
        above(&["max_lease", "max_hold"], *max_lease, *max_hold),
        above(&["effect_timeout", "evidence_delay"], *effect_timeout, *evidence_delay),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A finding if the first setting is above the second.
fn above(
    settings: &'static [&'static str; 2],
    first: Duration,
    second: Duration,
) -> Option<Finding> {
    let [name, limit] = settings;
    (first > second).then(|| Finding {
        settings,
        message: format!("{name} {} is above {limit} {}", told(first), told(second)),
    })
}

fn retentions(policy: &Policy, rules: &Rules) -> Vec<Finding> {
    let Policy { retention, max_lease, .. } = policy;
    let floor = max_lease.saturating_add(OUTLIVES_LEASE_BY).saturating_add(rules.clock_margin);
    let forgets_a_lease = (*retention <= floor).then(|| Finding {
        settings: &["retention", "max_lease"],
        message: format!(
            "retention {} is not above max_lease {} by more than a minute and the clock margin of \
             {}",
            told(*retention),
            told(*max_lease),
            told(rules.clock_margin)
        ),
    });
    let too_short = (rules.mode == Mode::Serve && *retention < RETENTION_MIN).then(|| Finding {
        settings: &["retention"],
        message: format!("retention {} is under {}", told(*retention), told(RETENTION_MIN)),
    });
    let results = above(&["result_retention", "retention"], policy.result_retention, *retention);
    [forgets_a_lease, too_short, results].into_iter().flatten().collect()
}

/// A report could not be written under such a policy: its cluster would refuse the expiry.
fn beyond_expiries(policy: &Policy, rules: &Rules) -> Option<Finding> {
    let left = rules.last_expiry.as_ref()?.left();
    (policy.retention > left).then(|| Finding {
        settings: &["retention"],
        message: format!(
            "retention {} reaches past 2038-01-19, and Cassandra refuses an expiry beyond: at \
             most {} from now",
            told(policy.retention),
            told(Duration::from_secs(left.as_secs() / 86_400 * 86_400))
        ),
    })
}

fn windows(policy: &Policy) -> Vec<Finding> {
    let retention = policy.retention;
    let longer = policy.windows.iter().filter(|(_, window)| **window > retention);
    longer
        .map(|(name, window)| Finding {
            settings: &["retention", "windows"],
            message: format!(
                "retention {} is below the window {name} {}: a duplicate could come after its \
                 intent is forgotten",
                told(retention),
                told(*window)
            ),
        })
        .collect()
}

fn classes(policy: &Policy) -> Vec<Finding> {
    match policy.effect_class {
        EffectClass::NaturallyIdempotent => Vec::new(),
        EffectClass::Keyed => keyed(policy).into_iter().collect(),
        EffectClass::Accumulative | EffectClass::External => {
            let reclaims = policy.reclaim_on_expiry.then(|| Finding {
                settings: &["reclaim_on_expiry", "effect_class"],
                message: format!(
                    "reclaim_on_expiry is not allowed with {}: nothing deduplicates a second \
                     effect",
                    super::class_name(policy.effect_class)
                ),
            });
            reclaims.into_iter().collect()
        }
    }
}

fn keyed(policy: &Policy) -> Option<Finding> {
    let Policy { lease, max_attempts, .. } = policy;
    let Some(window) = policy.provider_window else {
        return Some(Finding {
            settings: &["effect_class", "provider_window"],
            message: "keyed needs provider_window: how long the provider remembers our key"
                .to_owned(),
        });
    };
    let all_attempts = lease.saturating_mul(*max_attempts);
    (all_attempts > window).then(|| Finding {
        settings: &["provider_window", "lease", "max_attempts"],
        message: format!(
            "lease {} x max_attempts {max_attempts} = {} is beyond provider_window {}",
            told(*lease),
            told(all_attempts),
            told(window)
        ),
    })
}

fn limits(policy: &Policy) -> Vec<Finding> {
    let Policy { max_attempts, result_bytes_max, .. } = policy;
    let attempts = usize::try_from(*max_attempts).unwrap_or(usize::MAX);
    let attempts = (!(1..=TOKENS_MAX).contains(&attempts)).then(|| Finding {
        settings: &["max_attempts"],
        message: format!("max_attempts {max_attempts} is not between 1 and {TOKENS_MAX}"),
    });
    let bytes = (*result_bytes_max > RESULT_BYTES_MAX).then(|| Finding {
        settings: &["result_bytes_max"],
        message: format!("result_bytes_max {result_bytes_max} is above {RESULT_BYTES_MAX}, 1 MiB"),
    });
    [attempts, bytes].into_iter().flatten().collect()
}
