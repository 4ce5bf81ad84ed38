//! Complete, in every state, under the current token.

use std::time::Duration;

use super::{
    asks::{
        A, B, applied, claims, done, failed, finally_failed, happened, refused_by_provider,
        reports, reports_with, right, success, success_without_result, text, wrong,
    },
    scene::{Scene, check},
};
use crate::{
    record::{FencingToken, Outcome, Report, ReportKind, ResultKind},
    ruling::{Reported, ReportedResult, ReportedSuccess, rule},
};

const TOKEN: FencingToken = FencingToken(77);

fn result_of(scene: &Scene) -> ResultKind {
    let record = scene.record();
    match &record.settlement().expect("a settlement").outcome {
        Outcome::Succeeded(success) => success.result.clone(),
        Outcome::Failed(_) => panic!("failed"),
    }
}

#[track_caller]
fn check_late_report(scene: &Scene, kind: ReportKind) {
    let record = scene.record();
    let late: Vec<&Report> = record.reports.iter().filter(|report| report.is_late()).collect();
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].said.kind(), kind);
}

#[test]
fn a_success_without_a_record_is_kept_as_an_orphan_if_it_carries_its_hash() {
    let none = Scene::keyed();
    let orphan = check(
        &none,
        reports_with(TOKEN, done("receipt"), right()),
        "reported, late",
        "succeeded 0, orphan",
    );
    check(&orphan, claims(B), "completed", "=");
    assert_eq!(orphan.stored().expect("kept").result.expect("bytes"), "receipt");
}

#[test]
fn a_success_without_record_and_hash_is_not_found() {
    check(&Scene::keyed(), reports(TOKEN, done("receipt")), "KEY_NOT_FOUND", "=");
}

#[test]
fn a_failure_without_a_record_is_not_found() {
    check(&Scene::keyed(), reports_with(TOKEN, failed("no"), right()), "KEY_NOT_FOUND", "=");
}

#[test]
fn an_unknown_without_a_record_is_not_found() {
    let request = reports_with(TOKEN, Reported::Unknown, right());
    check(&Scene::keyed(), request, "KEY_NOT_FOUND", "=");
}

#[test]
fn reports_need_no_policy() {
    let none = Scene::external().without_policy();
    check(
        &none,
        reports_with(TOKEN, done("receipt"), right()),
        "reported, late",
        "succeeded 0, orphan",
    );
    let live = Scene::external().live().without_policy();
    check(&live, live.says(1, done("receipt")), "reported", "succeeded 1");
}

#[test]
fn a_success_under_a_live_lease_is_recorded_with_its_bytes() {
    let live = Scene::keyed().live();
    let done = check(&live, live.says(1, done("receipt")), "reported", "succeeded 1");
    assert_eq!(done.stored().expect("kept").result.expect("bytes"), "receipt");
    assert!(!done.record().settlement().expect("settled").late);
}

#[test]
fn no_result_an_empty_one_and_an_omitted_one_are_told_apart() {
    let live = Scene::keyed().live();
    let with = |result| Reported::Succeeded(ReportedSuccess { result, ..success("") });
    let settled = |result| live.then(live.says(1, with(result)));
    assert_eq!(result_of(&settled(ReportedResult::NoneGiven)), ResultKind::NoneGiven);
    assert_eq!(result_of(&settled(ReportedResult::Omitted)), ResultKind::Omitted);
    let ResultKind::Given(info) = result_of(&settled(text(""))) else { panic!("not given") };
    assert_eq!(info.length, 0);
}

#[test]
fn a_failure_under_a_live_lease_is_recorded() {
    let live = Scene::keyed().live();
    check(&live, live.says(1, failed("card_declined")), "reported", "failed 1");
}

#[test]
fn unknown_under_a_live_lease_makes_it_unknown_at_once() {
    let live = Scene::keyed().live();
    let unknown = check(&live, live.says(1, Reported::Unknown), "reported", "unknown 1");
    check(&unknown, claims(B), "unknown: reported; allowed", "=");
}

#[test]
fn a_success_after_the_lease_is_recorded_late() {
    let over = Scene::external().over();
    let done = check(&over, over.says(1, done("receipt")), "reported, late", "succeeded 1");
    assert!(done.record().settlement().expect("settled").late);
}

#[test]
fn a_failure_after_the_lease_is_recorded_late() {
    let over = Scene::external().over();
    check(&over, over.says(1, failed("no")), "reported, late", "failed 1");
}

#[test]
fn unknown_after_the_lease_is_taken() {
    let over = Scene::external().over();
    check(&over, over.says(1, Reported::Unknown), "reported, late", "unknown 1");
}

#[test]
fn what_was_unknown_takes_success() {
    let unknown = Scene::external().unknown();
    check(&unknown, unknown.says(1, done("receipt")), "reported, late", "succeeded 1");
}

#[test]
fn what_was_unknown_takes_failure() {
    let unknown = Scene::external().unknown();
    check(&unknown, unknown.says(1, failed("no")), "reported, late", "failed 1");
}

#[test]
fn what_was_unknown_and_is_said_to_be_is_ok() {
    let unknown = Scene::external().unknown();
    check(&unknown, unknown.says(1, Reported::Unknown), "reported, repeated", "=");
}

#[test]
fn a_success_after_a_release_is_recorded_and_marked() {
    for scene in [Scene::keyed().released(), Scene::external().released()] {
        let request = scene.says(1, done("after all"));
        check(&scene, request, "reported, late", "succeeded 1, after-release");
    }
}

