//! Paths as games use them.

use crate::cost::{Cost, CostPair, Length};
use crate::grid::Point;
use crate::search::jps::Run;

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<Point>,
    length: f64,
    cost: Cost,
}

impl Path {
    pub(super) fn of_runs(start: Point, runs: impl Iterator<Item = Run>, costs: CostPair) -> Path {
        let (mut points, mut at, mut moves) = (vec![start], start, Length::default());
        for run in runs {
            for _ in 0..run.steps {
                at = crate::grid::scan::moved(at, run.direction, 1);
                points.push(at);
            }
            let steps = u64::from(run.steps);
            if run.direction.is_diagonal() {
                moves.diagonal += steps;
            } else {
                moves.straight += steps;
            }
        }
        let cost =
            moves.straight as Cost * costs.straight() + moves.diagonal as Cost * costs.diagonal();
        Path {
            points,
            length: costs.length(moves),
            cost,
        }
    }

    /// Every point, start and goal included.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How long it is, a straight step being 1.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// How long it is in integer units: equal on every machine.
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

/// Many paths in flat arrays: what bindings hand over without a second copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathBatch {
    /// The points of all paths, one after the other.
    pub points: Vec<Point>,
    /// Path `i` is `points[offsets[i]..offsets[i + 1]]`; an empty one where there is none.
    pub offsets: Vec<usize>,
    /// The length of each; infinite where there is none.
    pub lengths: Vec<f64>,
}

impl PathBatch {
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
