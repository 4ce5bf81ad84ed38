//! How long the provider deduplicates, and each class on both sides of it.

use std::time::Duration;

use super::{
    asks::{A, B, C, claims, claims_for, done, reclaim, reclaims, reports, reports_with, right},
    scene::{DAY, Scene, check},
};
use crate::{
    record::EffectClass,
    ruling::{Reclaim, Reported, Request, ResolveVerdict},
};

/// From `now` on, lease (30 s) and effect timeout (20 s) do not fit into the window any more.
const LAST: Duration = Duration::from_secs(86_400 - 50);

fn reclaims_for(seconds: u64) -> Request {
    let lease = Some(Duration::from_secs(seconds));
    Request::Reclaim(Reclaim { lease, ..reclaim(B) })
}

#[test]
fn keyed_is_reclaimed_by_class_while_the_whole_attempt_fits_into_the_window() {
    let live = Scene::keyed().live();
    let inside = live.before_end(LAST, 1);
    check(&inside, reclaims(B), "granted 2, reclaimed", "live 2");
    let outside = live.later(LAST);
    check(&outside, reclaims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn the_window_is_counted_from_the_first_grant() {
    let second = Scene::keyed().live().after(40_000).then(reclaims(B));
    let third = second.after(40_000).then(reclaims(C));
    let late = third.after(6_400);
    check(&late, reclaims(super::asks::D), "unknown: lease ended; evidence", "=");
}

#[test]
fn past_the_window_claim_takes_nothing_over() {
    let live = Scene::keyed().with(|policy| policy.reclaim_on_expiry = true).live();
    let inside = live.before_end(LAST, 1);
    check(&inside, claims(B), "granted 2, reclaimed", "live 2");
    let outside = live.later(LAST);
    check(&outside, claims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn what_is_naturally_idempotent_has_no_window() {
    let live = Scene::of(EffectClass::NaturallyIdempotent).live().later(DAY * 400);
    check(&live, reclaims(B), "granted 2, reclaimed", "live 2");
}

#[test]
fn the_dangerous_classes_are_never_inside() {
    for class in [EffectClass::Accumulative, EffectClass::External] {
        let live = Scene::of(class).with(|policy| policy.provider_window = Some(DAY)).live();
        check(&live.after(31), reclaims(B), "unknown: lease ended; evidence", "=");
    }
}

#[test]
fn keyed_without_a_window_is_not_deduplicated() {
    let live = Scene::keyed().with(|policy| policy.provider_window = None).live();
    check(&live.after(31), reclaims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn past_the_window_a_contested_intent_needs_resolve() {
    let contested = Scene::keyed().contested_over();
    check(&contested, contested.reclaims(C, None), "granted 3, reclaimed", "live 3, contested");
    let late = contested.later(LAST);
    check(&late, late.reclaims(C, None), "unknown: success reported; resolve", "=");
}

#[test]
fn a_released_intent_is_granted_on_both_sides_of_the_window() {
    let released = Scene::keyed().released();
    check(&released, claims(B), "granted 2", "live 2");
    check(&released.later(DAY), claims(B), "granted 2", "live 2");
    check(&released.later(DAY), claims(A), "CLAIMANT_SPENT", "=");
}

#[test]
fn a_longer_lease_must_fit_for_claim_too() {
    let over = Scene::keyed().with(|policy| policy.reclaim_on_expiry = true).live();
    let inside = over.before_end(DAY, 321);
    check(&inside, claims_for(B, 300), "granted 2, reclaimed", "live 2");
    let outside = over.before_end(DAY, 320);
    let told = outside.clone().ask(&claims_for(B, 300));
    assert!(matches!(told, crate::ruling::Verdict::Unknown(_)), "{told:?}");
    check(&outside, claims(B), "granted 2, reclaimed", "live 2");
}

#[test]
fn a_longer_lease_must_fit_too() {
    let live = Scene::keyed().live();
    let inside = live.before_end(DAY, 321);
    check(&inside, reclaims_for(300), "granted 2, reclaimed", "live 2");
    let outside = live.before_end(DAY, 320);
    check(&outside, reclaims_for(300), "unknown: lease ended; evidence", "=");
}

/// An orphan was resolved as not applied, then its holder took even that back. When the provider
/// first saw the key is not known.
#[test]
fn an_orphans_window_is_not_known() {
    let token = crate::record::FencingToken(77);
    let orphan = Scene::keyed().then(reports_with(token, done("x"), right()));
    let free = orphan.then(orphan.resolves(ResolveVerdict::NotApplied));
    let doubt = free.then(reports(token, Reported::Unknown));
    check(&doubt, reclaims(B), "unknown: reported; evidence", "=");
}
