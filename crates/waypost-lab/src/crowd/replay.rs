//! Scenarios with map changes (the dynamic track of the Grid-based Path Planning Competition), walked by a crowd.
//!
//! At each frame its patches are laid on the map, then an agent is put on the start of each of its queries and sent to
//! the goal; agents that have arrived leave the map. With a number of ticks a frame the map changes under agents that
//! are still walking; without one a frame lasts until all have arrived, as in the competition, and the lengths walked
//! compare with the optimal ones of the file.

use super::film::Film;
use super::tally::{Tally, Watched};
use super::{CrowdRun, CrowdRunError, climbing_step_ns, memory_of};
use crate::workbench::Workbench;
use serde::Serialize;
use waypost::crowd::{CrowdError, Options, Status, WalkerId};
use waypost::formats::gppc::{Command, DynamicScenario, PatchShape, Query};
use waypost::progress::Progress;
use waypost::search::{AStar, PathSearch};
use waypost::spec::AgentSpec;
use waypost::{Map, Point};

/// A frame that lasts until all have arrived ends after this many ticks all the same.
const LONGEST_FRAME: u64 = 100_000;

/// How to replay a scenario.
#[derive(Clone, Copy, Debug)]
pub struct ReplayPlan {
    /// Ticks of a frame; 0: until all have arrived.
    pub frame_ticks: u64,
    /// The most ticks of the run.
    pub most_ticks: u64,
    /// How the crowd behaves.
    pub options: Options,
}

/// What the agents of a scenario did.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReplayFacts {
    /// Queries of the file.
    pub queries: u64,
    /// Frames of the file.
    pub frames: u64,
    /// Queries whose start was a wall when its frame came.
    pub refused: u64,
    /// Agents still under way when the run ended, those in walls included.
    pub under_way: u64,
    /// Of these, agents that stood where a patch had put a wall.
    pub in_walls: u64,
    /// Agents that were told that their goal cannot be reached, and whose goal a patch had made a wall.
    pub goals_in_walls: u64,
    /// The same, the goal being cut off from where the agent stood.
    pub goals_cut_off: u64,
    /// The same, although a search finds a way: none, unless something is wrong.
    pub wrongly_unreachable: u64,
    /// By how much per cent the lengths walked are longer than the optimal ones of the file, on the average: for frames that
    /// last until all have arrived.
    pub suboptimality_pct: Option<f64>,
}

struct Walking {
    id: WalkerId,
    goal: Point,
    optimal: f64,
    cost: u64,
}

/// Replays a scenario.
pub fn replay(
    scenario: &DynamicScenario,
    patches: &[PatchShape],
    (spec, bench, map): (&AgentSpec, &Workbench, &Map),
    plan: &ReplayPlan,
    film: Option<&mut Film>,
    progress: &dyn Progress,
) -> Result<CrowdRun, CrowdRunError> {
    let mut crowd = spec.crowd(map, bench.indexes(), plan.options)?;
    let mut stage = Stage {
        watched: Watched {
            crowd: &mut *crowd,
            map: map.clone(),
            exclusive: plan.options.exclusive,
            film,
            tally: Tally::default(),
        },
        walking: Vec::new(),
        waiting: Vec::new(),
        facts: ReplayFacts::default(),
        excess: Vec::new(),
        left: plan.most_ticks,
        most: 0,
    };
    let last = scenario.commands.iter().map(frame_of).max();
    let frames = u64::from(last.map_or(0, |last| last + 1));
    stage.facts.frames = frames;
    progress.begin("frames", frames);
    let mut commands = scenario.commands.iter().peekable();
    for frame in 0..frames {
        while let Some(command) = commands.next_if(|c| u64::from(frame_of(c)) <= frame) {
            match command {
                &Command::Patch { patch, at, .. } => {
                    if let Some(shape) = patches.get(patch as usize) {
                        stage.watched.patch(&shape.placed(at));
                    }
                }
                Command::Query(query) => stage.waiting.push(query.clone()),
            }
        }
        stage.facts.queries += stage.waiting.len() as u64;
        let is_last = frame + 1 == frames;
        let ticks = match plan.frame_ticks {
            0 => LONGEST_FRAME,
            _ if is_last => LONGEST_FRAME,
            ticks => ticks,
        };
        stage.run(ticks, plan.frame_ticks == 0 || is_last)?;
        progress.advance(1);
    }
    stage.facts.under_way = (stage.walking.len() + stage.waiting.len()) as u64;
    let in_walls = stage.walking.iter().filter(|w| stage.is_in_wall(w));
    stage.facts.in_walls = in_walls.count() as u64;
    if plan.frame_ticks == 0 && !stage.excess.is_empty() {
        let mean = stage.excess.iter().sum::<f64>() / stage.excess.len() as f64;
        stage.facts.suboptimality_pct = Some(mean);
    }
    let most = stage.most;
    let memory = memory_of(stage.watched.crowd, most, spec, bench);
    let climbing = climbing_step_ns(&stage.watched.map, most, 1);
    let mut run = stage.watched.tally.report(most, memory, climbing);
    run.indexes = super::index_states(stage.watched.crowd);
    run.replay = Some(stage.facts);
    Ok(run)
}

