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
    /// The distances of all cells to each of them, by rank; nothing in the places of pivots that there are not.
    rows: [&'a [Cost]; ACTIVE],
    /// The goal's distances to them.
    goal: [Cost; ACTIVE],
}

impl<'a> Differential<'a> {
    pub(super) fn new(index: &'a Landmarks, map: &'a Map, from: Cell, goal: Cell) -> Self {
        let ranks = index.ranks.view();
        let (at_start, at_goal) = (ranks.rank(from), ranks.rank(goal));
        let says = |row: &[Cost]| row[at_start].abs_diff(row[at_goal]);
        let mut rows: [&[Cost]; ACTIVE] = [&[]; ACTIVE];
        let mut told = [0; ACTIVE];
        let mut chosen = 0;
        for row in index.rows() {
            // Of equals the first comes first.
            let place = told[..chosen].partition_point(|&better| better >= says(row));
            if place < ACTIVE {
                chosen = (chosen + 1).min(ACTIVE);
                rows[place..chosen].rotate_right(1);
                told[place..chosen].rotate_right(1);
                (rows[place], told[place]) = (row, says(row));
            }
        }
        Differential {
            octile: Octile::new(map.grid().point(goal), map.least_steps()),
            ranks,
            goal: rows.map(|row| row.get(at_goal).copied().unwrap_or(0)),
            rows,
        }
    }
}

impl GridHeuristic for Differential<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        let rank = self.ranks.rank(cell);
        let mut most = self.octile.estimate(cell, point);
        for (row, &goal) in self.rows.iter().zip(&self.goal) {
            if let Some(here) = row.get(rank) {
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
