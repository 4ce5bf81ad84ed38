//! One step, and the world after it.

use std::time::Duration;

use onced::{
    clock::Timestamp,
    ruling::{Etag, evidence_start, shown_etag},
};

use uuid::Uuid;

use super::{
    call::{self, Way},
    invariant::{Broken, Invariant},
    message::{ALL_KINDS, Kind, MESSAGES, Message},
    rules::Rules,
    world::{EXECUTIONS, Effect, Look, Remembered, Stage, WINDOW_REST, World},
};

/// How far time moves while a lease runs.
pub(super) const RUN: Duration = Duration::from_secs(20);

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Somebody calls, and the call is ruled on, written and answered at once.
    Call { message: Message, heard: bool },
    /// Somebody calls, and the write that was ruled waits.
    Begin { message: Message },
    /// A message is on its way, and its sender hears nothing.
    Lose { message: Message },
    /// A copy of a message arrives.
    Copy { message: Message, waits: bool },
    /// A waiting write is done and answered.
    Finish { task: u8, heard: bool },
    /// A waiting write is done, and the replica does not know.
    WriteUnseen { task: u8 },
    /// The effect is sent to the provider.
    Send { execution: u8 },
    /// The effect arrives at the provider.
    Arrive { execution: u8 },
    /// The provider refuses the effect.
    Refuse { execution: u8 },
    /// Somebody reads the record in order to judge it.
    Look { actor: u8 },
    /// Then asks the provider, and hears this.
    Ask { actor: u8, applied: bool },
    /// Time passes.
    Pass(Moment),
}

/// To which moment time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    LeaseRuns,
    LeaseOver,
    EvidenceCounts,
    WindowNearlyOver,
    WindowOver,
}

/// The world after a step; nothing where the step leads nowhere new.
pub(super) fn take(rules: &Rules, world: &World, step: Step) -> Result<Option<World>, Broken> {
    let mut next = world.clone();
    let worth = match step {
        Step::Call { message, heard } => call_at_once(rules, &mut next, message, heard)?,
        Step::Begin { message } => {
            send(rules, &mut next, message);
            call::begin(rules, &mut next, message, false)?
        }
        Step::Lose { message } => {
            send(rules, &mut next, message);
            true
        }
        Step::Copy { message, waits } => copy(rules, &mut next, message, waits)?,
        Step::Finish { task, heard } => {
            call::finish(rules, &mut next, usize::from(task), heard)?;
            true
        }
        Step::WriteUnseen { task } => call::write_unseen(rules, &mut next, usize::from(task))?,
        Step::Send { execution } => start_effect(rules, &mut next, usize::from(execution)),
        Step::Arrive { execution } => arrive(rules, &mut next, usize::from(execution)),
        Step::Refuse { execution } => refuse(rules, &mut next, usize::from(execution)),
        Step::Look { actor } => see(rules, &mut next, actor)?,
        Step::Ask { actor, applied } => hear(&mut next, actor, applied),
        Step::Pass(moment) => pass(rules, &mut next, moment),
    };
    tidy(&mut next);
    Ok(worth.then_some(next))
}

/// Only a grant is worth losing: any other answer is as good as not having asked.
fn call_at_once(
    rules: &Rules,
    world: &mut World,
    message: Message,
    heard: bool,
) -> Result<bool, Broken> {
    send(rules, world, message);
    let told = call::at_once(rules, world, message, Way { copy: false, heard })?;
    let granted = || world.executions[usize::from(message.actor)].granted.is_some();
    Ok(told && (heard || granted()))
}

fn copy(rules: &Rules, world: &mut World, message: Message, waits: bool) -> Result<bool, Broken> {
    world.copies_left -= 1;
    if waits {
        return call::begin(rules, world, message, true);
    }
    let before = world.stored().map(|stored| stored.record.revision);
    call::at_once(rules, world, message, Way { copy: true, heard: false })?;
    Ok(before != world.stored().map(|stored| stored.record.revision))
}

fn start_effect(rules: &Rules, world: &mut World, index: usize) -> bool {
    let end = world.now.after(rules.policy.effect_timeout);
    let execution = &mut world.executions[index];
    (execution.effect, execution.effect_end) = (Effect::InFlight, end);
    true
}

