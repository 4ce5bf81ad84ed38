//! The service in the explored world: rules on a message, writes, and answers.
//!
//! Does what the loop around the core does, one step at a time: rule, compare-and-set; if the set
//! is lost, rule again on the row that won; after an uncertain write, look for its revision first.

use std::{sync::Arc, time::Duration};

use onced::{
    clock::Timestamp,
    ruling::{Given, Granted, Ruling, Verdict},
    store::{Lease, Write},
};

use uuid::Uuid;

use super::{
    check::{self, Written},
    invariant::{Broken, Invariant},
    message::{Kind, Message, Told, request},
    rules::{Asked, Rules},
    world::{Execution, Kept, Stage, Task, World},
};

/// How an answer travels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    /// The message is a copy: nobody waits for its answer.
    pub copy: bool,
    /// The answer arrives.
    pub heard: bool,
}

/// What every ruling of this world is made with.
pub(super) fn given<'a>(rules: &'a Rules, world: &'a World, revision: Uuid) -> Given<'a> {
    Given {
        policy: Some(&rules.policy),
        memory: &world.memory,
        forgotten_since: world.memory.start,
        revision,
        provider_key: "once1-key",
        clock_bound: Duration::ZERO,
    }
}

fn ask(rules: &Rules, world: &mut World, message: Message) -> Result<Ruling, Broken> {
    let revision = world.fresh_revision();
    let request = request(rules, world, message);
    let given = given(rules, world, revision);
    let stored = world.stored();
    let ruling = (rules.core)(Asked { stored, request: &request, given: &given, now: world.now });
    check::ruling(rules, world, message, &ruling)?;
    Ok(ruling)
}

/// Rules and writes in one step. Whether anything worth exploring came of it.
pub(super) fn at_once(
    rules: &Rules,
    world: &mut World,
    message: Message,
    way: Way,
) -> Result<bool, Broken> {
    let at = world.now;
    let ruling = ask(rules, world, message)?;
    let wrote = ruling.write.is_some();
    if let Some(write) = ruling.write {
        let judged = (message, world.is_deduplicated(rules));
        let fits = commit(rules, world, judged, *write)?;
        let detail = "a write did not fit the very row it was ruled on";
        rules.must(fits, Invariant::JudgedIsWrittenOn, detail)?;
    }
    let told = answer(rules, world, message, way, (&ruling.verdict, at))?;
    Ok(wrote || told)
}

/// Rules, and leaves the write for later. Whether there is one.
pub(super) fn begin(
    rules: &Rules,
    world: &mut World,
    message: Message,
    copy: bool,
) -> Result<bool, Broken> {
    let at = world.now;
    let ruling = ask(rules, world, message)?;
    let Some(write) = ruling.write else { return Ok(false) };
    let waiting = Arc::new((ruling.verdict, *write));
    let deduplicated = world.is_deduplicated(rules);
    world.tasks.push(Task { message, copy, ruled: waiting, at, deduplicated, uncertain: false });
    Ok(true)
}

/// Writes what was ruled earlier; if the row is another by now, rules again on it.
pub(super) fn finish(
    rules: &Rules,
    world: &mut World,
    task: usize,
    heard: bool,
) -> Result<bool, Broken> {
    let task = world.tasks.remove(task);
    let (verdict, write) = &*task.ruled;
    let way = Way { copy: task.copy, heard };
    let is_mine =
        world.stored().is_some_and(|stored| stored.record.revision == write.record.revision);
    if task.uncertain && is_mine {
        return match mine(world, verdict, task.at) {
            Some((verdict, at)) => answer(rules, world, task.message, way, (&verdict, at)),
            None => at_once(rules, world, task.message, way),
        };
    }
    if !task.uncertain && commit(rules, world, (task.message, task.deduplicated), write.clone())? {
        answer(rules, world, task.message, way, (verdict, task.at))?;
        return Ok(true);
    }
    at_once(rules, world, task.message, way)?;
    Ok(true)
}

/// Writes what was ruled earlier, and the replica does not learn of it.
pub(super) fn write_unseen(rules: &Rules, world: &mut World, task: usize) -> Result<bool, Broken> {
    let waiting = Arc::clone(&world.tasks[task].ruled);
    let judged = (world.tasks[task].message, world.tasks[task].deduplicated);
    world.tasks[task].uncertain = true;
    world.uncertain_left -= 1;
    commit(rules, world, judged, waiting.1.clone())
}

