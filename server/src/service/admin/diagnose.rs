//! Diagnose: how keys are used, from this server's memory, and what the store shows of it, from a
//! bounded part of its records.
//!
//! Reads only, and judges nothing. What it takes from the store is bounded in records and in time.

use std::{collections::BTreeMap, time::Duration};

use onced_proto::admin::v1;
use tokio::time::{Instant, timeout_at};
use tonic::Status;

use self::sample::Samples;
use super::{super::Service, scope};
use crate::{
    clock::Timestamp,
    intent::name_fault,
    record::Standing,
    ruling::standing,
    status::{Denial, operator},
    store::{self, Error, Page, Remembered, Store, Stored},
    telemetry::{
        Scope,
        key_use::{Count, KeyUse, Window},
    },
    violation::Violation,
    wire::{policy, time::timestamp, transfer::exported_memory},
};

mod sample;

/// Most operations that are told of.
const OPERATIONS_MAX: usize = 500;
/// Records of a namespace that are read if nobody says, and at most.
const RECORDS: (usize, usize) = (20_000, 1_000_000);
/// Records that are read at once: each may have a result of a mebibyte.
const RECORDS_PAGE: usize = 32;
/// Records at once of a listing, which has no results.
const LISTED_PAGE: usize = 500;
/// Pages of a listing.
const LISTED_PAGES: usize = 10;
/// Longest time for all that is read.
const PATIENCE: Duration = Duration::from_secs(8);

/// What is asked for, and how long there is time.
struct Asked {
    namespace: Option<String>,
    operation: Option<String>,
    records_max: usize,
    until: Instant,
    now: Timestamp,
}

/// The operations to tell of, and how far back each is remembered.
type Operations = BTreeMap<(String, String), Option<Remembered>>;

impl Service {
    /// Tells what is known of each operation.
    pub(super) async fn diagnose(
        &self,
        request: v1::DiagnoseRequest,
    ) -> Result<v1::DiagnoseResponse, Status> {
        let now = self.clock.now();
        let asked = asked(request, now).map_err(|faults| Denial::Malformed(faults).status())?;
        self.looked(&asked).await.map_err(|error| operator::failed(&error))
    }

    async fn looked(&self, asked: &Asked) -> Result<v1::DiagnoseResponse, Error> {
        let store = self.keeper.store();
        let mut operations = self.operations(&*store, asked).await?;
        let left_out = operations.len().saturating_sub(OPERATIONS_MAX);
        while operations.len() > OPERATIONS_MAX {
            operations.pop_last();
        }
        let mut samples = Samples::default();
        let mut namespaces: Vec<&str> = operations.keys().map(|(name, _)| name.as_str()).collect();
        namespaces.dedup();
        for namespace in namespaces {
            read(&*store, namespace, asked, &mut samples).await?;
        }
        let mut diagnoses = Vec::new();
        for ((namespace, operation), memory) in &operations {
            let open = open(&*store, namespace, operation, asked).await?;
            let told = self.used(namespace, operation, asked.now);
            diagnoses.push(v1::Diagnosis {
                open: Some(open),
                sample: Some(samples.told(namespace, operation)),
                memory: memory.as_ref().and_then(exported_memory),
                ..told
            });
        }
        Ok(v1::DiagnoseResponse {
            diagnoses,
            left_out_count: i32::try_from(left_out).unwrap_or(i32::MAX),
            diagnose_time: Some(timestamp(asked.now)),
        })
    }

    /// Those that have a policy, and those that were ever used.
    async fn operations(&self, store: &dyn Store, asked: &Asked) -> Result<Operations, Error> {
        let policies = self.policies.current();
        let declared = policies
            .iter()
            .map(|(namespace, operation, _)| ((namespace.to_owned(), operation.to_owned()), None));
        let mut operations: Operations = declared.collect();
        for remembered in store.memories(asked.namespace.as_deref()).await? {
            let names = (remembered.namespace.clone(), remembered.operation.clone());
            if exported_memory(&remembered).is_some() {
                operations.insert(names, Some(remembered));
            }
        }
        let wanted = |asked: &Option<String>, name: &String| {
            asked.as_ref().is_none_or(|asked| asked == name)
        };
        operations.retain(|(namespace, operation), _| {
            wanted(&asked.namespace, namespace) && wanted(&asked.operation, operation)
        });
        Ok(operations)
    }

    fn used(&self, namespace: &str, operation: &str, now: Timestamp) -> v1::Diagnosis {
        let policies = self.policies.current();
        let found = policies.policy(namespace, operation);
        let policy =
            found.map(|found| policy::policy(namespace, operation, &found, policies.digest()));
        let used = self.metrics.key_use().used(&Scope::of(namespace, operation), now);
        v1::Diagnosis {
            namespace: namespace.to_owned(),
            operation: operation.to_owned(),
            policy,
            hours: used.hours.iter().map(window).collect(),
            whole: Some(window(&used.whole)),
            ..v1::Diagnosis::default()
        }
    }
}

