//! A key without a record is fresh only if the store would remember it.

use std::time::Duration;

use super::{
    asks::{
        A, B, C, D, NOT_APPLIED, applied, claims, claims_sent_at, failed, gives_back, reclaims,
        reclaims_on, reports_with, right,
    },
    scene::{DAY, NOW, Scene, check},
};
use crate::{
    clock::Timestamp,
    record::{EffectClass, FencingToken},
    ruling::{Etag, Reported, ResolveVerdict, Verdict},
};

const GAP: &str = "unknown: memory gap; evidence";

/// After these, evidence about what the store forgot counts: the longest lease, then the evidence
/// delay.
const FORGOTTEN_LEASES: u64 = 300 + 30;

#[test]
fn an_intent_first_sent_within_the_retention_is_fresh() {
    let scene = Scene::external();
    let edge = scene.now.before(DAY * 45);
    check(&scene, claims_sent_at(A, edge), "granted 1", "live 1");
    let older = edge.before(Duration::from_micros(1));
    check(&scene, claims_sent_at(A, older), "INTENT_TOO_OLD", "=");
}

#[test]
fn an_intent_first_sent_before_the_memory_is_too_old_for_every_class() {
    for class in [EffectClass::NaturallyIdempotent, EffectClass::Keyed, EffectClass::External] {
        let mut scene = Scene::of(class);
        scene.memory.start = NOW.before(DAY);
        check(&scene, claims_sent_at(A, NOW.before(DAY)), "granted 1", "live 1");
        let older = NOW.before(DAY + Duration::from_micros(1));
        check(&scene, claims_sent_at(A, older), "INTENT_TOO_OLD", "=");
    }
}

#[test]
fn raising_the_retention_does_not_lengthen_the_past() {
    let scene = Scene::external().with(|policy| policy.retention = DAY * 400);
    let older = scene.now.before(DAY * 46);
    check(&scene, claims_sent_at(A, older), "INTENT_TOO_OLD", "=");
}

#[test]
fn lowering_the_retention_shortens_it_at_once() {
    let scene = Scene::external().with(|policy| policy.retention = DAY * 10);
    check(&scene, claims_sent_at(A, scene.now.before(DAY * 11)), "INTENT_TOO_OLD", "=");
}

#[test]
fn on_the_first_day_the_backlog_is_fresh_where_the_policy_says_so() {
    let mut scene = Scene::external();
    scene.memory.start = NOW;
    check(&scene, claims_sent_at(A, NOW.before(DAY)), "INTENT_TOO_OLD", "=");
    let said = scene.with(|policy| policy.nothing_sent_before_memory = true);
    check(&said, claims_sent_at(A, NOW.before(DAY)), "granted 1", "live 1");
    check(&said, claims_sent_at(A, NOW.before(DAY * 46)), "INTENT_TOO_OLD", "=");
}

#[test]
fn after_a_restore_nobody_can_say_that_nothing_was_sent_before() {
    let said = Scene::external().with(|policy| policy.nothing_sent_before_memory = true);
    let restored = said.restored();
    check(&restored, claims_sent_at(A, NOW.before(DAY)), "INTENT_TOO_OLD", "=");
}

#[test]
fn in_a_gap_the_dangerous_classes_are_unknown() {
    for class in [EffectClass::Accumulative, EffectClass::External] {
        let restored = Scene::of(class).restored();
        check(&restored, claims(A), GAP, "=");
        check(&restored, claims_sent_at(A, restored.now), "granted 1", "live 1");
    }
}

#[test]
fn in_a_gap_what_the_provider_deduplicates_is_fresh() {
    for class in [EffectClass::NaturallyIdempotent, EffectClass::Keyed] {
        check(&Scene::of(class).restored(), claims(A), "granted 1", "live 1");
    }
}

