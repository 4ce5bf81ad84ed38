use onced_proto::v1::{Granted, Ruling, ruling::Verdict};

use super::*;

fn granted(waited: u64, lease: u64) -> Ruling {
    let seconds = |n| Some(span::to_wire(Duration::from_secs(n)));
    let granted = Granted { waited: seconds(waited), lease: seconds(lease), ..Default::default() };
    Ruling { verdict: Some(Verdict::Granted(granted)), warnings: Vec::new() }
}

#[test]
fn a_lease_counts_from_before_the_send_and_what_the_server_waited_comes_on_top() {
    let ruling = granted(5, 30);
    assert!(!lease_is_over(Some(&ruling), Duration::from_millis(34_999)));
    assert!(lease_is_over(Some(&ruling), Duration::from_secs(35)));
}

#[test]
fn a_grant_without_a_lease_is_over_at_once() {
    let ruling = Ruling { verdict: Some(Verdict::Granted(Granted::default())), warnings: vec![] };
    assert!(lease_is_over(Some(&ruling), Duration::ZERO));
    assert!(!lease_is_over(None, Duration::from_secs(60)));
}

#[test]
fn a_claimant_is_made_afresh_for_each_call_unless_it_is_given() {
    let args = ClaimantArgs { claimant: None, holder: None, lease: None };
    let (first, second) = (args.settle(), args.settle());
    assert!(first.is_ours && first.id != second.id);
    let id = Uuid::new_v4();
    let given = ClaimantArgs { claimant: Some(id), holder: None, lease: None }.settle();
    assert!(!given.is_ours && given.id == id.to_string());
}
