//! The core, explored exhaustively: every order of everything that a few executions, a reclaimer, judges and a network
//! that delays and doubles can do to one intent.
//!
//! The real decision procedure rules; the row is written by compare-and-set, as an engine does it; the provider is the
//! truth. In every state that can be reached the invariants of `model/check.rs` hold; else the shortest trace is shown.
//! The same search must find each core that was broken on purpose. Reads no clock and keeps no files.

mod call;
mod check;
mod fingerprint;
mod message;
mod recover;
mod rules;
mod search;
mod step;
mod words;
mod world;

use onced::record::EffectClass;

use self::{rules::Rules, search::explore};

#[track_caller]
fn holds(name: &str, rules: &Rules) {
    let explored = explore(rules);
    println!(
        "{name}: {} states, {} steps, depth {}",
        explored.states, explored.steps, explored.depth
    );
    if let Some(violation) = explored.violation {
        panic!("{name}: {violation}");
    }
}

#[test]
fn small() {
    use rules::Opening::{Claim, Reclaim};
    for class in [EffectClass::Keyed, EffectClass::External] {
        for (executions, judges, copies, tasks, resends) in [
            (&[Claim, Claim][..], 0, 0, 0, 0),
            (&[Claim, Reclaim][..], 0, 0, 0, 0),
            (&[Claim, Reclaim][..], 1, 0, 0, 0),
            (&[Claim, Reclaim][..], 1, 1, 0, 0),
            (&[Claim, Reclaim][..], 1, 1, 1, 0),
            (&[Claim, Reclaim][..], 1, 1, 1, 1),
            (&[Claim, Claim, Reclaim][..], 0, 1, 0, 0),
        ] {
            let rules = Rules { executions, judges, copies, tasks, resends, ..Rules::of_class(class) };
            let begin = std::time::Instant::now();
            holds("small", &rules);
            println!("   {executions:?} {judges} {copies} {tasks} {resends} {:?}", begin.elapsed());
        }
    }
}

#[test]
#[ignore]
fn every_invariant_holds_where_the_provider_deduplicates() {
    holds("keyed", &Rules::of_class(EffectClass::Keyed));
}

#[test]
fn every_invariant_holds_where_the_provider_does_not_deduplicate() {
    holds("external", &Rules::of_class(EffectClass::External));
}
