//! Bounds: attempts, tokens, details.

use uuid::Uuid;

use super::{
    asks::{A, C, NOT_APPLIED, applied, claims, reclaims},
    scene::{Scene, check},
};
use crate::{
    record::{Claimant, DETAILS_MAX, TOKENS_MAX},
    ruling::ResolveVerdict,
};

fn nobody(number: usize) -> Claimant {
    Claimant(Uuid::from_u128(0x2000 + number as u128))
}

fn five_died() -> Scene {
    let mut scene = Scene::keyed().over();
    for number in 2..=5 {
        scene = scene.then(reclaims(nobody(number))).after(100);
    }
    scene
}

#[test]
fn after_the_last_attempt_nothing_is_granted() {
    let scene = five_died();
    check(&scene, reclaims(C), "unknown: lease ended; exhausted", "=");
    let claiming = scene.with(|policy| policy.reclaim_on_expiry = true);
    check(&claiming, claims(C), "unknown: lease ended; exhausted", "=");
}

#[test]
fn evidence_of_absence_does_not_open_used_up_attempts() {
    let scene = five_died();
    check(&scene, scene.reclaims(C, NOT_APPLIED), "unknown: lease ended; exhausted", "=");
}

#[test]
fn evidence_of_absence_does_not_start_the_count_anew() {
    let mut scene = Scene::external().over();
    for number in 2..=5 {
        scene = scene.then(scene.reclaims(nobody(number), NOT_APPLIED)).after(100);
    }
    check(&scene, scene.reclaims(C, NOT_APPLIED), "unknown: lease ended; exhausted", "=");
}

#[test]
fn evidence_that_it_was_applied_settles_used_up_attempts() {
    let scene = five_died();
    check(&scene, scene.reclaims(C, applied()), "completed", "succeeded 5");
}

#[test]
fn resolve_opens_used_up_attempts() {
    let scene = five_died();
    let free = scene.then(scene.resolves(ResolveVerdict::NotApplied));
    let sixth = free.then(claims(C)).after(100);
    check(&sixth, reclaims(nobody(7)), "granted 7, reclaimed", "live 7");
}

#[test]
fn one_attempt_fewer_is_granted() {
    let mut scene = Scene::keyed().over();
    for number in 2..=4 {
        scene = scene.then(reclaims(nobody(number))).after(100);
    }
    check(&scene, reclaims(C), "granted 5, reclaimed", "live 5");
}

#[test]
fn a_released_intent_is_granted_however_many_attempts_there_were() {
    let mut scene = Scene::external().released();
    for number in 2..=9 {
        scene = scene.then(claims(nobody(number)));
        scene = scene.then(scene.releases(u32::try_from(number).expect("small")));
    }
    check(&scene, claims(C), "granted 10", "live 10");
}

#[test]
fn after_a_thousand_tokens_nothing_is_granted() {
    let mut scene = Scene::external().then(claims(A));
    for number in 2..=TOKENS_MAX {
        let attempt = u32::try_from(number).expect("small");
        scene.ask(&scene.releases(attempt - 1));
        scene.ask(&claims(nobody(number)));
    }
    let attempt = u32::try_from(TOKENS_MAX).expect("small");
    let scene = scene.then(scene.releases(attempt)).after(100);
    assert_eq!(scene.record().grants.len(), TOKENS_MAX);
    check(&scene, claims(C), "unknown: lease ended; exhausted", "=");
    check(&scene, scene.reclaims(C, NOT_APPLIED), "unknown: lease ended; exhausted", "=");
    check(&scene, scene.reclaims(C, applied()), "completed", "succeeded 1000, after-release");
}

#[test]
fn audit_entries_are_bounded_and_the_rest_is_counted() {
    let mut scene = Scene::external().over();
    for number in 0..20 {
        scene = scene.then(scene.resolves(ResolveVerdict::NotApplied));
        scene = scene.then(claims(nobody(number))).after(100);
    }
    let record = scene.record();
    assert_eq!((record.audit.len(), record.audit_cut), (DETAILS_MAX, 4));
}