/// What cannot matter any more is forgotten, so that equal worlds are equal.
fn tidy(world: &mut World) {
    if world.copies_left == 0 && !world.tasks.iter().any(|task| task.copy) {
        world.sent = 0;
        world.told = [None; MESSAGES];
    }
}

/// Notes that a message was sent, and what that means for its sender.
fn send(rules: &Rules, world: &mut World, message: Message) {
    if world.copies_left > 0 {
        world.sent |= message.bit();
    }
    if message.is_judges() {
        world.judges[usize::from(message.actor) - EXECUTIONS].done = true;
        return;
    }
    let execution = &mut world.executions[usize::from(message.actor)];
    execution.said |= 1 << message.kind as u16;
    match message.kind {
        Kind::Claim | Kind::Reclaim => {
            if execution.asked == Stage::Waiting {
                execution.resends_left -= 1;
            }
            execution.asked = Stage::Waiting;
        }
        Kind::TakeBack => execution.asked = Stage::GaveUp,
        Kind::Release | Kind::Succeeded | Kind::Failed | Kind::Unknown => {
            execution.reports_left -= 1;
            execution.right &= !rules.honest_holders;
        }
        Kind::Renew | Kind::Resolve | Kind::ResolveFailed => {}
    }
}

fn arrive(rules: &Rules, world: &mut World, index: usize) -> bool {
    let provider = &mut world.provider;
    let effect = &mut world.executions[index].effect;
    *effect = Effect::Applied;
    if rules.deduplicates {
        match provider.remembers {
            Remembered::Applied => return true,
            Remembered::Refused => {
                *effect = Effect::Refused;
                return true;
            }
            Remembered::Nothing => provider.remembers = Remembered::Applied,
        }
    }
    provider.applied = (provider.applied + 1).min(3);
    true
}

fn refuse(rules: &Rules, world: &mut World, index: usize) -> bool {
    world.executions[index].effect = Effect::Refused;
    if rules.deduplicates {
        world.provider.remembers = Remembered::Refused;
    }
    true
}

fn set_look(world: &mut World, actor: u8, look: Look) {
    let actor = usize::from(actor);
    match actor.checked_sub(EXECUTIONS) {
        Some(judge) => world.judges[judge].look = look,
        None => world.executions[actor].look = look,
    }
}

fn see(rules: &Rules, world: &mut World, actor: u8) -> Result<bool, Broken> {
    let Some(stored) = world.stored() else { return Ok(false) };
    let etag = shown_etag(stored, &call::given(rules, world, Uuid::nil()), world.now);
    let Etag::Revision { revision, marked } = etag else { return Ok(false) };
    let under_way = world.executions.iter().any(|execution| {
        execution.effect == Effect::InFlight || execution.right && world.now < execution.deadline
    });
    let ripe = !(marked && under_way && rules.honest_holders);
    let detail = "an etag was marked while an effect could still be under way";
    rules.must(ripe, Invariant::EvidenceIsRipe, detail)?;
    set_look(world, actor, Look::Record { revision, marked });
    Ok(true)
}

fn hear(world: &mut World, actor: u8, applied: bool) -> bool {
    let Look::Record { revision, marked } = (Message { actor, kind: ALL_KINDS[0] }).look(world)
    else {
        return false;
    };
    set_look(world, actor, Look::Provider { revision, marked, applied });
    true
}

fn pass(rules: &Rules, world: &mut World, moment: Moment) -> bool {
    let Some(to) = moment_time(rules, world, moment) else { return false };
    world.pass_to(to, rules);
    true
}

pub(super) fn moment_time(rules: &Rules, world: &World, moment: Moment) -> Option<Timestamp> {
    let row = world.row.as_ref()?;
    match moment {
        Moment::LeaseRuns => Some(world.now.after(RUN)),
        Moment::LeaseOver => Some(row.lease_end),
        Moment::EvidenceCounts => {
            Some(evidence_start(&row.stored.record, Some(&rules.policy), Duration::ZERO))
        }
        Moment::WindowNearlyOver => world.window_end(rules).map(|end| end.before(WINDOW_REST)),
        Moment::WindowOver => world.window_end(rules),
    }
}
