//! What the policies say, for people: every value, every note, and how much disk it means.
//!
//! Judges nothing and changes nothing.

use std::{sync::Arc, time::Duration};

use super::{Policy, PolicySet, Strategy, class_name, judge};
use crate::{document::told, intent::ProviderKeyForm};

/// Assumed: a record with its indexes, on disk.
const RECORD_BYTES: u64 = 1_024;
/// Assumed: a usual result.
const RESULT_BYTES: u64 = 1_024;
/// Assumed: intents of one operation.
const INTENTS_PER_SECOND: u64 = 1;

/// What `onced policy check` prints.
pub fn report(set: &PolicySet) -> String {
    let operations = set.iter().map(|(namespace, operation, policy)| {
        let lines = operation_lines(policy).join("\n  ");
        format!("{namespace}/{operation}\n  {lines}\n\n")
    });
    let operations: Vec<String> = operations.collect();
    format!(
        "{}Sizes assume {INTENTS_PER_SECOND} intent a second of each operation, {} for a record \
         with its indexes,\nand results of {} unless it says otherwise; multiply by your rate. \
         Unresolved intents stay until\nthey are settled.\ndigest {}\n",
        operations.concat(),
        size(u128::from(RECORD_BYTES)),
        size(u128::from(RESULT_BYTES)),
        set.digest()
    )
}

/// What is accepted, but a person should know: `payments/charge: …`.
pub fn notes(set: &PolicySet) -> Vec<String> {
    let of_one = |(namespace, operation, policy): (&str, &str, &Arc<Policy>)| {
        let name = format!("{namespace}/{operation}");
        judge::notes(policy).into_iter().map(move |note| format!("{name}: {note}"))
    };
    set.iter().flat_map(of_one).collect()
}

fn operation_lines(policy: &Policy) -> Vec<String> {
    let values = settings(policy).into_iter().chain(disk(policy));
    let notes = judge::notes(policy).into_iter().map(|note| format!("note: {note}"));
    values.map(|(name, value)| format!("{name:<27}{value}")).chain(notes).collect()
}

/// Every setting by its name in the file, with its value as the file has it; a provider window only
/// where there is one.
pub(super) fn settings(policy: &Policy) -> Vec<(&'static str, String)> {
    // Taken apart, so that a setting cannot be forgotten here.
    let Policy {
        effect_class,
        provider_window,
        provider_key,
        lease,
        max_lease,
        max_hold,
        effect_timeout,
        max_attempts,
        retention,
        result_retention,
        result_bytes_max,
        in_progress_strategy,
        max_wait,
        reclaim_on_expiry,
        reconcile,
        reconcile_after,
        evidence_delay,
        release_on_absence,
        nothing_sent_before_memory,
        windows,
    } = policy;
    let span = |span: &Duration| format!("{:?}", told(*span));
    let windows: Vec<_> =
        windows.iter().map(|(name, window)| format!("{name:?} = {}", span(window))).collect();
    let mut settings = vec![
        ("effect_class", format!("{:?}", class_name(*effect_class))),
        ("provider_key", format!("{:?}", form_name(*provider_key))),
        ("lease", span(lease)),
        ("max_lease", span(max_lease)),
        ("max_hold", span(max_hold)),
        ("effect_timeout", span(effect_timeout)),
        ("max_attempts", max_attempts.to_string()),
        ("retention", span(retention)),
        ("result_retention", span(result_retention)),
        ("result_bytes_max", result_bytes_max.to_string()),
        ("in_progress_strategy", format!("{:?}", strategy_name(*in_progress_strategy))),
        ("max_wait", span(max_wait)),
        ("reclaim_on_expiry", reclaim_on_expiry.to_string()),
        ("reconcile", reconcile.to_string()),
        ("reconcile_after", span(reconcile_after)),
        ("evidence_delay", span(evidence_delay)),
        ("release_on_absence", release_on_absence.to_string()),
        ("nothing_sent_before_memory", nothing_sent_before_memory.to_string()),
        ("windows", format!("{{ {} }}", windows.join(", "))),
    ];
    settings.extend(provider_window.iter().map(|window| ("provider_window", span(window))));
    settings
}

fn form_name(form: ProviderKeyForm) -> &'static str {
    match form {
        ProviderKeyForm::Text => "text",
        ProviderKeyForm::Uuid => "uuid",
    }
}

fn strategy_name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Pending => "pending",
        Strategy::Wait => "wait",
        Strategy::Reject => "reject",
    }
}

/// What one intent takes, and all that are remembered at once.
fn disk(policy: &Policy) -> [(&'static str, String); 2] {
    let kept = |span: Duration| u128::from(span.as_secs() * INTENTS_PER_SECOND);
    let records = kept(policy.retention) * u128::from(RECORD_BYTES);
    let results = |bytes: u64| kept(policy.result_retention) * u128::from(bytes);
    let largest = u64::from(policy.result_bytes_max);
    let one = format!(
        "{} for {}, and the result, {} at most, for {}",
        size(u128::from(RECORD_BYTES)),
        told(policy.retention),
        size(u128::from(largest)),
        told(policy.result_retention)
    );
    let all = format!(
        "{} intents: {}, without results {}, with the largest {}",
        kept(policy.retention),
        size(records + results(RESULT_BYTES.min(largest))),
        size(records),
        size(records + results(largest))
    );
    [("bytes per intent", one), ("remembered at once", all)]
}

fn size(bytes: u128) -> String {
    let units = [(1_u128 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((unit, name)) = units.into_iter().find(|(unit, _)| bytes >= *unit) else {
        return format!("{bytes} B");
    };
    let tenths = bytes * 10 / unit;
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests;
