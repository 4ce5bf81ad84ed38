//! The policy file: every operation's policy, read and judged at once.
//!
//! Touches no file itself and keeps nothing of a text that has a fault.

use std::{collections::BTreeMap, ops::Range, sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use toml::de::{DeTable, DeValue};

use super::{CLASSES, Mode, Policy, Rules, Strategy, class_name, judge};
use crate::{
    document::{self, Faults, Table},
    fault::Fault,
    intent::{ProviderKeyForm, RESERVED_NAMESPACE, name_fault},
    record::EffectClass,
};

/// The policies of all operations, by namespace and operation.
#[derive(Clone, Debug)]
pub struct PolicySet {
    policies: BTreeMap<String, BTreeMap<String, Arc<Policy>>>,
    /// For every other valid name; in development only.
    any_name: Option<Arc<Policy>>,
    digest: String,
}

impl PolicySet {
    /// Reads a policy file. `path` is how its faults name it.
    pub fn parse(text: &str, path: &str, rules: impl Into<Rules>) -> Result<Self, Vec<Fault>> {
        let mut faults = Faults::of(path, text);
        let policies = read_root(&mut faults, &rules.into());
        let faults = faults.into_sorted();
        let digest = digest_of(text);
        if faults.is_empty() { Ok(Self { policies, any_name: None, digest }) } else { Err(faults) }
    }

    /// For development: what the file names is as it says; any other valid name is `keyed`, and
    /// its provider remembers keys for a day.
    #[must_use]
    pub fn dev(file: Option<Self>) -> Self {
        let any_name = Some(Arc::new(Policy {
            provider_window: Some(Duration::from_secs(86_400)),
            ..Policy::of_class(EffectClass::Keyed)
        }));
        match file {
            Some(file) => Self { any_name, ..file },
            None => Self { policies: BTreeMap::new(), any_name, digest: digest_of("") },
        }
    }

    /// The policy of an operation, if it has one.
    pub fn policy(&self, namespace: &str, operation: &str) -> Option<Arc<Policy>> {
        let declared = self.policies.get(namespace).and_then(|all| all.get(operation));
        declared.or_else(|| self.fallback(namespace, operation)).cloned()
    }

    fn fallback(&self, namespace: &str, operation: &str) -> Option<&Arc<Policy>> {
        let valid = namespace_fault(namespace).is_none() && name_fault(operation).is_none();
        self.any_name.as_ref().filter(|_| valid)
    }

    /// What the file declares, in the order of namespace and operation.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Arc<Policy>)> {
        self.policies.iter().flat_map(|(namespace, operations)| {
            operations.iter().map(|(name, policy)| (namespace.as_str(), name.as_str(), policy))
        })
    }

    /// SHA-256 of the file's text, in hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether names that the file does not declare have a policy too.
    pub fn covers_any_name(&self) -> bool {
        self.any_name.is_some()
    }
}

pub(super) fn digest_of(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text))
}

/// What is wrong with a caller's namespace, if anything.
fn namespace_fault(namespace: &str) -> Option<String> {
    if namespace == RESERVED_NAMESPACE {
        return Some("is reserved for the server's own claims".to_owned());
    }
    name_fault(namespace)
}

type Operations = BTreeMap<String, Arc<Policy>>;

fn read_root(faults: &mut Faults<'_>, rules: &Rules) -> BTreeMap<String, Operations> {
    let root = faults.root();
    // A header that is not closed moves its settings elsewhere: more faults would mislead.
    if faults.is_broken() {
        return BTreeMap::new();
    }
    let mut table = Table::new(String::new(), root.span(), root.get_ref());
    let namespaces = table.take(faults, "namespaces", document::table);
    table.refuse_rest(faults);
    let mut policies = BTreeMap::new();
    for (name, value) in namespaces.into_iter().flatten() {
        let namespace = name.get_ref().as_ref();
        if let Some(wrong) = namespace_fault(namespace) {
            faults.add(&name.span(), format!("namespace {namespace:?} {wrong}"));
        }
        let operations = read_namespace(faults, namespace, name.span(), value.get_ref(), rules);
        policies.insert(namespace.to_owned(), operations);
    }
    if rules.mode == Mode::Serve && policies.values().all(BTreeMap::is_empty) {
        faults.add(&root.span(), "declares no operation: every call would be refused");
    }
    policies
}

fn read_namespace(
    faults: &mut Faults<'_>,
    namespace: &str,
    place: Range<usize>,
    value: &DeValue<'_>,
    rules: &Rules,
) -> Operations {
    let Some(table) = table_or_fault(faults, &place, namespace, value) else {
        return Operations::new();
    };
    let mut table = Table::new(format!("{namespace}: "), place, table);
    let operations = table.take(faults, "operations", document::table);
    table.refuse_rest(faults);
    let mut policies = Operations::new();
    for (name, value) in operations.into_iter().flatten() {
        let operation = name.get_ref().as_ref();
        if let Some(wrong) = name_fault(operation) {
            faults.add(&name.span(), format!("{namespace}: operation {operation:?} {wrong}"));
        }
        let title = format!("{namespace}/{operation}");
        if let Some(table) = table_or_fault(faults, &name.span(), &title, value.get_ref()) {
            let table = Table::new(format!("{title}: "), name.span(), table);
            let policy = Reader { faults, title, table }.read(rules);
            policies.insert(operation.to_owned(), Arc::new(policy));
        }
    }
    policies
}

