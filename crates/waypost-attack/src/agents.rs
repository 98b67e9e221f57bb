//! The agent protocol: agents of any kind on maps that change without a word, asked wherever they are put, sent elsewhere at
//! any moment, in one or several worlds that were one, with indexes that are repaired, renewed, or of another map. The judge
//! has its own map.

use crate::adapter::{self, Walker, patch_of};
use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use waypost::Decision;
use waypost::index::Indexes;
use waypost::spec::AgentSpec;
use waypost_testkit::{TestRng, component_numbers};

/// One agent in its world.
struct World {
    scene: Scene,
    walker: Walker,
    at: (u32, u32),
    goal: (u32, u32),
    /// Whether the agent has said that there is nothing to walk: it arrived, or cannot.
    is_done: bool,
    /// The component of every cell, until the map changes.
    components: Option<Vec<Option<u32>>>,
}

/// One agent, or several in worlds that were one.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let specs = adapter::specs();
    let spec = &specs[rng.below(specs.len() as u32) as usize];
    let largest = if rng.percent(10) { 64 } else { 24 };
    let scene = Scene::any(&mut rng, 4, largest);
    let mut work = Work::default();
    let Some(indexes) = adapter::indexes_for(spec, &scene.map) else {
        return Ok(work);
    };
    refuses_foreign_indexes(spec, &scene, &indexes, &mut rng)?;
    let Some(mut worlds) = worlds_of(spec, &scene, &indexes, &mut rng) else {
        return Ok(work);
    };
    // Some worlds never come to rest; in others agents have time to learn and repairs to end.
    let calm = [1, 4, 16][rng.below(3) as usize];
    for _ in 0..rng.between(100, 2000 * calm) {
        let number = rng.below(worlds.len() as u32) as usize;
        let world = &mut worlds[number];
        work.executions += u64::from(world.disturb(spec, calm, &mut rng));
        work.moves += u64::from(world.step().map_err(|wrong| world.found(spec, &wrong))?);
    }
    for world in &mut worlds {
        let walked = world.finish(&mut rng);
        work.moves += walked.map_err(|wrong| world.found(spec, &wrong))?;
    }
    Ok(work)
}

/// Indexes of one map are no good on another.
fn refuses_foreign_indexes(
    spec: &AgentSpec,
    scene: &Scene,
    indexes: &Indexes,
    rng: &mut TestRng,
) -> Result<(), String> {
    let other = Scene::any(rng, 4, 24);
    let is_foreign = other.judge != scene.judge || other.rules != scene.rules;
    let is_taken = Walker::new(spec, &other.map, indexes).is_ok();
    match is_foreign && !spec.needs().is_empty() && is_taken {
        true => Err(format!("{spec} takes the index of another map")),
        false => Ok(()),
    }
}

fn worlds_of(
    spec: &AgentSpec,
    scene: &Scene,
    indexes: &Indexes,
    rng: &mut TestRng,
) -> Option<Vec<World>> {
    (0..rng.between(1, 3))
        .map(|_| {
            let (at, goal) = scene.connected_pair(rng)?;
            let scene = scene.clone();
            let mut walker = Walker::new(spec, &scene.map, indexes).ok()?;
            walker.start(&scene.map, scene.cell(at), scene.cell(goal));
            Some(World {
                scene,
                walker,
                at,
                goal,
                is_done: false,
                components: None,
            })
        })
        .collect()
}

impl World {
    /// Lets something happen, or nothing; says whether the agent was started again.
    fn disturb(&mut self, spec: &AgentSpec, calm: u32, rng: &mut TestRng) -> bool {
        match rng.below(600 * calm) {
            0..30 => self.patch(rng),
            30..40 => self.at = self.scene.any_open(rng).unwrap_or(self.at),
            40..50 => return self.restart(rng),
            50 => self.renew(spec, rng),
            51..110 => {
                let operations = u64::from(rng.between(1, 5000));
                self.walker.mend(&self.scene.map, operations);
            }
            // Some are asked again and again although they have said that they are done.
            _ if self.is_done && rng.percent(60) => return self.restart(rng),
            _ => {}
        }
        false
    }

