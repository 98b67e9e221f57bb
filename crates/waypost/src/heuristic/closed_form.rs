//! Estimates by a formula.

use super::GridHeuristic;
use crate::cost::{Cost, StepCosts};
use crate::grid::{Cell, Point};

/// The octile distance, matched exactly to the costs of moves: the true cost wherever nothing is in the way. Where there are
/// four ways it is the Manhattan distance.
#[derive(Clone, Copy, Debug)]
pub struct Octile {
    goal: Point,
    straight: Cost,
    bend: Cost,
}

impl Octile {
    /// The octile distance to a goal.
    pub fn new(goal: Point, costs: StepCosts) -> Octile {
        Octile {
            goal,
            straight: costs.straight,
            bend: costs.diagonal - costs.straight,
        }
    }
}

impl GridHeuristic for Octile {
    const CONSISTENT: bool = true;

    #[inline]
    fn estimate(&self, _cell: Cell, point: Point) -> Cost {
        let (dx, dy) = point.distances(self.goal);
        dx.max(dy) * self.straight + dx.min(dy) * self.bend
    }
}

/// The straight line, as if paths could take any angle: admissible, and too low off the axes and diagonals.
///
/// It is scaled to the diagonal cost, `floor(sqrt((dx^2 + dy^2) * diagonal^2 / 2))`, because the integer diagonal is a
/// little cheaper than the square root of 2 times the integer straight cost; without diagonal moves to the straight cost.
#[derive(Clone, Copy, Debug)]
pub struct Euclid {
    goal: Point,
    /// Of a diagonal move, or of what it would cost at the price of a straight one if that is less.
    diagonal_squared: u64,
}

impl Euclid {
    /// The straight line to a goal.
    pub fn new(goal: Point, costs: StepCosts) -> Euclid {
        Euclid {
            goal,
            diagonal_squared: u64::from(costs.diagonal)
                .pow(2)
                .min(2 * u64::from(costs.straight).pow(2)),
        }
    }
}

impl GridHeuristic for Euclid {
    #[inline]
    fn estimate(&self, _cell: Cell, point: Point) -> Cost {
        let (dx, dy) = point.distances(self.goal);
        let squared = u64::from(dx).pow(2) + u64::from(dy).pow(2);
        (squared.saturating_mul(self.diagonal_squared) / 2).isqrt() as Cost
    }
}

/// As if a diagonal move cost no more than a straight one: the simplest heuristic that does not overestimate. (The
/// Manhattan distance, which the chapter warns of, does.)
#[derive(Clone, Copy, Debug)]
pub struct Chebyshev {
    goal: Point,
    straight: Cost,
}

impl Chebyshev {
    /// The larger of the two distances to a goal.
    pub fn new(goal: Point, costs: StepCosts) -> Chebyshev {
        Chebyshev {
            goal,
            straight: costs.straight,
        }
    }
}

impl GridHeuristic for Chebyshev {
    #[inline]
    fn estimate(&self, _cell: Cell, point: Point) -> Cost {
        let (dx, dy) = point.distances(self.goal);
        dx.max(dy) * self.straight
    }
}

/// Nothing is known: A* becomes Dijkstra's algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Zero;

impl GridHeuristic for Zero {
    const CONSISTENT: bool = true;

    #[inline]
    fn estimate(&self, _cell: Cell, _point: Point) -> Cost {
        0
    }

    fn growth(&self, max_move_cost: Cost) -> Cost {
        max_move_cost
    }
}
