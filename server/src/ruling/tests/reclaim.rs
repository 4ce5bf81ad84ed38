//! Reclaim, in every state.

use super::{
    asks::{A, B, C, NOT_APPLIED, applied, claims, payload, reclaim, reclaims, reclaims_on},
    scene::{Scene, check},
};
use crate::{
    record::{AttemptEnd, EffectClass, Standing},
    ruling::{Etag, Evidence, Finding, Reclaim, Request},
};

#[test]
fn without_a_record_it_is_not_found() {
    check(&Scene::keyed(), reclaims(A), "KEY_NOT_FOUND", "=");
    check(&Scene::keyed(), reclaims_on(A, Etag::None, None), "KEY_NOT_FOUND", "=");
}

#[test]
fn without_a_record_evidence_of_absence_is_granted() {
    let request = reclaims_on(A, Etag::None, NOT_APPLIED);
    check(&Scene::external(), request, "granted 1", "live 1");
}

#[test]
fn without_a_record_evidence_that_it_was_applied_is_recorded() {
    let request = reclaims_on(A, Etag::None, applied());
    let known = check(&Scene::external(), request, "completed", "succeeded 0");
    check(&known, claims(B), "completed", "=");
}

#[test]
fn a_live_lease_is_in_progress_whatever_the_evidence() {
    for scene in [Scene::keyed().live(), Scene::external().live()] {
        let Etag::Revision { revision, .. } = scene.etag() else { panic!("no record") };
        let marked = Etag::Revision { revision, marked: true };
        for finding in [None, Some(NOT_APPLIED), Some(applied())] {
            check(&scene, reclaims_on(B, marked, finding), "in progress", "=");
        }
    }
}

#[test]
fn its_own_claimant_is_answered_as_to_claim() {
    let live = Scene::keyed().live();
    check(&live, reclaims(A), "granted 1, repeated", "=");
    check(&live.then(live.renews(1, 60)), reclaims(A), "in progress, own token", "=");
    let over = Scene::external().over();
    check(&over, over.reclaims(A, NOT_APPLIED), "unknown: lease ended; evidence, own token", "=");
}

#[test]
fn the_claimant_of_an_ended_attempt_is_spent_whatever_the_etag() {
    let released = Scene::external().released();
    check(&released, reclaims_on(A, Etag::None, None), "CLAIMANT_SPENT", "=");
    let second = Scene::keyed().taken_over().after(100);
    check(&second, second.reclaims(A, None), "CLAIMANT_SPENT", "=");
}

#[test]
fn where_the_provider_deduplicates_it_is_granted_with_the_same_provider_key() {
    for class in [EffectClass::NaturallyIdempotent, EffectClass::Keyed] {
        for scene in [Scene::of(class).over(), Scene::of(class).unknown()] {
            let taken = check(&scene, reclaims(B), "granted 2, reclaimed", "live 2");
            assert_eq!(taken.record().provider_key, scene.record().provider_key);
            assert!(taken.token(2) > taken.token(1));
            assert_eq!(taken.record().grants[0].end, AttemptEnd::Unresolved);
        }
    }
}

#[test]
fn where_it_does_not_the_answer_is_unknown_again() {
    for class in [EffectClass::Accumulative, EffectClass::External] {
        let over = Scene::of(class).over();
        check(&over, over.reclaims(B, None), "unknown: lease ended; evidence", "=");
        let unknown = Scene::of(class).unknown();
        check(&unknown, unknown.reclaims(B, None), "unknown: reported; evidence", "=");
    }
}

#[test]
fn evidence_of_absence_on_the_judged_record_is_granted_and_clears_the_attempt() {
    for scene in [Scene::external().over(), Scene::external().unknown()] {
        let request = scene.reclaims(B, NOT_APPLIED);
        let taken = check(&scene, request, "granted 2, reclaimed", "live 2");
        assert_eq!(taken.record().grants[0].end, AttemptEnd::Cleared);
    }
}

#[test]
fn a_takeover_is_audited() {
    let over = Scene::external().over();
    let audit = over.then(over.reclaims(B, NOT_APPLIED)).record().audit;
    assert_eq!(audit.len(), 1);
    assert_eq!((audit[0].before, audit[0].after), (Standing::Over, Standing::Live));
    assert_eq!(audit[0].judged, over.record().revision);
    assert_eq!(audit[0].reference, "search-1");
}

#[test]
fn evidence_that_it_was_applied_records_success() {
    for class in [EffectClass::Keyed, EffectClass::External] {
        for scene in [Scene::of(class).over(), Scene::of(class).unknown()] {
            check(&scene, scene.reclaims(B, applied()), "completed", "succeeded 1");
        }
    }
}

#[test]
fn evidence_needs_no_policy_to_record_success_but_a_grant_does() {
    let over = Scene::external().over().without_policy();
    check(&over, over.reclaims(B, applied()), "completed", "succeeded 1");
    check(&over, over.reclaims(B, NOT_APPLIED), "OPERATION_UNKNOWN", "=");
}

