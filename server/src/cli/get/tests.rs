use std::collections::HashMap;

use onced_proto::v1::{Attempt, Completed, Content, Succeeded, completed::Outcome, content::Body};

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
