//! A lease that the store still holds, with nothing left of it to promise.

use std::time::Duration;

use super::{
    asks::{A, B, NOT_APPLIED, claims, claims_for, done, failed, gives_back, reclaims},
    scene::{Scene, check},
};
use crate::ruling::{Reported, ResolveVerdict};

/// Granted for 30 s, held for three more; now in the second of those.
fn in_margin(scene: Scene) -> Scene {
    Scene { margin: Duration::from_secs(3), ..scene }.live().after(31)
}

#[test]
fn nothing_is_granted_again_when_nothing_is_left() {
    for scene in [in_margin(Scene::keyed()), in_margin(Scene::external())] {
        check(&scene, claims(A), "in progress, own token", "=");
        check(&scene, reclaims(A), "in progress, own token", "=");
    }
}

#[test]
fn a_lease_whose_last_moment_is_now_is_not_granted_again() {
    let scene = Scene { margin: Duration::from_secs(3), ..Scene::keyed() };
    check(&scene.then(claims_for(A, 2)).after(2), claims(A), "in progress, own token", "=");
}

#[test]
fn for_others_it_is_in_progress_whatever_the_policy_and_the_evidence() {
    let scene = in_margin(Scene::keyed().with(|policy| policy.reclaim_on_expiry = true));
    check(&scene, claims(B), "in progress", "=");
    check(&scene, reclaims(B), "in progress", "=");
    check(&scene, scene.reclaims(B, NOT_APPLIED), "in progress", "=");
    check(&scene, scene.resolves(ResolveVerdict::NotApplied), "IN_PROGRESS", "=");
}

#[test]
fn it_is_extended() {
    let scene = in_margin(Scene::keyed());
    let renewed = check(&scene, scene.renews(1, 60), "renewed 60", "live 1");
    check(&renewed, claims(A), "in progress, own token", "=");
    check(&scene, scene.renews(1, 1), "renewed 2", "live 1");
}

#[test]
fn reports_are_in_time() {
    let scene = in_margin(Scene::keyed());
    check(&scene, scene.says(1, done("receipt")), "reported", "succeeded 1");
    check(&scene, scene.says(1, failed("no")), "reported", "failed 1");
    check(&scene, scene.says(1, Reported::Unknown), "reported", "unknown 1");
    check(&scene, scene.releases(1), "released", "released 1");
    check(&scene, gives_back(A), "released", "released 1");
}

#[test]
fn it_is_over_when_the_store_says_so() {
    let over = in_margin(Scene::external()).after(2);
    check(&over, claims(A), "unknown: lease ended; evidence, own token", "=");
    check(&over, over.renews(1, 60), "LEASE_LOST", "=");
}
