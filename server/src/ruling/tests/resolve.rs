//! Resolve, in every state.

use super::{
    asks::{
        A, B, NOT_APPLIED, applied, claims, done, euros, failed, finally_failed, happened,
        reports_with, resolves_as, resolves_on, right, success_without_result,
    },
    scene::{Scene, check},
};
use crate::{
    record::{FencingToken, Outcome, Standing},
    ruling::{Etag, ReportedSuccess, ResolveVerdict},
};

#[test]
fn without_a_record_it_is_not_found() {
    check(&Scene::external(), resolves_on(Etag::None, happened()), "KEY_NOT_FOUND", "=");
}

#[test]
fn a_live_lease_is_in_progress() {
    let live = Scene::external().live();
    for verdict in [happened(), finally_failed(), ResolveVerdict::NotApplied] {
        check(&live, live.resolves(verdict), "IN_PROGRESS", "=");
    }
}

#[test]
fn the_etag_is_compared_before_the_lease() {
    let live = Scene::external().live();
    let stale = live.etag();
    let renewed = live.then(live.renews(1, 60));
    check(&renewed, resolves_on(stale, happened()), "ETAG_MISMATCH", "=");
}

#[test]
fn an_unresolved_intent_takes_the_verdict() {
    for scene in [Scene::external().over(), Scene::external().unknown()] {
        check(&scene, scene.resolves(happened()), "resolved", "succeeded 1");
        check(&scene, scene.resolves(finally_failed()), "resolved", "failed 1");
        let free = scene.then(scene.resolves(ResolveVerdict::NotApplied));
        check(&free, claims(B), "granted 2", "live 2");
        check(&free, claims(A), "CLAIMANT_SPENT", "=");
    }
}

#[test]
fn an_unresolved_intent_takes_it_on_a_marked_etag_alone() {
    let live = Scene::external().live();
    let unmarked = live.after(59).etag();
    let late = live.after(500);
    let request = || resolves_on(unmarked, ResolveVerdict::NotApplied);
    check(&late, request(), "EVIDENCE_TOO_EARLY", "=");
    check(&late, late.resolves(ResolveVerdict::NotApplied), "resolved", "released 1");
}

/// An operator looked at attempt 1; attempt 2 was granted, sent and died; then her verdict came.
#[test]
fn a_verdict_on_a_record_that_moved_on_is_refused() {
    let over = Scene::keyed().over();
    let seen = over.etag();
    let second = over.then(super::asks::reclaims(B)).after(100);
    let request = resolves_on(seen, ResolveVerdict::NotApplied);
    check(&second, request, "ETAG_MISMATCH", "=");
}

#[test]
fn a_released_intent_can_be_resolved_as_succeeded() {
    let released = Scene::external().released();
    check(&released, released.resolves(happened()), "resolved", "succeeded 1, after-release");
}

#[test]
fn a_settled_undisputed_intent_is_settled() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        for verdict in [happened(), finally_failed(), ResolveVerdict::NotApplied] {
            check(&scene, scene.resolves(verdict), "ALREADY_SETTLED", "=");
        }
    }
}

#[test]
fn a_disputed_intent_takes_the_verdict_and_loses_the_mark() {
    let disputed = Scene::external().disputed();
    check(&disputed, disputed.resolves(happened()), "resolved", "succeeded 1");
    check(&disputed, disputed.resolves(finally_failed()), "resolved", "failed 1");
    check(&disputed, disputed.resolves(ResolveVerdict::NotApplied), "resolved", "released 1");
}

#[test]
fn an_orphan_takes_the_verdict_until_it_is_reconciled() {
    let request = reports_with(FencingToken(77), done("receipt"), right());
    let orphan = Scene::external().then(request);
    let settled = check(&orphan, orphan.resolves(happened()), "resolved", "succeeded 0");
    assert_eq!(settled.stored().expect("kept").result.expect("bytes"), "receipt");
    check(&settled, settled.resolves(happened()), "ALREADY_SETTLED", "=");
    let request = orphan.resolves(ResolveVerdict::NotApplied);
    let free = check(&orphan, request, "resolved", "released 0");
    check(&free, claims(A), "granted 1", "live 1");
}

