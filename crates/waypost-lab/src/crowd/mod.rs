//! Crowds, timed: many agents of one kind between random goals, which are drawn anew on arrival, on a map that may change;
//! or the agents of a scenario with map changes ([`replay`]).

mod door;
mod film;
mod memory;
mod replay;
mod tally;

pub use door::{DoorRun, DoorScene, run_door};
pub use film::Film;
pub use replay::{ReplayFacts, ReplayPlan, replay};

use crate::stats::Times;
use crate::workbench::Workbench;
use cpu_time::ProcessTime;
use serde::Serialize;
use tally::{Tally, Watched};
use waypost::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use waypost::grid::{Cell, GridPatch, Point};
use waypost::progress::Progress;
use waypost::rng::Rng;
use waypost::search::hill_climb::climb_step;
use waypost::spec::{AgentSpec, SpecError};
use waypost::{Map, Space};

/// Draws for a free or connected cell before it is given up.
const DRAWS: u32 = 1000;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How many agents.
    pub agents: usize,
    /// How many ticks.
    pub ticks: u64,
    /// The seed of starts and goals.
    pub seed: u64,
    /// Every so many ticks all agents get new goals at once; 0 for never.
    pub rush_every: u64,
    /// Every so many ticks a square of cells is blocked, or the last one opened again; 0 for never.
    pub patch_every: u64,
    /// Cells of such a square.
    pub patch_cells: u32,
    /// How the crowd behaves.
    pub options: Options,
}

/// Memory of a crowd.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    /// Bytes that all agents share: indexes, and which cells are taken.
    pub shared: u64,
    /// Bytes of an agent that has learned nothing, on the average at the end.
    pub per_agent: u64,
    /// Bytes of what all agents together have learned.
    pub learned: u64,
}

/// What a run showed: the fields of `waypost crowd --json`.
#[derive(Clone, Debug, Serialize)]
pub struct CrowdRun {
    /// How many agents.
    pub agents: usize,
    /// How many ticks.
    pub ticks: u64,
    /// Steps made.
    pub moves_total: u64,
    /// Goals reached.
    pub arrived: u64,
    /// Goals that could not be reached any more after a change of the map.
    pub unreachable: u64,
    /// Time of a tick.
    pub tick_us: Times,
    /// Time of the processor for a tick, all threads together: what is left of `tick_us` where others use the machine too.
    pub tick_cpu_us: Times,
    /// Time of a tick divided by its moves.
    pub move_ns: Times,
    /// Memory.
    pub memory_bytes: Memory,
    /// Steps that the rules forbid.
    pub illegal_moves: u64,
    /// Ticks after which it was checked that no two agents stand in one cell; 0 where they may.
    pub collisions_checked: u64,
    /// Pairs found in one cell all the same.
    pub collisions: u64,
    /// Ticks that agents stood still because their next cell was taken.
    pub waits: u64,
    /// Steps made while the set-up for a new goal had to wait.
    pub provisional_moves: u64,
    /// Agents that had a goal and did not move on their first tick.
    pub slow_starts: u64,
    /// Changes of the map.
    pub patches: u64,
    /// Cells changed by them.
    pub cells_changed: u64,
    /// Time of a patch: the map, its components, what indexes do at once, and telling the agents.
    pub patch_us: Times,
    /// The same in the processor's time.
    pub patch_cpu_us: Times,
    /// How the indexes stood at the end: kind and `current`, `under repair` or `needs a build`.
    pub indexes: Vec<(&'static str, &'static str)>,
    /// For scenarios with map changes.
    pub replay: Option<ReplayFacts>,
    /// The processor's time for a tick as a multiple of what bare hill-climbing steps of all agents take.
    pub ratio_to_climbing: f64,
    /// How many ticks took up to 1, 2, 4, ... microseconds.
    pub tick_histogram: Vec<(u64, u64)>,
}

