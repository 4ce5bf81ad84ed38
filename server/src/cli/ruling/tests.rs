use std::time::Duration;

use clap::Parser;
use onced_proto::v1::{Failed, Succeeded, UnknownReason, completed::Outcome};

use tonic::Code;
use tonic_types::ErrorDetails;

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
        etag: "e1+evidence".to_owned(),
        provider_key: "once1-abc".to_owned(),
        reclaim_rule: ReclaimRule::EvidenceRequired.into(),
        ..Default::default()
    };
    assert_eq!(
        told(Some(Verdict::Unknown(unknown)), true),
        "unknown: nobody knows whether it happened; do not act, do not call it failed
  why           the lease ended without an outcome
  etag          e1+evidence
  provider key  once1-abc
  reclaim       needs evidence that it did not happen
next:
  Ask the provider for once1-abc, then tell what was found:
  onced reclaim --namespace n --operation o --key k --json '{}' --reason WHY --etag e1+evidence \
--evidence not-applied --observed TIME --reference WHERE
  onced reclaim --namespace n --operation o --key k --json '{}' --reason WHY --etag e1+evidence \
--evidence applied --observed TIME --reference WHERE
"
    );
}

fn needs_evidence(etag: &str) -> String {
    let unknown = Unknown {
        etag: etag.to_owned(),
        provider_key: "once1-abc".to_owned(),
        reclaim_rule: ReclaimRule::EvidenceRequired.into(),
        evidence_start_time: Some("2026-01-31T12:00:00Z".parse().unwrap()),
        ..Default::default()
    };
    let text = told(Some(Verdict::Unknown(unknown)), true);
    text.split_once("next:\n").unwrap().1.to_owned()
}

const WAIT: &str = "  Wait until 2026-01-31T12:00:00Z, then read the etag that evidence may name, \
                    and ask the provider:
  onced get --namespace n --operation o --key k --json '{}'
";

#[test]
fn an_etag_that_evidence_may_not_name_is_never_put_into_a_command() {
    assert_eq!(needs_evidence("e1"), WAIT);
    assert!(needs_evidence("e1+evidence").starts_with("  Ask the provider for once1-abc, then"));
}

#[test]
fn where_there_is_no_record_evidence_names_none_and_has_a_time() {
    let steps = needs_evidence("none");
    assert!(steps.starts_with("  Ask the provider for once1-abc, not before 2026-01-31T12:00:00Z"));
    assert!(steps.contains("--etag none --evidence not-applied"), "{steps}");
}

#[test]
fn evidence_that_comes_too_early_is_told_to_wait_as_the_ruling_told() {
    let facts = [("evidence_start_time".to_owned(), "2026-01-31T12:00:00Z".to_owned())];
    let early = |domain| {
        let details = ErrorDetails::with_error_info("EVIDENCE_TOO_EARLY", domain, facts.clone());
        let status = Status::with_error_details(Code::FailedPrecondition, "", details);
        too_early_steps(&status, &next())
    };
    let lines = early("onced.v1").unwrap().map(|step| format!("  {step}\n"));
    assert_eq!(lines.concat(), WAIT);
    assert_eq!(early("elsewhere"), None);
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
