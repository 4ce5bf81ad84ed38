//! The store contract: the whole engine keeps it, and no broken one passes for it.

use onced::store::conformance::{self, CASES};
use onced_tests::broken::{
    self, Flaw, lease, listing, look, memory, result, retention, scan, subject, write,
};
use onced_tests::harness::Engine;

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_engine_passes_every_case() {
    let whole = || subject(|| broken::None);
    let shared = match Engine::chosen() {
        Engine::Embedded => None,
        // Nobody moves its clock: the cases do not meet.
        Engine::Cluster => Some(whole().await),
    };
    let make = || async {
        match &shared {
            Some(subject) => subject.clone(),
            None => whole().await,
        }
    };
    assert_eq!(conformance::run(make).await, []);
}

/// The case of this name fails on a store with this flaw.
async fn catches<F: Flaw>(case: &str, flaw: fn() -> F) {
    let case = CASES.iter().find(|known| known.name == case).expect("a case of this name");
    let verdict = case.run(subject(flaw).await).await;
    assert!(verdict.is_err(), "{} passes on a store that is broken", case.name);
}

macro_rules! broken_stores {
    ($($store:ident: $flaw:expr, caught by $case:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $store() {
            catches(stringify!($case), || $flaw).await;
        }
    )*};
}

broken_stores! {
    a_store_that_checks_and_then_acts:
        write::CheckThenAct, caught by fifty_creates_at_once_apply_once;
    a_store_that_checks_and_then_overwrites:
        write::CheckThenAct, caught by fifty_writes_on_one_revision_apply_once;
    a_store_that_locks_in_its_own_process:
        write::InProcessLock::default(), caught by fifty_creates_at_once_apply_once;
    a_store_that_writes_on_a_newer_revision:
        write::RevisionIgnored, caught by a_write_on_another_revision_is_lost;
    a_store_that_takes_a_released_record_for_none:
        write::ReleasedTakenForNone, caught by a_create_is_refused_on_a_released_record_too;
    a_store_that_loses_the_result_of_the_row_that_won:
        write::LostWithoutResult, caught by a_lost_write_carries_the_row_with_its_result;
    a_store_that_does_not_say_which_row_won:
        write::LostWithoutRow, caught by a_second_create_loses_to_the_row_that_stands;
    a_store_that_answers_before_it_commits:
        write::AnsweredBeforeCommit, caught by a_fresh_look_sees_every_answered_write;
    a_store_that_folds_case:
        write::CaseFolded, caught by keys_are_told_apart_byte_for_byte;
    a_store_that_trims_blanks:
        write::Trimmed, caught by keys_are_told_apart_byte_for_byte;
    a_store_that_cuts_long_keys:
        write::KeyCut, caught by the_longest_names_are_kept;
    a_store_that_joins_names:
        write::NamesJoined, caught by names_do_not_run_into_each_other;

    a_store_whose_record_goes_with_its_lease:
        lease::LeaseIsRowLife, caught by a_record_outlives_its_lease;
    a_store_whose_open_record_goes_with_its_lease:
        lease::LeaseIsRowLife,
        caught by unreconciled_lists_exactly_the_records_that_never_expire;
    a_store_whose_lease_lasts_for_the_retention:
        lease::LeaseIsRetention, caught by a_lease_ends;
    a_store_whose_lease_is_cleared_by_an_annotation:
        lease::ClearedByAnnotation, caught by a_kept_lease_neither_ends_nor_starts_again;
    a_store_whose_lease_starts_again_with_an_annotation:
        lease::RestartedByAnnotation, caught by a_kept_lease_neither_ends_nor_starts_again;
    a_store_whose_dead_lease_is_revived_by_an_annotation:
        lease::RestartedByAnnotation, caught by a_kept_lease_that_is_over_stays_over;
    a_store_that_renews_a_dead_lease:
        lease::DeadLeaseRenewed, caught by a_write_for_a_live_lease_is_lost_once_it_is_over;
    a_store_that_takes_a_live_lease:
        lease::LiveLeaseTaken,
        caught by a_write_for_a_lease_that_is_over_is_lost_while_it_lives;
    a_store_whose_lease_is_never_cleared:
        lease::NeverCleared, caught by a_cleared_lease_is_over_at_once;
    a_store_whose_lease_is_cut_short:
        lease::CutShort, caught by a_lease_lives_for_its_whole_length;

    a_store_that_drops_a_result_with_an_annotation:
        result::DroppedOnKeep, caught by a_kept_result_stays;
    a_store_whose_empty_result_is_none:
        result::EmptyIsNone, caught by empty_and_one_zero_byte_and_none_are_told_apart;
    a_store_whose_results_end_at_a_zero_byte:
        result::EndsAtZero, caught by empty_and_one_zero_byte_and_none_are_told_apart;
    a_store_whose_results_live_as_long_as_their_records:
        result::ExpiryIgnored, caught by a_result_expires_apart_from_its_record;
    a_store_whose_results_cannot_be_erased:
        result::NeverCleared, caught by a_cleared_result_is_gone;
    a_store_that_keeps_the_first_result:
        result::FilledInOnce, caught by a_set_result_replaces_the_one_before;

    a_store_that_cuts_retention_short:
        retention::CutShort, caught by a_record_is_there_until_its_expiry;
    a_store_that_never_forgets:
        retention::NeverExpires, caught by a_record_is_gone_after_its_expiry;
    a_store_whose_retention_starts_again_with_an_annotation:
        retention::RestartedByAnnotation, caught by a_kept_expiry_neither_moves_nor_ends;
    a_store_whose_retention_is_taken_back_by_an_annotation:
        retention::ForgottenByAnnotation, caught by a_kept_expiry_neither_moves_nor_ends;
    a_store_whose_never_is_a_month:
        retention::NeverIsLong, caught by a_record_that_never_expires_stays;
    a_store_that_shows_what_has_expired:
        retention::ExpiredIsPresent::default(), caught by a_record_is_gone_after_its_expiry;
    a_store_whose_expired_records_stand_in_the_way:
        retention::ExpiredBlocksCreate::default(),
        caught by an_expired_record_can_be_created_again;

    a_store_that_answers_fresh_looks_from_a_cache:
        look::FreshFromCache::default(), caught by a_fresh_look_sees_every_answered_write;
    a_store_that_remembers_how_a_lease_stood:
        look::LeaseFromCache::default(), caught by a_lease_ends;
    a_store_that_hides_what_is_settled:
        look::SettledHidden, caught by a_result_is_kept_byte_for_byte;

    a_store_whose_unreconciled_miss_one:
        listing::UnreconciledMissesOne, caught by unreconciled_pages_miss_and_repeat_nothing;
    a_store_whose_unreconciled_miss_what_is_settled:
        listing::UnreconciledMissesSettled,
        caught by unreconciled_lists_exactly_the_records_that_never_expire;
    a_store_whose_listing_ends_with_its_first_page:
        listing::OnePageOnly, caught by unreconciled_pages_miss_and_repeat_nothing;
    a_store_that_lists_the_newest_first:
        listing::NewestFirst, caught by unreconciled_lists_the_oldest_first_claim_first;
    a_store_that_lists_every_operation:
        listing::OperationIgnored, caught by unreconciled_keeps_to_its_scope;
    a_store_whose_late_reports_miss_what_is_settled:
        listing::LateReportOfSettledMissed, caught by late_reports_drops_what_has_expired;
    a_store_whose_late_reports_have_no_start:
        listing::SinceIgnored, caught by late_reports_starts_at_its_time;
    a_store_that_finds_in_any_namespace:
        listing::FoundInAnyNamespace, caught by what_is_found_is_of_the_namespace;
    a_store_that_does_not_find_by_a_late_report:
        listing::LateReferenceMissed, caught by a_reference_of_a_late_report_finds_its_intent;
    a_store_that_takes_unreconciled_for_unsettled:
        listing::UnreconciledIsUnsettled,
        caught by unsettled_is_said_of_an_operation_until_it_has_its_outcome;
    a_store_that_takes_what_is_held_for_unsettled:
        listing::UnsettledWhileLiveOnly,
        caught by unsettled_is_said_of_an_operation_until_it_has_its_outcome;

    a_store_whose_scan_misses_one:
        scan::MissesOne, caught by scan_pages_miss_and_repeat_nothing;
    a_store_whose_scan_repeats_one:
        scan::RepeatsOne::default(), caught by scan_pages_miss_and_repeat_nothing;
    a_store_whose_scan_shows_open_records_alone:
        scan::MissesWhatExpires, caught by a_scan_shows_every_record_that_has_not_expired;
    a_store_whose_scan_shows_what_has_expired:
        scan::ShowsExpired::default(), caught by a_scan_shows_every_record_that_has_not_expired;
    a_store_whose_scan_drops_results:
        scan::DropsResults, caught by a_scan_shows_records_as_a_look_does;
    a_store_whose_scan_drops_leases:
        scan::DropsLeases, caught by a_scan_shows_records_as_a_look_does;
    a_store_whose_scan_drops_lives:
        scan::DropsLives, caught by a_scan_shows_records_as_a_look_does;
    a_store_whose_scan_shows_every_namespace:
        scan::NamespaceIgnored, caught by a_scan_keeps_to_its_namespace;

    a_store_whose_memories_miss_one:
        memory::MissesOne, caught by memories_lists_every_operation_of_a_namespace;
    a_store_whose_memories_are_everybodys:
        memory::OfEveryNamespace, caught by memories_lists_every_operation_of_a_namespace;
    a_store_whose_memory_is_the_last_writers:
        memory::LastWriterWins, caught by a_memory_of_another_revision_is_not_replaced;
    a_store_whose_first_memory_is_set_twice:
        memory::LastWriterWins, caught by a_first_memory_is_set_once;
    a_store_that_answers_the_memory_it_was_given:
        memory::AnswersWhatWasGiven, caught by a_memory_of_another_revision_is_not_replaced;
}