/// Why a crowd could not run.
#[derive(Debug, thiserror::Error)]
pub enum CrowdRunError {
    /// The agent.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The crowd.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// No place for all.
    #[error("found room for {found} of {wanted} agents; ask for fewer or take a larger map")]
    NoRoom {
        /// Agents placed.
        found: usize,
        /// Agents asked for.
        wanted: usize,
    },
    /// No memory for all.
    #[error(
        "{agents} agents of this kind take about {needed} bytes, and {available} are free; ask for fewer"
    )]
    NoMemory {
        /// Agents asked for.
        agents: usize,
        /// What they take before they have learned anything.
        needed: u64,
        /// What the system has.
        available: u64,
    },
}

/// The most agents of a run.
pub const MAX_AGENTS: u32 = 1 << 24;

/// Runs a crowd between random goals.
pub fn run(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    plan: &Plan,
    film: Option<&mut Film>,
    progress: &dyn Progress,
) -> Result<CrowdRun, CrowdRunError> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let climbing_ns = climbing_step_ns(map, plan.agents, plan.seed);
    let mut crowd = spec.crowd(map, bench.indexes(), plan.options)?;
    let ids = place_all(&mut *crowd, map, plan, &cells)?;
    let mut watched = Watched {
        crowd: &mut *crowd,
        map: map.clone(),
        exclusive: plan.options.exclusive,
        film,
        tally: Tally::default(),
    };
    let mut goals = Rng::new(plan.seed ^ 0x60a1);
    let mut walls = Walls::new(plan);
    progress.begin("ticks", plan.ticks);
    for tick in 0..plan.ticks {
        if tick == 0 || (plan.rush_every > 0 && tick.is_multiple_of(plan.rush_every)) {
            for &id in &ids {
                send_somewhere(&mut watched, &cells, &mut goals, id)?;
            }
        }
        if plan.patch_every > 0 && tick % plan.patch_every == plan.patch_every - 1 {
            let patch = walls.next(&watched, &cells, &ids)?;
            watched.patch(&patch);
        }
        let moves = watched.tick(&ids)?;
        if tick == 0 {
            let stood = moves.iter().filter(|moved| moved.from == moved.to);
            watched.tally.slow_starts = stood.count() as u64;
        }
        for &id in &ids {
            match watched.crowd.status(id)? {
                Status::Arrived => {}
                Status::Unreachable { .. } => watched.tally.unreachable += 1,
                _ => continue,
            }
            send_somewhere(&mut watched, &cells, &mut goals, id)?;
        }
        progress.advance(1);
    }
    let memory = memory_of(watched.crowd, ids.len(), spec, bench);
    let mut run = watched.tally.report(ids.len(), memory, climbing_ns);
    run.indexes = index_states(watched.crowd);
    Ok(run)
}

fn memory_of(crowd: &dyn AnyCrowd, agents: usize, spec: &AgentSpec, bench: &Workbench) -> Memory {
    let memory = crowd.memory();
    Memory {
        shared: bench.price_of(spec).0 + memory.shared as u64,
        per_agent: (memory.walkers as u64).div_ceil(agents.max(1) as u64),
        learned: memory.learned as u64,
    }
}

fn index_states(crowd: &dyn AnyCrowd) -> Vec<(&'static str, &'static str)> {
    let states = crowd.index_states().into_iter();
    states
        .map(|(kind, state)| (kind.name(), state.name()))
        .collect()
}

/// Squares of cells that are blocked and opened again by turns.
struct Walls {
    rng: Rng,
    side: u32,
    standing: Vec<Point>,
}

impl Walls {
    fn new(plan: &Plan) -> Walls {
        Walls {
            rng: Rng::new(plan.seed ^ 0x3a11),
            side: (1..)
                .find(|side| side * side >= plan.patch_cells)
                .unwrap_or(1),
            standing: Vec::new(),
        }
    }

