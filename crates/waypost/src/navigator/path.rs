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

impl Path {
    pub(super) fn of_runs(map: &Map, start: Cell, runs: &mut dyn Iterator<Item = Run>) -> Path {
        let mut at = map.grid().point(start);
        let mut sum = Sum::new(map, start);
        let mut points = vec![at];
        for run in runs {
            for _ in 0..run.steps {
                at = crate::grid::scan::moved(at, run.direction, 1);
                points.push(at);
            }
            sum.add(run);
        }
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
