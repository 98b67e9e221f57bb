//! How well a crowd gets on: what its moves gained, and what walkers without traffic and without a bound would have reached.
//!
//! **Progress.** Between two changes of the map what the moves towards one goal gained telescopes: the distance at its
//! beginning less the distance at its end. So a [`Leg`] is two distances, measured when the map is about to change or the run
//! ends. What a patch does to distances lies between legs and is no progress.
//!
//! **The ideal** ([`Ideal`]) walks shortest paths between the same goals, without others in the way; it plans again where a patch
//! may have changed its shortest path.

use super::exact::{ExactPaths, ExactSearch};
use super::goals::Goals;
use rayon::prelude::*;
use serde::Serialize;
use waypost::cost::Cost;
use waypost::grid::{Cell, ChangeSet, Point};
use waypost::search::jps::Run;
use waypost::{Map, Space};

/// What `waypost crowd --quality` adds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QualityFacts {
    /// How much nearer to their goals the moves of all walkers brought them, as a length.
    pub progress: f64,
    /// The length of all moves.
    pub walked: f64,
    /// `progress / walked`.
    pub efficiency: f64,
    /// Goals that the same walkers would have reached by optimal paths without traffic.
    pub ideal_arrivals: u64,
    /// `arrived / ideal_arrivals`.
    pub throughput: f64,
}

/// The books of a run.
pub struct Quality<'c> {
    paths: ExactPaths,
    cells: &'c [Cell],
    ledgers: Vec<Ledger>,
    walked: u64,
    /// Ticks that the ideal walkers have walked.
    ticks: u64,
}

/// A walker's way towards one goal on one map.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Cell,
    goal: Cell,
    to: Cell,
}

/// The books of a walker.
struct Ledger {
    ideal: Ideal,
    /// The goal that is walked to, and from where since it or the map changed.
    open: Option<(Cell, Cell)>,
    legs: Vec<Leg>,
    progress: i64,
    /// Distances that the ideal walker has found since the last change of the map.
    known: Vec<(Cell, Cell, Cost)>,
}

/// A walker without traffic.
struct Ideal {
    goals: Goals,
    at: Cell,
    goal: Cell,
    /// What is left of its path, the last run first.
    runs: Vec<Run>,
    arrivals: u64,
}

impl<'c> Quality<'c> {
    /// Opens the books for walkers that stand at these places.
    pub fn new(map: &Map, cells: &'c [Cell], seed: u64, places: &[Cell]) -> Quality<'c> {
        let ledger = |(walker, &at): (usize, &Cell)| Ledger {
            ideal: Ideal {
                goals: Goals::new(seed, walker),
                at,
                goal: Cell::NONE,
                runs: Vec::new(),
                arrivals: 0,
            },
            open: None,
            legs: Vec::new(),
            progress: 0,
            known: Vec::new(),
        };
        Quality {
            paths: ExactPaths::new(map),
            cells,
            ledgers: places.iter().enumerate().map(ledger).collect(),
            walked: 0,
            ticks: 0,
        }
    }

    /// A walker was sent to a goal from where it stands.
    pub fn sent(&mut self, walker: usize, from: Cell, goal: Cell) {
        let ledger = &mut self.ledgers[walker];
        ledger.close(from);
        ledger.open = Some((from, goal));
    }

    /// The cost of moves that were made.
    pub fn walked(&mut self, cost: u64) {
        self.walked += cost;
    }

    /// All ideal walkers get new goals too, before the tick of this number.
    pub fn rush(&mut self, map: &Map, tick: u64) {
        self.advance(map, tick);
        let (paths, cells) = (&self.paths, self.cells);
        let ledgers = self.ledgers.par_iter_mut();
        ledgers.for_each_init(ExactSearch::default, |search, ledger| {
            ledger.draw(paths, map, cells, search);
        });
    }

    /// Settles what can only be measured on the map as it is: to be called before each change of it, with the places of all
    /// walkers and the number of the tick that comes next.
    pub fn settle(&mut self, map: &Map, tick: u64, places: &[Cell]) {
        self.advance(map, tick);
        let paths = &self.paths;
        let ledgers = self.ledgers.par_iter_mut().zip(places);
        ledgers.for_each_init(ExactSearch::default, |search, (ledger, &at)| {
            let open = ledger.open;
            ledger.close(at);
            ledger.settle(paths, map, search);
            ledger.open = open.map(|(_, goal)| (at, goal));
        });
    }

    /// Follows a change of the map, after [`Quality::settle`].
    pub fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.paths.map_changed(map);
        let Some(reach) = Reach::of(map, changes) else {
            return;
        };
        let (paths, cells) = (&self.paths, self.cells);
        let ledgers = self.ledgers.par_iter_mut();
        ledgers.for_each_init(ExactSearch::default, |search, ledger| {
            ledger.map_changed(paths, map, cells, &reach, search);
        });
    }

