//! Renew, in every state.

use std::time::Duration;

use super::{
    asks::{A, claims, claims_for},
    scene::{Scene, check},
};
use crate::{
    record::FencingToken,
    ruling::{Refusal, Renew, Request, Verdict},
};

#[test]
fn renew_without_a_record_is_not_found() {
    let request = Request::Renew(Renew { token: FencingToken(77), lease: None });
    check(&Scene::keyed(), request, "KEY_NOT_FOUND", "=");
}

#[test]
fn a_live_lease_is_extended() {
    let live = Scene::keyed().live().after(10);
    let renewed = check(&live, live.renews(1, 60), "renewed 60", "live 1");
    assert_eq!(renewed.record().lease_end, live.now.after(Duration::from_secs(60)));
    check(&renewed.after(59), claims(super::asks::B), "in progress", "=");
}

#[test]
fn renew_without_a_wish_gives_the_lease_of_the_grant() {
    let live = Scene::keyed().then(claims_for(A, 45)).after(10);
    let request = Request::Renew(Renew { token: live.token(1), lease: None });
    check(&live, request, "renewed 45", "live 1");
}

#[test]
fn a_lease_is_never_shortened() {
    let live = Scene::keyed().live();
    check(&live, live.renews(1, 30), "renewed 30", "=");
    check(&live.after(10), live.renews(1, 5), "renewed 20", "=");
}

#[test]
fn one_renewal_gives_the_longest_lease_at_most() {
    let live = Scene::keyed().live();
    check(&live, live.renews(1, 3_000), "renewed 300", "live 1");
}

#[test]
fn renewals_end_at_the_longest_hold() {
    let mut held = Scene::keyed().then(claims_for(A, 300));
    let start = held.now;
    for _ in 0..11 {
        held = held.after(299);
        held = held.then(held.renews(1, 300));
    }
    let near = held.after(200);
    assert_eq!(near.now.since(start), Duration::from_secs(3_489));
    check(&near, near.renews(1, 300), "renewed 111", "live 1");
    let last = near.then(near.renews(1, 300)).after(110);
    check(&last, last.renews(1, 300), "HOLD_EXHAUSTED", "=");
    let mut asked = last.clone();
    let Verdict::Refused(Refusal::HoldExhausted { hold_end }) = asked.ask(&last.renews(1, 300))
    else {
        panic!("not exhausted")
    };
    assert_eq!(hold_end, start.after(Duration::from_secs(3_600)));
}

#[test]
fn a_lease_that_ended_is_lost_though_nobody_took_over() {
    let live = Scene::keyed().live();
    let over = live.later(Duration::from_millis(30_001));
    check(&over, live.renews(1, 60), "LEASE_LOST", "=");
    check(&live.after(30), live.renews(1, 60), "LEASE_LOST", "=");
}

#[test]
fn what_is_not_claimed_has_no_lease_to_renew() {
    for scene in [
        Scene::keyed().unknown(),
        Scene::keyed().released(),
        Scene::keyed().succeeded(),
        Scene::keyed().failed(),
    ] {
        check(&scene, scene.renews(1, 60), "LEASE_LOST", "=");
    }
}

#[test]
fn an_earlier_token_is_fenced() {
    let scene = Scene::keyed().taken_over();
    check(&scene, scene.renews(1, 60), "FENCED", "=");
}