fn frame_of(command: &Command) -> u32 {
    match command {
        Command::Patch { frame, .. } => *frame,
        Command::Query(query) => query.frame,
    }
}

/// A replay under way.
struct Stage<'a, 'f> {
    watched: Watched<'a, 'f>,
    walking: Vec<Walking>,
    /// Queries whose start is taken, or whose frame has just come.
    waiting: Vec<Query>,
    facts: ReplayFacts,
    /// Per cent by which each walk was longer than the optimum.
    excess: Vec<f64>,
    left: u64,
    /// The most agents at a time.
    most: usize,
}

impl Stage<'_, '_> {
    /// Runs for some ticks; to the end of all walks at most, if so asked.
    fn run(&mut self, ticks: u64, until_all_arrived: bool) -> Result<(), CrowdRunError> {
        for _ in 0..ticks.min(self.left) {
            self.let_in()?;
            if until_all_arrived && self.walking.is_empty() && self.waiting.is_empty() {
                break;
            }
            self.left -= 1;
            let ids: Vec<WalkerId> = self.walking.iter().map(|w| w.id).collect();
            let moves = self.watched.tick(&ids)?;
            for (walking, moved) in self.walking.iter_mut().zip(&moves) {
                walking.cost += self.watched.cost_of(moved);
            }
            self.let_out()?;
            // Those that stand in new walls wait for a patch.
            let is_stuck = |w: &Walking| self.is_in_wall(w);
            let stuck = self.waiting.is_empty() && self.walking.iter().all(is_stuck);
            if until_all_arrived && stuck {
                break;
            }
        }
        Ok(())
    }

    fn let_in(&mut self) -> Result<(), CrowdRunError> {
        for query in std::mem::take(&mut self.waiting) {
            match self.watched.crowd.add(query.start) {
                Ok(id) => {
                    self.watched.send(id, query.goal)?;
                    self.walking.push(Walking {
                        id,
                        goal: query.goal,
                        optimal: query.length,
                        cost: 0,
                    });
                }
                Err(CrowdError::Taken { .. }) => self.waiting.push(query),
                Err(CrowdError::Blocked { .. }) => self.facts.refused += 1,
                Err(other) => return Err(other.into()),
            }
        }
        self.most = self.most.max(self.walking.len());
        Ok(())
    }

    /// Those that have arrived, or never will, leave.
    fn let_out(&mut self) -> Result<(), CrowdRunError> {
        let straight = f64::from(self.watched.map.rules().costs.straight());
        for i in (0..self.walking.len()).rev() {
            let Walking {
                id,
                goal,
                optimal,
                cost,
            } = self.walking[i];
            match self.watched.crowd.status(id)? {
                Status::Arrived => {
                    let length = cost as f64 / straight;
                    if optimal > 0.0 {
                        self.excess.push((length / optimal - 1.0) * 100.0);
                    }
                }
                Status::Unreachable { .. } => {
                    self.watched.tally.unreachable += 1;
                    let at = self.watched.crowd.position(id)?;
                    self.look_for_way(at, goal);
                }
                _ => continue,
            }
            self.watched.crowd.remove(id)?;
            self.walking.remove(i);
        }
        Ok(())
    }

    /// Is it true that there is no way? A search says, and why.
    fn look_for_way(&mut self, at: Point, goal: Point) {
        let (map, facts) = (&self.watched.map, &mut self.facts);
        match (map.passable_cell(at), map.passable_cell(goal)) {
            (_, None) => facts.goals_in_walls += 1,
            (Some(at), Some(goal)) if AStar::new().distance(map, at, goal).is_some() => {
                facts.wrongly_unreachable += 1;
            }
            _ => facts.goals_cut_off += 1,
        }
    }

    fn is_in_wall(&self, walking: &Walking) -> bool {
        self.watched.crowd.status(walking.id) == Ok(Status::Blocked)
    }
}
