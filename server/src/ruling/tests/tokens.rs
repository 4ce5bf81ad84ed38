//! Tokens: which are current, earlier, forgotten, never issued, lost; and to whom one is shown.

use super::{
    asks::{
        A, B, C, NOT_APPLIED, claims, done, failed, reclaims, releases, reports, reports_with,
        right, wrong,
    },
    scene::{Scene, check},
};
use crate::{
    record::FencingToken,
    ruling::{ReleasedGrant, Renew, Reported, Request, Verdict},
};

fn older(scene: &Scene) -> FencingToken {
    FencingToken(scene.token(1).0 - 1)
}

fn newer(scene: &Scene) -> FencingToken {
    FencingToken(scene.record().grants.last().expect("a grant").token.0 + 1)
}

#[test]
fn tokens_follow_the_clock_and_rise() {
    let scene = Scene::keyed().live();
    assert_eq!(scene.token(1).0, scene.now.0);
    let second = scene.after(31).then(reclaims(B));
    assert_eq!(second.token(2).0, second.now.0);
}

#[test]
fn tokens_rise_though_the_clock_stands_still() {
    let live = Scene::keyed().live();
    let released = live.then(live.releases(1));
    let second = released.then(claims(B));
    assert_eq!(second.token(2).0, second.token(1).0 + 1);
}

/// The clock of the replica that grants next is behind.
#[test]
fn tokens_rise_though_the_clock_runs_back() {
    let released = Scene::keyed().released();
    let back = Scene { now: super::scene::NOW.before(super::scene::DAY), ..released };
    let second = back.then(claims(B));
    assert!(second.token(2) > second.token(1));
}

#[test]
fn an_earlier_token_is_fenced() {
    let scene = Scene::keyed().taken_over();
    check(&scene, scene.says(1, Reported::Unknown), "FENCED", "=");
    check(&scene, scene.renews(1, 60), "FENCED", "=");
    check(&scene, scene.releases(1), "FENCED", "=");
}

#[test]
fn an_earlier_failure_is_fenced_and_kept() {
    let scene = Scene::keyed().taken_over();
    let kept = check(&scene, scene.says(1, failed("no")), "FENCED, kept", "live 2");
    assert_eq!(kept.record().reports.len(), 1);
}

#[test]
fn an_earlier_success_is_fenced_and_kept_and_contests_what_is_open() {
    let live = Scene::keyed().taken_over();
    let request = live.says(1, done("late"));
    let after = check(&live, request.clone(), "FENCED, kept", "live 2, contested");
    assert_eq!(
        after.stored().expect("kept").lease,
        live.stored().expect("kept").lease,
        "the lease is not touched"
    );
    check(&live.after(100), request, "FENCED, kept", "over 2, contested");
}

#[test]
fn an_earlier_success_disputes_a_failure() {
    let live = Scene::external().taken_over_on_evidence();
    let failed = live.then(live.says(2, failed("no")));
    let request = failed.says(1, done("late"));
    check(&failed, request, "FENCED, kept", "failed 2, disputed");
}

#[test]
fn an_earlier_success_on_a_success_is_kept_as_a_possible_double_effect() {
    let live = Scene::external().taken_over_on_evidence();
    let settled = live.then(live.says(2, done("receipt")));
    let kept = check(&settled, settled.says(1, done("late")), "FENCED, kept", "succeeded 2");
    assert!(kept.record().reports.iter().any(crate::record::Report::is_late));
}

#[test]
fn a_token_of_a_forgotten_incarnation_is_fenced_and_writes_nothing() {
    for scene in [Scene::keyed().live(), Scene::keyed().succeeded(), Scene::keyed().released()] {
        let token = older(&scene);
        for outcome in [done("x"), failed("no"), Reported::Unknown] {
            check(&scene, reports_with(token, outcome, right()), "FENCED", "=");
        }
        check(&scene, releases(ReleasedGrant::Token(token)), "FENCED", "=");
        check(&scene, Request::Renew(Renew { token, lease: None }), "FENCED", "=");
    }
}