    /// Closes the books.
    pub fn finish(mut self, map: &Map, tick: u64, places: &[Cell], arrived: u64) -> QualityFacts {
        self.settle(map, tick, places);
        let straight = match map.ground() {
            None => f64::from(map.rules().costs.straight()),
            Some(ground) => 1.0 / ground.scale().approximate_length(1),
        };
        let progress: i64 = self.ledgers.iter().map(|ledger| ledger.progress).sum();
        let ideal: u64 = self.ledgers.iter().map(|l| l.ideal.arrivals).sum();
        QualityFacts {
            progress: progress as f64 / straight,
            walked: self.walked as f64 / straight,
            efficiency: progress as f64 / (self.walked as f64).max(1.0),
            ideal_arrivals: ideal,
            throughput: arrived as f64 / (ideal as f64).max(1.0),
        }
    }

    /// Lets the ideal walkers walk up to the tick of this number.
    fn advance(&mut self, map: &Map, tick: u64) {
        let ticks = tick.saturating_sub(self.ticks);
        self.ticks = self.ticks.max(tick);
        let (paths, cells) = (&self.paths, self.cells);
        let ledgers = self.ledgers.par_iter_mut();
        ledgers.for_each_init(ExactSearch::default, |search, ledger| {
            ledger.walk(paths, map, cells, ticks, search);
        });
    }
}

impl Ledger {
    /// The way to a goal ends here, reached or not.
    fn close(&mut self, to: Cell) {
        if let Some((from, goal)) = self.open.take()
            && from != to
        {
            self.legs.push(Leg { from, goal, to });
        }
    }

    /// Measures all legs.
    fn settle(&mut self, paths: &ExactPaths, map: &Map, search: &mut ExactSearch) {
        for leg in std::mem::take(&mut self.legs) {
            let mut measure = |from: Cell| {
                let known = self.known.iter();
                let known = known.rev().find(|k| (k.0, k.1) == (from, leg.goal));
                known.map_or_else(
                    || search.cost(paths, map, (from, leg.goal)),
                    |&(_, _, cost)| Some(cost),
                )
            };
            // A goal that was cut off by the last patch has no distance, and moves after that no aim.
            if let (Some(before), Some(after)) = (measure(leg.from), measure(leg.to)) {
                self.progress += i64::from(before) - i64::from(after);
            }
        }
        self.known.clear();
    }

    /// Lets the ideal walker walk.
    fn walk(
        &mut self,
        paths: &ExactPaths,
        map: &Map,
        cells: &[Cell],
        mut ticks: u64,
        search: &mut ExactSearch,
    ) {
        while ticks > 0 {
            let Some(run) = self.ideal.runs.last_mut() else {
                break;
            };
            let steps = u64::from(run.steps).min(ticks) as u32;
            let direction = run.direction;
            run.steps -= steps;
            if run.steps == 0 {
                self.ideal.runs.pop();
            }
            ticks -= u64::from(steps);
            for _ in 0..steps {
                self.ideal.at = map.grid().neighbour(self.ideal.at, direction);
            }
            if self.ideal.at == self.ideal.goal {
                self.ideal.arrivals += 1;
                self.draw(paths, map, cells, search);
            }
        }
    }

