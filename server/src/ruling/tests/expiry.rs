//! When a record expires, by write: never, as before, or after its retention.

use std::time::Duration;

use super::{
    asks::{
        A, B, C, NOT_APPLIED, applied, claims, done, failed, finally_failed, gives_back, happened,
        reports_with, right,
    },
    scene::{DAY, Scene},
};
use crate::{
    record::FencingToken,
    ruling::{Reported, ResolveVerdict},
};

const RETENTION: Option<Duration> = Some(Duration::from_secs(45 * 86_400));

#[track_caller]
fn expires(scene: &Scene, expected: Option<Duration>) {
    assert_eq!(scene.stored().expect("a record").expires_in, expected);
}

#[test]
fn an_open_intent_never_expires() {
    let live = Scene::keyed().live();
    expires(&live, None);
    expires(&live.then(live.renews(1, 60)), None);
    expires(&live.then(gives_back(C)), None);
    expires(&Scene::keyed().unknown(), None);
    expires(&Scene::keyed().over().later(DAY * 1_000), None);
    expires(&Scene::keyed().taken_over(), None);
}

#[test]
fn a_settled_intent_expires_after_its_retention_counted_from_the_report() {
    let live = Scene::keyed().live();
    expires(&live.then(live.says(1, done("x"))), RETENTION);
    expires(&live.then(live.says(1, failed("no"))), RETENTION);
}

#[test]
fn the_result_expires_after_its_own_retention() {
    let live = Scene::keyed().with(|policy| policy.result_retention = DAY * 5).live();
    let settled = live.then(live.says(1, done("x")));
    assert_eq!(settled.stored().expect("kept").result_expires_in, Some(DAY * 5));
    assert!(settled.later(DAY * 5).stored().expect("kept").result.is_none());
}

#[test]
fn a_forgotten_key_is_fresh_again_and_not_before() {
    let settled = Scene::keyed().succeeded();
    super::scene::check(&settled.later(DAY * 44), claims(B), "completed", "=");
    super::scene::check(&settled.later(DAY * 45), claims(B), "granted 1", "live 1");
}

#[test]
fn a_released_intent_expires_after_its_retention() {
    let live = Scene::keyed().live();
    expires(&live.then(live.releases(1)), RETENTION);
}

#[test]
fn a_released_intent_granted_again_does_not_expire() {
    expires(&Scene::keyed().released().then(claims(B)), None);
}

#[test]
fn a_release_taken_back_does_not_expire() {
    let released = Scene::keyed().released();
    expires(&released.then(released.says(1, Reported::Unknown)), None);
}

#[test]
fn a_conflict_changes_no_expiry() {
    let settled = Scene::keyed().succeeded();
    let before = settled.stored().expect("kept").expires_in;
    expires(&settled.then(settled.says(1, failed("no"))), before);
    let released = Scene::keyed().released();
    let before = released.stored().expect("kept").expires_in;
    expires(&released.then(released.says(1, failed("no"))), before);
}

#[test]
fn contested_and_disputed_intents_never_expire() {
    expires(&Scene::keyed().contested_over(), None);
    expires(&Scene::keyed().contested_released(), None);
    expires(&Scene::keyed().disputed(), None);
    let over = Scene::keyed().contested_over();
    expires(&over.then(over.says(2, failed("no"))), None);
}

#[test]
fn a_late_success_on_a_released_intent_stops_its_expiry() {
    let second = Scene::keyed().released().then(claims(B));
    let released = second.then(second.releases(2));
    expires(&released, RETENTION);
    expires(&released.then(released.says(1, done("late"))), None);
}

#[test]
fn resolve_starts_retention_anew() {
    let disputed = Scene::keyed().disputed().later(DAY * 10);
    for verdict in [happened(), finally_failed(), ResolveVerdict::NotApplied] {
        expires(&disputed.then(disputed.resolves(verdict)), RETENTION);
    }
}

#[test]
fn what_is_to_be_reconciled_does_not_expire_before() {
    let live = Scene::external().live();
    expires(&live.then(live.says(1, done("x"))), None);
    expires(&live.then(live.says(1, failed("no"))), None);
    expires(&live.then(live.releases(1)), None);
}

#[test]
fn evidence_and_resolve_are_a_comparison_with_the_provider() {
    let over = Scene::external().over();
    expires(&over.then(over.reclaims(B, applied())), RETENTION);
    expires(&over.then(over.resolves(happened())), RETENTION);
    expires(&over.then(over.resolves(finally_failed())), RETENTION);
    expires(&over.then(over.resolves(ResolveVerdict::NotApplied)), RETENTION);
}

#[test]
fn evidence_of_absence_is_no_comparison_of_the_next_attempt() {
    let over = Scene::external().over();
    let second = over.then(over.reclaims(B, NOT_APPLIED));
    expires(&second.then(second.says(2, done("x"))), None);
}

#[test]
fn an_orphan_does_not_expire_until_it_is_resolved() {
    let request = reports_with(FencingToken(77), done("x"), right());
    for scene in [Scene::keyed(), Scene::keyed().without_policy()] {
        let orphan = scene.then(request.clone());
        expires(&orphan, None);
        expires(&orphan.then(orphan.resolves(happened())), RETENTION);
    }
}

#[test]
fn a_filled_in_result_keeps_the_records_expiry() {
    let over = Scene::external().over();
    let known = over.then(over.reclaims(B, applied())).later(DAY * 10);
    expires(&known.then(known.says(1, done("receipt"))), Some(DAY * 35));
}

#[test]
fn a_lease_of_its_own_has_nothing_to_do_with_retention() {
    let live = Scene::keyed().then(claims(A));
    assert!(live.stored().expect("kept").lease.is_live());
    expires(&live.later(DAY * 100), None);
}

/// The comparison was about an earlier attempt: what a later one did has not been compared.
#[test]
fn a_comparison_does_not_cover_what_was_reported_after_it() {
    let over = Scene::external().over();
    let free = over.then(over.resolves(ResolveVerdict::NotApplied));
    expires(&free.then(free.says(1, done("after all"))), None);
    expires(&free.then(free.says(1, Reported::Unknown)), None);
    let second = free.then(claims(B));
    assert_eq!(second.record().reconcile_time, None);
    expires(&second.then(second.says(2, done("x"))), None);
    expires(&second.then(second.says(2, failed("no"))), None);
    expires(&second.then(second.releases(2)), None);
}