#[test]
fn a_failure_after_a_release_is_a_conflict_and_kept() {
    let released = Scene::keyed().released();
    let kept = check(&released, released.says(1, failed("no")), "OUTCOME_CONFLICT", "released 1");
    check_late_report(&kept, ReportKind::Failed);
}

#[test]
fn unknown_takes_a_release_back() {
    let released = Scene::keyed().released();
    check(&released, released.says(1, Reported::Unknown), "reported, late", "unknown 1");
}

#[test]
fn another_success_on_a_success_is_a_conflict_and_kept() {
    let settled = Scene::keyed().succeeded();
    let kept = check(&settled, settled.says(1, done("other")), "OUTCOME_CONFLICT", "succeeded 1");
    check_late_report(&kept, ReportKind::Succeeded);
    assert_eq!(kept.stored().expect("kept").result.expect("bytes"), "receipt");
}

#[test]
fn a_failure_on_a_success_is_a_conflict_and_kept() {
    let settled = Scene::keyed().succeeded();
    let kept = check(&settled, settled.says(1, failed("no")), "OUTCOME_CONFLICT", "succeeded 1");
    check_late_report(&kept, ReportKind::Failed);
}

#[test]
fn unknown_on_a_settled_intent_is_answered_with_its_outcome() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        check(&scene, scene.says(1, Reported::Unknown), "reported, late", "=");
    }
}

#[test]
fn a_success_on_a_failure_disputes_it() {
    let settled = Scene::keyed().failed();
    let request = settled.says(1, done("after all"));
    let disputed = check(&settled, request, "OUTCOME_CONFLICT", "failed 1, disputed");
    check_late_report(&disputed, ReportKind::Succeeded);
    check(&disputed, claims(B), "completed", "=");
}

#[test]
fn another_failure_on_a_failure_is_a_conflict_and_kept() {
    let settled = Scene::keyed().failed();
    let kept = check(&settled, settled.says(1, failed("other")), "OUTCOME_CONFLICT", "failed 1");
    check_late_report(&kept, ReportKind::Failed);
}

#[test]
fn the_holders_result_fills_in_a_success_known_from_evidence_once() {
    let over = Scene::external().over();
    let known = over.then(over.reclaims(B, applied()));
    assert_eq!(result_of(&known), ResultKind::NeverKnown);
    let filled = check(&known, known.says(1, done("receipt")), "reported, late", "succeeded 1");
    assert_eq!(filled.stored().expect("kept").result.expect("bytes"), "receipt");
    check(&filled, filled.says(1, done("other")), "OUTCOME_CONFLICT", "succeeded 1");
    check(&filled, filled.says(1, done("receipt")), "reported, repeated, late", "=");
}

#[test]
fn the_holders_result_fills_in_a_success_known_from_an_operator() {
    let over = Scene::external().over();
    let known = over.then(over.resolves(happened()));
    let filled = check(&known, known.says(1, done("receipt")), "reported, late", "succeeded 1");
    assert!(matches!(result_of(&filled), ResultKind::Given(_)));
}

#[test]
fn a_failure_resolved_by_an_operator_takes_no_other() {
    let over = Scene::external().over();
    let settled = over.then(over.resolves(finally_failed()));
    check(&settled, settled.says(1, refused_by_provider()), "OUTCOME_CONFLICT", "failed 1");
    check(&settled, settled.says(1, done("x")), "OUTCOME_CONFLICT", "failed 1, disputed");
}

#[test]
fn the_current_token_with_another_hash_is_key_reused_and_writes_nothing() {
    let live = Scene::keyed().live();
    check(&live, reports_with(live.token(1), done("x"), wrong()), "KEY_REUSED", "=");
    let settled = Scene::keyed().succeeded();
    let request = reports_with(settled.token(1), done("receipt"), wrong());
    check(&settled, request, "KEY_REUSED", "=");
}

#[test]
fn an_earlier_token_is_judged_before_its_hash() {
    let scene = Scene::keyed().taken_over();
    check(&scene, reports_with(scene.token(1), done("x"), wrong()), "FENCED", "=");
    let right = reports_with(scene.token(1), done("x"), right());
    check(&scene, right, "FENCED, kept", "live 2, contested");
}

#[test]
fn a_success_recorded_clears_the_lease() {
    let live = Scene::keyed().live();
    let settled = live.then(live.says(1, done("receipt")));
    assert!(!settled.stored().expect("kept").lease.is_live());
    assert_eq!(settled.record().lease_end, live.now);
    check(&settled, claims(A), "completed", "=");
}

#[test]
fn a_server_whose_clock_is_behind_makes_no_evidence_count_early() {
    let live = Scene::external().live().after(10);
    let stored = live.stored().expect("a record");
    let behind = live.now.before(Duration::from_secs(7_200));
    for request in [live.says(1, Reported::Unknown), live.renews(1, 60), live.releases(1)] {
        let ruling = rule(Some(&stored), &request, &live.given(), behind);
        let record = ruling.write.expect("a write").record;
        assert!(record.lease_end >= live.now, "{request:?}");
    }
}

/// Only a holder can leave a result out: whoever else says "omitted" never knew it.
#[test]
fn the_holders_result_fills_in_a_success_whose_evidence_left_it_out() {
    let over = Scene::external().over();
    let omitted = ReportedSuccess { result: ReportedResult::Omitted, ..success_without_result() };
    let finding = crate::ruling::Finding::Applied(omitted);
    let known = over.then(over.reclaims(B, finding));
    let filled = check(&known, known.says(1, done("receipt")), "reported, late", "succeeded 1");
    assert!(matches!(result_of(&filled), ResultKind::Given(_)));
}
