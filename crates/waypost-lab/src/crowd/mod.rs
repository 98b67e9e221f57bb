//! Crowds, timed: many agents of one kind between random goals, which are drawn again on arrival, on a map that may change;
//! or the agents of a scenario with map changes ([`replay`]).

mod door;
mod exact;
mod film;
mod goals;
mod memory;
mod peers;
mod quality;
mod replay;
mod tally;

pub use door::{DoorRun, DoorScene, run_door};
pub use film::Film;
pub use peers::{MAX_FIELD_CELLS, PeerRun};
pub use quality::QualityFacts;
pub use replay::{ReplayFacts, ReplayPlan, replay};

use crate::stats::Times;
use crate::workbench::Workbench;
use cpu_time::ProcessTime;
use goals::Goals;
use quality::Quality;
use serde::Serialize;
use tally::{Step, Tally, Watched};
use waypost::Map;
use waypost::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use waypost::grid::{Cell, GridPatch, Point};
use waypost::progress::Progress;
use waypost::rng::Rng;
use waypost::search::hill_climb::climb_step;
use waypost::spec::{AgentSpec, SpecError};

/// Draws for a free cell before it is given up.
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
    /// Whether to measure what the moves gained and what walkers without traffic would have reached.
    pub quality: bool,
    /// Whether to run the plain algorithms for one agent a cell on the same starts and goals too.
    pub peers: bool,
    /// How the crowd behaves.
    pub options: Options,
}

impl Plan {
    /// Whether all get new goals before the tick of this number.
    fn is_rush(&self, tick: u64) -> bool {
        tick == 0 || (self.rush_every > 0 && tick.is_multiple_of(self.rush_every))
    }

    /// Whether the map changes before the tick of this number.
    fn is_patch(&self, tick: u64) -> bool {
        self.patch_every > 0 && tick % self.patch_every == self.patch_every - 1
    }
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
    /// Pairs that exchanged their places in a tick, where no two may stand in one cell.
    pub exchanges: u64,
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
    /// How well the crowd got on, where that was asked for.
    #[serde(flatten)]
    pub quality: Option<QualityFacts>,
    /// What the plain algorithms did from the same starts, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerRun>,
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
    let places: Vec<Cell> = ids
        .iter()
        .map(|&id| Ok(map.grid().cell(crowd.position(id)?).unwrap_or(Cell::NONE)))
        .collect::<Result<_, CrowdError>>()?;
    let mut stage = Stage::new(
        Watched {
            crowd: &mut *crowd,
            map: map.clone(),
            exclusive: plan.options.exclusive,
            film,
            tally: Tally::default(),
        },
        &cells,
        &ids,
        plan,
    )?;
    progress.begin("ticks", plan.ticks);
    for tick in 0..plan.ticks {
        stage.advance(tick)?;
        progress.advance(1);
    }
    let memory = memory_of(stage.watched.crowd, ids.len(), spec, bench);
    let mut run = stage.watched.tally.report(ids.len(), memory, climbing_ns);
    run.indexes = index_states(stage.watched.crowd);
    run.quality = stage.close()?;
    if plan.peers {
        run.peers = peers::run_all(map, plan, &cells, &places, progress);
    }
    Ok(run)
}

/// A run between random goals under way.
struct Stage<'a, 'f> {
    watched: Watched<'a, 'f>,
    cells: &'a [Cell],
    ids: &'a [WalkerId],
    plan: &'a Plan,
    goals: Vec<Goals>,
    walls: Walls,
    quality: Option<Quality<'a>>,
}

impl<'a, 'f> Stage<'a, 'f> {
    fn new(
        watched: Watched<'a, 'f>,
        cells: &'a [Cell],
        ids: &'a [WalkerId],
        plan: &'a Plan,
    ) -> Result<Stage<'a, 'f>, CrowdRunError> {
        let places = watched.places(ids)?;
        let quality = plan
            .quality
            .then(|| Quality::new(&watched.map, cells, plan.seed, &places));
        Ok(Stage {
            watched,
            cells,
            ids,
            plan,
            goals: (0..ids.len()).map(|i| Goals::new(plan.seed, i)).collect(),
            walls: Walls::new(plan),
            quality,
        })
    }