/// The oldest grant that the store has forgotten was made just after the copy: once the provider
/// may have forgotten it too, nobody would notice a second one.
#[test]
fn in_a_gap_keyed_is_fresh_while_the_provider_remembers_all_that_is_forgotten() {
    // The lease and the longest call of the effect have to end within the window.
    const SEND: u64 = 30 + 20;
    let restored = Scene::keyed().restored();
    check(&restored.before_end(DAY, SEND + 1), claims(A), "granted 1", "live 1");
    check(&restored.before_end(DAY, SEND), claims(A), GAP, "=");
    let old_copy = Scene { forgotten_since: NOW.before(DAY), ..Scene::keyed().restored() };
    check(&old_copy, claims(A), GAP, "=");
    let unsaid = Scene { forgotten_since: Timestamp::default(), ..Scene::keyed().restored() };
    check(&unsaid, claims(A), GAP, "=");
    check(&old_copy, claims_sent_at(A, NOW), "granted 1", "live 1");
    let mut accepted = old_copy.clone();
    accepted.memory.gap = false;
    check(&accepted, claims(A), "granted 1", "live 1");
    let idempotent = Scene::of(EffectClass::NaturallyIdempotent).restored();
    check(&idempotent.later(DAY * 9), claims(A), "granted 1", "live 1");
}

#[test]
fn an_accepted_gap_is_closed() {
    let mut restored = Scene::external().restored();
    restored.memory.gap = false;
    check(&restored, claims(A), "granted 1", "live 1");
}

#[test]
fn the_unknown_of_a_gap_names_no_record_and_when_evidence_counts() {
    let restored = Scene::external().restored();
    let Verdict::Unknown(unknown) = restored.clone().ask(&claims(A)) else { panic!("known") };
    assert_eq!(unknown.etag, Etag::None);
    let start = restored.now.after(Duration::from_secs(FORGOTTEN_LEASES));
    assert_eq!(unknown.evidence_start, start);
}

#[test]
fn evidence_about_a_forgotten_intent_counts_once_every_forgotten_lease_is_over() {
    for finding in [NOT_APPLIED, applied()] {
        let restored = Scene::external().restored();
        let request = || reclaims_on(A, Etag::None, finding.clone());
        check(&restored.after(FORGOTTEN_LEASES - 1), request(), "EVIDENCE_TOO_EARLY", "=");
        let mut ripe = restored.after(FORGOTTEN_LEASES);
        let told = ripe.ask(&request());
        assert!(matches!(told, Verdict::Granted(_) | Verdict::Completed), "{told:?}");
    }
}

#[test]
fn where_clocks_differ_it_counts_two_minutes_later() {
    let restored = Scene { clock_bound: Duration::from_secs(60), ..Scene::external().restored() };
    let request = || reclaims_on(A, Etag::None, NOT_APPLIED);
    check(&restored.after(FORGOTTEN_LEASES + 119), request(), "EVIDENCE_TOO_EARLY", "=");
    check(&restored.after(FORGOTTEN_LEASES + 120), request(), "granted 1", "live 1");
}

#[test]
fn a_spent_claimant_does_not_hide_the_gap() {
    let restored = Scene::external().restored().then(gives_back(B));
    check(&restored, claims(A), GAP, "=");
}

#[test]
fn a_released_record_from_before_the_memory_counts_as_none() {
    let restored = Scene::external().released().restored();
    check(&restored.after(1), claims(B), GAP, "=");
    check(&restored.after(1), reclaims(B), GAP, "=");
    let Verdict::Unknown(unknown) = restored.after(1).ask(&claims(B)) else { panic!("known") };
    let revision = restored.record().revision;
    assert!(matches!(unknown.etag, Etag::Revision { revision: shown, .. } if shown == revision));
    check(&restored.after(1), claims_sent_at(B, NOW), "INTENT_TOO_OLD", "=");
    check(&restored.after(1), claims_sent_at(B, restored.now), "granted 2", "live 2");
}

#[test]
fn a_released_record_from_before_the_memory_is_reclaimed_on_evidence_in_time() {
    let restored = Scene::external().released().restored();
    let early = restored.after(FORGOTTEN_LEASES - 1);
    check(&early, early.reclaims(B, NOT_APPLIED), "EVIDENCE_TOO_EARLY", "=");
    check(&early, early.reclaims(B, applied()), "EVIDENCE_TOO_EARLY", "=");
    let ripe = restored.after(FORGOTTEN_LEASES);
    check(&ripe, ripe.reclaims(B, NOT_APPLIED), "granted 2", "live 2");
    let request = ripe.reclaims(B, applied());
    check(&ripe, request, "completed", "succeeded 1, after-release");
}