fn table_or_fault<'d, 't>(
    faults: &mut Faults<'_>,
    place: &Range<usize>,
    title: &str,
    value: &'d DeValue<'t>,
) -> Option<&'d DeTable<'t>> {
    document::table(value).map_err(|wrong| faults.add(place, format!("{title} {wrong}"))).ok()
}

/// Reads the policy of one operation.
struct Reader<'r, 'f, 'd, 't> {
    faults: &'r mut Faults<'f>,
    title: String,
    table: Table<'d, 't>,
}

impl Reader<'_, '_, '_, '_> {
    fn read(mut self, rules: &Rules) -> Policy {
        let class = self.table.take(self.faults, "effect_class", effect_class);
        if class.is_none() && !self.table.is_unread("effect_class") {
            let message = format!("{}: effect_class is required", self.title);
            self.faults.add(self.table.place("effect_class"), message);
        }
        let mut policy = Policy::of_class(class.unwrap_or(EffectClass::NaturallyIdempotent));
        self.read_durations(&mut policy);
        self.read_choices(&mut policy);
        policy.windows = self.read_windows();
        self.table.refuse_rest(self.faults);
        self.judge(&policy, rules);
        policy
    }

    fn read_durations(&mut self, policy: &mut Policy) {
        policy.provider_window = self.duration("provider_window");
        for (name, setting) in [
            ("lease", &mut policy.lease),
            ("max_lease", &mut policy.max_lease),
            ("max_hold", &mut policy.max_hold),
            ("effect_timeout", &mut policy.effect_timeout),
            ("retention", &mut policy.retention),
            ("max_wait", &mut policy.max_wait),
            ("reconcile_after", &mut policy.reconcile_after),
            ("evidence_delay", &mut policy.evidence_delay),
        ] {
            *setting = self.duration(name).unwrap_or(*setting);
        }
        // Results follow a shorter memory without being asked.
        let shortest = policy.result_retention.min(policy.retention);
        policy.result_retention = self.duration("result_retention").unwrap_or(shortest);
    }

    fn read_choices(&mut self, policy: &mut Policy) {
        for (name, setting) in [
            ("reclaim_on_expiry", &mut policy.reclaim_on_expiry),
            ("reconcile", &mut policy.reconcile),
            ("release_on_absence", &mut policy.release_on_absence),
            ("nothing_sent_before_memory", &mut policy.nothing_sent_before_memory),
        ] {
            *setting = self.take(name, document::truth).unwrap_or(*setting);
        }
        for (name, setting) in [
            ("max_attempts", &mut policy.max_attempts),
            ("result_bytes_max", &mut policy.result_bytes_max),
        ] {
            *setting = self.take(name, document::number).unwrap_or(*setting);
        }
        let form = self.take("provider_key", provider_key);
        policy.provider_key = form.unwrap_or(policy.provider_key);
        let strategy = self.take("in_progress_strategy", strategy);
        policy.in_progress_strategy = strategy.unwrap_or(policy.in_progress_strategy);
    }

    fn read_windows(&mut self) -> BTreeMap<String, Duration> {
        let mut windows = BTreeMap::new();
        for (name, value) in
            self.table.take(self.faults, "windows", document::table).into_iter().flatten()
        {
            let window = name.get_ref().as_ref();
            let read = name_fault(window).map_or_else(|| document::duration(value.get_ref()), Err);
            match read {
                Ok(span) => _ = windows.insert(window.to_owned(), span),
                Err(wrong) => {
                    let message = format!("{}: windows.{window} {wrong}", self.title);
                    self.faults.add(&name.span(), message);
                }
            }
        }
        windows
    }

    fn duration(&mut self, name: &'static str) -> Option<Duration> {
        self.take(name, document::duration)
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        read: fn(&DeValue<'_>) -> Result<T, String>,
    ) -> Option<T> {
        self.table.take(self.faults, name, |value| read(value))
    }

    /// Adds what is wrong between settings, unless one of them could not be read.
    fn judge(&mut self, policy: &Policy, rules: &Rules) {
        for finding in judge::findings(policy, rules) {
            if finding.settings.iter().any(|name| self.table.is_unread(name)) {
                continue;
            }
            let place = self.table.place(finding.settings[0]);
            self.faults.add(place, format!("{}: {}", self.title, finding.message));
        }
    }
}

fn effect_class(value: &DeValue<'_>) -> Result<EffectClass, String> {
    let text = document::text(value)?;
    let class = CLASSES.into_iter().find(|class| class_name(*class) == text);
    class.ok_or_else(|| format!("is {text:?}; it is one of {}", CLASSES.map(class_name).join(", ")))
}

fn provider_key(value: &DeValue<'_>) -> Result<ProviderKeyForm, String> {
    match document::text(value)?.as_str() {
        "text" => Ok(ProviderKeyForm::Text),
        "uuid" => Ok(ProviderKeyForm::Uuid),
        other => Err(format!("is {other:?}; it is \"text\" or \"uuid\"")),
    }
}

fn strategy(value: &DeValue<'_>) -> Result<Strategy, String> {
    match document::text(value)?.as_str() {
        "pending" => Ok(Strategy::Pending),
        "wait" => Ok(Strategy::Wait),
        "reject" => Err("is \"reject\", which only a call can ask for".to_owned()),
        other => Err(format!("is {other:?}; it is \"pending\" or \"wait\"")),
    }
}

#[cfg(test)]
mod tests;
