//! The ends of a query: the corners at which a path from a cell may turn first.

use super::graph::walk_cost;
use crate::cost::{Cost, CostPair};
use crate::grid::scan::{Scans, Walk, moved};
use crate::grid::{Direction, Point};
use crate::search::jps::JumpPoints;

/// A corner at one end of a query.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The corner.
    pub at: Point,
    /// Its number, once [`number`] has found it.
    pub corner: u32,
    /// The cost of the walk between the end and the corner.
    pub walk: Cost,
    /// The cost over this corner if the walk from there on is free.
    pub straight: Cost,
    /// A lower bound on every path over this corner that does not go on by a free walk.
    pub bound: Cost,
}

/// What the ends of queries are found on: scans that stop at jump points, the corners, the costs of moves.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The scans.
    pub scans: &'a Scans,
    /// The corners.
    pub corners: &'a JumpPoints,
    /// The costs.
    pub costs: CostPair,
}

/// Finds the numbers of corners.
#[inline]
pub fn number(corners: &JumpPoints, ends: &mut [End]) {
    for end in ends {
        end.corner = corners.id(end.at);
    }
}

/// Lists the corners that a point sees on its way to another; a corner sees itself, and that is enough.
#[inline]
pub fn see(ground: Ground, at: Point, other: Point, ends: &mut Vec<End>) {
    ends.clear();
    let Ground {
        scans,
        corners,
        costs,
    } = ground;
    if corners.marked(at).is_some() {
        let straight = walk_cost(costs, at, other);
        ends.push(End {
            at,
            corner: 0,
            walk: 0,
            straight,
            bound: straight,
        });
        return;
    }
    scans.for_each_stop(at, scans.moves(at, None), |stop| {
        let walk = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
        let straight = walk.saturating_add(walk_cost(costs, stop.at, other));
        ends.push(End {
            at: stop.at,
            corner: 0,
            walk,
            straight,
            bound: straight,
        });
    });
}

/// How far the four diagonals from a point are free: most walks from there are settled without another scan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    from: Point,
    free: [u32; 4],
}

impl Reach {
    /// Of a passable point.
    #[inline]
    pub fn of(scans: &Scans, from: Point) -> Reach {
        let free = [1, 3, 5, 7].map(|d| scans.run(from, Direction::from_number(d)));
        Reach { from, free }
    }

    /// Whether the walk to a point, diagonal steps first, is free.
    #[inline]
    pub fn walk_is_free(&self, scans: &Scans, to: Point) -> bool {
        let walk = Walk::between(self.from, to);
        if walk.diagonal_steps > self.free[walk.diagonal as usize / 2] {
            return false;
        }
        let turn = moved(self.from, walk.diagonal, walk.diagonal_steps);
        scans.run(turn, walk.straight) >= walk.straight_steps
    }
}

/// Moves the end with the least bound to the front; false where there is none.
pub fn put_best_first(ends: &mut [End]) -> bool {
    let least = (0..ends.len()).min_by_key(|&i| ends[i].bound);
    if let Some(least) = least {
        ends.swap(0, least);
    }
    least.is_some()
}
