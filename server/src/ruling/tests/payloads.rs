//! The payload is compared first, on every path that shows a record.

use super::{
    asks::{
        A, B, C, applied, claim, done, failed, gets, payload, reclaim, reclaims_on, reports_with,
        right, wrong,
    },
    scene::{NOW, Scene, check},
};
use crate::{
    payload::Payload,
    record::FencingToken,
    ruling::{Claim, Etag, Evidence, Finding, Reclaim, Refusal, Reported, Request, Verdict},
};

fn every_state() -> Vec<Scene> {
    let external = Scene::external;
    let orphan = reports_with(FencingToken(77), done("receipt"), right());
    vec![
        external().live(),
        external().over(),
        external().unknown(),
        external().contested_live(),
        external().contested_over(),
        external().contested_released(),
        external().released(),
        external().succeeded(),
        external().failed(),
        external().disputed(),
        external().then(orphan),
    ]
}

fn every_look(scene: &Scene, payload: &Payload) -> Vec<Request> {
    let evidence = |finding| Some(Evidence { finding, reference: String::new() });
    let with = |claimant| Claim { payload: payload.clone(), ..claim(claimant) };
    let taking = |claimant| Reclaim { payload: payload.clone(), ..reclaim(claimant) };
    let judged = Some(scene.etag());
    let not_applied = evidence(Finding::NotApplied);
    let was_applied = evidence(applied());
    vec![
        Request::Claim(with(A)),
        Request::Claim(with(B)),
        Request::Claim(with(C)),
        Request::Reclaim(taking(A)),
        Request::Reclaim(taking(C)),
        Request::Reclaim(Reclaim { etag: judged, evidence: not_applied, ..taking(C) }),
        Request::Reclaim(Reclaim { etag: judged, evidence: was_applied, ..taking(C) }),
        gets(Some(payload.clone())),
    ]
}

#[test]
fn another_payload_is_refused_in_every_state_on_every_path() {
    for scene in every_state() {
        for request in every_look(&scene, &wrong()) {
            check(&scene, request, "KEY_REUSED", "=");
        }
    }
}

#[test]
fn another_scheme_is_neither_a_match_nor_a_mismatch() {
    for scene in every_state() {
        for request in every_look(&scene, &payload("jcs-sha256", "aa")) {
            check(&scene, request, "HASH_SCHEME_DIFFERS", "=");
        }
    }
}

#[test]
fn under_the_current_token_another_payload_is_refused_in_every_state() {
    for scene in every_state() {
        let token = scene.record().token().expect("a token");
        for outcome in [done("receipt"), failed("no"), Reported::Unknown] {
            check(&scene, reports_with(token, outcome.clone(), wrong()), "KEY_REUSED", "=");
            let scheme = payload("jcs-sha256", "aa");
            check(&scene, reports_with(token, outcome, scheme), "HASH_SCHEME_DIFFERS", "=");
        }
    }
}

#[test]
fn the_refusal_says_what_is_stored_and_since_when() {
    let request = Request::Claim(Claim { payload: wrong(), ..claim(B) });
    let told = Scene::keyed().succeeded().ask(&request);
    assert_eq!(
        told,
        Verdict::Refused(Refusal::KeyReused {
            stored: right().hash().clone(),
            given: wrong().hash().clone(),
            first_claim_time: NOW,
        })
    );
}

#[test]
fn get_without_a_payload_shows_the_record() {
    for scene in every_state() {
        check(&scene, gets(None), "shown", "=");
        check(&scene, gets(Some(right())), "shown", "=");
    }
}

#[test]
fn get_without_a_record_is_not_found() {
    check(&Scene::keyed(), gets(None), "KEY_NOT_FOUND", "=");
    check(&Scene::keyed(), gets(Some(right())), "KEY_NOT_FOUND", "=");
}

#[test]
fn a_later_grant_does_not_change_the_payload() {
    let second = Scene::external().released().then(super::asks::claims(B));
    let request = Request::Claim(Claim { payload: wrong(), ..claim(C) });
    check(&second, request, "KEY_REUSED", "=");
    assert_eq!(second.record().payload_hash.as_ref(), Some(right().hash()));
}

#[test]
fn what_was_recorded_on_none_holds_the_payload_of_the_call_that_did() {
    let known = Scene::external().then(reclaims_on(A, Etag::None, applied()));
    let request = Request::Claim(Claim { payload: wrong(), ..claim(C) });
    check(&known, request, "KEY_REUSED", "=");
}
