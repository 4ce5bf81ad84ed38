//! The conformance suite of the store contract: what every engine must do, one named case each.
//!
//! Knows no engine. It is given a way to make one, and to let time pass on its clock. A case that
//! does not hold says what it got and what it wanted; it never panics.

use std::{fmt, future::Future, sync::Arc};

use tokio::task::JoinSet;

use self::bench::Bench;
use super::{BoxFuture, Error, Store};
use crate::clock::Timestamp;

mod bench;
mod creation;
mod expiry;
mod finding;
mod guards;
mod keys;
mod leases;
mod listings;
mod looks;
mod memories;
mod results;
pub(crate) mod sample;
mod scans;

/// Lets time pass on the clock of the engine under test.
pub trait Passage: Send + Sync {
    /// So many whole seconds.
    fn pass(&self, seconds: u32) -> BoxFuture<'_, ()>;

    /// About now.
    fn now(&self) -> Timestamp;

    /// By how many whole seconds the engine may keep things longer, or, expiry alone, shorter.
    fn slack_seconds(&self) -> u32;
}

/// An engine under test.
#[derive(Clone)]
pub struct Subject {
    /// The engine.
    pub store: Arc<dyn Store>,
    /// The same store as another process sees it; the same handle where there can be but one.
    pub replica: Arc<dyn Store>,
    /// Its clock.
    pub passage: Arc<dyn Passage>,
}

/// One case.
#[derive(Clone, Copy)]
pub struct Case {
    /// What must hold, as a sentence.
    pub name: &'static str,
    run: fn(Bench) -> BoxFuture<'static, Result<(), Fault>>,
}

/// What did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self(format!("the store failed: {error}"))
    }
}

impl Case {
    /// Runs it in a namespace of its own.
    pub async fn run(&self, subject: Subject) -> Result<(), Fault> {
        (self.run)(Bench::new(subject)).await
    }
}

/// Runs every case on an engine of its own, all at once, since some wait for time to pass; the
/// names of those that do not hold, and why.
pub async fn run<M, F>(make: M) -> Vec<(&'static str, Fault)>
where
    M: Fn() -> F,
    F: Future<Output = Subject>,
{
    let mut running = JoinSet::new();
    for case in CASES {
        let subject = make().await;
        running.spawn(async move { (case.name, case.run(subject).await) });
    }
    let verdicts = running.join_all().await.into_iter();
    verdicts.filter_map(|(name, verdict)| Some((name, verdict.err()?))).collect()
}

macro_rules! cases {
    ($($part:ident::$name:ident,)*) => {
        /// Every case, in the order of the contract.
        pub const CASES: &[Case] = &[$(Case {
            name: stringify!($name),
            run: |bench| Box::pin($part::$name(bench)),
        },)*];
    };
}

cases! {
    creation::a_created_record_is_loaded_as_it_was_written,
    creation::an_intent_without_a_record_is_none,
    creation::fifty_creates_at_once_apply_once,
    creation::a_second_create_loses_to_the_row_that_stands,
    creation::a_lost_create_changes_nothing,
    creation::a_create_is_refused_on_a_released_record_too,
    guards::a_write_applies_on_the_revision_that_was_judged,
    guards::a_write_on_another_revision_is_lost,
    guards::a_write_on_a_revision_without_a_record_is_lost_to_none,
    guards::fifty_writes_on_one_revision_apply_once,
    guards::the_same_write_again_loses_to_itself,
    guards::a_lost_write_carries_the_row_with_its_result,
    guards::two_intents_do_not_conflict,
    leases::a_lease_lives_for_its_whole_length,
    leases::a_lease_ends,
    leases::a_record_outlives_its_lease,
    leases::a_record_without_a_lease_is_over,
    leases::a_write_for_a_live_lease_is_lost_once_it_is_over,
    leases::a_write_for_a_lease_that_is_over_is_lost_while_it_lives,
    leases::a_write_for_a_lease_that_is_over_applies_once_it_is,
    leases::a_write_for_either_applies_on_both,
    leases::a_kept_lease_neither_ends_nor_starts_again,
    leases::a_kept_lease_that_is_over_stays_over,
    leases::a_cleared_lease_is_over_at_once,
    leases::a_lease_starts_again_in_full,
    leases::a_lease_that_is_started_again_may_be_shorter,
    results::a_result_is_kept_byte_for_byte,
    results::empty_and_one_zero_byte_and_none_are_told_apart,
    results::a_kept_result_stays,
    results::a_cleared_result_is_gone,
    results::a_set_result_replaces_the_one_before,
    results::a_large_result_is_kept,
    results::a_result_expires_apart_from_its_record,
    results::a_kept_result_keeps_its_expiry,
    results::an_expired_result_does_not_come_back,
    results::a_result_that_never_expires_stays,
    expiry::a_record_is_there_until_its_expiry,
    expiry::a_record_is_gone_after_its_expiry,
    expiry::a_record_that_never_expires_stays,
    expiry::a_kept_expiry_neither_moves_nor_ends,
    expiry::an_expiry_can_be_taken_back,
    expiry::an_expiry_counts_from_its_write,
    expiry::an_expired_record_can_be_created_again,
    expiry::what_replaces_an_expired_record_inherits_nothing,
    expiry::a_write_on_an_expired_record_is_lost_to_none,
    listings::unreconciled_lists_exactly_the_records_that_never_expire,
    listings::unreconciled_lists_the_oldest_first_claim_first,
    listings::unreconciled_pages_miss_and_repeat_nothing,
    listings::unreconciled_keeps_to_its_scope,
    listings::unreconciled_lists_no_results,
    listings::late_reports_lists_the_newest_report_first,
    listings::late_reports_starts_at_its_time,
    listings::late_reports_pages_miss_and_repeat_nothing,
    listings::late_reports_keeps_to_its_scope,
    listings::late_reports_drops_what_has_expired,
    scans::a_scan_shows_every_record_that_has_not_expired,
    scans::a_scan_shows_records_as_a_look_does,
    scans::scan_pages_miss_and_repeat_nothing,
    scans::a_scan_keeps_to_its_namespace,
    scans::a_scan_shows_no_result_that_has_expired,
    finding::a_provider_key_finds_its_intent,
    finding::a_provider_key_of_the_other_form_finds_its_intent,
    finding::a_provider_reference_finds_every_intent_that_names_it,
    finding::a_reference_of_a_late_report_finds_its_intent,
    finding::what_is_found_is_of_the_namespace,
    finding::at_most_a_hundred_are_found,
    finding::what_has_expired_is_not_found,
    finding::unsettled_is_said_of_an_operation_until_it_has_its_outcome,
    finding::unsettled_is_said_of_one_operation_alone,
    keys::keys_are_told_apart_byte_for_byte,
    keys::names_do_not_run_into_each_other,
    keys::one_key_in_two_operations_and_namespaces_is_three_intents,
    keys::the_longest_names_are_kept,
    looks::a_fresh_look_sees_every_answered_write,
    looks::a_fresh_look_of_the_other_process_sees_every_answered_write,
    looks::a_recent_look_sees_an_answered_write_in_the_end,
    memories::an_operation_has_no_memory_at_first,
    memories::a_first_memory_is_set_once,
    memories::a_memory_is_set_on_the_one_that_was_expected,
    memories::a_memory_of_another_revision_is_not_replaced,
    memories::memories_of_two_operations_are_apart,
    memories::memories_lists_every_operation_of_a_namespace,
}
