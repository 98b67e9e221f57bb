//! Estimates of the cost that is left (Game AI Pro, chapters 17.3 and 17.7).

use crate::cost::{Cost, CostPair};
use crate::grid::{Cell, Point};

/// An estimate towards one goal on a grid.
pub trait GridHeuristic {
    /// What may be left from a cell, which is at `point`.
    fn estimate(&self, cell: Cell, point: Point) -> Cost;

    /// The most by which the key of a successor exceeds its parent's.
    fn growth(&self, costs: CostPair) -> Cost {
        2 * costs.diagonal()
    }
}

/// The octile distance, matched exactly to the cost pair: the true cost wherever nothing is in the way.
#[derive(Clone, Copy, Debug)]
pub struct Octile {
    goal: Point,
    straight: Cost,
    bend: Cost,
}

impl Octile {
    /// The octile distance to a goal.
    pub fn new(goal: Point, costs: CostPair) -> Octile {
        Octile {
            goal,
            straight: costs.straight(),
            bend: costs.diagonal() - costs.straight(),
        }
    }
}

impl GridHeuristic for Octile {
    #[inline]
    fn estimate(&self, _cell: Cell, point: Point) -> Cost {
        let (dx, dy) = point.distances(self.goal);
        dx.max(dy) * self.straight + dx.min(dy) * self.bend
    }
}

/// Nothing is known: A* becomes Dijkstra's algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Zero;

impl GridHeuristic for Zero {
    #[inline]
    fn estimate(&self, _cell: Cell, _point: Point) -> Cost {
        0
    }

    fn growth(&self, costs: CostPair) -> Cost {
        costs.diagonal()
    }
}
