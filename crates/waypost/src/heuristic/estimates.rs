//! The estimates that landmarks give towards one goal.

use super::landmarks::{Landmarks, NO_STATE, Nearest};
use super::{GridHeuristic, Octile};
use crate::cost::Cost;
use crate::grid::ranks::RankView;
use crate::grid::{Cell, Point};
use crate::map::Map;

/// How many pivots an estimate looks at.
const ACTIVE: usize = 4;

/// The greatest difference of distances to a pivot, and the octile distance.
///
/// A search looks only at the few pivots that say most about its start and goal: nearly as good as all of them, at less than
/// half the work. They stay the same for the whole search, so the estimate stays consistent.
#[derive(Clone, Copy)]
pub struct Differential<'a> {
    octile: Octile,
    ranks: RankView<'a>,
    distances: &'a [Cost],
    pivots: usize,
    active: [usize; ACTIVE],
    /// The goal's distances to them.
    goal: [Cost; ACTIVE],
}

impl<'a> Differential<'a> {
    pub(super) fn new(index: &'a Landmarks, map: &'a Map, from: Cell, goal: Cell) -> Self {
        let ranks = index.ranks.view();
        let pivots = index.pivots.len();
        let distances: &[Cost] = &index.distances;
        let row = |cell: Cell| &distances[ranks.rank(cell) * pivots..][..pivots];
        let (at_start, at_goal) = (row(from), row(goal));
        let mut active = [0; ACTIVE];
        let mut chosen = 0;
        while chosen < ACTIVE.min(pivots) {
            let free = (0..pivots).filter(|pivot| !active[..chosen].contains(pivot));
            let difference = |&pivot: &usize| at_start[pivot].abs_diff(at_goal[pivot]);
            // Of equals the first.
            let best = free.rev().max_by_key(difference);
            active[chosen] = best.unwrap_or(0);
            chosen += 1;
        }
        // Fewer pivots than places: the first is looked at again.
        let first = active[0];
        active[chosen..].fill(first);
        Differential {
            octile: Octile::new(map.grid().point(goal), map.least_steps()),
            ranks,
            distances,
            pivots,
            goal: active.map(|pivot| at_goal.get(pivot).copied().unwrap_or(0)),
            active,
        }
    }
}

impl GridHeuristic for Differential<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        let octile = self.octile.estimate(cell, point);
        let first = self.ranks.rank(cell) * self.pivots;
        let here = &self.distances[first..first + self.pivots];
        let mut most = octile;
        for (&pivot, &goal) in self.active.iter().zip(&self.goal) {
            if let Some(here) = here.get(pivot) {
                most = most.max(here.abs_diff(goal));
            }
        }
        most
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
        let ranks = index.ranks.view();
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
            octile: Octile::new(map.grid().point(goal), map.least_steps()),
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

    fn growth(&self, max_move_cost: Cost) -> Cost {
        self.radius
            .saturating_mul(2)
            .saturating_add(2 * max_move_cost)
    }
}