#[test]
fn a_token_that_was_never_issued_is_invalid_and_writes_nothing() {
    for scene in [Scene::keyed().live(), Scene::keyed().succeeded(), Scene::keyed().released()] {
        let token = newer(&scene);
        for outcome in [done("x"), failed("no"), Reported::Unknown] {
            let request = reports_with(token, outcome, right());
            check(&scene, request, "INVALID_FIELD fencing_token", "=");
        }
        let request = releases(ReleasedGrant::Token(token));
        check(&scene, request, "INVALID_FIELD fencing_token", "=");
        let request = Request::Renew(Renew { token, lease: None });
        check(&scene, request, "INVALID_FIELD fencing_token", "=");
    }
}

#[test]
fn a_token_of_zero_is_never_taken() {
    let live = Scene::keyed().live();
    check(&live, reports(FencingToken(0), done("x")), "FENCED", "=");
}

#[test]
fn in_a_gap_the_token_of_a_forgotten_grant_joins_the_issued_ones() {
    let scene = Scene::external().live().restored();
    let token = newer(&scene);
    let request = reports_with(token, done("x"), right());
    let joined = check(&scene, request.clone(), "FENCED, kept", "live 1, contested");
    assert!(joined.record().grants.iter().any(|grant| grant.token == token));
    check(&joined, request, "FENCED, kept", "=");
    check(&joined, joined.says(1, done("receipt")), "reported", "succeeded 1");
}

#[test]
fn in_a_gap_a_forgotten_success_contests_or_disputes() {
    for (scene, then) in [
        (Scene::external().over(), "over 1, contested"),
        (Scene::external().unknown(), "unknown 1, contested"),
        (Scene::external().released(), "released 1, contested"),
        (Scene::external().failed(), "failed 1, disputed"),
        (Scene::external().succeeded(), "succeeded 1"),
    ] {
        let scene = scene.restored();
        let request = reports_with(newer(&scene), done("x"), right());
        check(&scene, request, "FENCED, kept", then);
    }
}

#[test]
fn in_a_gap_a_forgotten_failure_is_kept_and_moves_nothing() {
    for (scene, then) in [
        (Scene::external().over(), "over 1"),
        (Scene::external().released(), "released 1"),
        (Scene::external().failed(), "failed 1"),
    ] {
        let scene = scene.restored();
        let request = reports_with(newer(&scene), failed("x"), right());
        check(&scene, request, "FENCED, kept", then);
    }
}

#[test]
fn in_a_gap_a_forgotten_unknown_takes_a_release_back() {
    let scene = Scene::external().released().restored();
    let request = reports_with(newer(&scene), Reported::Unknown, right());
    let doubt = check(&scene, request, "FENCED", "in doubt 1");
    check(&doubt, claims(B), "unknown: earlier attempt; evidence", "=");
}

#[test]
fn in_a_gap_a_forgotten_report_needs_the_right_hash() {
    let scene = Scene::external().live().restored();
    let token = newer(&scene);
    check(&scene, reports(token, done("x")), "INVALID_FIELD fencing_token", "=");
    let request = reports_with(token, done("x"), wrong());
    check(&scene, request, "INVALID_FIELD fencing_token", "=");
}

#[test]
fn after_a_forgotten_grant_the_next_token_is_above_it() {
    let scene = Scene::external().over().restored().after(1_000);
    let token = FencingToken(scene.now.0 + 1_000_000);
    let joined = scene.then(reports_with(token, failed("x"), right())).after(1);
    let next = joined.then(joined.reclaims(B, NOT_APPLIED));
    assert!(next.token(2) > token);
    check(&next, next.says(2, done("receipt")), "reported", "succeeded 2");
}

#[test]
fn the_token_is_shown_to_its_own_claimant_alone() {
    for scene in [Scene::keyed().live(), Scene::keyed().over(), Scene::keyed().unknown()] {
        for (claimant, shown) in [(A, true), (B, false), (C, false)] {
            let own = match scene.clone().ask(&claims(claimant)) {
                Verdict::Granted(granted) => Some(granted.token),
                Verdict::InProgress { own_token } => own_token,
                Verdict::Unknown(unknown) => unknown.own_token,
                other => panic!("{other:?}"),
            };
            assert_eq!(own, shown.then(|| scene.token(1)));
        }
    }
}
