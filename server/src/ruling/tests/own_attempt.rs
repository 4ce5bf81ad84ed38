//! A report speaks for its own attempt only: no later word clears an earlier attempt whose fate is
//! open.

use super::{
    asks::{C, NOT_APPLIED, applied, claims, done, failed, gives_back, refused_by_provider},
    scene::{DAY, Scene, check},
};
use crate::{
    record::{AttemptEnd, EffectClass},
    ruling::{Reported, ResolveVerdict},
};

#[test]
fn release_of_a_later_attempt_leaves_the_intent_unknown() {
    let live = Scene::keyed().taken_over();
    check(&live, live.releases(2), "released", "in doubt 2");
    check(&live, gives_back(super::asks::B), "released", "in doubt 2");
    let over = live.after(100);
    check(&over, over.releases(2), "released", "in doubt 2");
    let unknown = live.then(live.says(2, Reported::Unknown));
    check(&unknown, unknown.releases(2), "released", "in doubt 2");
}

#[test]
fn failure_of_a_later_attempt_leaves_the_intent_unknown() {
    let live = Scene::keyed().taken_over();
    check(&live, live.says(2, failed("no")), "reported", "in doubt 2");
    let over = live.after(100);
    check(&over, over.says(2, failed("no")), "reported, late", "in doubt 2");
    let unknown = live.then(live.says(2, Reported::Unknown));
    check(&unknown, unknown.says(2, failed("no")), "reported, late", "in doubt 2");
}

#[test]
fn what_a_later_attempt_left_in_doubt_is_unknown_for_claim() {
    let live = Scene::keyed().taken_over();
    let doubt = live.then(live.releases(2));
    check(&doubt, claims(C), "unknown: earlier attempt; allowed", "=");
}

#[test]
fn the_providers_own_refusal_stands_inside_the_window() {
    let live = Scene::keyed().taken_over();
    check(&live, live.says(2, refused_by_provider()), "reported", "failed 2");
}

#[test]
fn the_providers_own_refusal_proves_nothing_outside_the_window() {
    let live = Scene::keyed().taken_over().later(DAY);
    check(&live, live.says(2, refused_by_provider()), "reported, late", "in doubt 2");
}

#[test]
fn the_providers_own_refusal_proves_nothing_for_other_classes() {
    let live = Scene::of(EffectClass::NaturallyIdempotent).taken_over();
    check(&live, live.says(2, refused_by_provider()), "reported", "in doubt 2");
    let stricter = Scene::keyed().taken_over().with(|policy| {
        policy.effect_class = EffectClass::External;
    });
    check(&stricter, stricter.says(2, refused_by_provider()), "reported", "in doubt 2");
}

#[test]
fn a_success_of_a_later_attempt_settles_the_intent() {
    let live = Scene::keyed().taken_over();
    check(&live, live.says(2, done("receipt")), "reported", "succeeded 2");
}

#[test]
fn where_the_earlier_attempts_were_released_a_later_word_stands() {
    let live = Scene::external().released().then(claims(super::asks::B));
    check(&live, live.releases(2), "released", "released 2");
    check(&live, live.says(2, failed("no")), "reported", "failed 2");
}

#[test]
fn where_the_earlier_attempts_were_cleared_by_evidence_a_later_word_stands() {
    let live = Scene::external().taken_over_on_evidence();
    check(&live, live.releases(2), "released", "released 2");
    check(&live, live.says(2, failed("no")), "reported", "failed 2");
}

#[test]
fn where_the_earlier_attempts_were_cleared_by_resolve_a_later_word_stands() {
    let over = Scene::external().over();
    let live = over.then(over.resolves(ResolveVerdict::NotApplied)).then(claims(super::asks::B));
    check(&live, live.releases(2), "released", "released 2");
}

/// Attempt 1 sends and dies; attempt 2 is released or fails cleanly; the provider forgets; a third
/// claim comes.
#[test]
fn a_third_claim_is_not_granted_once_the_provider_has_forgotten() {
    let second = Scene::keyed().taken_over();
    for word in [second.releases(2), second.says(2, failed("no"))] {
        let late = second.then(word).later(DAY);
        let late = late.with(|policy| policy.reclaim_on_expiry = true);
        check(&late, claims(C), "unknown: earlier attempt; evidence", "=");
        check(&late, late.reclaims(C, None), "unknown: earlier attempt; evidence", "=");
    }
}

#[test]
fn evidence_clears_all_attempts_at_once() {
    let second = Scene::keyed().taken_over();
    let doubt = second.then(second.releases(2)).after(100);
    let third = doubt.then(doubt.reclaims(C, NOT_APPLIED));
    let ends: Vec<_> = third.record().grants.iter().map(|grant| grant.end).collect();
    assert_eq!(ends, [AttemptEnd::Cleared, AttemptEnd::Released, AttemptEnd::Open]);
    check(&third, third.releases(3), "released", "released 3");
}

#[test]
fn what_is_in_doubt_takes_the_same_words_as_what_is_unknown() {
    let second = Scene::keyed().taken_over();
    let doubt = second.then(second.releases(2)).after(100);
    check(&doubt, doubt.says(2, done("receipt")), "reported, late", "succeeded 2");
    check(&doubt, doubt.says(2, failed("no")), "reported, late", "in doubt 2");
    check(&doubt, doubt.says(2, Reported::Unknown), "reported, late", "unknown 2");
    check(&doubt, doubt.renews(2, 60), "LEASE_LOST", "=");
    check(&doubt, doubt.releases(2), "released, repeated", "=");
    check(&doubt, doubt.reclaims(C, None), "granted 3, reclaimed", "live 3");
    check(&doubt, doubt.reclaims(C, applied()), "completed", "succeeded 2");
}