/// The row shows my own revision: what that means now, unless it is to be ruled on again.
fn mine(world: &World, verdict: &Verdict, at: Timestamp) -> Option<(Verdict, Timestamp)> {
    match (verdict, world.stored().map(|stored| stored.lease)) {
        (Verdict::Granted(granted), Some(Lease::Live { left })) => {
            let granted = Granted { lease: left, ..granted.clone() };
            Some((Verdict::Granted(granted), at))
        }
        (Verdict::Granted(_) | Verdict::Renewed(_), _) => None,
        _ => Some((verdict.clone(), at)),
    }
}

/// Writes what was ruled: for which message, and whether the provider deduplicated then.
fn commit(
    rules: &Rules,
    world: &mut World,
    (message, deduplicated): (Message, bool),
    write: Write,
) -> Result<bool, Broken> {
    let before = world.row.clone();
    if !world.apply(write, rules) {
        return Ok(false);
    }
    let before = before.as_ref().map(|row| &*row.stored);
    check::write(rules, world, &Written { message, deduplicated, before })?;
    if matches!(message.kind, Kind::Resolve | Kind::ResolveFailed) {
        refute(world);
    }
    if !message.is_judges() && (message.is_report() || message.kind == Kind::Renew) {
        world.executions[usize::from(message.actor)].used = true;
    }
    Ok(true)
}

/// A judge settled it: successes that he did not confirm are refuted, the others no longer stand in
/// the way.
fn refute(world: &mut World) {
    let settled = world.stored().is_some_and(|stored| check::is_succeeded(&stored.record));
    for execution in &mut world.executions {
        if execution.success == Kept::Yes && !settled {
            execution.success = Kept::Refuted;
        }
    }
}

/// Hands an answer, ruled at a time, to whoever waits for it. Whether it changed what anybody
/// knows.
fn answer(
    rules: &Rules,
    world: &mut World,
    message: Message,
    way: Way,
    (verdict, at): (&Verdict, Timestamp),
) -> Result<bool, Broken> {
    check::answer(rules, world, message, verdict)?;
    if world.copies_left > 0 {
        world.told[message.index()].get_or_insert(Told::of(verdict));
    }
    if message.is_judges() {
        return Ok(false);
    }
    let copies = world.copies_left > 0;
    let execution = &mut world.executions[usize::from(message.actor)];
    Ok(match message.kind {
        Kind::Claim | Kind::Reclaim => ruled(execution, way, verdict, at),
        Kind::Renew => renewed(execution, way, verdict, at),
        Kind::TakeBack => {
            execution.taken_back.get_or_insert(at);
            true
        }
        Kind::Succeeded => {
            let kept =
                matches!(Told::of(verdict), Told::Reported | Told::Conflict | Told::FencedAndKept);
            if kept && execution.success == Kept::No {
                execution.success = Kept::Yes;
            }
            true
        }
        Kind::Release | Kind::Failed | Kind::Unknown => copies,
        Kind::Resolve | Kind::ResolveFailed => false,
    })
}

fn ruled(execution: &mut Execution, way: Way, verdict: &Verdict, at: Timestamp) -> bool {
    if let Verdict::Granted(granted) = verdict {
        execution.granted = Some((granted.token, granted.attempt));
    }
    let heard = way.heard && !way.copy && execution.asked == Stage::Waiting;
    match verdict {
        Verdict::Granted(granted) if heard => {
            execution.asked = Stage::Answered;
            execution.token = Some(granted.token);
            execution.right = true;
            execution.deadline = at.after(granted.lease);
            true
        }
        Verdict::Granted(_) => !way.heard && !way.copy,
        Verdict::InProgress { own_token: Some(token) } if heard => {
            execution.asked = Stage::Answered;
            execution.token = Some(*token);
            true
        }
        Verdict::Unknown(unknown) if heard && unknown.own_token.is_some() => {
            execution.asked = Stage::Answered;
            execution.token = unknown.own_token;
            true
        }
        _ => {
            if heard {
                execution.asked = Stage::Answered;
            }
            false
        }
    }
}

fn renewed(execution: &mut Execution, way: Way, verdict: &Verdict, at: Timestamp) -> bool {
    if way.copy {
        return false;
    }
    match verdict {
        Verdict::Renewed(renewed) if !renewed.contested => {
            execution.deadline = execution.deadline.max(at.after(renewed.lease));
        }
        _ => execution.right = false,
    }
    true
}
