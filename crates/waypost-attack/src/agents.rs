//! The agent protocol: an agent of any kind on a map that changes, asked wherever it is put, sent elsewhere at any moment,
//! with one or several worlds and with indexes that are renewed. The judge has its own map.

use crate::adapter::{self, PROMISES, Walker, patch_of};
use crate::scene::Scene;
use crate::{Arena, Verdict, Work};
use waypost::Decision;
use waypost::spec::AgentSpec;
use waypost_testkit::{TestRng, component_numbers};

/// One agent in its world.
struct World {
    scene: Scene,
    walker: Walker,
    at: (u32, u32),
    goal: (u32, u32),
    /// The agent knows of every change so far.
    told: bool,
    /// What it says of reachability must be true.
    settled: bool,
}

/// Everything that can happen between two moves.
enum Happening {
    Patch { told: bool },
    Teleport,
    Start,
    Renew,
    None,
}

fn happening(rng: &mut TestRng) -> Happening {
    match rng.below(60) {
        0..3 => Happening::Patch {
            told: !PROMISES.untold || rng.percent(50),
        },
        3 => Happening::Teleport,
        4 => Happening::Start,
        5 => Happening::Renew,
        _ => Happening::None,
    }
}

/// One agent, or several in worlds that were one.
pub fn case(_: &Arena, seed: u64) -> Verdict {
    let mut rng = TestRng::new(seed);
    let specs = adapter::specs();
    let spec = &specs[rng.below(specs.len() as u32) as usize];
    let scene = Scene::any(&mut rng, 4, 24);
    let mut work = Work::default();
    let Some(mut worlds) = worlds_of(spec, &scene, &mut rng) else {
        return Ok(work);
    };
    for _ in 0..rng.between(100, 600) {
        let world = rng.below(worlds.len() as u32) as usize;
        let world = &mut worlds[world];
        let done = world
            .disturb(spec, &mut rng)
            .and_then(|started| Ok((started, world.step()?)));
        let (started, moved) =
            done.map_err(|wrong| format!("{spec}: {wrong}\n{}", world.scene.judge))?;
        work.executions += u64::from(started);
        work.moves += u64::from(moved);
    }
    for world in &mut worlds {
        let walked = world.finish(&mut rng);
        work.moves += walked.map_err(|wrong| format!("{spec}: {wrong}\n{}", world.scene.judge))?;
    }
    Ok(work)
}

fn worlds_of(spec: &AgentSpec, scene: &Scene, rng: &mut TestRng) -> Option<Vec<World>> {
    let indexes = adapter::indexes_for(spec, &scene.map)?;
    if PROMISES.foreign_indexes && rng.percent(10) {
        let other = Scene::any(rng, 4, 24);
        let is_other = other.judge != scene.judge;
        if is_other && !spec.needs().is_empty() && Walker::new(spec, &other.map, &indexes).is_ok() {
            panic!("{spec} takes the index of another map");
        }
    }
    let count = if PROMISES.worlds {
        rng.between(1, 3)
    } else {
        1
    };
    (0..count)
        .map(|_| {
            let (at, goal) = scene.connected_pair(rng)?;
            let mut walker = Walker::new(spec, &scene.map, &indexes).ok()?;
            walker.start(&scene.map, scene.cell(at), scene.cell(goal));
            Some(World {
                scene: scene.clone(),
                walker,
                at,
                goal,
                told: true,
                settled: true,
            })
        })
        .collect()
}

impl World {
    /// Lets something happen; says whether the agent was started again.
    fn disturb(&mut self, spec: &AgentSpec, rng: &mut TestRng) -> Result<bool, String> {
        match happening(rng) {
            Happening::Patch { told } => {
                self.patch(told, rng);
                Ok(false)
            }
            Happening::Teleport => {
                if let Some(at) = self.scene.judge.random_open_cell(rng) {
                    self.at = at;
                    self.settled &= PROMISES.islands;
                }
                Ok(false)
            }
            Happening::Start => Ok(self.restart(rng)),
            Happening::Renew => {
                if self.told {
                    for request in spec.needs() {
                        if let Some(index) = adapter::build(&self.scene.map, &request) {
                            self.walker.renew(&index);
                        }
                    }
                }
                Ok(false)
            }
            Happening::None => Ok(false),
        }
    }

    /// A few cells become walls or floor; where the agent stands stays open, where it goes does so unless it notices.
    fn patch(&mut self, told: bool, rng: &mut TestRng) {
        let mut edits = Vec::new();
        for _ in 0..rng.between(1, 12) {
            let point = self.scene.any_point(rng);
            let kept = point == self.at || (point == self.goal && !PROMISES.walled_goals);
            let open = rng.percent(60) || kept;
            self.scene.judge.set(point.0, point.1, open);
            edits.push((point, open));
        }
        let patch = patch_of(&edits);
        self.walker.patch(&mut self.scene.map, &patch, told);
        self.told &= told;
        self.settled = told;
    }

    fn restart(&mut self, rng: &mut TestRng) -> bool {
        let Some(goal) = self.scene.judge.random_open_cell(rng) else {
            return false;
        };
        self.goal = goal;
        let [at, goal] = [self.at, goal].map(|point| self.scene.cell(point));
        self.walker.start(&self.scene.map, at, goal);
        self.settled = true;
        true
    }

    /// Asks for a move and judges it; says whether the agent moved.
    fn step(&mut self) -> Result<bool, String> {
        let said = self.walker.step(&self.scene.map, self.scene.cell(self.at));
        if let Some(bound) = said.bound.filter(|_| PROMISES.bounds)
            && said.operations > bound
        {
            return Err(format!("{} operations, bound {bound}", said.operations));
        }
        match said.decision {
            Decision::Step(to) => {
                let to = self.scene.point(to);
                if !self.scene.is_step(self.at, to) {
                    return Err(format!("an illegal step from {:?} to {to:?}", self.at));
                }
                self.at = to;
                Ok(true)
            }
            Decision::Arrived if self.at != self.goal => Err(format!(
                "arrived at {:?}, the goal is {:?}",
                self.at, self.goal
            )),
            Decision::Unreachable if self.settled && self.is_connected() => Err(format!(
                "{:?} to {:?} is said to be unreachable",
                self.at, self.goal
            )),
            _ => Ok(false),
        }
    }

    fn is_connected(&self) -> bool {
        let numbers = component_numbers(&self.scene.judge, self.scene.rules.corner);
        let width = self.scene.judge.width();
        let number = |(x, y): (u32, u32)| numbers[(y * width + x) as usize];
        number(self.at).is_some() && number(self.at) == number(self.goal)
    }

    /// Nothing happens any more: the agent arrives, or says that it cannot, and is right.
    fn finish(&mut self, rng: &mut TestRng) -> Result<u64, String> {
        self.restart(rng);
        let connected = self.is_connected();
        for moves in 0..200_000 {
            let said = self.walker.step(&self.scene.map, self.scene.cell(self.at));
            match said.decision {
                Decision::Step(to) => {
                    let to = self.scene.point(to);
                    if !self.scene.is_step(self.at, to) {
                        return Err(format!("an illegal step from {:?} to {to:?}", self.at));
                    }
                    self.at = to;
                }
                Decision::Thinking => {}
                Decision::Arrived if self.at == self.goal => return Ok(moves),
                Decision::Unreachable if !connected => return Ok(moves),
                other => {
                    return Err(format!(
                        "{other:?} at {:?}, the goal is {:?}",
                        self.at, self.goal
                    ));
                }
            }
        }
        Err(format!("{:?} is not reached in 200,000 moves", self.goal))
    }
}
