//! One number for all worlds that behave alike.
//!
//! Revisions, tokens and times have no meaning of their own: revisions are renamed by where they
//! stand, tokens by their order, times by their distance from now, as far as that still matters.
//! Two worlds of one exploration share a number by accident with a chance of about one in a million
//! million.

use std::{collections::hash_map::DefaultHasher, hash::Hasher, time::Duration};

use onced::{
    clock::Timestamp,
    record::{
        Answer, AttemptEnd, Claimant, FencingToken, Outcome, Record, ReportKind, ResultKind,
        Revision, SPENT_FOR, State, UnknownCause,
    },
    ruling::evidence_start,
    store::Stored,
};

use super::{
    message::{MESSAGES, Message},
    rules::Rules,
    world::{Effect, Execution, Look, Row, Stage, Task, Window, World},
};

/// The bytes that stand for a world; reused from world to world.
#[derive(Default)]
pub(super) struct Canvas {
    bytes: Vec<u8>,
    tokens: Vec<FencingToken>,
    revisions: Vec<Revision>,
    /// No message can arrive a second time: what only copies could meet does not matter.
    quiet: bool,
}

impl Canvas {
    /// The number of a world.
    pub(super) fn world(&mut self, rules: &Rules, world: &World) -> u64 {
        self.clear();
        self.quiet = is_quiet(world);
        self.collect(world);
        for execution in &world.executions[..rules.executions.len()] {
            self.execution(world, execution);
        }
        for judge in &world.judges[..rules.judges] {
            self.bytes.push(u8::from(judge.done));
            self.look(if judge.done && self.quiet { Look::No } else { judge.look });
        }
        self.row(rules, world);
        self.provider(world);
        for task in &world.tasks {
            self.task(world, task);
        }
        self.bytes.extend(world.sent.to_le_bytes());
        for told in &world.told[..MESSAGES] {
            self.bytes.push(told.map_or(0, |told| told as u8 + 1));
        }
        self.bytes.extend([world.copies_left, world.uncertain_left]);
        self.number()
    }

    /// The number of a row in its surroundings: all that a judge could see.
    pub(super) fn surroundings(&mut self, rules: &Rules, world: &World) -> u64 {
        self.clear();
        self.quiet = true;
        self.collect_row(world);
        self.row(rules, world);
        self.provider(world);
        self.number()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.tokens.clear();
        self.revisions.clear();
    }

    fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        hasher.write(&self.bytes);
        hasher.finish()
    }

    fn collect_row(&mut self, world: &World) {
        if let Some(stored) = world.stored() {
            self.tokens.extend(stored.record.grants.iter().map(|grant| grant.token));
            self.revisions.push(stored.record.revision);
        }
    }

    fn collect(&mut self, world: &World) {
        self.collect_row(world);
        self.tokens.extend(world.executions.iter().filter_map(|execution| execution.token));
        let granted = world.executions.iter().filter_map(|execution| execution.granted);
        self.tokens.extend(granted.map(|(token, _)| token));
        self.tokens.sort_unstable();
        self.tokens.dedup();
    }

    fn token(&mut self, token: Option<FencingToken>) {
        let rank = token.and_then(|token| self.tokens.iter().position(|known| *known == token));
        self.bytes.push(small(rank.map_or(0, |rank| rank + 1)));
    }

    fn revision(&mut self, revision: Revision) {
        let known = self.revisions.iter().position(|known| *known == revision);
        let index = known.unwrap_or_else(|| {
            self.revisions.push(revision);
            self.revisions.len() - 1
        });
        self.bytes.push(small(index));
    }

    fn claimant(&mut self, claimant: Option<Claimant>) {
        let name = claimant.map_or(u128::from(u8::MAX), |claimant| claimant.0.as_u128());
        self.bytes.push(u8::try_from(name).unwrap_or(u8::MAX));
    }

    /// How far ahead a time lies; nothing if it has come.
    fn ahead(&mut self, world: &World, time: Timestamp) {
        self.span(time.since(world.now));
    }

    /// In whole seconds: time moves by no less.
    fn span(&mut self, span: Duration) {
        let seconds = u32::try_from(span.as_secs()).unwrap_or(u32::MAX);
        self.bytes.extend(seconds.to_le_bytes());
    }

    fn execution(&mut self, world: &World, execution: &Execution) {
        let asks = matches!(execution.asked, Stage::No | Stage::Waiting);
        let speaks = execution.reports_left > 0;
        self.bytes.push(execution.asked as u8);
        self.bytes.push(if asks { execution.resends_left } else { 0 });
        let looks = execution.asked == Stage::No || !self.quiet;
        self.look(if looks { execution.look } else { Look::No });
        self.token(execution.token);
        if asks || !self.quiet {
            self.token(execution.granted.map(|(token, _)| token));
            self.bytes.push(u8::from(execution.used));
        }
        let acting = execution.right && world.now < execution.deadline;
        self.bytes.push(u8::from(acting));
        if acting {
            self.ahead(world, execution.deadline);
        }
        if execution.effect == Effect::InFlight {
            self.ahead(world, execution.effect_end);
        }
        let is_open = matches!(execution.effect, Effect::InFlight)
            || execution.effect == Effect::NotSent && acting;
        let effect = if speaks || is_open { execution.effect } else { Effect::Vanished };
        self.bytes.extend([effect as u8, execution.reports_left]);
        self.bytes.extend((if speaks || acting { execution.said } else { 0 }).to_le_bytes());
        let taken_back = execution.taken_back.is_some_and(|time| world.now.since(time) < SPENT_FOR);
        self.bytes.push(u8::from(taken_back));
        self.bytes.push(execution.success as u8);
    }

    fn look(&mut self, look: Look) {
        match look {
            Look::No => self.bytes.push(0),
            Look::Record { revision, marked } => {
                self.bytes.extend([1, u8::from(marked)]);
                self.revision(revision);
            }
            Look::Provider { revision, marked, applied } => {
                self.bytes.extend([2, u8::from(marked), u8::from(applied)]);
                self.revision(revision);
            }
        }
    }

    fn provider(&mut self, world: &World) {
        let provider = world.provider;
        self.bytes.extend([provider.applied, provider.remembers as u8, provider.window as u8]);
    }

    fn row(&mut self, rules: &Rules, world: &World) {
        let Some(Row { stored, lease_end }) = &world.row else {
            self.bytes.push(0);
            return;
        };
        self.bytes.push(1);
        self.bytes.push(u8::from(stored.lease.is_live()));
        if stored.lease.is_live() {
            self.ahead(world, *lease_end);
            let claimed = stored.record.current().map(|grant| grant.claim_time);
            if !self.quiet {
                self.span(claimed.map_or(Duration::ZERO, |time| world.now.since(time)));
            }
        }
        self.ahead(world, evidence_start(&stored.record, Some(&rules.policy), Duration::ZERO));
        if world.provider.window == Window::NearlyOver {
            self.span(world.now.since(stored.record.first_claim_time));
        }
        self.bytes.push(u8::from(stored.expires_in.is_some()));
        self.record(world, stored);
    }

    fn record(&mut self, world: &World, stored: &Stored) {
        let record = &stored.record;
        self.state(record);
        self.bytes.extend([
            u8::from(record.payload_hash.is_some()),
            u8::from(record.disputed),
            u8::from(record.orphan),
            u8::from(record.adopted),
            u8::from(record.after_release),
            u8::from(record.token_used && !self.quiet),
            small_u32(record.grants_since_release),
        ]);
        for grant in &record.grants {
            self.token(Some(grant.token));
            self.claimant(grant.claimant);
            self.bytes.push(end(grant.end));
        }
        self.bytes.push(u8::MAX);
        for report in &record.reports {
            if self.quiet && report.said.kind() != ReportKind::Succeeded {
                continue;
            }
            self.token(Some(report.token));
            self.bytes.push(kind(report.said.kind()));
            self.bytes.extend(&report.digest[..4]);
            self.bytes.extend([answer(report.answer), u8::from(report.refuted)]);
        }
        self.bytes.push(u8::MAX);
        for entry in &record.audit {
            if let Some(known) = self.revisions.iter().position(|known| *known == entry.judged) {
                self.bytes.push(small(known));
                self.bytes.extend(&entry.decision[..2]);
            }
        }
        self.bytes.push(u8::MAX);
        for spent in &record.spent {
            self.claimant(Some(spent.claimant));
            self.ahead(world, spent.time.after(SPENT_FOR));
        }
    }

    fn state(&mut self, record: &Record) {
        match &record.state {
            State::Claimed => self.bytes.push(0),
            State::Unknown(UnknownCause::Reported) => self.bytes.push(1),
            State::Unknown(UnknownCause::EarlierAttempt) => self.bytes.push(2),
            State::Released => self.bytes.push(3),
            State::Settled(settlement) => {
                self.bytes.extend([4, settlement.source as u8, small_u32(settlement.attempt)]);
                match &settlement.outcome {
                    Outcome::Succeeded(success) => match &success.result {
                        ResultKind::Given(info) => self.bytes.extend(&info.digest[..4]),
                        _ => self.bytes.push(0),
                    },
                    Outcome::Failed(failure) => {
                        self.bytes.push(u8::from(failure.provider_reference.is_empty()));
                    }
                }
            }
        }
    }

    fn task(&mut self, world: &World, task: &Task) {
        let Message { actor, kind } = task.message;
        self.bytes.extend([actor, kind as u8, u8::from(task.copy), u8::from(task.uncertain)]);
        let write = &task.ruled.1;
        let mine =
            world.stored().is_some_and(|stored| stored.record.revision == write.record.revision);
        let fits = mine || !task.uncertain && world.expects(write.expected);
        self.bytes.push(u8::from(fits));
        if fits {
            self.span(world.now.since(task.at));
            self.bytes.push(u8::from(task.deduplicated));
        }
    }
}

/// Nothing waits, nobody asks again, and no copy is under way.
fn is_quiet(world: &World) -> bool {
    let asks = |execution: &Execution| execution.asked == Stage::Waiting;
    world.copies_left == 0 && world.tasks.is_empty() && !world.executions.iter().any(asks)
}

fn small(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}

fn small_u32(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn end(end: AttemptEnd) -> u8 {
    end as u8
}

fn kind(kind: ReportKind) -> u8 {
    kind as u8
}

fn answer(answer: Answer) -> u8 {
    match answer {
        Answer::Recorded { late: false } => 0,
        Answer::Recorded { late: true } => 1,
        Answer::Conflict => 2,
        Answer::Fenced => 3,
    }
}
