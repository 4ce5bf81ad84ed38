//! Random histories of three executions, two operators and the clock keep what the oracle says.

use std::time::Duration;

use proptest::prelude::*;
use uuid::Uuid;

use super::{
    asks::{
        NOT_APPLIED, applied, claim, claims, done, failed, finally_failed, gives_back, happened,
        reclaims_on, refused_by_provider, releases, reports, reports_with, resolves_as, right,
        wrong,
    },
    oracle::Oracle,
    scene::DAY,
};
use crate::{
    record::{Claimant, EffectClass, FencingToken},
    ruling::{Claim, Etag, ReleasedGrant, Renew, Reported, Request, ResolveVerdict},
};

/// What happens next. Numbers choose among what there is.
#[derive(Clone, Debug)]
enum Step {
    Claim { caller: u8 },
    ClaimWrong { caller: u8 },
    Reclaim { caller: u8, finding: u8, judged: u8 },
    Complete { token: u8, outcome: u8, hash: u8 },
    Renew { token: u8, seconds: u8 },
    Release { token: u8 },
    GiveBack { caller: u8 },
    Resolve { operator: bool, verdict: u8, judged: u8 },
    Again { choice: usize },
    Wait { span: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => any::<u8>().prop_map(|caller| Step::Claim { caller }),
        1 => any::<u8>().prop_map(|caller| Step::ClaimWrong { caller }),
        4 => any::<(u8, u8, u8)>()
            .prop_map(|(caller, finding, judged)| Step::Reclaim { caller, finding, judged }),
        6 => any::<(u8, u8, u8)>()
            .prop_map(|(token, outcome, hash)| Step::Complete { token, outcome, hash }),
        1 => any::<(u8, u8)>().prop_map(|(token, seconds)| Step::Renew { token, seconds }),
        3 => any::<u8>().prop_map(|token| Step::Release { token }),
        1 => any::<u8>().prop_map(|caller| Step::GiveBack { caller }),
        2 => any::<(bool, u8, u8)>()
            .prop_map(|(operator, verdict, judged)| Step::Resolve { operator, verdict, judged }),
        3 => any::<usize>().prop_map(|choice| Step::Again { choice }),
        5 => any::<u8>().prop_map(|span| Step::Wait { span }),
    ]
}

fn class() -> impl Strategy<Value = EffectClass> {
    prop_oneof![
        Just(EffectClass::NaturallyIdempotent),
        Just(EffectClass::Keyed),
        Just(EffectClass::Accumulative),
        Just(EffectClass::External),
    ]
}

/// A history being made: its oracle, and the etags that somebody may still hold.
struct History {
    oracle: Oracle,
    seen: Vec<Etag>,
}

impl History {
    fn take(&mut self, step: &Step) {
        self.seen.push(self.oracle.scene.etag());
        match *step {
            Step::Again { choice } => self.oracle.send_again(choice),
            Step::Wait { span } => self.oracle.wait(span_of(span)),
            _ => {
                let request = self.request(step);
                self.oracle.ask(&request);
            }
        }
    }

    fn request(&self, step: &Step) -> Request {
        match *step {
            Step::Claim { caller } => claims(caller_of(caller)),
            Step::ClaimWrong { caller } => {
                Request::Claim(Claim { payload: wrong(), ..claim(caller_of(caller)) })
            }
            Step::Reclaim { caller, finding, judged } => {
                let finding = [None, Some(NOT_APPLIED), Some(NOT_APPLIED), Some(applied())]
                    [usize::from(finding % 4)]
                .clone();
                reclaims_on(caller_of(caller), self.judged(judged), finding)
            }
            Step::Complete { token, outcome, hash } => {
                let token = self.token(token);
                match hash % 8 {
                    0..3 => reports(token, outcome_of(outcome)),
                    3..7 => reports_with(token, outcome_of(outcome), right()),
                    _ => reports_with(token, outcome_of(outcome), wrong()),
                }
            }
            Step::Renew { token, seconds } => {
                let lease = Some(Duration::from_secs(u64::from(seconds) + 1));
                Request::Renew(Renew { token: self.token(token), lease })
            }
            Step::Release { token } => releases(ReleasedGrant::Token(self.token(token))),
            Step::GiveBack { caller } => gives_back(caller_of(caller)),
            Step::Resolve { operator, verdict, judged } => {
                let operator = if operator { "day" } else { "night" };
                resolves_as(operator, self.judged(judged), verdict_of(verdict))
            }
            Step::Again { .. } | Step::Wait { .. } => unreachable!("not a request"),
        }
    }

    /// Mostly the current token, sometimes an earlier one, seldom one that was never issued.
    fn token(&self, choice: u8) -> FencingToken {
        let grants = self.oracle.scene.stored().map_or_else(Vec::new, |s| s.record.grants);
        let choice = usize::from(choice);
        match grants.len() {
            0 => FencingToken(1_000 + i64::from(choice % 2 == 0)),
            _ if choice % 16 == 0 => FencingToken(grants[0].token.0 - 1),
            _ if choice % 16 == 1 => FencingToken(grants[grants.len() - 1].token.0 + 5),
            length if choice % 2 == 0 => grants[length - 1].token,
            length => grants[choice / 2 % length].token,
        }
    }

    /// Mostly the record as it is, sometimes one that was seen before.
    fn judged(&self, choice: u8) -> Etag {
        match choice % 4 {
            0 => self.seen[usize::from(choice) % self.seen.len()],
            _ => self.oracle.scene.etag(),
        }
    }
}

fn caller_of(choice: u8) -> Claimant {
    Claimant(Uuid::from_u128(0x100 + u128::from(choice % 24)))
}

fn outcome_of(choice: u8) -> Reported {
    match choice % 8 {
        0..3 => done(["one", "two", "three"][usize::from(choice / 8 % 3)]),
        3 => failed("declined"),
        4 => failed("other"),
        5 => refused_by_provider(),
        _ => Reported::Unknown,
    }
}

fn verdict_of(choice: u8) -> ResolveVerdict {
    match choice % 4 {
        0 => happened(),
        1 => finally_failed(),
        _ => ResolveVerdict::NotApplied,
    }
}

fn span_of(choice: u8) -> Duration {
    let seconds = match choice % 8 {
        0 => 1,
        1 => 20,
        2..5 => 61,
        5 => 700,
        6 => 86_340,
        _ => return if choice > 200 { DAY * 46 } else { Duration::from_secs(31) },
    };
    Duration::from_secs(seconds)
}

/// More histories than usual; `PROPTEST_CASES` can ask for more still.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(1_500), ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_history_keeps_the_invariants(
        class in class(),
        reclaim_on_expiry in any::<bool>(),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let oracle = Oracle::of(class, reclaim_on_expiry);
        let mut history = History { oracle, seen: Vec::new() };
        for step in &steps {
            history.take(step);
        }
    }
}
