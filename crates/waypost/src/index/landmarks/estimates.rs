//! The estimates that landmarks give towards one goal.

use super::{Landmarks, NO_STATE, Nearest};
use crate::cost::{Cost, CostPair};
use crate::grid::{Cell, Point};
use crate::heuristic::{GridHeuristic, Octile};
use crate::index::ranks::RankView;
use crate::map::Map;

/// The greatest difference of distances to a pivot, and the octile distance.
#[derive(Clone, Copy)]
pub struct Differential<'a> {
    octile: Octile,
    ranks: RankView<'a>,
    distances: &'a [Cost],
    pivots: usize,
    goal: &'a [Cost],
}

impl<'a> Differential<'a> {
    pub(super) fn new(index: &'a Landmarks, map: &'a Map, goal: Cell) -> Differential<'a> {
        let ranks = index.ranks.on(map.grid());
        let pivots = index.pivots.len();
        let distances: &[Cost] = &index.distances;
        let first = ranks.rank(goal) * pivots;
        Differential {
            octile: Octile::new(map.grid().point(goal), map.rules().costs),
            ranks,
            distances,
            pivots,
            goal: &distances[first..first + pivots],
        }
    }
}

impl GridHeuristic for Differential<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        let first = self.ranks.rank(cell) * self.pivots;
        let here = &self.distances[first..first + self.pivots];
        here.iter()
            .zip(self.goal)
            .map(|(&here, &goal)| here.abs_diff(goal))
            .fold(self.octile.estimate(cell, point), Cost::max)
    }
}

/// The distance between the nearest canonical states less the ways to them, and the octile distance.
#[derive(Clone, Copy)]
pub struct Canonical<'a> {
    octile: Octile,
    ranks: RankView<'a>,
    nearest: &'a [Nearest],
    /// Distances from all canonical states to the goal's.
    row: &'a [Cost],
    goal_distance: Cost,
    radius: Cost,
}

impl<'a> Canonical<'a> {
    pub(super) fn new(index: &'a Landmarks, map: &'a Map, goal: Cell) -> Canonical<'a> {
        let ranks = index.ranks.on(map.grid());
        let nearest: &[Nearest] = &index.nearest;
        let at_goal = nearest.get(ranks.rank(goal)).copied();
        let row = match at_goal {
            Some(at) if at.state != NO_STATE => {
                let count = index.states.len();
                let first = at.state as usize * count;
                &index.between[first..first + count]
            }
            _ => &[],
        };
        Canonical {
            octile: Octile::new(map.grid().point(goal), map.rules().costs),
            ranks,
            nearest,
            row,
            goal_distance: at_goal.map_or(0, |at| at.distance),
            radius: index.radius,
        }
    }
}

impl GridHeuristic for Canonical<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        let octile = self.octile.estimate(cell, point);
        if self.row.is_empty() {
            return octile;
        }
        // Cells of the goal's component have a nearest state as the goal has one.
        let here = self.nearest[self.ranks.rank(cell)];
        let between = self.row.get(here.state as usize).copied().unwrap_or(0);
        between
            .saturating_sub(here.distance)
            .saturating_sub(self.goal_distance)
            .max(octile)
    }

    fn growth(&self, costs: CostPair) -> Cost {
        self.radius
            .saturating_mul(2)
            .saturating_add(2 * costs.diagonal())
    }
}
