//! The checker itself: small histories, right ones and those made wrong on purpose.

use onced_proto::v1::State;
use uuid::Uuid;

use super::{
    call::{Asked, Call, Moment, Said, Told},
    search,
};

const ANN: Uuid = Uuid::from_u128(1);
const BOB: Uuid = Uuid::from_u128(2);
/// When Ann's lease ends, as she was promised.
const END: Moment = 2_000;

fn call(times: (Moment, Moment), asked: Asked, told: Told) -> Call {
    Call { asked, invoked: times.0, told: Some(told), end: times.1 }
}

fn lost(invoked: Moment, asked: Asked) -> Call {
    Call { asked, invoked, told: None, end: Moment::MAX }
}

fn granted(token: i64, attempt: usize) -> Told {
    Told::Granted { token, attempt, repeated: false, until: END }
}

fn repeated(token: i64, attempt: usize) -> Told {
    Told::Granted { token, attempt, repeated: true, until: END }
}

fn refused(reason: &str) -> Told {
    Told::Refused(reason.to_owned())
}

fn success(text: &'static str) -> Said {
    Said::Succeeded(text.into())
}

fn completed(text: &'static str) -> Told {
    Told::Completed { said: success(text), disputed: false }
}

/// Ann is granted token 7 between 0 and 10.
fn ann() -> Call {
    call((0, 10), Asked::Claim(ANN), granted(7, 1))
}

#[track_caller]
fn holds(calls: &[Call]) {
    search::check(calls).unwrap_or_else(|fault| panic!("{fault}"));
}

#[track_caller]
fn fails(calls: &[Call]) {
    assert!(search::check(calls).is_err(), "a wrong history is taken for right");
}

#[test]
fn two_who_claim_at_once_are_told_of_one_grant() {
    holds(&[call((5, 8), Asked::Claim(BOB), Told::InProgress(0)), ann()]);
    holds(&[ann(), call((5, 8), Asked::Claim(BOB), Told::InProgress(0))]);
}

#[test]
fn two_grants_at_once_are_caught() {
    fails(&[ann(), call((5, 20), Asked::Claim(BOB), granted(9, 2))]);
    fails(&[ann(), call((5, 20), Asked::Claim(BOB), granted(9, 1))]);
    fails(&[ann(), call((20, 30), Asked::Reclaim(BOB), granted(9, 2))]);
}

#[test]
fn a_takeover_is_right_from_the_end_of_the_promise_on_and_not_before() {
    holds(&[ann(), call((1_990, END), Asked::Reclaim(BOB), granted(9, 2))]);
    fails(&[ann(), call((1_990, END - 1), Asked::Reclaim(BOB), granted(9, 2))]);
    fails(&[ann(), call((20, 30), Asked::Renew(7), refused("LEASE_LOST"))]);
}

#[test]
fn a_token_that_does_not_rise_is_caught() {
    let released = call((20, 30), Asked::Release(7), Told::Taken);
    holds(&[ann(), released.clone(), call((40, 50), Asked::Claim(BOB), granted(8, 2))]);
    fails(&[ann(), released, call((40, 50), Asked::Claim(BOB), granted(6, 2))]);
}

#[test]
fn an_outcome_that_is_lost_or_changed_is_caught() {
    let report = call((20, 30), Asked::Complete(7, success("paid")), Told::Taken);
    holds(&[ann(), report.clone(), call((40, 50), Asked::Claim(BOB), completed("paid"))]);
    fails(&[ann(), report.clone(), call((40, 50), Asked::Claim(BOB), completed("paid "))]);
    fails(&[ann(), report.clone(), call((40, 50), Asked::Claim(BOB), Told::InProgress(0))]);
    fails(&[ann(), report.clone(), call((40, 50), Asked::Claim(BOB), granted(9, 1))]);
    let released = Told::Seen { state: State::Released, attempt: 1, said: None };
    fails(&[ann(), report, call((40, 50), Asked::Get, released)]);
}

#[test]
fn a_claim_whose_answer_was_lost_may_have_been_granted_or_not() {
    let seen = |told| call((20, 30), Asked::Claim(BOB), told);
    holds(&[lost(0, Asked::Claim(ANN)), seen(Told::InProgress(0))]);
    holds(&[lost(0, Asked::Claim(ANN)), seen(granted(9, 1))]);
    holds(&[lost(0, Asked::Claim(ANN)), call((20, 30), Asked::Claim(ANN), repeated(9, 1))]);
    holds(&[lost(0, Asked::Claim(ANN)), call((20, 30), Asked::Claim(ANN), granted(9, 1))]);
    fails(&[seen(Told::InProgress(0)), lost(31, Asked::Claim(ANN))]);
    fails(&[lost(0, Asked::Claim(ANN)), seen(granted(9, 3))]);
}

#[test]
fn what_a_dead_server_left_unanswered_has_no_effect_after_its_end() {
    let lost = Call { end: 15, ..lost(12, Asked::Release(7)) };
    let still = call((16, 18), Asked::Claim(BOB), Told::InProgress(0));
    let freed = call((20, 30), Asked::Claim(BOB), granted(9, 2));
    holds(&[ann(), lost.clone(), still.clone()]);
    holds(&[ann(), lost.clone(), freed.clone()]);
    fails(&[ann(), lost, still, freed]);
}

#[test]
fn one_claimant_with_two_grants_is_caught() {
    let released = call((20, 30), Asked::Release(7), Told::Taken);
    fails(&[ann(), released.clone(), call((40, 50), Asked::Claim(ANN), granted(9, 2))]);
    holds(&[ann(), released, call((40, 50), Asked::Claim(ANN), refused("CLAIMANT_SPENT"))]);
    let taken_back = call((0, 5), Asked::TakeBack(ANN), Told::Taken);
    fails(&[taken_back, call((10, 20), Asked::Claim(ANN), granted(7, 1))]);
}

#[test]
fn a_copy_of_an_old_release_that_moves_the_record_is_caught() {
    let released = |times| call(times, Asked::Release(7), Told::Taken);
    let bob = call((40, 50), Asked::Claim(BOB), granted(9, 2));
    let at_it = call((80, 90), Asked::Claim(Uuid::from_u128(3)), Told::InProgress(0));
    let third = call((80, 90), Asked::Claim(Uuid::from_u128(3)), granted(11, 3));
    holds(&[ann(), released((20, 30)), bob.clone(), released((60, 70)), at_it]);
    fails(&[ann(), released((20, 30)), bob, released((60, 70)), third]);
}

#[test]
fn a_failure_that_clears_an_earlier_attempt_is_caught() {
    let bob = call((END, 2_010), Asked::Reclaim(BOB), granted(9, 2));
    let failure = Said::Failed("declined".to_owned());
    let report = call((2_020, 2_030), Asked::Complete(9, failure.clone()), Told::Taken);
    let third = |told| call((2_040, 2_050), Asked::Claim(Uuid::from_u128(3)), told);
    holds(&[ann(), bob.clone(), report.clone(), third(Told::Unknown(0))]);
    fails(&[ann(), bob, report, third(Told::Completed { said: failure, disputed: false })]);
}

#[test]
fn a_late_success_that_is_taken_for_the_current_one_is_caught() {
    let bob = call((END, 2_010), Asked::Reclaim(BOB), granted(9, 2));
    let late = |told| call((2_020, 2_030), Asked::Complete(7, success("paid")), told);
    holds(&[ann(), bob.clone(), late(refused("FENCED"))]);
    fails(&[ann(), bob, late(Told::Taken)]);
}
