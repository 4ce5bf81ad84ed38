//! Who can take which step.
//!
//! A crash needs no step of its own: who crashed takes no further one. Neither does a call that is
//! refused and changes nothing: the world before it holds all that follows.

use std::time::Duration;

use onced::{ruling::evidence_start, store::Lease};

use super::{
    message::{Kind, MESSAGES, Message},
    rules::{Opening, Rules},
    step::{Moment, RUN, Step},
    world::{EXECUTIONS, Effect, Execution, Look, Remembered, Stage, Window, World},
};

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
        && idle.asked == Stage::No
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
        Stage::No => {
            if opening == Kind::Claim || may_reclaim(rules, world, name, steps) {
                call(rules, world, message, steps);
            }
        }
        Stage::Waiting => {
            if execution.resends_left > 0 {
                call(rules, world, message, steps);
            }
            call(rules, world, Message { actor: name, kind: Kind::TakeBack }, steps);
        }
        Stage::Answered | Stage::GaveUp => {}
    }
    if execution.token.is_some() {
        holder(rules, world, name, execution, steps);
    }
}

/// By class without a look, or with a look at record and provider; not halfway.
fn may_reclaim(rules: &Rules, world: &World, name: u8, steps: &mut Vec<Step>) -> bool {
    let seen = world.executions[usize::from(name)].look;
    let complete = look(rules, world, name, seen, steps);
    world.row.is_some() && (complete || seen == Look::No)
}

fn holder(rules: &Rules, world: &World, name: u8, execution: &Execution, steps: &mut Vec<Step>) {
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
        if rules.slow && matches!(stored.lease, Lease::Live { left } if left > RUN) {
            steps.push(Step::Pass(Moment::LeaseRuns));
        }
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
