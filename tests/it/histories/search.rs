//! Is there an order of the calls of one intent, true to their times, that the sequential intent
//! could have answered so?
//!
//! A depth-first search over the calls that can come next; what was tried once is not tried again.
//! A call whose answer was lost may come anywhere up to its end, or never.

use std::collections::HashSet;

use super::{
    call::{Asked, Call, Moment},
    load::LEASE,
    sequential::Intent,
};

/// Nodes after which a search is given up: far beyond what any history here needs.
const NODES_MAX: usize = 2_000_000;
/// What is left of a lease may be told in whole seconds.
const WHOLE: Moment = 1_000_000;

/// Checks the calls of one intent, in any order; tells what could not be explained.
pub(crate) fn check(calls: &[Call]) -> Result<(), String> {
    let mut calls = calls.to_vec();
    calls.extend(calls.clone().iter().filter_map(held_up));
    calls.sort_by_key(|call| (call.told.is_none(), call.end));
    let mut search = Search { calls: &calls, tried: HashSet::new(), best: Vec::new() };
    let mut order = Vec::new();
    if search.explore(&mut Done::of(&calls), &Intent::default(), 0, &mut order) {
        return Ok(());
    }
    Err(search.told())
}

/// A grant with nothing left to promise when it can be told is none: a call that took so long may
/// have been granted at one moment, and told at another where that stands.
fn held_up(call: &Call) -> Option<Call> {
    let claims = matches!(call.asked, Asked::Claim(_) | Asked::Reclaim(_));
    let took_long = call.told.is_some() && call.end - call.invoked >= LEASE - WHOLE;
    (claims && took_long).then(|| Call { told: None, ..call.clone() })
}

struct Search<'a> {
    calls: &'a [Call],
    tried: HashSet<(Done, Intent)>,
    /// The longest order that was found.
    best: Vec<usize>,
}

impl Search<'_> {
    /// `floor`: when the latest of the calls that were ordered so far was sent. No earlier end fits
    /// behind it.
    fn explore(
        &mut self,
        done: &mut Done,
        intent: &Intent,
        floor: Moment,
        order: &mut Vec<usize>,
    ) -> bool {
        let answered = |call: &Call| call.told.is_some();
        let open = (0..self.calls.len()).filter(|&call| !done.has(call));
        let first_end = open.clone().filter(|&call| answered(&self.calls[call]));
        let Some(horizon) = first_end.map(|call| self.calls[call].end).min() else { return true };
        if !self.tried.insert((done.clone(), intent.clone())) {
            return false;
        }
        assert!(self.tried.len() < NODES_MAX, "this history is too wide to be judged");
        if order.len() > self.best.len() {
            self.best.clone_from(order);
        }
        let fits = |call: &Call| call.invoked <= horizon && call.end >= floor;
        let next: Vec<_> = open.filter(|&call| fits(&self.calls[call])).collect();
        for index in next {
            let call = &self.calls[index];
            for after in intent.after(call) {
                done.add(index);
                order.push(index);
                if self.explore(done, &after, floor.max(call.invoked), order) {
                    return true;
                }
                done.remove(index);
                order.pop();
            }
        }
        false
    }

    fn told(&self) -> String {
        let line = |&index: &usize| format!("  {:?}\n", self.calls[index]);
        let ordered: String = self.best.iter().map(line).collect();
        let mut rest: Vec<_> =
            (0..self.calls.len()).filter(|index| !self.best.contains(index)).collect();
        rest.sort_by_key(|&index| self.calls[index].invoked);
        let rest: String = rest.iter().take(12).map(line).collect();
        format!("explained so far:\n{ordered}and none of these can come next:\n{rest}")
    }
}

/// Which calls have been ordered.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Done(Vec<u64>);

impl Done {
    fn of(calls: &[Call]) -> Self {
        Self(vec![0; calls.len().div_ceil(64)])
    }

    fn has(&self, call: usize) -> bool {
        self.0[call / 64] & (1 << (call % 64)) != 0
    }

    fn add(&mut self, call: usize) {
        self.0[call / 64] |= 1 << (call % 64);
    }

    fn remove(&mut self, call: usize) {
        self.0[call / 64] &= !(1 << (call % 64));
    }
}
