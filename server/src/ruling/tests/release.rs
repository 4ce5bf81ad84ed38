//! Release, in every state: by token and by claimant.

use super::{
    asks::{A, B, C, claims, done, gives_back, releases},
    scene::{Scene, check},
};
use crate::{record::FencingToken, ruling::ReleasedGrant};

#[test]
fn by_token_without_a_record_is_not_found() {
    let request = releases(ReleasedGrant::Token(FencingToken(77)));
    check(&Scene::keyed(), request, "KEY_NOT_FOUND", "=");
}

#[test]
fn by_claimant_without_a_record_is_noted() {
    let spent = check(&Scene::keyed(), gives_back(A), "released", "spent 1");
    check(&spent, claims(A), "CLAIMANT_SPENT", "=");
    check(&spent, gives_back(A), "released, repeated", "=");
}

#[test]
fn a_live_attempt_is_released() {
    for scene in [Scene::keyed().live(), Scene::external().live()] {
        let free = check(&scene, scene.releases(1), "released", "released 1");
        assert_eq!(free.record().lease_end, scene.now, "the lease's end is recorded");
        check(&free, claims(B), "granted 2", "live 2");
    }
}

#[test]
fn an_attempt_whose_lease_is_over_is_released() {
    let over = Scene::external().over();
    let free = check(&over, over.releases(1), "released", "released 1");
    assert_eq!(free.record().lease_end, over.record().lease_end);
}

#[test]
fn an_unknown_attempt_is_released() {
    let unknown = Scene::external().unknown();
    check(&unknown, unknown.releases(1), "released", "released 1");
}

#[test]
fn a_released_attempt_is_released_again_in_peace() {
    let released = Scene::external().released();
    check(&released, released.releases(1), "released, repeated", "=");
}

#[test]
fn a_settled_intent_is_not_released() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        check(&scene, scene.releases(1), "ALREADY_SETTLED", "=");
        check(&scene, gives_back(A), "ALREADY_SETTLED", "=");
    }
}

#[test]
fn an_earlier_attempt_that_was_released_is_ok() {
    let second = Scene::external().released().then(claims(B));
    check(&second, second.releases(1), "released, repeated", "=");
}

#[test]
fn an_earlier_attempt_that_evidence_cleared_is_ok() {
    let second = Scene::external().taken_over_on_evidence();
    check(&second, second.releases(1), "released, repeated", "=");
}

#[test]
fn an_earlier_attempt_that_is_unresolved_is_fenced() {
    let second = Scene::keyed().taken_over();
    check(&second, second.releases(1), "FENCED", "=");
}

#[test]
fn by_its_claimant_a_grant_whose_answer_never_came_is_taken_back() {
    for scene in [Scene::keyed().live(), Scene::keyed().over(), Scene::keyed().unknown()] {
        let free = check(&scene, gives_back(A), "released", "released 1");
        check(&free, claims(A), "CLAIMANT_SPENT", "=");
        check(&free, gives_back(A), "released, repeated", "=");
    }
}

#[test]
fn by_the_claimant_of_an_earlier_attempt_it_is_as_by_its_token() {
    let freed = Scene::external().released().then(claims(B));
    check(&freed, gives_back(A), "released, repeated", "=");
    let unresolved = Scene::keyed().taken_over();
    check(&unresolved, gives_back(A), "FENCED", "=");
}

#[test]
fn by_a_stranger_an_unsettled_intent_notes_him_and_keeps_the_lease() {
    let live = Scene::keyed().live().after(10);
    let noted = check(&live, gives_back(C), "released", "live 1");
    assert_eq!(noted.stored().expect("kept").lease, live.stored().expect("kept").lease);
    check(&noted, claims(C), "CLAIMANT_SPENT", "=");
    check(&noted, noted.says(1, done("receipt")), "reported", "succeeded 1");
    for (scene, then) in
        [(Scene::keyed().over(), "over 1"), (Scene::keyed().unknown(), "unknown 1")]
    {
        check(&scene, gives_back(C), "released", then);
    }
}

#[test]
fn by_a_stranger_a_released_intent_notes_him_and_keeps_its_expiry() {
    let released = Scene::keyed().released();
    let noted = check(&released, gives_back(C), "released", "released 1");
    assert_eq!(
        noted.stored().expect("kept").expires_in,
        released.stored().expect("kept").expires_in
    );
    check(&noted, claims(C), "CLAIMANT_SPENT", "=");
    check(&noted, claims(B), "granted 2", "live 2");
}

#[test]
fn by_a_stranger_a_settled_intent_is_ok_and_nothing_is_written() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        check(&scene, gives_back(C), "released", "=");
    }
}
