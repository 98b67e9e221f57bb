//! Paths as games use them.

use crate::cost::{Cost, Length};
use crate::grid::{Cell, Point};
use crate::map::Map;
use crate::search::jps::Run;

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<Point>,
    length: f64,
    cost: Cost,
}

/// Adds the points that runs from a cell lead over, that cell first, and says what the runs come to.
pub(super) fn points_of_runs<'a>(
    map: &'a Map,
    start: Cell,
    runs: &mut dyn Iterator<Item = Run>,
    points: &mut Vec<Point>,
) -> Sum<'a> {
    let mut at = map.grid().point(start);
    let mut sum = Sum::new(map, start);
    points.push(at);
    for run in runs {
        for _ in 0..run.steps {
            at = crate::grid::scan::moved(at, run.direction, 1);
            points.push(at);
        }
        sum.add(run);
    }
    sum
}

impl Path {
    pub(super) fn of_runs(map: &Map, start: Cell, runs: &mut dyn Iterator<Item = Run>) -> Path {
        let mut points = Vec::new();
        let sum = points_of_runs(map, start, runs, &mut points);
        Path {
            length: sum.length(),
            cost: sum.cost,
            points,
        }
    }

    /// Every point, start and goal included.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How long it is, a straight step being 1; on terrain what it costs.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The same in integer units: equal on every machine.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.points.len() - 1
    }

    /// The points at which it turns, start and goal included.
    pub fn corners(&self) -> Vec<Point> {
        let way = |a: Point, b: Point| (b.x.wrapping_sub(a.x), b.y.wrapping_sub(a.y));
        let mut corners = vec![self.points[0]];
        for three in self.points.windows(3) {
            if way(three[0], three[1]) != way(three[1], three[2]) {
                corners.push(three[1]);
            }
        }
        corners.extend(self.points.last().filter(|_| self.points.len() > 1));
        corners
    }
}

/// What runs from a cell come to.
pub(super) struct Sum<'a> {
    map: &'a Map,
    at: Cell,
    moves: Length,
    cost: Cost,
}

impl Sum<'_> {
    pub fn new(map: &Map, start: Cell) -> Sum<'_> {
        Sum {
            map,
            at: start,
            moves: Length::default(),
            cost: 0,
        }
    }

    /// Adds the next run.
    pub fn add(&mut self, run: Run) {
        let mut part = u64::from(run.steps);
        match self.map.ground() {
            None => self.cost += run.steps * self.map.rules().cost(run.direction),
            Some(ground) => {
                part = 0;
                for _ in 0..run.steps {
                    let next = self.map.grid().neighbour(self.at, run.direction);
                    self.cost += ground.cost(self.at, next, run.direction);
                    part += u64::from(ground.hundredths(self.at) + ground.hundredths(next));
                    self.at = next;
                }
            }
        }
        match run.direction.is_diagonal() {
            true => self.moves.diagonal += part,
            false => self.moves.straight += part,
        }
    }

    /// How long all of them are, or on terrain what they cost.
    pub fn length(&self) -> f64 {
        self.map.length(self.moves)
    }
}

/// Many paths in flat arrays: what bindings hand over without a second copy.
#[derive(Clone, Debug, PartialEq)]
pub struct PathBatch {
    /// The points of all paths, one after the other.
    pub points: Vec<Point>,
    /// Path `i` is `points[offsets[i]..offsets[i + 1]]`; an empty one where there is none.
    pub offsets: Vec<usize>,
    /// The length of each; infinite where there is none.
    pub lengths: Vec<f64>,
}

impl Default for PathBatch {
    /// No paths.
    fn default() -> PathBatch {
        PathBatch {
            points: Vec::new(),
            offsets: vec![0],
            lengths: Vec::new(),
        }
    }
}

impl PathBatch {
    /// Ends a path whose points have been added; `None` where there is none.
    pub(super) fn end_path(&mut self, length: Option<f64>) {
        self.offsets.push(self.points.len());
        self.lengths.push(length.unwrap_or(f64::INFINITY));
    }

    /// One after the other.
    pub(super) fn joined(parts: Vec<PathBatch>) -> PathBatch {
        let mut batch = PathBatch::default();
        let points = parts.iter().map(|part| part.points.len()).sum();
        let paths: usize = parts.iter().map(PathBatch::len).sum();
        batch.points.reserve_exact(points);
        batch.offsets.reserve_exact(paths);
        batch.lengths.reserve_exact(paths);
        for part in parts {
            let before = batch.points.len();
            batch.points.extend_from_slice(&part.points);
            let ends = part.offsets[1..].iter().map(|end| before + end);
            batch.offsets.extend(ends);
            batch.lengths.extend_from_slice(&part.lengths);
        }
        batch
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The points of one of them; empty where there is no path.
    pub fn path(&self, index: usize) -> &[Point] {
        &self.points[self.offsets[index]..self.offsets[index + 1]]
    }
}