    /// The next change: nobody is walled in, and what is opened was open before.
    fn next(
        &mut self,
        watched: &Watched,
        cells: &[Cell],
        ids: &[WalkerId],
    ) -> Result<GridPatch, CrowdRunError> {
        let mut patch = GridPatch::new();
        if !self.standing.is_empty() {
            for point in self.standing.drain(..) {
                patch.open(point);
            }
            return Ok(patch);
        }
        let grid = watched.map.grid();
        let corner = grid.point(cells[self.rng.below(cells.len().max(1) as u32) as usize]);
        let inside = |p: Point| (p.x - corner.x).max(p.y - corner.y) < self.side;
        let mut held = Vec::new();
        for cell in watched.places(ids)? {
            let at = grid.point(cell);
            if at.x >= corner.x && at.y >= corner.y && inside(at) {
                held.push(at);
            }
        }
        for y in corner.y..corner.y + self.side {
            for x in corner.x..corner.x + self.side {
                let point = Point { x, y };
                if grid.passable_cell(point).is_some() && !held.contains(&point) {
                    patch.block(point);
                    self.standing.push(point);
                }
            }
        }
        Ok(patch)
    }
}

fn place_all(
    crowd: &mut dyn AnyCrowd,
    map: &Map,
    plan: &Plan,
    cells: &[Cell],
) -> Result<Vec<WalkerId>, CrowdRunError> {
    let largest = map.components().largest();
    let mut rng = Rng::new(plan.seed);
    let mut ids = Vec::new();
    for number in 0..plan.agents {
        if number == memory::PROBED.min(plan.agents - 1) {
            memory::check(&*crowd, number, plan.agents)?;
            crowd.reserve(plan.agents - number);
            ids.reserve_exact(plan.agents - number);
        }
        let mut draws = 0..DRAWS;
        let placed = loop {
            let cell = cells.get(rng.below(cells.len().max(1) as u32) as usize);
            let (Some(&cell), Some(_)) = (cell, draws.next()) else {
                break None;
            };
            if map.components().of(cell) != largest {
                continue;
            }
            match crowd.add(map.grid().point(cell)) {
                Ok(id) => break Some(id),
                Err(CrowdError::Taken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        };
        ids.push(placed.ok_or(CrowdRunError::NoRoom {
            found: ids.len(),
            wanted: plan.agents,
        })?);
    }
    Ok(ids)
}

/// A new goal in the walker's own component.
fn send_somewhere(
    watched: &mut Watched,
    cells: &[Cell],
    rng: &mut Rng,
    id: WalkerId,
) -> Result<(), CrowdRunError> {
    let at = watched.crowd.position(id)?;
    let map = &watched.map;
    let from = map.passable_cell(at).unwrap_or(Cell::NONE);
    for _ in 0..DRAWS {
        let goal = cells[rng.below(cells.len() as u32) as usize];
        if goal != from && map.connected(from, goal) {
            let goal = map.grid().point(goal);
            watched.send(id, goal)?;
            break;
        }
    }
    Ok(())
}

/// What one hill-climbing step takes here, with agents spread over the map as in a crowd.
fn climbing_step_ns(map: &Map, agents: usize, seed: u64) -> f64 {
    let cells: Vec<Cell> = map.grid().cells().collect();
    if cells.is_empty() {
        return 0.0;
    }
    let mut rng = Rng::new(seed);
    let pairs: Vec<(Cell, Cell)> = (0..agents.clamp(1, 100_000))
        .map(|_| {
            let mut any = || cells[rng.below(cells.len() as u32) as usize];
            (any(), any())
        })
        .collect();
    let rounds = 5;
    let begun = ProcessTime::now();
    for _ in 0..rounds {
        for &(at, goal) in &pairs {
            std::hint::black_box(climb_step(map, at, goal));
        }
    }
    begun.elapsed().as_nanos() as f64 / (rounds * pairs.len()) as f64
}