#[test]
fn a_grant_or_a_resolve_since_the_restore_makes_a_release_count() {
    let restored = Scene::external().released().restored().after(1_000);
    let resolved = restored.then(restored.resolves(ResolveVerdict::NotApplied));
    check(&resolved, claims(B), "granted 2", "live 2");
    let second = restored.then(restored.reclaims(B, NOT_APPLIED));
    check(&second.then(second.releases(2)), claims(C), "granted 3", "live 3");
}

/// Past the provider's window, keyed counts as external: what was forgotten is not deduplicated any
/// more.
#[test]
fn a_keyed_release_from_before_the_memory_counts_inside_the_window_alone() {
    let restored = Scene::keyed().released().restored();
    check(&restored.after(1), claims(B), "granted 2", "live 2");
    check(&restored.later(DAY), claims(B), GAP, "=");
    check(&restored.later(DAY), reclaims(B), GAP, "=");
}

/// What is merely noted on a record says nothing about grants that the restored store never saw.
#[test]
fn a_note_does_not_make_an_old_release_fresh() {
    let restored = Scene::external().released().restored().after(1);
    check(&restored.then(gives_back(C)), claims(B), GAP, "=");
    let late = restored.then(restored.says(1, failed("conflict")));
    check(&late, claims(B), GAP, "=");
    let token = FencingToken(restored.token(1).0 + 1);
    let forgotten =
        restored.then(reports_with(token, Reported::Failed(super::asks::failure("x")), right()));
    check(&forgotten, claims(B), GAP, "=");
}

/// The holder speaks for its own attempt; a later one may be among what was forgotten.
#[test]
fn a_release_after_the_restore_frees_no_attempt_from_before_it() {
    let restored = Scene::external().over().restored().after(1);
    let released = restored.then(restored.releases(1));
    check(&released, claims(B), GAP, "=");
}

/// The restored store shows attempt 1, long over; attempt 2, which it never saw, may be at it now.
#[test]
fn evidence_about_an_unresolved_attempt_from_before_the_memory_waits_for_forgotten_leases() {
    for scene in [Scene::external().over(), Scene::external().unknown()] {
        let restored = scene.after(5_000).restored();
        let early = restored.after(FORGOTTEN_LEASES - 1);
        check(&early, early.reclaims(D, NOT_APPLIED), "EVIDENCE_TOO_EARLY", "=");
        let request = early.resolves(ResolveVerdict::NotApplied);
        check(&early, request, "EVIDENCE_TOO_EARLY", "=");
        let ripe = restored.after(FORGOTTEN_LEASES);
        check(&ripe, ripe.reclaims(D, NOT_APPLIED), "granted 2, reclaimed", "live 2");
        check(&ripe, ripe.resolves(ResolveVerdict::NotApplied), "resolved", "released 1");
    }
}

#[test]
fn the_stricter_class_counts_in_a_gap_too() {
    let restored = Scene::external().released().restored().after(1);
    let loosened = restored.with(|policy| policy.effect_class = EffectClass::NaturallyIdempotent);
    check(&loosened, claims(B), GAP, "=");
    check(&loosened, reclaims(B), GAP, "=");
}

/// The mark says that who was asked later was asked in time: a forgotten lease may still run.
#[test]
fn the_unknown_of_a_gap_is_not_marked_before_evidence_counts() {
    let restored = Scene::external().released().restored();
    for (seconds, ripe) in [(FORGOTTEN_LEASES - 1, false), (FORGOTTEN_LEASES, true)] {
        let told = restored.after(seconds).ask(&claims(B));
        let Verdict::Unknown(unknown) = told else { panic!("known") };
        assert!(matches!(unknown.etag, Etag::Revision { marked, .. } if marked == ripe));
    }
}

#[test]
fn a_verdict_on_an_old_release_waits_for_forgotten_leases_too() {
    let restored = Scene::external().released().after(5_000).restored();
    let early = restored.after(FORGOTTEN_LEASES - 1);
    let request = early.resolves(ResolveVerdict::NotApplied);
    check(&early, request, "EVIDENCE_TOO_EARLY", "=");
    let ripe = restored.after(FORGOTTEN_LEASES);
    check(&ripe, ripe.resolves(ResolveVerdict::NotApplied), "resolved", "released 1");
}
