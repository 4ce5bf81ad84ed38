//! Policies as answers.

use onced_proto::v1;

use super::{count, effect_class, time::duration};
use crate::{
    intent::ProviderKeyForm,
    policy::{Policy, Strategy},
};

/// One operation's policy.
pub fn policy(namespace: &str, operation: &str, policy: &Policy, digest: &str) -> v1::Policy {
    v1::Policy {
        namespace: namespace.to_owned(),
        operation: operation.to_owned(),
        effect_class: effect_class(policy.effect_class).into(),
        lease: Some(duration(policy.lease)),
        max_lease: Some(duration(policy.max_lease)),
        max_hold: Some(duration(policy.max_hold)),
        retention: Some(duration(policy.retention)),
        result_retention: Some(duration(policy.result_retention)),
        in_progress_strategy: strategy(policy.in_progress_strategy).into(),
        max_wait: Some(duration(policy.max_wait)),
        max_attempts: count(policy.max_attempts),
        reconcile: policy.reconcile,
        reconcile_after: Some(duration(policy.reconcile_after)),
        evidence_delay: Some(duration(policy.evidence_delay)),
        provider_window: policy.provider_window.map(duration),
        reclaim_on_expiry: policy.reclaim_on_expiry,
        source_digest: digest.to_owned(),
        effect_timeout: Some(duration(policy.effect_timeout)),
        release_on_absence: policy.release_on_absence,
        windows: policy
            .windows
            .iter()
            .map(|(name, window)| (name.clone(), duration(*window)))
            .collect(),
        result_bytes_max: count(policy.result_bytes_max),
        provider_key_form: form(policy.provider_key).to_owned(),
        nothing_sent_before_memory: policy.nothing_sent_before_memory,
    }
}

fn strategy(strategy: Strategy) -> v1::InProgressStrategy {
    match strategy {
        Strategy::Pending => v1::InProgressStrategy::Pending,
        Strategy::Wait => v1::InProgressStrategy::Wait,
        Strategy::Reject => v1::InProgressStrategy::Reject,
    }
}

fn form(form: ProviderKeyForm) -> &'static str {
    match form {
        ProviderKeyForm::Text => "text",
        ProviderKeyForm::Uuid => "uuid",
    }
}
