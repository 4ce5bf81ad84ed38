//! Claim, in every state.

use std::time::Duration;

use super::{
    asks::{A, B, C, claims, claims_for, gives_back},
    scene::{Scene, check},
};
use crate::{
    record::EffectClass,
    ruling::{Etag, Verdict},
};

#[test]
fn the_first_claim_of_a_key_is_granted() {
    check(&Scene::keyed(), claims(A), "granted 1", "live 1");
    check(&Scene::external(), claims(A), "granted 1", "live 1");
}

#[test]
fn a_grant_carries_token_lease_and_provider_key() {
    let Verdict::Granted(granted) = Scene::keyed().ask(&claims_for(A, 60)) else {
        panic!("not granted")
    };
    assert_eq!(granted.token.0, Scene::keyed().now.0);
    assert_eq!(granted.lease, Duration::from_secs(60));
    assert_eq!(granted.provider_key, "once1-test");
    assert!(granted.provider_key_expire_time.is_some());
    assert!(!granted.lease_shortened);
}

#[test]
fn a_lease_beyond_the_longest_is_shortened_and_said_to_be() {
    let Verdict::Granted(granted) = Scene::keyed().ask(&claims_for(A, 301)) else {
        panic!("not granted")
    };
    assert_eq!((granted.lease, granted.lease_shortened), (Duration::from_secs(300), true));
}

#[test]
fn a_lease_is_never_under_two_seconds() {
    let Verdict::Granted(granted) = Scene::keyed().ask(&claims_for(A, 1)) else {
        panic!("not granted")
    };
    assert_eq!(granted.lease, Duration::from_secs(2));
}

#[test]
fn the_same_claimant_is_given_the_same_grant_with_what_is_left() {
    let live = Scene::keyed().live();
    let token = live.token(1);
    check(&live.after(12), claims(A), "granted 1, repeated", "=");
    let Verdict::Granted(again) = live.after(12).ask(&claims(A)) else { panic!("not granted") };
    assert_eq!((again.token, again.lease), (token, Duration::from_secs(18)));
}

#[test]
fn a_long_grant_is_repeated_for_thirty_seconds() {
    let live = Scene::keyed().then(claims_for(A, 300));
    check(&live.after(30), claims(A), "granted 1, repeated", "=");
    check(&live.after(31), claims(A), "in progress, own token", "=");
}

#[test]
fn a_short_grant_is_repeated_for_its_lease_alone() {
    let live = Scene::keyed().then(claims_for(A, 10));
    check(&live.after(9), claims(A), "granted 1, repeated", "=");
    check(&live.after(10), claims(A), "unknown: lease ended; allowed, own token", "=");
}

#[test]
fn a_grant_whose_token_was_used_is_not_repeated() {
    let live = Scene::keyed().live();
    let renewed = live.then(live.renews(1, 120));
    check(&renewed, claims(A), "in progress, own token", "=");
}

#[test]
fn another_claimant_of_a_live_grant_is_told_in_progress_without_the_token() {
    check(&Scene::keyed().live(), claims(B), "in progress", "=");
    check(&Scene::external().live().after(29), claims(B), "in progress", "=");
}

#[test]
fn an_ended_lease_is_unknown_and_never_a_silent_grant() {
    check(&Scene::keyed().live().after(30), claims(B), "unknown: lease ended; allowed", "=");
    check(&Scene::external().over(), claims(B), "unknown: lease ended; evidence", "=");
}

#[test]
fn its_own_claimant_is_told_the_token_of_a_grant_whose_lease_is_over() {
    let over = Scene::external().over();
    check(&over, claims(A), "unknown: lease ended; evidence, own token", "=");
    let mut asked = over.clone();
    let Verdict::Unknown(unknown) = asked.ask(&claims(A)) else { panic!("not unknown") };
    assert_eq!(unknown.own_token, Some(over.token(1)));
}

