//! Every step that somebody can take, and the world after it.
//!
//! A crash needs no step of its own: who crashed takes no further one. Neither does a call that is refused and changes
//! nothing: the world before it holds all that follows.

use onced::{
    clock::Timestamp,
    ruling::{Etag, evidence_start, shown_etag},
};
use std::time::Duration;

use super::{
    call::{self, Way},
    check::{Broken, Invariant},
    message::{ALL_KINDS, Kind, MESSAGES, Message},
    rules::{Opening, Rules},
    world::{Asked, EXECUTIONS, Effect, Execution, Look, Remembered, Window, WINDOW_REST, World},
};

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
    LeaseOver,
    EvidenceCounts,
    WindowNearlyOver,
    WindowOver,
}

/// Every step that can be taken.
pub(super) fn steps(rules: &Rules, world: &World) -> Vec<Step> {
    let mut steps = Vec::with_capacity(24);
    for index in 0..rules.executions.len() {
        if !waits_for_its_turn(rules, world, index) {
            execution(rules, world, index, &mut steps);
        }
    }
    for index in 0..rules.judges {
        if index == 0 || world.judges[index - 1].look != Look::No {
            judge(rules, world, index, &mut steps);
        }
    }
    under_way(rules, world, &mut steps);
    times(rules, world, &mut steps);
    steps
}

/// Executions that begin alike begin in their order: their names carry no meaning.
fn waits_for_its_turn(rules: &Rules, world: &World, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let idle = &world.executions[before];
    rules.executions[before] == rules.executions[index]
        && idle.asked == Asked::No
        && idle.look == Look::No
}

fn actor(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}

fn execution(rules: &Rules, world: &World, index: usize, steps: &mut Vec<Step>) {
    let execution = &world.executions[index];
    let name = actor(index);
    let opening = match rules.executions[index] {
        Opening::Claim => Kind::Claim,
        Opening::Reclaim => Kind::Reclaim,
    };
    let message = Message { actor: name, kind: opening };
    match execution.asked {
        Asked::No => {
            let ready = opening == Kind::Claim
                || look(rules, world, name, execution.look, steps)
                || execution.look == Look::No;
            if ready && (opening == Kind::Claim || world.row.is_some()) {
                call(rules, world, message, steps);
            }
        }
        Asked::Waiting => {
            if execution.resends_left > 0 {
                call(rules, world, message, steps);
            }
            call(rules, world, Message { actor: name, kind: Kind::TakeBack }, steps);
        }
        Asked::Answered | Asked::GaveUp => {}
    }
    if execution.token.is_some() {
        holder(rules, world, name, execution, steps);
    }
}

fn holder(
    rules: &Rules,
    world: &World,
    name: u8,
    execution: &Execution,
    steps: &mut Vec<Step>,
) {
    let acting = execution.right && world.now < execution.deadline;
    if acting && execution.effect == Effect::NotSent {
        steps.push(Step::Send { execution: name });
    }
    if execution.effect == Effect::InFlight {
        steps.push(Step::Arrive { execution: name });
        if rules.honest_holders && world.provider.remembers != Remembered::Applied {
            steps.push(Step::Refuse { execution: name });
        }
    }
    let has_said = |kind: Kind| execution.said & (1 << kind as u16) != 0;
    for kind in [Kind::Succeeded, Kind::Failed, Kind::Release, Kind::Unknown] {
        let honest = !rules.honest_holders || is_honest(execution, kind);
        if execution.reports_left > 0 && !has_said(kind) && honest {
            call(rules, world, Message { actor: name, kind }, steps);
        }
    }
    if rules.renewals && acting && !has_said(Kind::Renew) {
        call(rules, world, Message { actor: name, kind: Kind::Renew }, steps);
    }
}

/// Whether the holder knows what it says.
fn is_honest(execution: &Execution, kind: Kind) -> bool {
    match kind {
        Kind::Succeeded => execution.effect == Effect::Applied,
        Kind::Failed | Kind::Release => {
            matches!(execution.effect, Effect::NotSent | Effect::Refused)
        }
        _ => true,
    }
}

fn call(rules: &Rules, world: &World, message: Message, steps: &mut Vec<Step>) {
    let opens = matches!(message.kind, Kind::Claim | Kind::Reclaim);
    steps.push(Step::Call { message, heard: true });
    if opens && !message.is_judges() && rules.resends > 0 {
        steps.push(Step::Call { message, heard: false });
    }
    if world.tasks.len() < rules.tasks {
        steps.push(Step::Begin { message });
    }
    if world.copies_left > 0 && !message.is_judges() {
        steps.push(Step::Lose { message });
    }
}

/// The steps of looking; whether the look is complete.
fn look(rules: &Rules, world: &World, actor: u8, look: Look, steps: &mut Vec<Step>) -> bool {
    match look {
        Look::No => {
            let open = world.stored().is_some_and(|stored| {
                let record = &stored.record;
                !stored.lease.is_live() && (record.settlement().is_none() || record.disputed)
            });
            if open {
                steps.push(Step::Look { actor });
            }
            false
        }
        Look::Record { .. } => {
            let truth = world.provider.applied > 0;
            steps.push(Step::Ask { actor, applied: truth });
            if !rules.right_provider {
                steps.push(Step::Ask { actor, applied: !truth });
            }
            false
        }
        Look::Provider { .. } => true,
    }
}

