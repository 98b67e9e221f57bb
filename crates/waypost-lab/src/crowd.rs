//! Crowds, timed: many agents of one kind between random goals, which are drawn anew on arrival.

use crate::picture::Picture;
use crate::stats::{Histogram, Times};
use crate::workbench::Workbench;
use cpu_time::ProcessTime;
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, ImageError, imageops};
use serde::Serialize;
use std::time::Instant;
use waypost::crowd::{AnyCrowd, CrowdError, Options, Status, WalkerId};
use waypost::grid::{Cell, Grid, Point};
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
    /// How the crowd behaves.
    pub options: Options,
}

/// Memory of a crowd.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Memory {
    /// Bytes of the indexes that all agents share.
    pub shared: u64,
    /// Bytes of an agent, on the average at the end.
    pub per_agent: u64,
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
    /// Goals that could not be reached: 0, since goals are drawn in the agent's own component.
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
}

/// Pictures of a run.
pub struct Film<'a> {
    base: Picture<'a>,
    every: u64,
    frames: Vec<Frame>,
}

/// The longest side of a film, in pixels.
const FILM_SIDE: u32 = 640;

impl<'a> Film<'a> {
    /// A film of at most about 150 frames.
    pub fn new(grid: &'a Grid, ticks: u64) -> Film<'a> {
        Film {
            base: Picture::of(grid),
            every: ticks.div_ceil(150).max(1),
            frames: Vec::new(),
        }
    }

    fn shoot(&mut self, cells: impl Iterator<Item = (usize, Cell)>) {
        let mut picture = self.base.clone();
        picture.walkers(cells);
        let image = picture.image();
        let longer = image.width().max(image.height());
        let size = |side: u32| (side * FILM_SIDE.min(longer) / longer).max(1);
        let small = imageops::thumbnail(image, size(image.width()), size(image.height()));
        let rgba = image::DynamicImage::ImageRgb8(small).into_rgba8();
        let delay = Delay::from_numer_denom_ms(80, 1);
        self.frames.push(Frame::from_parts(rgba, 0, 0, delay));
    }

    /// The film as an animated GIF that repeats.
    pub fn to_gif(self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::new();
        let mut encoder = GifEncoder::new_with_speed(&mut bytes, 20);
        encoder.set_repeat(Repeat::Infinite)?;
        encoder.encode_frames(self.frames)?;
        drop(encoder);
        Ok(bytes)
    }
}

/// Runs a crowd.
pub fn run(
    map: &Map,
    spec: &AgentSpec,
    bench: &Workbench,
    plan: &Plan,
    mut film: Option<&mut Film>,
    progress: &dyn Progress,
) -> Result<CrowdRun, CrowdRunError> {
    let cells: Vec<Cell> = map.grid().cells().collect();
    let mut crowd = spec.crowd(map, bench.indexes(), plan.options)?;
    let crowd = &mut *crowd;
    let ids = place_all(crowd, map, plan, &cells)?;
    let mut goals = Rng::new(plan.seed ^ 0x60a1);
    let mut tally = Tally::default();
    let climbing_ns = climbing_step_ns(map, &cells, plan);
    progress.begin("ticks", plan.ticks);
    for &id in &ids {
        send_somewhere(crowd, map, &cells, &mut goals, id)?;
    }
    for tick in 0..plan.ticks {
        if plan.rush_every > 0 && tick > 0 && tick % plan.rush_every == 0 {
            for &id in &ids {
                send_somewhere(crowd, map, &cells, &mut goals, id)?;
            }
        }
        let before = positions(crowd, &ids)?;
        let (begun, busy) = (Instant::now(), ProcessTime::now());
        let done = crowd.tick();
        let spent = [busy.elapsed(), begun.elapsed()].map(|time| time.as_nanos() as u64);
        tally.time(spent, done.moves);
        tally.count(&done);
        tally.check(
            map,
            &before,
            &positions(crowd, &ids)?,
            plan.options.exclusive,
            tick,
        );
        if let Some(film) = film.as_deref_mut().filter(|film| tick % film.every == 0) {
            let at = positions(crowd, &ids)?;
            film.shoot(at.iter().copied().enumerate());
        }
        for &id in &ids {
            if crowd.status(id)? == Status::Arrived {
                send_somewhere(crowd, map, &cells, &mut goals, id)?;
            }
        }
        progress.advance(1);
    }
    let per_agent = crowd.memory_bytes() as u64 / ids.len().max(1) as u64;
    let memory = Memory {
        shared: bench.price_of(spec).0,
        per_agent,
    };
    Ok(tally.report(plan, memory, climbing_ns))
}

fn place_all(
    crowd: &mut dyn AnyCrowd,
    map: &Map,
    plan: &Plan,
    cells: &[Cell],
) -> Result<Vec<WalkerId>, CrowdRunError> {
    let largest = map.components().largest();
    let mut rng = Rng::new(plan.seed);
    let mut ids = Vec::with_capacity(plan.agents);
    crowd.reserve(plan.agents);
    for _ in 0..plan.agents {
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
    crowd: &mut dyn AnyCrowd,
    map: &Map,
    cells: &[Cell],
    rng: &mut Rng,
    id: WalkerId,
) -> Result<(), CrowdRunError> {
    let at = crowd.position(id)?;
    let from = map.passable_cell(at).unwrap_or(Cell::NONE);
    for _ in 0..DRAWS {
        let goal = cells[rng.below(cells.len() as u32) as usize];
        if goal != from && map.connected(from, goal) {
            crowd.send(id, map.grid().point(goal))?;
            break;
        }
    }
    Ok(())
}

fn positions(crowd: &dyn AnyCrowd, ids: &[WalkerId]) -> Result<Vec<Cell>, CrowdError> {
    let grid = crowd.map().grid();
    ids.iter()
        .map(|&id| {
            let point: Point = crowd.position(id)?;
            Ok(grid.cell(point).unwrap_or(Cell::NONE))
        })
        .collect()
}

/// What one hill-climbing step takes here, with agents spread over the map as in a crowd.
fn climbing_step_ns(map: &Map, cells: &[Cell], plan: &Plan) -> f64 {
    let mut rng = Rng::new(plan.seed);
    let pairs: Vec<(Cell, Cell)> = (0..plan.agents.clamp(1, 100_000))
        .map(|_| {
            let mut any = || cells[rng.below(cells.len().max(1) as u32) as usize];
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

#[derive(Default)]
struct Tally {
    ticks: Histogram,
    busy: Histogram,
    moves: Histogram,
    moves_total: u64,
    arrived: u64,
    waits: u64,
    provisional: u64,
    illegal: u64,
    collisions_checked: u64,
    collisions: u64,
    slow_starts: u64,
    logarithmic: Vec<u64>,
}

impl Tally {
    fn time(&mut self, [busy, nanoseconds]: [u64; 2], moves: u64) {
        self.busy.record(busy);
        self.ticks.record(nanoseconds);
        self.moves.record(nanoseconds / moves.max(1));
        let bucket = (nanoseconds / 1000).max(1).ilog2() as usize + 1;
        self.logarithmic
            .resize(self.logarithmic.len().max(bucket + 1), 0);
        self.logarithmic[bucket] += 1;
    }

    fn count(&mut self, tick: &waypost::crowd::Tick) {
        self.moves_total += tick.moves;
        self.arrived += tick.arrived;
        self.waits += tick.waits;
        self.provisional += tick.provisional;
    }

    /// Judges every step by the map's own rules, and looks for two agents in one cell.
    fn check(&mut self, map: &Map, before: &[Cell], after: &[Cell], exclusive: bool, tick: u64) {
        for (&from, &to) in before.iter().zip(after) {
            if from != to && map.legal_step(from, to).is_none() {
                self.illegal += 1;
            }
            if tick == 0 && from == to {
                self.slow_starts += 1;
            }
        }
        if exclusive {
            let mut cells = after.to_vec();
            cells.sort_unstable();
            self.collisions += cells.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
            self.collisions_checked += 1;
        }
    }

    fn report(&self, plan: &Plan, memory_bytes: Memory, climbing_ns: f64) -> CrowdRun {
        let floor = climbing_ns * plan.agents as f64;
        let histogram = self.logarithmic.iter().enumerate();
        CrowdRun {
            agents: plan.agents,
            ticks: plan.ticks,
            moves_total: self.moves_total,
            arrived: self.arrived,
            unreachable: 0,
            tick_us: self.ticks.times(1000.0),
            tick_cpu_us: self.busy.times(1000.0),
            move_ns: self.moves.times(1.0),
            memory_bytes,
            illegal_moves: self.illegal,
            collisions_checked: self.collisions_checked,
            collisions: self.collisions,
            waits: self.waits,
            provisional_moves: self.provisional,
            slow_starts: self.slow_starts,
            ratio_to_climbing: self.busy.mean() / floor.max(1.0),
            tick_histogram: histogram
                .filter(|(_, count)| **count > 0)
                .map(|(bucket, &count)| (1 << bucket, count))
                .collect(),
        }
    }
}
