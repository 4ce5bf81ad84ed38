//! The core, explored exhaustively: every order of everything that a few executions, a reclaimer,
//! judges and a network that delays and doubles can do to one intent.
//!
//! The real decision procedure rules; the row is written by compare-and-set, as an engine does it;
//! the provider is the truth. In every state that can be reached the invariants of `model/check.rs`
//! hold; else the shortest trace is shown. The same search must catch each core that was broken on
//! purpose (`model/caught.rs`). Reads no clock, keeps no files.
//!
//! The long form: `cargo test --release -p onced-tests model -- --ignored --nocapture`.

mod broken;
mod call;
mod caught;
mod check;
mod fingerprint;
mod invariant;
mod message;
mod moves;
mod recover;
mod retold;
mod rules;
mod scenarios;
mod search;
mod step;
mod words;
mod world;

use onced::record::EffectClass;

use self::{rules::Rules, search::explore};

const KEYED: EffectClass = EffectClass::Keyed;
const EXTERNAL: EffectClass = EffectClass::External;

/// Every invariant holds in every state, and there are at least so many: a search that sees little
/// proves little.
#[expect(clippy::print_stdout, reason = "what was explored is the result")]
#[track_caller]
fn holds(rules: &Rules, states_min: usize) {
    let explored = explore(rules);
    let (states, steps, depth) = (explored.states, explored.steps, explored.depth);
    println!("{states} states, {steps} steps, {depth} deep");
    if let Some(violation) = explored.violation {
        panic!("{violation}");
    }
    assert!(states >= states_min, "only {states} states were reached");
}

#[test]
fn a_takeover_and_an_operator_keep_every_invariant() {
    holds(&scenarios::judged(KEYED), 40_000);
    holds(&scenarios::judged(EXTERNAL), 8_000);
}

#[test]
fn lost_answers_and_uncertain_writes_keep_every_invariant() {
    holds(&scenarios::waiting(KEYED), 50_000);
    holds(&scenarios::waiting(EXTERNAL), 15_000);
}

#[test]
fn a_claim_given_up_keeps_every_invariant() {
    holds(&scenarios::given_up(KEYED), 20_000);
    holds(&scenarios::given_up(EXTERNAL), 6_000);
}

#[test]
fn a_late_or_doubled_message_keeps_every_invariant() {
    holds(&Rules { reports: 1, ..scenarios::doubled(KEYED) }, 10_000);
    holds(&scenarios::doubled(EXTERNAL), 20_000);
}

#[test]
fn three_attempts_keep_every_invariant() {
    holds(&scenarios::three(KEYED), 20_000);
    holds(&scenarios::three(EXTERNAL), 4_000);
}

#[test]
fn careless_holders_and_a_wrong_provider_keep_every_invariant_of_the_record() {
    holds(&scenarios::careless(KEYED), 12_000);
    holds(&scenarios::careless(EXTERNAL), 3_000);
}

#[test]
fn takeover_by_claim_keeps_every_invariant() {
    holds(&scenarios::on_expiry(), 3_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_a_pair_and_an_operator_keep_every_invariant() {
    holds(&scenarios::long_pair(KEYED), 1_000_000);
    holds(&scenarios::long_pair(EXTERNAL), 100_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_a_late_or_doubled_message_keeps_every_invariant() {
    holds(&scenarios::long_doubled(KEYED), 1_000_000);
    holds(&scenarios::long_doubled(EXTERNAL), 100_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_a_judge_and_a_late_or_doubled_message_keep_every_invariant() {
    holds(&scenarios::long_judged(KEYED), 1_000_000);
    holds(&scenarios::long_judged(EXTERNAL), 100_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_three_attempts_and_an_operator_keep_every_invariant() {
    holds(&scenarios::long_three(KEYED), 500_000);
    holds(&scenarios::long_three(EXTERNAL), 50_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_three_attempts_and_a_late_or_doubled_message_keep_every_invariant() {
    holds(&scenarios::long_three_doubled(KEYED), 500_000);
    holds(&scenarios::long_three_doubled(EXTERNAL), 100_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_careless_holders_and_a_late_or_doubled_message_keep_every_invariant_of_the_record() {
    holds(&scenarios::long_careless(KEYED), 400_000);
    holds(&scenarios::long_careless(EXTERNAL), 50_000);
}

#[test]
#[ignore = "long: millions of states"]
fn long_careless_holders_and_a_misled_operator_keep_every_invariant_of_the_record() {
    holds(&scenarios::long_misled(KEYED), 100_000);
    holds(&scenarios::long_misled(EXTERNAL), 50_000);
}
