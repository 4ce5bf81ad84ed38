//! The search: breadth first, so that the first violation found has the shortest trace.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasherDefault, Hasher},
};

use super::{
    check,
    fingerprint::Canvas,
    invariant::Broken,
    moves, recover,
    rules::Rules,
    step::{self, Step},
    words,
    world::World,
};

/// What was found.
pub(super) struct Explored {
    pub states: usize,
    pub steps: u64,
    pub depth: usize,
    pub violation: Option<Violation>,
}

/// A broken invariant and the shortest way to it.
pub(super) struct Violation {
    pub broken: Broken,
    pub trace: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.broken)?;
        for (index, line) in self.trace.iter().enumerate() {
            writeln!(f, "{:3}. {line}", index + 1)?;
        }
        Ok(())
    }
}

/// Numbers that are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

type Numbers = HashSet<u64, BuildHasherDefault<Hashed>>;

/// From where a world was first reached, and by which step.
struct Origin {
    parent: u32,
    step: Step,
}

struct Search<'a> {
    rules: &'a Rules,
    start: World,
    seen: Numbers,
    recovered: Numbers,
    canvas: Canvas,
    origins: Vec<Origin>,
    steps: u64,
}

/// Visits every world that can be reached, or stops at the first that is wrong.
pub(super) fn explore(rules: &Rules) -> Explored {
    let start = World::start(rules);
    let mut search = Search {
        rules,
        start: start.clone(),
        seen: Numbers::default(),
        recovered: Numbers::default(),
        canvas: Canvas::default(),
        origins: Vec::new(),
        steps: 0,
    };
    search.seen.insert(search.canvas.world(rules, &start));
    let mut level = vec![(u32::MAX, start)];
    let mut depth = 0;
    let mut violation = None;
    while !level.is_empty() && violation.is_none() {
        let mut next = Vec::new();
        while let Some((origin, world)) = level.pop() {
            violation = search.expand(origin, &world, &mut next);
            if violation.is_some() {
                break;
            }
        }
        level = next;
        depth += 1;
    }
    Explored { states: search.seen.len(), steps: search.steps, depth, violation }
}

impl Search<'_> {
    fn expand(
        &mut self,
        origin: u32,
        world: &World,
        next: &mut Vec<(u32, World)>,
    ) -> Option<Violation> {
        for step in moves::steps(self.rules, world) {
            self.steps += 1;
            let reached = step::take(self.rules, world, step);
            match reached.and_then(|reached| self.visit(reached)) {
                Ok(Some(reached)) => {
                    let index = u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
                    self.origins.push(Origin { parent: origin, step });
                    next.push((index, reached));
                }
                Ok(None) => {}
                Err(broken) => {
                    let trace = self.trace(origin, step);
                    return Some(Violation { broken, trace });
                }
            }
        }
        None
    }

    /// The world, if it was not seen before and nothing is wrong with it.
    fn visit(&mut self, reached: Option<World>) -> Result<Option<World>, Broken> {
        let Some(world) = reached else { return Ok(None) };
        if !self.seen.insert(self.canvas.world(self.rules, &world)) {
            return Ok(None);
        }
        check::state(self.rules, &world)?;
        if self.recovered.insert(self.canvas.surroundings(self.rules, &world)) {
            recover::from(self.rules, &world)?;
        }
        Ok(Some(world))
    }

    fn trace(&self, mut origin: u32, last: Step) -> Vec<String> {
        let mut steps = vec![last];
        while let Some(found) = self.origins.get(usize::try_from(origin).unwrap_or(usize::MAX)) {
            steps.push(found.step);
            origin = found.parent;
        }
        steps.reverse();
        words::tell(self.rules, &self.start, &steps)
    }
}
