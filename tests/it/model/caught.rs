//! Red and green: each core that is broken on purpose breaks the invariant that its missing rule
//! keeps.
//!
//! Two kinds of test: the first invariant that fails, and the damage that is done where nothing
//! else is looked at.

use super::{
    EXTERNAL, KEYED, broken,
    invariant::Invariant::{self, *},
    rules::{Core, Rules, real},
    scenarios::{careless, given_up, judged, three, waiting},
    search::{Violation, explore},
};

#[track_caller]
fn violation(core: Core, rules: Rules) -> Violation {
    let explored = explore(&Rules { core, ..rules });
    explored.violation.expect("a broken core must be caught")
}

/// The core is caught, first of all at this invariant.
#[track_caller]
fn breaks(core: Core, rules: Rules, invariant: Invariant) {
    let found = violation(core, rules);
    assert_eq!(found.broken.invariant, invariant, "{found}");
    assert!(!found.trace.is_empty());
}

/// Where this invariant alone is looked at, it fails in the end.
#[track_caller]
fn harms(core: Core, rules: Rules, invariant: Invariant) {
    breaks(core, Rules { only: Some(invariant), ..rules }, invariant);
}

#[test]
fn a_grant_on_a_lease_that_is_over_is_caught() {
    breaks(broken::over_is_free, three(EXTERNAL), NoSilentGrant);
    harms(broken::over_is_free, three(EXTERNAL), EffectAtMostOnce);
    harms(broken::over_is_free, three(KEYED), RecordIsTrue);
}

#[test]
fn an_unconditional_reclaim_is_caught() {
    breaks(broken::reclaim_needs_nothing, judged(EXTERNAL), NoTakeoverWithoutEvidence);
    harms(broken::reclaim_needs_nothing, judged(EXTERNAL), EffectAtMostOnce);
}

#[test]
fn a_provider_window_that_never_ends_is_caught() {
    breaks(broken::window_is_endless, judged(KEYED), NoTakeoverWithoutEvidence);
    harms(broken::window_is_endless, judged(KEYED), EffectAtMostOnce);
}

#[test]
fn a_release_that_ignores_earlier_attempts_is_caught() {
    breaks(broken::release_speaks_for_all, three(KEYED), OwnAttemptOnly);
    harms(broken::release_speaks_for_all, three(KEYED), EffectAtMostOnce);
    harms(broken::release_speaks_for_all, judged(KEYED), RecordIsTrue);
}

#[test]
fn a_failure_that_ignores_earlier_attempts_is_caught() {
    breaks(broken::failure_speaks_for_all, three(KEYED), OwnAttemptOnly);
    harms(broken::failure_speaks_for_all, judged(KEYED), RecordIsTrue);
}

#[test]
fn a_stored_report_that_is_not_known_again_is_caught() {
    breaks(broken::reports_are_forgotten, given_up(EXTERNAL), CopyMovesNothing);
    harms(broken::reports_are_forgotten, given_up(EXTERNAL), SameAnswer);
}

#[test]
fn a_release_of_a_free_intent_that_is_not_noted_is_caught() {
    breaks(broken::second_release_is_not_noted, given_up(EXTERNAL), CopyMovesNothing);
}

#[test]
fn a_grant_repeated_after_its_use_is_caught() {
    breaks(broken::grant_repeats_for_ever, waiting(EXTERNAL), NoRepeatAfterUse);
}

#[test]
fn a_repeated_grant_with_its_full_lease_is_caught() {
    breaks(broken::repeat_has_full_lease, waiting(EXTERNAL), PromiseIsShorterThanLease);
}

#[test]
fn evidence_without_its_etag_is_caught() {
    breaks(broken::evidence_needs_no_etag, three(EXTERNAL), JudgedIsWrittenOn);
    harms(broken::evidence_needs_no_etag, three(EXTERNAL), EffectAtMostOnce);
}

#[test]
fn a_verdict_without_its_etag_is_caught() {
    breaks(broken::verdict_needs_no_etag, judged(EXTERNAL), JudgedIsWrittenOn);
    harms(broken::verdict_needs_no_etag, judged(EXTERNAL), RecordIsTrue);
}

#[test]
fn evidence_that_comes_too_early_is_caught() {
    breaks(broken::evidence_is_never_early, judged(EXTERNAL), EvidenceIsRipe);
    harms(broken::evidence_is_never_early, judged(EXTERNAL), EffectAtMostOnce);
}

#[test]
fn evidence_over_a_live_lease_is_caught() {
    breaks(broken::evidence_beats_lease, judged(KEYED), OneLiveGrant);
    harms(broken::evidence_beats_lease, judged(KEYED), RecordIsTrue);
}

#[test]
fn a_dropped_late_success_is_caught() {
    breaks(broken::late_success_is_dropped, three(KEYED), NoEvidenceLost);
}

#[test]
fn a_grant_over_a_contested_intent_is_caught() {
    breaks(broken::contested_is_ignored, careless(EXTERNAL), NoGrantOverSuccess);
}

#[test]
fn a_claimant_granted_after_it_gave_up_is_caught() {
    breaks(broken::spent_is_forgotten, given_up(EXTERNAL), TakenBackIsNotGranted);
}

#[test]
fn a_claimant_granted_twice_is_caught() {
    breaks(broken::claimant_is_never_spent, given_up(EXTERNAL), OneClaimantOneGrant);
}

#[test]
fn an_unknown_that_leaves_the_intent_free_is_caught() {
    breaks(broken::release_is_final, three(EXTERNAL), UnknownIsKept);
}

#[test]
fn an_outcome_that_is_overwritten_is_caught() {
    breaks(broken::last_word_wins, three(EXTERNAL), OutcomeStays);
}

#[test]
fn a_record_that_nobody_can_resolve_is_caught() {
    breaks(broken::operator_is_put_off, judged(EXTERNAL), NeverStuck);
}

#[test]
fn an_open_record_that_expires_is_caught() {
    breaks(broken::lease_is_lifetime, judged(EXTERNAL), OpenDoesNotExpire);
}

#[test]
fn a_lost_result_is_caught() {
    breaks(broken::result_is_lost, judged(EXTERNAL), ResultIsWhole);
}

#[test]
fn a_token_shown_to_others_is_caught() {
    breaks(broken::token_is_shown_to_all, three(EXTERNAL), TokenIsOwn);
}

#[test]
fn a_store_that_does_not_compare_is_caught() {
    let blind = |class| Rules { store_compares: false, ..waiting(class) };
    breaks(real, blind(EXTERNAL), OneLiveGrant);
    harms(real, blind(EXTERNAL), EffectAtMostOnce);
    harms(real, blind(KEYED), RecordIsTrue);
}
