use onced_proto::v1::{Intent, State};

use super::*;

#[track_caller]
fn check(intent: Intent, expected: &str) {
    let answer = CompleteResponse { intent: Some(intent), ..Default::default() };
    let text = page(&answer).render(false);
    let rows = text.strip_prefix("recorded: the report is on disk\n").unwrap();
    assert_eq!(rows, format!("  now  {expected}\n"));
}

#[test]
fn a_report_is_told_with_the_state_that_the_intent_is_in_now() {
    let of = |state: State| Intent { state: state.into(), ..Default::default() };
    check(of(State::Succeeded), "succeeded: it happened");
    check(of(State::Failed), "failed: it finally failed, surely without effect");
    check(of(State::Unknown), "unknown: nobody knows whether it happened");
    let disputed = Intent { disputed: true, ..of(State::Failed) };
    check(disputed, "disputed: settled, but contradicted");
}