fn judge(rules: &Rules, world: &World, index: usize, steps: &mut Vec<Step>) {
    let judge = world.judges[index];
    let actor = actor(EXECUTIONS + index);
    if judge.done || !look(rules, world, actor, judge.look, steps) {
        return;
    }
    call(rules, world, Message { actor, kind: Kind::Resolve }, steps);
    let applied = matches!(judge.look, Look::Provider { applied: true, .. });
    let other = if applied { Kind::Reclaim } else { Kind::ResolveFailed };
    call(rules, world, Message { actor, kind: other }, steps);
}

fn under_way(rules: &Rules, world: &World, steps: &mut Vec<Step>) {
    for (index, task) in world.tasks.iter().enumerate() {
        let name = actor(index);
        steps.push(Step::Finish { task: name, heard: true });
        let opens = matches!(task.message.kind, Kind::Claim | Kind::Reclaim);
        if opens && !task.copy && rules.resends > 0 {
            steps.push(Step::Finish { task: name, heard: false });
        }
        if world.uncertain_left > 0 && !task.uncertain {
            steps.push(Step::WriteUnseen { task: name });
        }
    }
    if world.copies_left == 0 {
        return;
    }
    for message in (0..MESSAGES).map(Message::of_index) {
        if world.sent & message.bit() != 0 {
            steps.push(Step::Copy { message, waits: false });
            if world.tasks.len() < rules.tasks {
                steps.push(Step::Copy { message, waits: true });
            }
        }
    }
}

fn times(rules: &Rules, world: &World, steps: &mut Vec<Step>) {
    let Some(stored) = world.stored() else { return };
    if stored.lease.is_live() {
        steps.push(Step::Pass(Moment::LeaseOver));
    } else if world.now < evidence_start(&stored.record, Some(&rules.policy), Duration::ZERO) {
        steps.push(Step::Pass(Moment::EvidenceCounts));
    }
    if world.window_end(rules).is_none() {
        return;
    }
    match world.provider.window {
        Window::Open if !stored.lease.is_live() => {
            steps.push(Step::Pass(Moment::WindowNearlyOver));
        }
        Window::NearlyOver => steps.push(Step::Pass(Moment::WindowOver)),
        Window::Open | Window::Over => {}
    }
}

/// The world after a step; nothing where the step leads nowhere new.
pub(super) fn take(rules: &Rules, world: &World, step: Step) -> Result<Option<World>, Broken> {
    let mut next = world.clone();
    let way = |heard| Way { copy: false, heard };
    let worth = match step {
        Step::Call { message, heard } => {
            send(rules, &mut next, message);
            let told = call::at_once(rules, &mut next, message, way(heard))?;
            told && (heard || has_grant(&next, message))
        }
        Step::Begin { message } => {
            send(rules, &mut next, message);
            call::begin(rules, &mut next, message, false)?
        }
        Step::Lose { message } => {
            send(rules, &mut next, message);
            true
        }
        Step::Copy { message, waits } => {
            next.copies_left -= 1;
            if waits {
                call::begin(rules, &mut next, message, true)?
            } else {
                let before = next.stored().map(|stored| stored.record.revision);
                let copy = Way { copy: true, heard: false };
                call::at_once(rules, &mut next, message, copy)?;
                before != next.stored().map(|stored| stored.record.revision)
            }
        }
        Step::Finish { task, heard } => {
            call::finish(rules, &mut next, usize::from(task), heard)?;
            true
        }
        Step::WriteUnseen { task } => call::write_unseen(rules, &mut next, usize::from(task))?,
        Step::Send { execution } => {
            let execution = &mut next.executions[usize::from(execution)];
            execution.effect = Effect::InFlight;
            execution.effect_end = world.now.after(rules.policy.effect_timeout);
            true
        }
        Step::Arrive { execution } => arrive(rules, &mut next, usize::from(execution)),
        Step::Refuse { execution } => refuse(rules, &mut next, usize::from(execution)),
        Step::Look { actor } => see(rules, &mut next, actor)?,
        Step::Ask { actor, applied } => hear(&mut next, actor, applied),
        Step::Pass(moment) => pass(rules, &mut next, moment),
    };
    tidy(&mut next);
    Ok(worth.then_some(next))
}

fn has_grant(world: &World, message: Message) -> bool {
    world.executions[usize::from(message.actor)].granted.is_some()
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
            if execution.asked == Asked::Waiting {
                execution.resends_left -= 1;
            }
            execution.asked = Asked::Waiting;
        }
        Kind::TakeBack => execution.asked = Asked::GaveUp,
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
    let etag = shown_etag(stored, Some(&rules.policy), Duration::ZERO, world.now);
    let Etag::Revision { revision, marked } = etag else { return Ok(false) };
    let under_way = world.executions.iter().any(|execution| {
        execution.effect == Effect::InFlight || execution.right && world.now < execution.deadline
    });
    if marked && under_way && rules.honest_holders {
        let detail = "an etag was marked while an effect could still be under way";
        return Err(Broken::new(Invariant::EvidenceIsRipe, detail));
    }
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
        Moment::LeaseOver => Some(row.lease_end),
        Moment::EvidenceCounts => {
            Some(evidence_start(&row.stored.record, Some(&rules.policy), Duration::ZERO))
        }
        Moment::WindowNearlyOver => world.window_end(rules).map(|end| end.before(WINDOW_REST)),
        Moment::WindowOver => world.window_end(rules),
    }
}
