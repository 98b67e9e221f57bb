//! Plain algorithms for one walker a cell, as contenders on the same starts, goals and patches.
//!
//! Both are priority inheritance with backtracking and differ in what a walker knows: [`fields::Fields`] the exact distances to
//! its goal from everywhere, which is more than a game can pay; [`paths::Paths`] one shortest path and nothing else. They
//! have no budget: what they plan, they plan at once.

mod fields;
mod inherit;
mod paths;

use super::goals::Goals;
use super::quality::{Quality, QualityFacts};
use super::tally::Step;
use super::{Plan, Walls};
use cpu_time::ThreadTime;
use fields::Fields;
use paths::Paths;
use serde::Serialize;
use waypost::grid::{Cell, ChangeSet};
use waypost::progress::Progress;
use waypost::{Map, Space};

/// The largest map, in passable cells, on which everybody has exact distances: two bytes for each cell and walker.
pub const MAX_FIELD_CELLS: u64 = 100_000;

/// What a contender did.
#[derive(Clone, Debug, Serialize)]
pub struct PeerRun {
    /// `exact distances`, or `path only, look N`.
    pub name: String,
    /// Goals reached.
    pub arrived: u64,
    /// Steps made.
    pub moves_total: u64,
    /// Ticks that a walker on its way stood still.
    pub waits: u64,
    /// Plans, or fields of distances, those for new goals included.
    pub plans: u64,
    /// Processor time of a tick, planning included.
    pub tick_cpu_us: f64,
    /// Steps that the rules forbid, shared cells and exchanged places.
    pub faults: u64,
    /// How well it got on.
    #[serde(flatten)]
    pub quality: QualityFacts,
}

/// An algorithm for one walker a cell.
trait Contender {
    /// Sends a walker to a goal.
    fn send(&mut self, map: &Map, walker: usize, goal: Cell);

    /// Moves everybody; `ages` are the ticks since walkers got their goals.
    fn tick(&mut self, map: &Map, ages: &[u32]);

    /// Where everybody stands.
    fn places(&self) -> &[Cell];

    /// The map has changed.
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet);

    /// Plans made so far.
    fn plans(&self) -> u64;
}

/// Runs all contenders that suit the map, from these places.
pub fn run_all(
    map: &Map,
    plan: &Plan,
    cells: &[Cell],
    places: &[Cell],
    progress: &dyn Progress,
) -> Vec<PeerRun> {
    let mut runs = Vec::new();
    if map.grid().passable_count() <= MAX_FIELD_CELLS {
        let fields = Fields::new(map, places);
        let run = Run::new(map, plan, cells, fields).finish(progress);
        runs.push(run.named("exact distances".to_owned()));
    }
    for look in [1, 2, 4] {
        let paths = Paths::new(map, places, look);
        let run = Run::new(map, plan, cells, paths).finish(progress);
        runs.push(run.named(format!("path only, look {look}")));
    }
    runs
}

/// A run of a contender.
struct Run<'a, C> {
    map: Map,
    plan: &'a Plan,
    cells: &'a [Cell],
    contender: C,
    goals: Vec<Goals>,
    /// Where walkers go, and since when; none where no goal was found.
    sent: Vec<Option<(Cell, u64)>>,
    ages: Vec<u32>,
    walls: Walls,
    quality: Quality<'a>,
    shown: PeerRun,
    busy_ns: u128,
}

impl PeerRun {
    fn named(mut self, name: String) -> PeerRun {
        self.name = name;
        self
    }
}

impl<'a, C: Contender> Run<'a, C> {
    fn new(map: &Map, plan: &'a Plan, cells: &'a [Cell], contender: C) -> Run<'a, C> {
        let places = contender.places();
        let walkers = places.len();
        Run {
            map: map.clone(),
            plan,
            cells,
            goals: (0..walkers).map(|i| Goals::new(plan.seed, i)).collect(),
            sent: vec![None; walkers],
            ages: vec![0; walkers],
            walls: Walls::new(plan),
            quality: Quality::new(map, cells, plan.seed, places),
            shown: PeerRun {
                name: String::new(),
                arrived: 0,
                moves_total: 0,
                waits: 0,
                plans: 0,
                tick_cpu_us: 0.0,
                faults: 0,
                quality: QualityFacts::default(),
            },
            busy_ns: 0,
            contender,
        }
    }

    fn finish(mut self, progress: &dyn Progress) -> PeerRun {
        progress.begin("ticks of a peer", self.plan.ticks);
        for tick in 0..self.plan.ticks {
            self.advance(tick);
            progress.advance(1);
        }
        let mut shown = self.shown;
        shown.plans = self.contender.plans();
        shown.tick_cpu_us = self.busy_ns as f64 / 1000.0 / self.plan.ticks.max(1) as f64;
        let places = self.contender.places();
        let (ticks, arrived) = (self.plan.ticks, shown.arrived);
        shown.quality = self.quality.finish(&self.map, ticks, places, arrived);
        shown
    }

    fn advance(&mut self, tick: u64) {
        if self.plan.is_rush(tick) {
            self.quality.rush(&self.map, tick);
            (0..self.sent.len()).for_each(|walker| self.send(walker, tick));
        }
        if self.plan.is_patch(tick) {
            self.patch(tick);
        }
        for (age, sent) in self.ages.iter_mut().zip(&self.sent) {
            *age = sent.map_or(0, |(_, since)| (tick - since) as u32 + 1);
        }
        let before = self.contender.places().to_vec();
        let begun = ThreadTime::now();
        self.contender.tick(&self.map, &self.ages);
        self.busy_ns += begun.elapsed().as_nanos();
        self.judge(&before);
        for walker in 0..self.sent.len() {
            let at = self.contender.places()[walker];
            if let Some((goal, _)) = self.sent[walker] {
                self.shown.arrived += u64::from(at == goal);
                if at != goal && self.map.connected(at, goal) {
                    continue;
                }
            }
            self.send(walker, tick + 1);
        }
    }

    fn send(&mut self, walker: usize, tick: u64) {
        let from = self.contender.places()[walker];
        let goal = self.goals[walker].next(&self.map, self.cells, from);
        self.sent[walker] = goal.map(|goal| (goal, tick));
        if let Some(goal) = goal {
            let begun = ThreadTime::now();
            self.contender.send(&self.map, walker, goal);
            self.busy_ns += begun.elapsed().as_nanos();
            self.quality.sent(walker, from, goal);
        }
    }

    fn patch(&mut self, tick: u64) {
        let places = self.contender.places();
        let patch = self.walls.next(&self.map, self.cells, places);
        self.quality.settle(&self.map, tick, places);
        let changes = self.map.apply(&patch);
        self.quality.map_changed(&self.map, &changes);
        self.contender.map_changed(&self.map, &changes);
    }

    /// Counts and checks the steps of a tick.
    fn judge(&mut self, before: &[Cell]) {
        let places = before.iter().zip(self.contender.places());
        let steps: Vec<Step> = places.map(|(&from, &to)| Step { from, to }).collect();
        self.shown.faults += Step::shared_cells(&steps) + Step::exchanges(&steps);
        for (walker, step) in steps.iter().enumerate() {
            if step.from == step.to {
                self.shown.waits += u64::from(self.sent[walker].is_some());
                continue;
            }
            self.shown.moves_total += 1;
            let cost = self.map.edge_cost(step.from, step.to);
            self.shown.faults += u64::from(cost.is_none());
            self.quality.walked(cost.unwrap_or(0).into());
        }
    }
}
