//! The metrics, by their promised names. Labels are of bounded number.

use std::{fmt, time::Duration};

use onced_proto::v1;
use prometheus_client::{
    encoding::{prometheus_text, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::{
    backlog::Open,
    key_use::{Count, KeyUse},
    leases::{self, Leases},
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    keeper::Answered,
    record::FencingToken,
    ruling::{Refusal, Verdict},
    status::Denial,
};

/// Label of a namespace and operation that have no policy.
const OTHER: &str = "_other";
/// The semantic conventions' attribute for the status of a call, as a label.
pub const STATUS_LABEL: &str = "rpc_status_code";
/// Bounds of the durations of calls, in seconds: those of the semantic conventions.
const BOUNDS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

type Labels = Vec<(&'static str, String)>;
type Durations = Family<Labels, Histogram, fn() -> Histogram>;

/// All metrics of one server.
pub struct Metrics {
    registry: Registry,
    rulings: Family<Labels, Counter>,
    refusals: Family<Labels, Counter>,
    outcomes: Family<Labels, Counter>,
    late_reports: Family<Labels, Counter>,
    reclaims: Family<Labels, Counter>,
    key_warnings: Family<Labels, Counter>,
    waiters: Family<Labels, Gauge>,
    leases_ended: Family<Labels, Counter>,
    calls: Durations,
    store_calls: Durations,
    store_writes: Family<Labels, Counter>,
    open: open::Gauges,
    keys: keys::Gauges,
    key_use: KeyUse,
    leases: Leases,
}

/// Of which operation something is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    namespace: String,
    operation: String,
}

impl Scope {
    /// An operation that has a policy.
    pub fn of(namespace: &str, operation: &str) -> Self {
        Self { namespace: namespace.to_owned(), operation: operation.to_owned() }
    }

    /// All others together: a caller must not make labels.
    pub fn other() -> Self {
        Self::of(OTHER, OTHER)
    }

    /// Its names, as the store has them.
    pub(super) fn names(&self) -> (&str, &str) {
        (&self.namespace, &self.operation)
    }

    fn labels(&self) -> Labels {
        vec![("namespace", self.namespace.clone()), ("operation", self.operation.clone())]
    }

    fn with(&self, name: &'static str, value: &str) -> Labels {
        let mut labels = self.labels();
        labels.push((name, value.to_owned()));
        labels
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Metrics {
    /// All at zero.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let build = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        let build_info = family::<Family<Labels, Gauge>>(
            &mut registry,
            "onced_build_info",
            "The version that runs",
        );
        build_info.get_or_create(&build).set(1);
        Self::registered(registry)
    }

    fn registered(mut registry: Registry) -> Self {
        let r = &mut registry;
        Self {
            rulings: family(r, "onced_rulings", "Rulings given"),
            refusals: family(r, "onced_refusals", "Calls refused, by reason"),
            outcomes: family(r, "onced_outcomes", "Outcomes that holders reported"),
            late_reports: family(r, "onced_late_reports", "Reports kept as evidence only"),
            reclaims: family(r, "onced_reclaims", "Unresolved intents taken over"),
            key_warnings: family(r, "onced_key_warnings", "Keys that look made per attempt"),
            waiters: family(r, "onced_waiters", "Claims that wait for another's outcome"),
            calls: durations(r, "rpc_server_call_duration_seconds", "Duration of calls"),
            store_calls: durations(
                r,
                "onced_store_call_duration_seconds",
                "Duration of store calls",
            ),
            store_writes: family(r, "onced_store_lwt", "Conditional writes of the store"),
            open: open::Gauges::registered(r),
            keys: keys::Gauges::registered(r),
            key_use: KeyUse::default(),
            leases: Leases::default(),
            leases_ended: family(r, "onced_leases_ended", "Leases that ended without an outcome"),
            registry,
        }
    }

    /// In the Prometheus text format.
    pub fn prometheus(&self) -> String {
        let mut page = String::new();
        let _ = prometheus_text::encode(&mut page, &self.registry);
        page
    }

    /// In the OpenMetrics text format.
    pub fn openmetrics(&self) -> String {
        let mut page = String::new();
        let _ = text::encode(&mut page, &self.registry);
        page
    }

    /// A ruling was given.
    pub fn ruled(&self, scope: &Scope, verdict: &Verdict) {
        self.rulings.get_or_create(&scope.with("verdict", verdict_name(verdict))).inc();
    }

    /// An unresolved intent was taken over: by `reclaim`, or by a Claim as its `policy` says.
    pub fn reclaimed(&self, scope: &Scope, kind: &'static str) {
        self.reclaims.get_or_create(&scope.with("kind", kind)).inc();
    }

    /// A call was refused.
    pub fn refused(&self, scope: &Scope, reason: &'static str) {
        self.refusals.get_or_create(&scope.with("reason", reason)).inc();
    }

    /// A holder reported an outcome, or that the effect did not happen.
    pub fn reported(&self, scope: &Scope, said: &'static str, answer: Result<&Answered, &Denial>) {
        match answer {
            Ok(Answered { verdict: Verdict::Reported { repeated: false, late }, .. }) => {
                let mut labels = scope.with("outcome", said);
                labels.push(("late", late.to_string()));
                self.outcomes.get_or_create(&labels).inc();
            }
            Err(Denial::Refused { refusal, .. }) if is_kept(refusal) => {
                self.late_reports.get_or_create(&scope.with("outcome", said)).inc();
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// How keys are used.
    pub fn key_use(&self) -> &KeyUse {
        &self.key_use
    }

    /// Keys looked made per attempt.
    pub fn key_warnings(&self, scope: &Scope, warnings: &[v1::Warning], now: Timestamp) {
        self.key_use.count(scope, Count::Warned, u64::from(!warnings.is_empty()), now);
        for warning in warnings {
            let name = warning.r#type().as_str_name();
            let name = name.strip_prefix("WARNING_TYPE_").unwrap_or(name);
            self.key_warnings.get_or_create(&scope.with("warning", name)).inc();
        }
    }

    /// One more waiter, until what is answered is dropped.
    pub fn waiting(&self, scope: &Scope) -> Waiting {
        let gauge = self.waiters.get_or_create_owned(&scope.labels());
        gauge.inc();
        Waiting(gauge)
    }

    /// A call was answered: if its own write ended an attempt whose lease was over, that lease is
    /// counted.
    pub fn answered(&self, scope: impl FnOnce() -> Scope, intent: &IntentId, answered: &Answered) {
        let written = answered.stored.as_ref();
        let Some(stored) = written.filter(|stored| stored.record.written == answered.now) else {
            return;
        };
        let mut ended = leases::ended_by_its_write(stored).peekable();
        if ended.peek().is_some() {
            self.count_leases(&scope(), intent, ended, answered.now);
        }
    }

    /// Tells how many keys there were of late.
    pub(super) fn keys_looked(&self, now: Timestamp) {
        for (scope, window) in self.key_use.whole(now) {
            self.keys.set(&scope.labels(), &window);
        }
    }

    /// An operation was looked through: what is open of it, as of `now`.
    pub(super) fn looked(&self, scope: &Scope, open: &Open, now: Timestamp) {
        self.open.set(&scope.labels(), open, now);
    }

    /// Whether the memory of an operation has a gap.
    pub(super) fn remembered(&self, scope: &Scope, has_gap: bool) {
        self.open.set_gap(&scope.labels(), has_gap);
    }

    /// An operation has no policy any more.
    pub(super) fn forget(&self, scope: &Scope) {
        self.open.remove(&scope.labels());
        self.keys.remove(&scope.labels());
        self.key_use.forget(scope);
        self.leases.forget(scope);
    }

    /// Leases that ended without an outcome, each counted once.
    pub(super) fn count_leases(
        &self,
        scope: &Scope,
        intent: &IntentId,
        ended: impl Iterator<Item = FencingToken>,
        now: Timestamp,
    ) {
        let new = ended.filter(|token| self.leases.is_new(scope, intent, *token)).count() as u64;
        self.leases_ended.get_or_create(&scope.labels()).inc_by(new);
        self.key_use.count(scope, Count::LeasesEnded, new, now);
    }

    /// Which leases have ended, each known once.
    pub(super) fn leases(&self) -> &Leases {
        &self.leases
    }

    /// A call has ended.
    pub fn called(&self, method: &str, status: &'static str, took: Duration) {
        let labels = vec![("rpc_method", method.to_owned()), (STATUS_LABEL, status.to_owned())];
        self.calls.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// The store was called.
    pub fn store_called(&self, call: &'static str, took: Duration) {
        let labels = vec![("call", call.to_owned())];
        self.store_calls.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// The store wrote conditionally: `applied`, `lost`, or without an answer; or it made a `read`
    /// that cost as much.
    pub fn store_wrote(&self, kind: &'static str) {
        self.store_writes.get_or_create(&vec![("kind", kind.to_owned())]).inc();
    }
}

/// A waiter that is counted.
#[derive(Debug)]
#[must_use = "the waiter is counted until this is dropped"]
pub struct Waiting(Gauge);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn is_kept(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Fenced { kept: true, .. } | Refusal::OutcomeConflict { .. })
}

/// A verdict in a word.
pub fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Granted(_) => "granted",
        Verdict::Completed => "completed",
        Verdict::InProgress { .. } => "in_progress",
        Verdict::Unknown(_) => "unknown",
        Verdict::Reported { .. } => "reported",
        Verdict::Shown => "shown",
        Verdict::Renewed(_) => "renewed",
        Verdict::Released { .. } => "released",
        Verdict::Resolved => "resolved",
        Verdict::Refused(_) => "refused",
    }
}

fn family<F>(registry: &mut Registry, name: &str, help: &str) -> F
where
    F: prometheus_client::registry::Metric + Default + Clone,
{
    let family = F::default();
    registry.register(name, help, family.clone());
    family
}

fn durations(registry: &mut Registry, name: &str, help: &str) -> Durations {
    let family = Durations::new_with_constructor(|| Histogram::new(BOUNDS));
    registry.register(name, help, family.clone());
    family
}

mod keys;
mod open;

#[cfg(test)]
mod tests;
