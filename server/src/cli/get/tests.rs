use std::collections::HashMap;

use onced_proto::v1::{Attempt, Content, Failed, Money, OutcomeUnknown, Succeeded, content::Body};

use super::*;

fn settled() -> Intent {
    let result = Content { body: Some(Body::Text("ok".to_owned())), content_type: String::new() };
    let outcome = Outcome::Succeeded(Succeeded { result: Some(result), ..Default::default() });
    Intent {
        state: State::Succeeded.into(),
        attempt: 2,
        effect_class: EffectClass::NaturallyIdempotent.into(),
        labels: HashMap::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "1".to_owned())]),
        completed: Some(Completed { outcome: Some(outcome), ..Default::default() }),
        earlier_attempts: vec![Attempt {
            attempt: 1,
            end_state: State::Unknown.into(),
            ..Default::default()
        }],
        ..Default::default()
    }
}

#[test]
fn an_intent_is_told_by_state_facts_and_history() {
    assert_eq!(
        page(&settled()).render(false),
        "succeeded: it happened\n  effect class     naturally_idempotent\n  attempts         2\n  \
         label            a=1\n  label            b=2\n  result           ok\n  \
         earlier attempt  1 ended unknown\n"
    );
}

#[test]
fn a_dispute_is_said_before_the_outcome() {
    let disputed = Intent { disputed: true, ..settled() };
    assert!(page(&disputed).render(false).starts_with("disputed: settled, but contradicted\n"));
}

#[test]
fn a_late_report_says_what_was_reported() {
    let told = |outcome| {
        let report_time = Some("2026-01-31T12:00:00Z".parse().unwrap());
        late_report(&LateReport { fencing_token: 7, report_time, outcome })
    };
    let declined = Failed { r#type: "declined".to_owned(), ..Default::default() };
    for (outcome, said) in [
        (Some(late_report::Outcome::Succeeded(Succeeded::default())), "succeeded"),
        (Some(late_report::Outcome::Failed(declined)), "failed declined"),
        (Some(late_report::Outcome::Unknown(OutcomeUnknown::default())), "unknown"),
        (
            Some(late_report::Outcome::NotApplied(NotAppliedReason::NotStarted.into())),
            "surely not done: not started",
        ),
        (None, "not understood"),
    ] {
        assert_eq!(told(outcome), format!("{said} under token 7 at 2026-01-31T12:00:00Z"));
    }
}

#[test]
fn an_audit_entry_says_who_changed_what_when_and_why() {
    let entry = AuditEntry {
        principal: "ann".to_owned(),
        reason: "worker died".to_owned(),
        audit_time: Some("2026-01-31T12:00:00Z".parse().unwrap()),
        state_before: State::Unknown.into(),
        state_after: State::InProgress.into(),
        ..Default::default()
    };
    let told = "taken over at 2026-01-31T12:00:00Z by ann (unknown → in progress): worker died";
    assert_eq!(audit_entry(&entry), told);
    let settled = AuditEntry {
        state_after: State::Succeeded.into(),
        reference: "report 881".to_owned(),
        ..entry
    };
    let told = audit_entry(&settled);
    assert!(told.starts_with("settled at "), "{told}");
    assert!(told.ends_with("(unknown → succeeded): worker died; see report 881"), "{told}");
}

#[test]
fn no_fact_is_told_twice() {
    let intent = Intent {
        state: State::Succeeded.into(),
        attempt: 2,
        fencing_token: 17,
        holder: "pod-1".to_owned(),
        provider_key: "once1-abc".to_owned(),
        amount: Some(Money { currency_code: "EUR".to_owned(), ..Default::default() }),
        first_claim_time: Some("2026-01-31T12:00:00Z".parse().unwrap()),
        expire_time: Some("2026-03-31T12:00:00Z".parse().unwrap()),
        contested: true,
        disputed: true,
        ..Default::default()
    };
    let amount = intent.amount.clone();
    let completed = Completed {
        attempt: 2,
        expire_time: intent.expire_time,
        disputed: true,
        outcome: Some(Outcome::Succeeded(Succeeded { amount, ..Default::default() })),
        ..Default::default()
    };
    let unknown = Unknown {
        attempt: 2,
        fencing_token: 17,
        holder: intent.holder.clone(),
        provider_key: intent.provider_key.clone(),
        first_claim_time: intent.first_claim_time,
        contested: true,
        ..Default::default()
    };
    let alone = page(&intent).render(false);
    let (completed, unknown) = (Some(completed), Some(unknown));
    let whole = Intent { completed, unknown, ..intent };
    assert_eq!(page(&whole).render(false), alone);
    let other = Completed { attempt: 1, ..Default::default() };
    let text = page(&Intent { completed: Some(other), ..whole }).render(false);
    assert!(text.contains("  attempt           1\n"), "{text}");
}
