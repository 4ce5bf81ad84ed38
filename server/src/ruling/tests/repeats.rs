//! The same report gets the same answer, in every state, and moves nothing.

use super::{
    asks::{B, C, claims, done, failed, reclaims, reports_with, right},
    scene::{Scene, check},
};
use crate::{
    record::FencingToken,
    ruling::{Reported, ResolveVerdict},
};

#[test]
fn every_report_is_answered_again_as_before() {
    let live = Scene::external().live();
    for request in
        [live.says(1, done("receipt")), live.says(1, failed("no")), live.says(1, Reported::Unknown)]
    {
        let told = live.then(request.clone());
        check(&told, request.clone(), "reported, repeated", "=");
        check(&told.after(500), request, "reported, repeated", "=");
    }
    let released = live.then(live.releases(1));
    check(&released, live.releases(1), "released, repeated", "=");
}

#[test]
fn a_late_report_is_answered_again_as_late() {
    let over = Scene::external().over();
    let told = over.then(over.says(1, done("receipt")));
    check(&told, over.says(1, done("receipt")), "reported, repeated, late", "=");
}

#[test]
fn a_conflict_is_answered_again_as_a_conflict() {
    let settled = Scene::external().succeeded();
    for request in [settled.says(1, failed("no")), settled.says(1, done("other"))] {
        let kept = settled.then(request.clone());
        check(&kept, request, "OUTCOME_CONFLICT", "=");
    }
}

#[test]
fn a_fenced_report_is_answered_again_as_fenced_and_is_kept_once() {
    let scene = Scene::keyed().taken_over();
    for request in [scene.says(1, done("late")), scene.says(1, failed("late"))] {
        let kept = scene.then(request.clone());
        check(&kept, request, "FENCED, kept", "=");
    }
}

/// An old Release, its copy delayed in the network, meets what became of the intent since.
#[test]
fn a_copy_of_an_old_release_never_moves_the_record() {
    let live = Scene::external().live();
    let copy = live.releases(1);
    let released = live.then(copy.clone());
    let unknown = released.then(released.says(1, Reported::Unknown));
    check(&unknown, copy.clone(), "released, repeated", "=");
    let done = released.then(released.says(1, done("after all")));
    check(&done, copy.clone(), "released, repeated", "=");
    let second = released.then(claims(B));
    check(&second, copy.clone(), "released, repeated", "=");
    check(&second.after(100), copy, "released, repeated", "=");
}

/// The intent was freed by a verdict before its holder released it; then the holder is in doubt
/// after all.
#[test]
fn a_copy_of_a_release_that_came_after_a_verdict_never_moves_the_record() {
    let disputed = Scene::external().disputed();
    let free = disputed.then(disputed.resolves(ResolveVerdict::NotApplied));
    let copy = free.releases(1);
    let released = check(&free, copy.clone(), "released", "released 1");
    check(&released, copy.clone(), "released, repeated", "=");
    let unknown = released.then(released.says(1, Reported::Unknown));
    check(&unknown, copy, "released, repeated", "=");
}

/// An old failure, its copy delayed in the network, meets what became of the intent since.
#[test]
fn a_copy_of_an_old_failure_never_moves_the_record() {
    let live = Scene::keyed().taken_over();
    let copy = live.says(2, failed("no"));
    let doubt = live.then(copy.clone());
    let unknown = doubt.then(doubt.says(2, Reported::Unknown));
    check(&unknown, copy.clone(), "reported, repeated", "=");
    let third = doubt.then(reclaims(C));
    check(&third, copy, "reported, repeated", "=");
}

#[test]
fn a_copy_of_an_old_failure_does_not_undo_a_resolve() {
    let disputed = Scene::external().disputed();
    let copy = disputed.says(1, failed("card_declined"));
    let free = disputed.then(disputed.resolves(ResolveVerdict::NotApplied));
    check(&free, copy.clone(), "reported, repeated", "=");
    check(&free.then(claims(B)), copy, "reported, repeated", "=");
}

/// The one exception: which of the two came first is not known, so the safer one wins.
#[test]
fn unknown_always_takes_a_release_back() {
    let unknown = Scene::external().unknown();
    let copy = unknown.says(1, Reported::Unknown);
    let released = unknown.then(unknown.releases(1));
    let again = check(&released, copy.clone(), "reported", "unknown 1");
    check(&again, copy, "reported, repeated", "=");
}

#[test]
fn an_orphan_is_reported_again_in_peace() {
    let request = reports_with(FencingToken(77), done("receipt"), right());
    let orphan = Scene::external().then(request.clone());
    check(&orphan, request, "reported, repeated, late", "=");
}

#[test]
fn late_failures_are_kept_up_to_a_bound_and_the_rest_is_counted() {
    let mut scene = Scene::external().succeeded();
    for number in 0..40 {
        let mut asked = scene.clone();
        asked.ask(&scene.says(1, failed(&number.to_string())));
        scene = asked;
    }
    let record = scene.record();
    let late = record.reports.iter().filter(|report| report.is_late()).count();
    assert!(late <= crate::record::DETAILS_MAX);
    assert_eq!(late + record.late_reports_cut as usize, 40);
}

#[test]
fn late_successes_are_never_cut_for_failures() {
    let scene = Scene::keyed().taken_over();
    let mut scene = scene.then(scene.says(1, done("late")));
    for number in 0..40 {
        scene = scene.then(scene.says(1, failed(&number.to_string())));
    }
    assert!(scene.record().is_contested());
    check(&scene, scene.says(1, done("late")), "FENCED, kept", "=");
}

/// Seventeen other words of the same holder do not push the release out of memory.
#[test]
fn conflicts_do_not_push_out_what_was_recorded() {
    let mut scene = Scene::external().released();
    let copy = scene.releases(1);
    for number in 0..20 {
        scene = scene.then(scene.says(1, failed(&number.to_string())));
    }
    scene = scene.then(scene.says(1, Reported::Unknown));
    check(&scene, copy, "released, repeated", "=");
    assert!(scene.record().late_reports_cut > 0);
}