#[test]
fn reported_unknown_is_unknown() {
    check(&Scene::external().unknown(), claims(B), "unknown: reported; evidence", "=");
    check(&Scene::keyed().unknown(), claims(B), "unknown: reported; allowed", "=");
    check(&Scene::keyed().unknown(), claims(A), "unknown: reported; allowed, own token", "=");
}

#[test]
fn a_released_intent_is_granted_to_a_fresh_claimant() {
    check(&Scene::external().released(), claims(B), "granted 2", "live 2");
}

#[test]
fn the_claimant_of_a_released_attempt_is_spent() {
    check(&Scene::external().released(), claims(A), "CLAIMANT_SPENT", "=");
}

#[test]
fn the_claimant_of_an_earlier_attempt_is_spent() {
    check(&Scene::keyed().taken_over(), claims(A), "CLAIMANT_SPENT", "=");
    check(&Scene::keyed().taken_over().after(100), claims(A), "CLAIMANT_SPENT", "=");
}

#[test]
fn a_settled_intent_is_completed_for_everybody() {
    for scene in [Scene::keyed().succeeded(), Scene::keyed().failed()] {
        check(&scene, claims(A), "completed", "=");
        check(&scene, claims(B), "completed", "=");
    }
}

#[test]
fn a_settled_intent_is_completed_even_for_a_spent_claimant() {
    let live = Scene::keyed().live().then(gives_back(C));
    let settled = live.then(live.says(1, super::asks::done("receipt")));
    check(&settled, claims(C), "completed", "=");
}

#[test]
fn claim_takes_over_by_itself_where_the_policy_says_so_and_the_provider_deduplicates() {
    let over = Scene::keyed().with(|policy| policy.reclaim_on_expiry = true).over();
    check(&over, claims(B), "granted 2, reclaimed", "live 2");
    let taken = over.then(claims(B));
    assert_eq!(taken.record().grants[0].end, crate::record::AttemptEnd::Unresolved);
    assert_eq!(taken.record().provider_key, over.record().provider_key);
}

#[test]
fn claim_does_not_take_over_before_the_lease_ends() {
    let live = Scene::keyed().with(|policy| policy.reclaim_on_expiry = true).live();
    check(&live.after(29), claims(B), "in progress", "=");
}

#[test]
fn claim_never_takes_over_from_its_own_claimant() {
    let over = Scene::keyed().with(|policy| policy.reclaim_on_expiry = true).over();
    check(&over, claims(A), "unknown: lease ended; allowed, own token", "=");
}

#[test]
fn claim_takes_over_nothing_that_the_provider_does_not_deduplicate() {
    for class in [EffectClass::Accumulative, EffectClass::External] {
        let over = Scene::of(class).with(|policy| policy.reclaim_on_expiry = true).over();
        check(&over, claims(B), "unknown: lease ended; evidence", "=");
    }
}

#[test]
fn an_unknown_names_the_record_as_judged_and_when_evidence_counts() {
    let live = Scene::external().live();
    let lease_end = live.now.after(Duration::from_secs(30));
    let Verdict::Unknown(early) = live.after(31).ask(&claims(B)) else { panic!("not unknown") };
    assert_eq!(early.evidence_start, lease_end.after(Duration::from_secs(30)));
    let revision = live.record().revision;
    assert_eq!(early.etag, Etag::Revision { revision, marked: false });
    let Verdict::Unknown(ripe) = live.after(60).ask(&claims(B)) else { panic!("not unknown") };
    assert_eq!(ripe.etag, Etag::Revision { revision, marked: true });
}

#[test]
fn without_a_policy_nothing_is_granted() {
    check(&Scene::keyed().without_policy(), claims(A), "OPERATION_UNKNOWN", "=");
    let released = Scene::keyed().released().without_policy();
    check(&released, claims(B), "OPERATION_UNKNOWN", "=");
    check(&Scene::keyed().succeeded().without_policy(), claims(B), "completed", "=");
}
