//! The policy that granted and the policy of today: the stricter applies.

use std::time::Duration;

use super::{
    asks::{B, C, NOT_APPLIED, claims, done, reclaims},
    scene::{DAY, Scene, check},
};
use crate::record::EffectClass;

#[test]
fn a_class_that_was_loosened_since_the_grant_stays() {
    let over = Scene::external().over().with(|policy| {
        policy.effect_class = EffectClass::NaturallyIdempotent;
        policy.reclaim_on_expiry = true;
    });
    check(&over, claims(B), "unknown: lease ended; evidence", "=");
    check(&over, reclaims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn a_class_that_was_tightened_since_the_grant_counts() {
    let over = Scene::keyed().over().with(|policy| policy.effect_class = EffectClass::External);
    check(&over, reclaims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn the_stricter_class_goes_with_the_next_grant() {
    let released = Scene::external().released().with(|policy| {
        policy.effect_class = EffectClass::NaturallyIdempotent;
    });
    let second = released.then(claims(B)).after(100);
    check(&second, reclaims(C), "unknown: lease ended; evidence", "=");
}

#[test]
fn the_shorter_provider_window_counts_on_both_sides() {
    let hour = Some(Duration::from_secs(3_600));
    let granted_longer = Scene::keyed().live().with(|policy| policy.provider_window = hour);
    check(&granted_longer.after(3_551), reclaims(B), "unknown: lease ended; evidence", "=");
    check(&granted_longer.after(3_549), reclaims(B), "granted 2, reclaimed", "live 2");
    let granted_shorter = Scene::keyed()
        .with(|policy| policy.provider_window = hour)
        .live()
        .with(|policy| policy.provider_window = Some(DAY));
    check(&granted_shorter.after(3_551), reclaims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn the_longer_effect_timeout_counts_on_both_sides() {
    let longer = Duration::from_secs(25);
    let today = Scene::keyed().live().with(|policy| policy.effect_timeout = longer);
    let granted = Scene::keyed()
        .with(|policy| policy.effect_timeout = longer)
        .live()
        .with(|policy| policy.effect_timeout = Duration::from_secs(20));
    for scene in [today, granted] {
        let outside = scene.before_end(DAY, 55);
        check(&outside, reclaims(B), "unknown: lease ended; evidence", "=");
        let inside = scene.before_end(DAY, 56);
        check(&inside, reclaims(B), "granted 2, reclaimed", "live 2");
    }
}

#[test]
fn the_longer_evidence_delay_counts_on_both_sides() {
    let longer = Duration::from_secs(600);
    let today = Scene::external().live().with(|policy| policy.evidence_delay = longer);
    let granted = Scene::external()
        .with(|policy| policy.evidence_delay = longer)
        .live()
        .with(|policy| policy.evidence_delay = Duration::from_secs(30));
    for scene in [today, granted] {
        let early = scene.after(629);
        check(&early, early.reclaims(B, NOT_APPLIED), "EVIDENCE_TOO_EARLY", "=");
        let ripe = scene.after(630);
        check(&ripe, ripe.reclaims(B, NOT_APPLIED), "granted 2, reclaimed", "live 2");
    }
}

#[test]
fn the_shorter_longest_lease_counts_on_both_sides() {
    let shorter = Duration::from_secs(60);
    let today = Scene::keyed().live().with(|policy| policy.max_lease = shorter);
    let granted = Scene::keyed()
        .with(|policy| policy.max_lease = shorter)
        .live()
        .with(|policy| policy.max_lease = Duration::from_secs(300));
    for scene in [today, granted] {
        check(&scene, scene.renews(1, 300), "renewed 60", "live 1");
    }
}

#[test]
fn the_shorter_longest_hold_counts_on_both_sides() {
    let shorter = Duration::from_secs(100);
    let today = Scene::keyed().live().with(|policy| policy.max_hold = shorter);
    let granted = Scene::keyed()
        .with(|policy| policy.max_hold = shorter)
        .live()
        .with(|policy| policy.max_hold = Duration::from_secs(3_600));
    for scene in [today, granted] {
        let later = scene.after(20);
        check(&later, later.renews(1, 300), "renewed 80", "live 1");
    }
}

#[test]
fn the_longer_retention_counts_on_both_sides() {
    let today = Scene::keyed().live().with(|policy| policy.retention = DAY * 90);
    let granted = Scene::keyed()
        .with(|policy| policy.retention = DAY * 90)
        .live()
        .with(|policy| policy.retention = DAY * 45);
    for scene in [today, granted] {
        let settled = scene.then(scene.says(1, done("receipt")));
        assert_eq!(settled.stored().expect("kept").expires_in, Some(DAY * 90));
    }
}

#[test]
fn reconciliation_asked_for_on_either_side_keeps_the_record() {
    let today = Scene::keyed().live().with(|policy| policy.reconcile = true);
    let granted = Scene::keyed()
        .with(|policy| policy.reconcile = true)
        .live()
        .with(|policy| policy.reconcile = false);
    for scene in [today, granted] {
        let settled = scene.then(scene.says(1, done("receipt")));
        assert_eq!(settled.stored().expect("kept").expires_in, None);
    }
}