fn asked(request: v1::DiagnoseRequest, now: Timestamp) -> Result<Asked, Vec<Violation>> {
    let mut faults = Vec::new();
    let namespace = scope(&request.namespace).unwrap_or_else(|fault| {
        faults.push(fault);
        None
    });
    let namespace = namespace.map(str::to_owned);
    let operation = Some(request.operation).filter(|name| !name.is_empty());
    let fault = operation.as_deref().and_then(name_fault);
    faults.extend(fault.map(|fault| Violation::new("", "operation", fault)));
    let records_max = match usize::try_from(request.records_max) {
        Ok(0) => RECORDS.0,
        Ok(wanted) => wanted.min(RECORDS.1),
        Err(_) => {
            faults.push(Violation::new("", "records_max", "is negative"));
            0
        }
    };
    let until = Instant::now() + PATIENCE;
    let asked = Asked { namespace, operation, records_max, until, now };
    if faults.is_empty() { Ok(asked) } else { Err(faults) }
}

/// Reads records of a namespace until there are enough, or the time is over.
async fn read(
    store: &dyn Store,
    namespace: &str,
    asked: &Asked,
    samples: &mut Samples,
) -> Result<(), Error> {
    let (mut cursor, mut left) = (Vec::new(), asked.records_max);
    while left > 0 {
        let page = Page { cursor, size: RECORDS_PAGE.min(left) };
        let Ok(listing) = timeout_at(asked.until, store.scan(Some(namespace), &page)).await else {
            return Ok(());
        };
        let listing = listing?;
        left = left.saturating_sub(listing.found.len());
        for (intent, stored) in &listing.found {
            samples.add(intent, stored);
        }
        let Some(next) = listing.next else {
            samples.end(namespace);
            return Ok(());
        };
        cursor = next;
    }
    Ok(())
}

/// What of an operation is not over, as far as there is time to look.
async fn open(
    store: &dyn Store,
    namespace: &str,
    operation: &str,
    asked: &Asked,
) -> Result<v1::OpenIntents, Error> {
    let (namespace, operation) = (namespace.to_owned(), Some(operation.to_owned()));
    let scope = store::Scope { namespace, operation };
    let mut open = v1::OpenIntents::default();
    let mut page = Page { cursor: Vec::new(), size: LISTED_PAGE };
    for _ in 0..LISTED_PAGES {
        let listing = timeout_at(asked.until, store.unreconciled(&scope, &page)).await;
        let Ok(listing) = listing else { return Ok(open) };
        let listing = listing?;
        for (_, stored) in &listing.found {
            count(&mut open, stored);
        }
        let Some(next) = listing.next else {
            open.complete = true;
            break;
        };
        page.cursor = next;
    }
    let late = Page { cursor: Vec::new(), size: LISTED_PAGE };
    let since = asked.now.before(KeyUse::KEPT);
    let late = timeout_at(asked.until, store.late_reports(&scope, since, &late)).await;
    open.late_reports_count = match late {
        Ok(listing) => i64::try_from(listing?.found.len()).unwrap_or(i64::MAX),
        Err(_) => 0,
    };
    Ok(open)
}

fn count(open: &mut v1::OpenIntents, stored: &Stored) {
    open.disputed_count += i64::from(stored.record.disputed);
    match standing(stored) {
        Standing::Live => open.in_progress_count += 1,
        Standing::Over | Standing::Unknown => {
            open.unresolved_count += 1;
            let since = timestamp(stored.record.lease_end);
            let is_older = |oldest: &prost_types::Timestamp| {
                (since.seconds, since.nanos) < (oldest.seconds, oldest.nanos)
            };
            if open.oldest_unresolved_time.as_ref().is_none_or(is_older) {
                open.oldest_unresolved_time = Some(since);
            }
        }
        Standing::Released | Standing::Succeeded | Standing::Failed => {}
    }
}

fn window(window: &Window) -> v1::KeyWindow {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let count = |what| number(window.count(what));
    v1::KeyWindow {
        start_time: Some(timestamp(window.start)),
        keys_count: number(window.keys),
        keys_again_count: number(window.keys_again),
        claims_count: count(Count::Claims),
        first_grants_count: count(Count::FirstGrants),
        replays_count: count(Count::Replays),
        key_reused_count: count(Count::KeyReused),
        leases_ended_count: count(Count::LeasesEnded),
        key_warnings_count: count(Count::Warned),
    }
}
