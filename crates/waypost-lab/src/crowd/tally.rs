//! What is counted, timed and judged in a run of a crowd.

use super::film::Film;
use super::{CrowdRun, CrowdRunError, Memory};
use crate::stats::Histogram;
use cpu_time::ProcessTime;
use std::time::Instant;
use waypost::crowd::{AnyCrowd, WalkerId};
use waypost::grid::{Cell, ChangeSet, GridPatch, Point};
use waypost::{Map, Space};

/// A crowd that is watched: its own copy of the map judges every step.
pub struct Watched<'a, 'f> {
    pub crowd: &'a mut dyn AnyCrowd,
    pub map: Map,
    pub exclusive: bool,
    pub film: Option<&'f mut Film>,
    pub tally: Tally,
}

impl Watched<'_, '_> {
    /// A tick, timed and judged; gives the places of these walkers before and after it.
    pub fn tick(&mut self, ids: &[WalkerId]) -> Result<Vec<Step>, CrowdRunError> {
        let before = self.places(ids)?;
        let (begun, busy) = (Instant::now(), ProcessTime::now());
        let done = self.crowd.tick();
        let spent = [busy.elapsed(), begun.elapsed()].map(|time| time.as_nanos() as u64);
        let number = self.tally.ticks.count();
        self.tally.time(spent, done.moves);
        self.tally.count(&done);
        let after = self.places(ids)?;
        let places = before.into_iter().zip(after);
        let moves: Vec<Step> = places.map(|(from, to)| Step { from, to }).collect();
        self.judge(&moves);
        if let Some(film) = self.film.as_deref_mut() {
            let places = ids.iter().zip(&moves);
            let at: Vec<_> = places.map(|(id, step)| (id.index(), step.to)).collect();
            film.watch(self.map.grid(), number, &at);
        }
        Ok(moves)
    }

    /// Gives a walker a goal.
    pub fn send(&mut self, id: WalkerId, goal: Point) -> Result<(), CrowdRunError> {
        self.crowd.send(id, goal)?;
        if let (Some(film), Some(goal)) = (self.film.as_deref_mut(), self.map.grid().cell(goal)) {
            film.aim(id.index(), goal);
        }
        Ok(())
    }

    /// A change of the map, timed.
    pub fn patch(&mut self, patch: &GridPatch) -> ChangeSet {
        let (begun, busy) = (Instant::now(), ProcessTime::now());
        let changes = self.crowd.patch(patch);
        let tally = &mut self.tally;
        tally.patch_busy.record(busy.elapsed().as_nanos() as u64);
        tally.patches.record(begun.elapsed().as_nanos() as u64);
        tally.cells_changed += (changes.blocked.len() + changes.opened.len()) as u64;
        self.map.apply(patch);
        if let Some(film) = self.film.as_deref_mut() {
            film.show_map(self.map.grid());
        }
        changes
    }

    /// The cells where walkers stand.
    pub fn places(&self, ids: &[WalkerId]) -> Result<Vec<Cell>, CrowdRunError> {
        let cell = |&id: &WalkerId| {
            let point = self.crowd.position(id)?;
            Ok(self.map.grid().cell(point).unwrap_or(Cell::NONE))
        };
        ids.iter().map(cell).collect()
    }

    /// Judges every step by the rules, and looks for two agents in one cell or in each other's place.
    fn judge(&mut self, moves: &[Step]) {
        for Step { from, to } in moves {
            if from != to && self.map.legal_step(*from, *to).is_none() {
                self.tally.illegal += 1;
            }
        }
        if self.exclusive {
            self.tally.collisions += Step::shared_cells(moves);
            self.tally.exchanges += Step::exchanges(moves);
            self.tally.collisions_checked += 1;
        }
    }

    /// What a step costs, by the map's rules.
    pub fn cost_of(&self, moved: &Step) -> u64 {
        let cost = self.map.edge_cost(moved.from, moved.to);
        u64::from(cost.unwrap_or(0))
    }
}

/// Where an agent stood and stands.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub from: Cell,
    pub to: Cell,
}

impl Step {
    /// Pairs that stand in one cell.
    pub fn shared_cells(steps: &[Step]) -> u64 {
        let mut cells: Vec<Cell> = steps.iter().map(|step| step.to).collect();
        cells.sort_unstable();
        let pairs = cells.windows(2).filter(|pair| pair[0] == pair[1]);
        pairs.count() as u64
    }

    /// Pairs that went to each other's place.
    pub fn exchanges(steps: &[Step]) -> u64 {
        let moved = steps.iter().filter(|step| step.from != step.to);
        let mut ends: Vec<(Cell, Cell)> = moved.map(|step| (step.from, step.to)).collect();
        ends.sort_unstable();
        let back =
            |&&(from, to): &&(Cell, Cell)| from < to && ends.binary_search(&(to, from)).is_ok();
        ends.iter().filter(back).count() as u64
    }
}

/// The counts.
#[derive(Default)]
pub struct Tally {
    ticks: Histogram,
    busy: Histogram,
    moves: Histogram,
    patches: Histogram,
    patch_busy: Histogram,
    cells_changed: u64,
    moves_total: u64,
    pub arrived: u64,
    pub unreachable: u64,
    waits: u64,
    provisional: u64,
    illegal: u64,
    collisions_checked: u64,
    collisions: u64,
    exchanges: u64,
    pub slow_starts: u64,
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

    /// The report of a run of so many agents.
    pub fn report(&self, agents: usize, memory_bytes: Memory, climbing_ns: f64) -> CrowdRun {
        let floor = climbing_ns * agents as f64;
        let histogram = self.logarithmic.iter().enumerate();
        CrowdRun {
            agents,
            ticks: self.ticks.count(),
            moves_total: self.moves_total,
            arrived: self.arrived,
            unreachable: self.unreachable,
            tick_us: self.ticks.times(1000.0),
            tick_cpu_us: self.busy.times(1000.0),
            move_ns: self.moves.times(1.0),
            memory_bytes,
            illegal_moves: self.illegal,
            collisions_checked: self.collisions_checked,
            collisions: self.collisions,
            exchanges: self.exchanges,
            waits: self.waits,
            provisional_moves: self.provisional,
            slow_starts: self.slow_starts,
            patches: self.patches.count(),
            cells_changed: self.cells_changed,
            patch_us: self.patches.times(1000.0),
            patch_cpu_us: self.patch_busy.times(1000.0),
            indexes: Vec::new(),
            replay: None,
            quality: None,
            peers: Vec::new(),
            ratio_to_climbing: self.busy.mean() / floor.max(1.0),
            tick_histogram: histogram
                .filter(|(_, count)| **count > 0)
                .map(|(bucket, &count)| (1 << bucket, count))
                .collect(),
        }
    }
}