    /// The ideal walker's next goal and the path to it.
    fn draw(&mut self, paths: &ExactPaths, map: &Map, cells: &[Cell], search: &mut ExactSearch) {
        let ideal = &mut self.ideal;
        ideal.runs.clear();
        if let Some(goal) = ideal.goals.next(map, cells, ideal.at) {
            ideal.goal = goal;
            self.plan(paths, map, search);
        }
    }

    fn plan(&mut self, paths: &ExactPaths, map: &Map, search: &mut ExactSearch) {
        let Ideal { at, goal, runs, .. } = &mut self.ideal;
        if let Some(cost) = search.path(paths, map, (*at, *goal), runs) {
            self.known.push((*at, *goal, cost));
        }
    }

    fn map_changed(
        &mut self,
        paths: &ExactPaths,
        map: &Map,
        cells: &[Cell],
        reach: &Reach,
        search: &mut ExactSearch,
    ) {
        let ideal = &mut self.ideal;
        if !map.grid().is_passable(ideal.at) {
            // Nobody walls in walkers, who are seen; the ideal ones, who are not, step out of new walls.
            let point = map.grid().point(ideal.at);
            ideal.at = map.nearest_reachable(ideal.goal, point).unwrap_or(ideal.at);
        }
        if !map.connected(ideal.at, ideal.goal) {
            self.draw(paths, map, cells, search);
        } else if reach.may_change(map, (ideal.at, ideal.goal), ideal.left(map)) {
            self.plan(paths, map, search);
        }
    }
}

impl Ideal {
    /// What is left of the path costs.
    fn left(&self, map: &Map) -> Cost {
        let (mut at, mut cost) = (self.at, 0);
        for run in self.runs.iter().rev() {
            for _ in 0..run.steps {
                cost += map.step_cost(at, run.direction);
                at = map.grid().neighbour(at, run.direction);
            }
        }
        cost
    }
}

/// The rectangle of all cells that a patch changed and those next to them.
struct Reach {
    min: Point,
    max: Point,
}

impl Reach {
    fn of(map: &Map, changes: &ChangeSet) -> Option<Reach> {
        let cells = changes.blocked.iter().chain(&changes.opened);
        let points = cells.map(|&cell| map.grid().point(cell));
        let bounds = points.fold(None, |bounds: Option<(Point, Point)>, p| {
            let (min, max) = bounds.unwrap_or((p, p));
            let min = Point {
                x: min.x.min(p.x),
                y: min.y.min(p.y),
            };
            let max = Point {
                x: max.x.max(p.x),
                y: max.y.max(p.y),
            };
            Some((min, max))
        });
        bounds.map(|(min, max)| Reach {
            min: Point {
                x: min.x.saturating_sub(1),
                y: min.y.saturating_sub(1),
            },
            max: Point {
                x: (max.x + 1).min(map.grid().width() - 1),
                y: (max.y + 1).min(map.grid().height() - 1),
            },
        })
    }

    /// May the change alter a shortest path of this cost? Every way through the rectangle costs at least what the
    /// heuristic says from one end to it and on to the other.
    fn may_change(&self, map: &Map, ends: (Cell, Cell), cost: Cost) -> bool {
        let to_it = |cell: Cell| {
            let Point { x, y } = map.grid().point(cell);
            let nearest = Point {
                x: x.clamp(self.min.x, self.max.x),
                y: y.clamp(self.min.y, self.max.y),
            };
            let nearest = map.grid().cell(nearest);
            nearest.map_or(0, |nearest| map.heuristic(cell, nearest))
        };
        to_it(ends.0).saturating_add(to_it(ends.1)) <= cost
    }
}
