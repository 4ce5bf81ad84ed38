//! Claimants that gave up: noted for ten minutes, sixteen at a time.

use uuid::Uuid;

use super::{
    asks::{
        A, B, C, NOT_APPLIED, claims, done, gives_back, reclaims, reclaims_on, reports_with, right,
    },
    scene::{Scene, check},
};
use crate::{
    record::{Claimant, FencingToken},
    ruling::Etag,
};

fn nobody(number: u128) -> Claimant {
    Claimant(Uuid::from_u128(0x1000 + number))
}

fn with_seventeen(mut scene: Scene) -> Scene {
    for number in 0..17 {
        scene = scene.then(gives_back(nobody(number)));
    }
    scene
}

#[test]
fn a_claim_that_was_given_up_and_arrives_late_is_not_granted() {
    let noted = Scene::keyed().then(gives_back(A));
    check(&noted, claims(A), "CLAIMANT_SPENT", "=");
    check(&noted.after(599), claims(A), "CLAIMANT_SPENT", "=");
}

#[test]
fn a_spent_claimant_is_forgotten_after_ten_minutes() {
    check(&Scene::keyed().then(gives_back(A)).after(600), claims(A), "granted 1", "live 1");
    let noted = Scene::keyed().released().then(gives_back(C));
    check(&noted.after(599), claims(C), "CLAIMANT_SPENT", "=");
    check(&noted.after(600), claims(C), "granted 2", "live 2");
}

#[test]
fn each_claimant_is_noted_for_ten_minutes_of_its_own() {
    let noted = Scene::keyed().then(gives_back(A)).after(300).then(gives_back(B)).after(300);
    check(&noted, claims(B), "CLAIMANT_SPENT", "=");
    check(&noted, claims(A), "granted 1", "live 1");
}

#[test]
fn the_seventeenth_drops_the_oldest_and_is_counted() {
    for scene in [Scene::keyed(), Scene::keyed().live(), Scene::keyed().released()] {
        let record = with_seventeen(scene).record();
        assert_eq!((record.spent.len(), record.spent_cut), (16, 1));
        assert_eq!(record.spent[0].claimant, nobody(1));
        assert_eq!(record.spent[15].claimant, nobody(16));
    }
}

#[test]
fn a_record_of_spent_claimants_alone_counts_as_none() {
    let noted = Scene::external().then(gives_back(A));
    let token = FencingToken(77);
    check(&noted, super::asks::gets(None), "KEY_NOT_FOUND", "=");
    check(&noted, super::asks::reports(token, done("x")), "KEY_NOT_FOUND", "=");
    check(&noted, reclaims(B), "KEY_NOT_FOUND", "=");
    let resolve = super::asks::resolves_on(noted.etag(), super::asks::happened());
    check(&noted, resolve, "KEY_NOT_FOUND", "=");
    let granted = check(&noted, claims(B), "granted 1", "live 1");
    check(&granted, claims(A), "CLAIMANT_SPENT", "=");
}

#[test]
fn what_counts_as_none_is_written_on_its_own_revision() {
    let noted = Scene::external().then(gives_back(A));
    let request = reports_with(FencingToken(77), done("x"), right());
    check(&noted, request, "reported, late", "succeeded 0, orphan");
    let request = reclaims_on(B, Etag::None, NOT_APPLIED);
    check(&noted, request, "granted 1", "live 1");
    let request = reclaims_on(B, Etag::None, super::asks::applied());
    check(&noted, request, "completed", "succeeded 0");
    check(&noted, gives_back(B), "released", "spent 2");
}

#[test]
fn a_spent_claimant_does_not_reclaim_either() {
    let noted = Scene::external().then(gives_back(A));
    check(&noted, reclaims_on(A, Etag::None, NOT_APPLIED), "CLAIMANT_SPENT", "=");
    let over = Scene::keyed().over().then(gives_back(C));
    check(&over, over.reclaims(C, None), "CLAIMANT_SPENT", "=");
}

#[test]
fn a_record_of_spent_claimants_alone_expires_in_ten_minutes() {
    let noted = Scene::external().then(gives_back(A));
    let expires_in = noted.stored().expect("kept").expires_in.expect("an expiry");
    assert_eq!(expires_in.as_secs(), 600);
    assert!(noted.after(600).stored().is_none());
}

#[test]
fn the_first_grant_is_counted_from_itself_not_from_a_spent_claimant() {
    let granted = Scene::keyed().then(gives_back(A)).after(500).then(claims(B));
    assert_eq!(granted.record().first_claim_time, granted.now);
}