    /// A tick, what comes before it, and new goals for those that have arrived.
    fn advance(&mut self, tick: u64) -> Result<(), CrowdRunError> {
        if self.plan.is_rush(tick) {
            if let Some(quality) = &mut self.quality {
                quality.rush(&self.watched.map, tick);
            }
            (0..self.ids.len()).try_for_each(|walker| self.send(walker))?;
        }
        if self.plan.is_patch(tick) {
            self.patch(tick)?;
        }
        let moves = self.watched.tick(self.ids)?;
        if tick == 0 {
            let stood = moves.iter().filter(|moved| moved.from == moved.to);
            self.watched.tally.slow_starts = stood.count() as u64;
        }
        if let Some(quality) = &mut self.quality {
            let moved = |moved: &&Step| moved.from != moved.to;
            let costs = moves.iter().filter(moved).map(|m| self.watched.cost_of(m));
            quality.walked(costs.sum());
        }
        for (walker, &id) in self.ids.iter().enumerate() {
            match self.watched.crowd.status(id)? {
                Status::Arrived => {}
                Status::Unreachable { .. } => self.watched.tally.unreachable += 1,
                _ => continue,
            }
            self.send(walker)?;
        }
        Ok(())
    }

    /// The walker's next goal.
    fn send(&mut self, walker: usize) -> Result<(), CrowdRunError> {
        let (id, map) = (self.ids[walker], &self.watched.map);
        let at = self.watched.crowd.position(id)?;
        let from = map.passable_cell(at).unwrap_or(Cell::NONE);
        if let Some(goal) = self.goals[walker].next(map, self.cells, from) {
            let place = map.grid().point(goal);
            self.watched.send(id, place)?;
            if let Some(quality) = &mut self.quality {
                quality.sent(walker, from, goal);
            }
        }
        Ok(())
    }

    fn patch(&mut self, tick: u64) -> Result<(), CrowdRunError> {
        let places = self.watched.places(self.ids)?;
        let patch = self.walls.next(&self.watched.map, self.cells, &places);
        if let Some(quality) = &mut self.quality {
            quality.settle(&self.watched.map, tick, &places);
        }
        let changes = self.watched.patch(&patch);
        if let Some(quality) = &mut self.quality {
            quality.map_changed(&self.watched.map, &changes);
        }
        Ok(())
    }

    fn close(self) -> Result<Option<QualityFacts>, CrowdRunError> {
        let places = self.watched.places(self.ids)?;
        let (map, arrived) = (&self.watched.map, self.watched.tally.arrived);
        Ok(self
            .quality
            .map(|quality| quality.finish(map, self.plan.ticks, &places, arrived)))
    }
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
    fn next(&mut self, map: &Map, cells: &[Cell], places: &[Cell]) -> GridPatch {
        let mut patch = GridPatch::new();
        if !self.standing.is_empty() {
            for point in self.standing.drain(..) {
                patch.set(point, true);
            }
            return patch;
        }
        let grid = map.grid();
        let corner = grid.point(cells[self.rng.below(cells.len().max(1) as u32) as usize]);
        let inside = |p: Point| (p.x - corner.x).max(p.y - corner.y) < self.side;
        let points = places.iter().map(|&cell| grid.point(cell));
        let held: Vec<Point> = points
            .filter(|at| at.x >= corner.x && at.y >= corner.y && inside(*at))
            .collect();
        for y in corner.y..corner.y + self.side {
            for x in corner.x..corner.x + self.side {
                let point = Point { x, y };
                if grid.passable_cell(point).is_some() && !held.contains(&point) {
                    patch.set(point, false);
                    self.standing.push(point);
                }
            }
        }
        patch
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