#[test]
fn a_refuted_success_sent_again_changes_nothing() {
    let contested = Scene::external().contested_over();
    for verdict in [finally_failed(), ResolveVerdict::NotApplied] {
        let resolved = contested.then(contested.resolves(verdict));
        check(&resolved, resolved.says(1, done("late")), "FENCED, kept", "=");
    }
    let disputed = Scene::external().disputed();
    let resolved = disputed.then(disputed.resolves(ResolveVerdict::NotApplied));
    check(&resolved, resolved.says(1, done("after all")), "OUTCOME_CONFLICT", "=");
    check(&resolved, claims(B), "granted 2", "live 2");
}

#[test]
fn a_success_that_was_not_refuted_still_counts_after_a_resolve() {
    let over = Scene::external().over();
    let free = over.then(over.resolves(ResolveVerdict::NotApplied));
    check(&free, free.says(1, done("mine")), "reported, late", "succeeded 1, after-release");
    let second = free.then(claims(B));
    check(&second, second.says(1, done("mine")), "FENCED, kept", "live 2, contested");
}

#[test]
fn the_same_resolve_again_is_answered_in_peace() {
    let over = Scene::external().over();
    for verdict in [happened(), finally_failed(), ResolveVerdict::NotApplied] {
        let request = over.resolves(verdict);
        let resolved = over.then(request.clone());
        check(&resolved, request.clone(), "resolved", "=");
        check(&resolved.after(1_000), request, "resolved", "=");
    }
}

#[test]
fn the_same_resolve_again_is_answered_in_peace_after_the_record_moved_on() {
    let over = Scene::external().over();
    let request = over.resolves(ResolveVerdict::NotApplied);
    let moved = over.then(request.clone()).then(claims(B));
    check(&moved, request, "resolved", "=");
}

#[test]
fn another_operators_verdict_on_the_same_etag_is_refused() {
    let over = Scene::external().over();
    let seen = over.etag();
    let resolved = over.then(resolves_on(seen, happened()));
    check(&resolved, resolves_as("night shift", seen, happened()), "ETAG_MISMATCH", "=");
    check(&resolved, resolves_on(seen, finally_failed()), "ETAG_MISMATCH", "=");
}

#[test]
fn a_resolve_is_audited() {
    let over = Scene::external().over();
    let audit = over.then(over.resolves(happened())).record().audit;
    assert_eq!(audit.len(), 1);
    assert_eq!((audit[0].before, audit[0].after), (Standing::Over, Standing::Succeeded));
    assert_eq!(audit[0].judged, over.record().revision);
}

#[test]
fn a_reclaim_judged_on_a_resolved_record_is_refused() {
    let over = Scene::external().over();
    let seen = over.etag();
    let free = over.then(over.resolves(ResolveVerdict::NotApplied));
    check(&free, super::asks::reclaims_on(B, seen, NOT_APPLIED), "ETAG_MISMATCH", "=");
    check(&free, super::asks::reclaims_on(B, seen, applied()), "ETAG_MISMATCH", "=");
}

#[test]
fn resolve_needs_no_policy() {
    let over = Scene::external().over().without_policy();
    check(&over, over.resolves(happened()), "resolved", "succeeded 1");
    let disputed = Scene::external().disputed().without_policy();
    check(&disputed, disputed.resolves(happened()), "resolved", "succeeded 1");
}

#[test]
fn a_failure_reported_before_is_answered_as_before_after_a_resolve() {
    let disputed = Scene::external().disputed();
    let free = disputed.then(disputed.resolves(ResolveVerdict::NotApplied));
    check(&free, free.says(1, failed("card_declined")), "reported, repeated", "=");
}

#[test]
fn a_confirmed_success_keeps_its_bytes_and_takes_the_amount_that_was_told() {
    let request = reports_with(FencingToken(77), done("receipt"), right());
    let orphan = Scene::external().then(request);
    let verdict = ResolveVerdict::Succeeded(ReportedSuccess {
        amount: Some(euros(12)),
        provider_reference: "ch_1".to_owned(),
        ..success_without_result()
    });
    let settled = orphan.then(orphan.resolves(verdict));
    let record = settled.record();
    let Outcome::Succeeded(success) = &record.settlement().expect("settled").outcome else {
        panic!("failed")
    };
    assert_eq!(success.amount, Some(euros(12)));
    assert_eq!(success.provider_reference, "ch_1");
    assert_eq!(settled.stored().expect("kept").result.expect("bytes"), "receipt");
}
