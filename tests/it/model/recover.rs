//! The way out: from every row, an operator who waits, looks, asks and decides gets the intent
//! settled or released.

use onced::{
    record::{Claimant, Standing, State},
    ruling::standing,
};
use uuid::Uuid;

use super::{
    call::{self, Way},
    invariant::{Broken, Invariant},
    message::{FIRST_JUDGE, Kind, Message},
    rules::Rules,
    step::{self, Moment, Step},
    world::{Judge, Look, Stage, World},
};

/// Nothing is stuck: an operator ends every doubt, and what was released can be claimed anew.
pub(super) fn from(rules: &Rules, world: &World) -> Result<(), Broken> {
    let mut world = undisturbed(rules, world)?;
    let Some(stored) = world.stored() else { return Ok(()) };
    let doubtful = stored.record.settlement().is_none() || stored.record.disputed;
    if doubtful && !stored.record.is_spent_only() {
        world = operator(rules, &world)?;
    }
    let Some(stored) = world.stored() else { return Ok(()) };
    match standing(stored) {
        Standing::Succeeded | Standing::Failed if !stored.record.disputed => Ok(()),
        Standing::Released => claimed_anew(rules, world),
        left => stuck(rules, &format!("after an operator's verdict it is still {left}")),
    }
}

fn stuck(rules: &Rules, detail: &str) -> Result<(), Broken> {
    rules.must(false, Invariant::NeverStuck, detail)
}

/// Nothing more arrives, and time passes until evidence counts.
fn undisturbed(rules: &Rules, world: &World) -> Result<World, Broken> {
    let mut world = world.clone();
    world.tasks.clear();
    world.judges[0] = Judge { look: Look::No, done: false };
    world.copies_left = 0;
    world = pass(rules, world, Moment::LeaseOver, World::is_live)?;
    pass(rules, world, Moment::EvidenceCounts, |_| true)
}

fn pass(
    rules: &Rules,
    world: World,
    moment: Moment,
    needed: impl Fn(&World) -> bool,
) -> Result<World, Broken> {
    let later = step::moment_time(rules, &world, moment).is_some_and(|time| time > world.now);
    if !later || !needed(&world) {
        return Ok(world);
    }
    Ok(step::take(rules, &world, Step::Pass(moment))?.unwrap_or(world))
}

fn operator(rules: &Rules, world: &World) -> Result<World, Broken> {
    let applied = world.provider.applied > 0;
    let message = Message { actor: FIRST_JUDGE, kind: Kind::Resolve };
    let steps = [
        Step::Look { actor: FIRST_JUDGE },
        Step::Ask { actor: FIRST_JUDGE, applied },
        Step::Call { message, heard: true },
    ];
    let mut world = world.clone();
    for step in steps {
        let Some(next) = step::take(rules, &world, step)? else {
            stuck(rules, &format!("an operator's {step:?} leads nowhere"))?;
            break;
        };
        world = next;
    }
    Ok(world)
}

fn claimed_anew(rules: &Rules, mut world: World) -> Result<(), Broken> {
    // A name that nobody has, in the place of the first execution.
    let stranger = Message { actor: 0, kind: Kind::Claim };
    if let Some(row) = &mut world.row {
        let stored = std::sync::Arc::make_mut(&mut row.stored);
        for (grant, name) in stored.record.grants.iter_mut().zip(1_000..) {
            grant.claimant = Some(Claimant(Uuid::from_u128(name)));
        }
        stored.record.spent.clear();
    }
    world.executions[0].asked = Stage::No;
    world.executions[0].granted = None;
    world.executions[0].taken_back = None;
    world.executions[0].used = false;
    call::at_once(rules, &mut world, stranger, Way { copy: true, heard: false })?;
    match world.stored().map(|stored| &stored.record.state) {
        Some(State::Claimed) => Ok(()),
        _ => stuck(rules, "a stranger's Claim of a released intent was not granted"),
    }
}
