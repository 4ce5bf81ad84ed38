use std::time::Duration;

use clap::Parser;
use onced_proto::v1::{Failed, Succeeded, UnknownReason, completed::Outcome};

use super::*;
use crate::cli::{intent::IntentArgs, payload::PayloadArgs};

#[derive(Parser)]
struct Words {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    intent: IntentArgs,
    #[command(flatten)]
    payload: PayloadArgs,
}

fn next() -> Next {
    let words = ["x", "--namespace", "n", "--operation", "o", "--key", "k", "--json", "{}"];
    let words = Words::parse_from(words);
    Next::new(&words.connection, &words.intent, &words.payload)
}

fn told(verdict: Option<Verdict>, claimant_is_ours: bool) -> String {
    let ruling = Ruling { verdict, warnings: Vec::new() };
    let check = GrantCheck { claimant_is_ours, lease_is_over: false };
    let exit = Exit::of_ruling(Some(&ruling), check);
    page(Some(&ruling), exit, &next()).render(false)
}

#[test]
fn a_grant_says_what_to_forward_and_how_to_report() {
    let granted = Granted {
        attempt: 1,
        fencing_token: 17,
        provider_key: "once1-abc".to_owned(),
        lease: Some(span::to_wire(Duration::from_secs(30))),
        result_bytes_max: 9,
        ..Default::default()
    };
    assert_eq!(
        told(Some(Verdict::Granted(granted)), true),
        "granted: perform the effect now, once
  attempt         1
  fencing token   17
  provider key    once1-abc
  lease left      30s
  result at most  9 bytes
next:
  Forward the provider key, then report what became of it:
  onced complete --namespace n --operation o --key k --token 17 --succeeded
  onced complete --namespace n --operation o --key k --token 17 --failed TYPE --message WHY
  onced complete --namespace n --operation o --key k --token 17 --unknown
"
    );
}

#[test]
fn a_repeated_grant_forbids_the_effect_and_shows_how_to_give_it_back() {
    let granted = Granted { repeated: true, fencing_token: 17, ..Default::default() };
    let text = told(Some(Verdict::Granted(granted)), false);
    assert!(text.contains("do NOT perform the effect"), "{text}");
    assert!(text.contains("onced release --namespace n --operation o --key k --token 17"));
    assert!(!text.contains("onced complete"), "{text}");
}

#[test]
fn an_unknown_says_why_and_gives_the_exact_command_that_its_rule_leaves() {
    let unknown = Unknown {
        reason: UnknownReason::LeaseEnded.into(),
        etag: "e1".to_owned(),
        provider_key: "once1-abc".to_owned(),
        reclaim_rule: ReclaimRule::EvidenceRequired.into(),
        ..Default::default()
    };
    assert_eq!(
        told(Some(Verdict::Unknown(unknown)), true),
        "unknown: nobody knows whether it happened; do not act, do not call it failed
  why           the lease ended without an outcome
  etag          e1
  provider key  once1-abc
  reclaim       needs evidence that it did not happen
next:
  Ask the provider for once1-abc, then tell what was found:
  onced reclaim --namespace n --operation o --key k --json '{}' --reason WHY --etag e1 \
--evidence not-applied --observed TIME --reference WHERE
  onced reclaim --namespace n --operation o --key k --json '{}' --reason WHY --etag e1 \
--evidence applied --observed TIME --reference WHERE
"
    );
}

#[test]
fn the_other_reclaim_rules_lead_elsewhere() {
    let told = |rule: ReclaimRule| {
        let unknown = Unknown { reclaim_rule: rule.into(), ..Default::default() };
        told(Some(Verdict::Unknown(unknown)), true)
    };
    assert!(told(ReclaimRule::Allowed).ends_with("--json '{}' --reason WHY\n"));
    for rule in
        [ReclaimRule::Unspecified, ReclaimRule::AttemptsExhausted, ReclaimRule::ResolveRequired]
    {
        let text = told(rule);
        assert!(!text.contains("onced reclaim"), "{text}");
        assert!(text.ends_with("onced get --namespace n --operation o --key k --json '{}'\n"));
    }
}

#[test]
fn a_completed_ruling_is_told_by_its_outcome() {
    let told = |outcome, disputed| {
        let completed = Completed { outcome, disputed, ..Default::default() };
        told(Some(Verdict::Completed(completed)), true)
    };
    let succeeded = Some(Outcome::Succeeded(Succeeded::default()));
    let failed = Some(Outcome::Failed(Failed { r#type: "declined".into(), ..Default::default() }));
    assert!(told(succeeded.clone(), false).starts_with("completed: it succeeded before"));
    assert!(told(failed, false).starts_with("completed: it finally failed before"));
    assert!(told(succeeded, true).starts_with("disputed: "));
    assert!(told(None, false).starts_with("disputed: "));
}

#[test]
fn an_answer_that_is_not_understood_is_told_as_unknown() {
    assert!(told(None, true).starts_with("unknown: the answer is not understood; do not act"));
}
