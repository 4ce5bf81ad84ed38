//! Traces that once went wrong, step by step.

use onced::{record::Standing, ruling::standing};

use super::{
    EXTERNAL,
    message::{FIRST_JUDGE, Kind, Message},
    rules::Rules,
    scenarios::given_up,
    step::{self, Moment, Step},
    world::World,
};

fn retell(rules: &Rules, steps: &[Step]) -> World {
    let mut world = World::start(rules);
    for step in steps {
        let next = step::take(rules, &world, *step).unwrap_or_else(|broken| panic!("{broken}"));
        // A step that leads nowhere new leaves the world as it was.
        world = next.unwrap_or(world);
    }
    world
}

#[test]
fn a_copy_of_a_release_that_came_after_the_evidence_moves_nothing() {
    let judge = FIRST_JUDGE;
    let holder = |kind| Message { actor: 0, kind };
    let call = |message| Step::Call { message, heard: true };
    let world = retell(
        &given_up(EXTERNAL),
        &[
            call(holder(Kind::Claim)),
            Step::Pass(Moment::LeaseOver),
            Step::Pass(Moment::EvidenceCounts),
            Step::Look { actor: judge },
            Step::Ask { actor: judge, applied: false },
            call(Message { actor: judge, kind: Kind::Resolve }),
            call(holder(Kind::Release)),
            call(holder(Kind::Unknown)),
            Step::Copy { message: holder(Kind::Release), waits: false },
        ],
    );
    assert_eq!(world.stored().map(standing), Some(Standing::Unknown));
}
