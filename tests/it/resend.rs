//! The answer of any call may be lost and the call sent again unchanged, here or to another server:
//! the second answer equals the first.

use onced_tests::harness::{Engine, InProcess};

use self::{call::Call, state::State};

mod call;
mod state;

/// Every call, sent twice in this state, to one server and to two.
async fn check(state: State) {
    let server = InProcess::start().await;
    let other = server.replica().await;
    for (n, call) in Call::ALL.into_iter().enumerate() {
        for (name, second) in [("here", &server), ("there", &other)] {
            let stand = state.reach(&server, &format!("{n}-{name}")).await;
            let sent = call.on(&stand);
            let first = comparable(sent.answer(&server.calls()).await);
            let again = comparable(sent.answer(&second.calls()).await);
            if state == State::Contested && is_told_once(&first, &again) {
                continue;
            }
            assert_eq!(first, again, "{call:?}, sent again {name}, in {state:?}");
        }
    }
}

/// Times may differ; on a cluster they do, since it tells what is left in whole seconds.
fn comparable(answer: String) -> String {
    match Engine::chosen() {
        Engine::Embedded => answer,
        Engine::Cluster => {
            let digits = |c: char| c.is_ascii_digit();
            let parts = answer.split("seconds: ").map(|part| part.trim_start_matches(digits));
            parts.collect::<Vec<_>>().join("seconds: ")
        }
    }
}

/// A grant over a success on file is told once; then its own claimant is told that it holds it, by
/// the same token.
fn is_told_once(first: &str, again: &str) -> bool {
    let grant = first.strip_prefix("granted ");
    let held = again.strip_prefix("in progress ");
    grant.zip(held).is_some_and(|(grant, held)| grant.starts_with(&format!("{held} ")))
}

/// One test for each state.
macro_rules! states {
    ($($name:ident: $state:ident;)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                check(State::$state).await;
            }
        )+

        #[test]
        fn every_state_is_tried() {
            let tried = [$(State::$state),+];
            assert_eq!(tried, State::ALL);
        }
    };
}

states! {
    without_a_record: None;
    while_it_is_held: Live;
    when_its_lease_is_over: Over;
    when_it_was_reported_as_unknown: Unknown;
    when_it_was_released: Released;
    when_it_succeeded: Succeeded;
    when_it_failed: Failed;
    when_it_is_disputed: Disputed;
    while_a_second_attempt_is_held: Second;
    when_a_second_attempt_is_over: SecondOver;
    while_it_is_contested: Contested;
    when_a_second_attempt_was_released: SecondReleased;
}