    /// Indexes of the map as it is are taken; those of another one are not.
    fn renew(&mut self, spec: &AgentSpec, rng: &mut TestRng) {
        let other = Scene::any(rng, 4, 24);
        let is_foreign = other.judge != self.scene.judge || other.rules != self.scene.rules;
        for request in spec.needs() {
            if let Some(index) = adapter::build(&other.map, &request).filter(|_| is_foreign) {
                let taken = self.walker.renew(&self.scene.map, index);
                assert!(!taken, "{spec} takes the index of another map");
            }
            if let Some(index) = adapter::build(&self.scene.map, &request) {
                self.walker.renew(&self.scene.map, index);
            }
        }
    }

    /// A few cells become walls or floor, the goal too; where the agent stands stays open.
    fn patch(&mut self, rng: &mut TestRng) {
        let mut edits = Vec::new();
        for _ in 0..rng.between(1, 12) {
            let point = self.scene.any_point(rng);
            let open = rng.percent(60) || point == self.at;
            self.scene.judge.set(point.0, point.1, open);
            edits.push((point, open));
        }
        self.scene.map.apply(&patch_of(&edits));
        self.components = None;
    }

    fn restart(&mut self, rng: &mut TestRng) -> bool {
        let Some(goal) = self.scene.any_open(rng) else {
            return false;
        };
        self.goal = goal;
        self.is_done = false;
        let [at, goal] = [self.at, goal].map(|point| self.scene.cell(point));
        self.walker.start(&self.scene.map, at, goal);
        true
    }

    /// Asks for a move and judges it; says whether the agent moved.
    fn step(&mut self) -> Result<bool, String> {
        let said = self.walker.step(&self.scene.map, self.scene.cell(self.at));
        if let Some(bound) = said.bound.filter(|&bound| said.operations > bound) {
            return Err(format!("{} operations, bound {bound}", said.operations));
        }
        let (at, goal) = (self.at, self.goal);
        self.is_done = matches!(said.decision, Decision::Arrived | Decision::Unreachable);
        match said.decision {
            Decision::Step(to) => {
                let to = self.scene.point(to);
                if !self.scene.is_step(at, to) {
                    return Err(format!("an illegal step from {at:?} to {to:?}"));
                }
                self.at = to;
                Ok(true)
            }
            Decision::Arrived if at != goal || !self.scene.judge.is_open_at(goal) => {
                Err(format!("arrived at {at:?}, the goal is {goal:?}"))
            }
            Decision::Unreachable if self.is_connected() => {
                Err(format!("{at:?} to {goal:?} is said to be unreachable"))
            }
            _ => Ok(false),
        }
    }

    fn is_connected(&mut self) -> bool {
        let (judge, corner) = (&self.scene.judge, self.scene.rules.corner);
        let find = || component_numbers(judge, corner);
        let numbers = self.components.get_or_insert_with(find);
        let number = |(x, y): (u32, u32)| numbers[(y * judge.width() + x) as usize];
        number(self.at).is_some() && number(self.at) == number(self.goal)
    }

    /// Nothing happens any more: the agent arrives, or says that it cannot, and is right.
    fn finish(&mut self, rng: &mut TestRng) -> Result<u64, String> {
        self.restart(rng);
        let connected = self.is_connected();
        for moves in 0..200_000 {
            if self.at == self.goal || (!connected && moves > 100) {
                return Ok(moves);
            }
            self.step()?;
        }
        Err(format!("{:?} is not reached in 200,000 moves", self.goal))
    }

    fn found(&self, spec: &AgentSpec, wrong: &str) -> String {
        format!("{spec}: {wrong}\n{}", self.scene.judge)
    }
}
