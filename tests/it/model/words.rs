//! A trace in plain words.

use onced::ruling::standing;

use super::{
    message::{Kind, Message},
    rules::Rules,
    step::{self, Moment, Step},
    world::{EXECUTIONS, World},
};

/// Takes the steps once more and tells what each led to.
pub(super) fn tell(rules: &Rules, start: &World, steps: &[Step]) -> Vec<String> {
    let mut world = start.clone();
    let mut lines = Vec::new();
    for step in steps {
        let said = describe(&world, *step);
        match step::take(rules, &world, *step) {
            Ok(Some(next)) => {
                lines.push(format!("{said} -> {}", situation(&next)));
                world = next;
            }
            Ok(None) => lines.push(said),
            Err(broken) => lines.push(format!("{said} -> {broken}")),
        }
    }
    lines
}

fn describe(world: &World, step: Step) -> String {
    let unheard = |heard: bool| if heard { "" } else { "; the answer is lost" };
    match step {
        Step::Call { message, heard } => format!("{}{}", says(message), unheard(heard)),
        Step::Begin { message } => {
            format!("{}; it is ruled on, and the write waits", says(message))
        }
        Step::Lose { message } => format!("{}; it is long on its way", says(message)),
        Step::Copy { message, waits } => {
            let waits = if waits { "; it is ruled on, and the write waits" } else { "" };
            format!("a copy arrives of: {}{waits}", says(message))
        }
        Step::Finish { task, heard } => {
            format!("the write is done for: {}{}", waiting(world, task), unheard(heard))
        }
        Step::WriteUnseen { task } => {
            format!(
                "the write is done, and the replica does not know, for: {}",
                waiting(world, task)
            )
        }
        Step::Send { execution } => format!("{} sends its effect to the provider", name(execution)),
        Step::Arrive { execution } => {
            format!("the effect of {} arrives at the provider", name(execution))
        }
        Step::Refuse { execution } => format!("the provider refuses {}", name(execution)),
        Step::Look { actor } => format!("{} reads the record", name(actor)),
        Step::Ask { actor, applied } => {
            let not = if applied { "" } else { "not " };
            format!("{} asks the provider and hears: {not}applied", name(actor))
        }
        Step::Pass(moment) => passes(moment).to_owned(),
    }
}

fn waiting(world: &World, task: u8) -> String {
    world.tasks.get(usize::from(task)).map_or_else(String::new, |task| says(task.message))
}

fn passes(moment: Moment) -> &'static str {
    match moment {
        Moment::LeaseRuns => "time passes, and the lease runs",
        Moment::LeaseOver => "the lease ends",
        Moment::EvidenceCounts => "the evidence delay passes",
        Moment::WindowNearlyOver => "the provider's window is nearly over",
        Moment::WindowOver => "the provider's window ends",
    }
}

fn name(actor: u8) -> String {
    let index = usize::from(actor);
    match index.checked_sub(EXECUTIONS) {
        Some(judge) => format!("judge {}", judge + 1),
        None => format!("execution {}", ["A", "B", "C"].get(index).unwrap_or(&"?")),
    }
}

fn says(message: Message) -> String {
    let what = match message.kind {
        Kind::Claim => "claims",
        Kind::Reclaim => "reclaims",
        Kind::TakeBack => "releases by claimant",
        Kind::Release => "releases by token",
        Kind::Succeeded => "reports success",
        Kind::Failed => "reports failure",
        Kind::Unknown => "reports unknown",
        Kind::Renew => "renews",
        Kind::Resolve => "resolves as the provider said",
        Kind::ResolveFailed => "resolves as failed",
    };
    format!("{} {what}", name(message.actor))
}

fn situation(world: &World) -> String {
    let applied = world.provider.applied;
    let Some(stored) = world.stored() else { return format!("no record; applied {applied} times") };
    let record = &stored.record;
    let mut marks = String::new();
    for (set, mark) in [
        (record.is_contested(), ", contested"),
        (record.disputed, ", disputed"),
        (record.after_release, ", after release"),
    ] {
        if set {
            marks.push_str(mark);
        }
    }
    let ends: Vec<String> = record.grants.iter().map(|grant| format!("{:?}", grant.end)).collect();
    format!(
        "{}{marks}, attempt {} (ends: {}); applied {applied} times",
        standing(stored),
        record.attempt(),
        ends.join(", "),
    )
}
