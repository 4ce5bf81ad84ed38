//! Unsettled or released, with a success on file that nobody refuted.

use super::{
    asks::{A, C, D, NOT_APPLIED, applied, claims, done, failed, finally_failed},
    scene::{Scene, check},
};
use crate::{
    record::EffectClass,
    ruling::{Reported, ResolveVerdict},
};

#[test]
fn a_late_success_contests_what_is_open_and_is_kept() {
    let second = Scene::external().released().then(claims(super::asks::B));
    let request = second.says(1, done("late"));
    let contested = check(&second, request, "FENCED, kept", "live 2, contested");
    check(&contested, contested.says(1, done("late")), "FENCED, kept", "=");
}

#[test]
fn a_late_success_contests_what_is_released() {
    let second = Scene::external().released().then(claims(super::asks::B));
    let released = second.then(second.releases(2));
    let request = released.says(1, done("late"));
    check(&released, request, "FENCED, kept", "released 2, contested");
}

#[test]
fn a_live_contested_intent_is_in_progress() {
    check(&Scene::external().contested_live(), claims(C), "in progress", "=");
    let own = Scene::external().contested_live();
    check(&own, claims(super::asks::B), "in progress, own token", "=");
}

#[test]
fn a_contested_intent_is_granted_to_nobody_by_claim() {
    let external = [
        Scene::external().contested_over(),
        Scene::external().contested_unknown(),
        Scene::external().contested_released(),
    ];
    for scene in external {
        check(&scene, claims(C), "unknown: success reported; resolve", "=");
        check(&scene, claims(A), "CLAIMANT_SPENT", "=");
    }
    for scene in [Scene::keyed().contested_over(), Scene::keyed().contested_released()] {
        let scene = scene.with(|policy| policy.reclaim_on_expiry = true);
        check(&scene, claims(C), "unknown: success reported; allowed", "=");
    }
}

#[test]
fn a_contested_intent_takes_success() {
    for (scene, verdict) in [
        (Scene::external().contested_live(), "reported"),
        (Scene::external().contested_over(), "reported, late"),
        (Scene::external().contested_unknown(), "reported, late"),
    ] {
        check(&scene, scene.says(2, done("mine")), verdict, "succeeded 2");
    }
    let released = Scene::external().contested_released();
    let request = released.says(2, done("mine"));
    check(&released, request, "reported, late", "succeeded 2, after-release");
}

#[test]
fn a_contested_intent_takes_failure_as_disputed() {
    for (scene, verdict) in [
        (Scene::external().contested_live(), "reported"),
        (Scene::external().contested_over(), "reported, late"),
        (Scene::external().contested_unknown(), "reported, late"),
        (Scene::external().contested_released(), "reported, late"),
    ] {
        check(&scene, scene.says(2, failed("no")), verdict, "failed 2, disputed");
    }
}

#[test]
fn a_contested_intent_takes_unknown_and_stays_contested() {
    for (scene, verdict) in [
        (Scene::external().contested_live(), "reported"),
        (Scene::external().contested_over(), "reported, late"),
        (Scene::external().contested_released(), "reported, late"),
    ] {
        let request = scene.says(2, Reported::Unknown);
        check(&scene, request, verdict, "unknown 2, contested");
    }
}

#[test]
fn renew_of_a_contested_lease_tells_the_success_on_file() {
    let live = Scene::external().contested_live();
    check(&live, live.renews(2, 60), "renewed 60, contested", "live 2, contested");
    check(&live, live.renews(2, 10), "renewed 30, contested", "=");
    let over = Scene::external().contested_over();
    check(&over, over.renews(2, 60), "LEASE_LOST", "=");
}

#[test]
fn release_of_a_contested_intent_leaves_it_contested() {
    for scene in [Scene::external().contested_live(), Scene::external().contested_over()] {
        check(&scene, scene.releases(2), "released", "released 2, contested");
    }
    let doubt = Scene::keyed().taken_over();
    let contested = doubt.then(doubt.says(1, done("late")));
    check(&contested, contested.releases(2), "released", "in doubt 2, contested");
}

#[test]
fn reclaim_of_a_contested_lease_is_in_progress() {
    let live = Scene::keyed().contested_live();
    check(&live, live.reclaims(C, NOT_APPLIED), "in progress", "=");
    check(&live, live.reclaims(C, applied()), "in progress", "=");
}

#[test]
fn reclaim_of_a_contested_intent_is_granted_only_where_the_provider_deduplicates() {
    for class in [EffectClass::NaturallyIdempotent, EffectClass::Keyed] {
        let over = Scene::of(class).contested_over();
        let request = over.reclaims(C, None);
        check(&over, request, "granted 3, reclaimed", "live 3, contested");
    }
    for class in [EffectClass::Accumulative, EffectClass::External] {
        let over = Scene::of(class).contested_over();
        check(&over, over.reclaims(C, None), "unknown: success reported; resolve", "=");
    }
}

/// A late success was fenced while a later attempt was open; then a wrong provider was asked.
#[test]
fn evidence_of_absence_does_not_outweigh_a_reported_success() {
    for scene in [
        Scene::external().contested_over(),
        Scene::external().contested_unknown(),
        Scene::external().contested_released(),
    ] {
        check(&scene, scene.reclaims(C, NOT_APPLIED), "unknown: success reported; resolve", "=");
    }
}

#[test]
fn evidence_that_it_was_applied_settles_a_contested_intent() {
    let over = Scene::external().contested_over();
    check(&over, over.reclaims(C, applied()), "completed", "succeeded 2");
    let released = Scene::external().contested_released();
    let request = released.reclaims(C, applied());
    check(&released, request, "completed", "succeeded 2, after-release");
}

#[test]
fn resolve_ends_it() {
    let over = Scene::external().contested_over();
    check(&over, over.resolves(super::asks::happened()), "resolved", "succeeded 2");
    check(&over, over.resolves(finally_failed()), "resolved", "failed 2");
    let request = over.resolves(ResolveVerdict::NotApplied);
    let free = check(&over, request, "resolved", "released 2");
    check(&free, claims(D), "granted 3", "live 3");
}

#[test]
fn a_contested_live_lease_is_not_repeated_to_its_claimant() {
    let live = Scene::keyed().taken_over();
    let contested = live.then(live.says(1, done("late")));
    check(&live, super::asks::reclaims(super::asks::B), "granted 2, repeated", "=");
    check(&contested, super::asks::reclaims(super::asks::B), "in progress, own token", "=");
}