#[test]
fn a_released_intent_is_granted() {
    let released = Scene::external().released();
    check(&released, reclaims(B), "granted 2", "live 2");
    check(&released, released.reclaims(B, NOT_APPLIED), "granted 2", "live 2");
}

#[test]
fn evidence_that_a_released_intent_was_applied_is_recorded_and_marked() {
    let released = Scene::external().released();
    let request = released.reclaims(B, applied());
    check(&released, request, "completed", "succeeded 1, after-release");
}

#[test]
fn a_settled_intent_is_completed_whatever_the_etag() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        check(&scene, reclaims(A), "completed", "=");
        check(&scene, reclaims_on(B, Etag::None, NOT_APPLIED), "completed", "=");
    }
}

#[test]
fn a_record_that_moved_on_is_a_mismatch() {
    let live = Scene::external().live();
    let seen = live.after(100).etag();
    let moved = live.then(live.says(1, crate::ruling::Reported::Unknown)).after(100);
    check(&moved, reclaims_on(B, seen, NOT_APPLIED), "ETAG_MISMATCH", "=");
    check(&moved, reclaims_on(B, seen, applied()), "ETAG_MISMATCH", "=");
    check(&moved, reclaims_on(B, Etag::None, NOT_APPLIED), "ETAG_MISMATCH", "=");
}

#[test]
fn a_record_that_moved_on_is_a_mismatch_without_evidence_too() {
    let live = Scene::keyed().live();
    let seen = live.after(100).etag();
    let moved = live.then(live.says(1, crate::ruling::Reported::Unknown)).after(100);
    check(&moved, reclaims_on(B, seen, None), "ETAG_MISMATCH", "=");
}

#[test]
fn evidence_on_an_etag_seen_too_early_proves_nothing() {
    let live = Scene::external().live();
    let seen_early = live.after(59).etag();
    let seen_ripe = live.after(60).etag();
    let late = live.after(500);
    check(&late, reclaims_on(B, seen_early, NOT_APPLIED), "EVIDENCE_TOO_EARLY", "=");
    check(&late, reclaims_on(B, seen_early, applied()), "EVIDENCE_TOO_EARLY", "=");
    let request = reclaims_on(B, seen_ripe, NOT_APPLIED);
    check(&late, request, "granted 2, reclaimed", "live 2");
}

#[test]
fn a_mark_does_not_make_evidence_early() {
    let live = Scene::external().live();
    let seen_ripe = live.after(60).etag();
    let request = || reclaims_on(B, seen_ripe, NOT_APPLIED);
    check(&live.after(59), request(), "EVIDENCE_TOO_EARLY", "=");
}

#[test]
fn clocks_that_differ_put_evidence_off_by_twice_their_bound() {
    let bound = std::time::Duration::from_secs(60);
    let scene = Scene { clock_bound: bound, ..Scene::external() };
    let live = scene.live();
    let early = live.after(179);
    check(&early, early.reclaims(B, NOT_APPLIED), "EVIDENCE_TOO_EARLY", "=");
    let ripe = live.after(180);
    check(&ripe, ripe.reclaims(B, NOT_APPLIED), "granted 2, reclaimed", "live 2");
}

#[test]
fn the_hash_is_compared_before_claimant_and_etag() {
    let over = Scene::external().over();
    for claimant in [A, B] {
        let request = Reclaim {
            payload: payload("sha256", "bb"),
            etag: Some(Etag::None),
            ..reclaim(claimant)
        };
        check(&over, Request::Reclaim(request), "KEY_REUSED", "=");
    }
}

#[test]
fn a_reclaim_sent_again_is_given_the_same_grant() {
    let over = Scene::external().over();
    let request = over.reclaims(B, NOT_APPLIED);
    let taken = over.then(request.clone());
    check(&taken, request, "granted 2, repeated", "=");
    check(&taken, claims(C), "in progress", "=");
}

/// Judged = written on: evidence about nothing in particular is no evidence.
#[test]
fn evidence_without_an_etag_moves_nothing() {
    let over = Scene::external().over();
    for finding in [Finding::NotApplied, applied()] {
        let evidence = Some(Evidence { finding, reference: String::new() });
        let request = Request::Reclaim(Reclaim { evidence, ..reclaim(B) });
        check(&over, request, "INVALID_FIELD etag", "=");
    }
}

/// Taking over is audited, also where there was nothing to take over from.
#[test]
fn without_a_record_it_is_audited_all_the_same() {
    for finding in [NOT_APPLIED, applied()] {
        let after = Scene::external().then(reclaims_on(A, Etag::None, finding));
        let audit = after.record().audit;
        assert_eq!(audit.len(), 1);
        assert_eq!((audit[0].principal.as_str(), audit[0].reason.as_str()), ("ops", "stuck"));
    }
}
