//! A heuristic chosen at run time, and its weight.

use super::{
    Canonical, Chebyshev, Differential, Euclid, GridHeuristic, Landmarks, Octile, TableRow, Tables,
    Zero,
};
use crate::cost::{Cost, UNREACHED};
use crate::grid::{Cell, Point};
use crate::map::Map;
use std::sync::Arc;

/// What a search estimates with. Built heuristics belong to one state of one map. Walls that go up later leave them lower bounds; on
/// any other state searches use the octile distance instead, which is always right.
#[derive(Clone, Debug, Default)]
pub enum Heuristic {
    /// The octile distance, matched to the costs of moves.
    #[default]
    Octile,
    /// The straight line.
    Euclid,
    /// The larger of the two distances.
    Chebyshev,
    /// Nothing.
    Zero,
    /// Differences of distances to pivots, and the octile distance.
    Differential(Arc<Landmarks>),
    /// Distances between the nearest canonical states, and the octile distance.
    Canonical(Arc<Landmarks>),
    /// True distances from the table of a whole map.
    Table(Arc<Tables>),
}

impl Heuristic {
    /// The heuristic itself where it is a lower bound on the map as it is, else the octile distance.
    pub(crate) fn for_map(&self, map: &Map) -> &Heuristic {
        match self {
            Heuristic::Differential(index) | Heuristic::Canonical(index) if !index.bounds(map) => {
                &Heuristic::Octile
            }
            Heuristic::Table(table) if !(table.bounds(map) && table.is_whole()) => {
                &Heuristic::Octile
            }
            other => other,
        }
    }

    /// The estimate of a search from one cell to another.
    pub fn between<'a>(&'a self, map: &'a Map, from: Cell, goal: Cell) -> Estimate<'a> {
        let (point, costs) = (map.grid().point(goal), map.least_steps());
        match self {
            Heuristic::Octile => Estimate::Octile(Octile::new(point, costs)),
            Heuristic::Euclid => Estimate::Euclid(Euclid::new(point, costs)),
            Heuristic::Chebyshev => Estimate::Chebyshev(Chebyshev::new(point, costs)),
            Heuristic::Zero => Estimate::Zero(Zero),
            Heuristic::Differential(index) => {
                Estimate::Differential(index.differential(map, from, goal))
            }
            Heuristic::Canonical(index) => Estimate::Canonical(index.canonical(map, goal)),
            Heuristic::Table(table) => Estimate::Table(table.towards(goal)),
        }
    }
}

/// Any estimate towards one goal.
pub enum Estimate<'a> {
    /// See [`Heuristic::Octile`].
    Octile(Octile),
    /// See [`Heuristic::Euclid`].
    Euclid(Euclid),
    /// See [`Heuristic::Chebyshev`].
    Chebyshev(Chebyshev),
    /// See [`Heuristic::Zero`].
    Zero(Zero),
    /// See [`Heuristic::Differential`].
    Differential(Differential<'a>),
    /// See [`Heuristic::Canonical`].
    Canonical(Canonical<'a>),
    /// See [`Heuristic::Table`].
    Table(TableRow<'a>),
}

impl GridHeuristic for Estimate<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        match self {
            Estimate::Octile(h) => h.estimate(cell, point),
            Estimate::Euclid(h) => h.estimate(cell, point),
            Estimate::Chebyshev(h) => h.estimate(cell, point),
            Estimate::Zero(h) => h.estimate(cell, point),
            Estimate::Differential(h) => h.estimate(cell, point),
            Estimate::Canonical(h) => h.estimate(cell, point),
            Estimate::Table(h) => h.estimate(cell, point),
        }
    }

    fn growth(&self, max_move_cost: Cost) -> Cost {
        match self {
            Estimate::Octile(h) => h.growth(max_move_cost),
            Estimate::Euclid(h) => h.growth(max_move_cost),
            Estimate::Chebyshev(h) => h.growth(max_move_cost),
            Estimate::Zero(h) => h.growth(max_move_cost),
            Estimate::Differential(h) => h.growth(max_move_cost),
            Estimate::Canonical(h) => h.growth(max_move_cost),
            Estimate::Table(h) => h.growth(max_move_cost),
        }
    }
}

/// What an estimate is multiplied by: above 1 the search hurries towards the goal, and its path costs at most this many
/// times the optimum. Kept in 1024ths, so that searches stay exact and repeatable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(u32);

impl Weight {
    /// The estimate as it is.
    pub const ONE: Weight = Weight(1024);

    /// The weight nearest to a ratio from 0 to 1000; `None` outside.
    pub fn new(ratio: f64) -> Option<Weight> {
        (0.0..=1000.0)
            .contains(&ratio)
            .then(|| Weight((ratio * 1024.0).round() as u32))
    }

    /// The weight as a ratio.
    pub fn ratio(self) -> f64 {
        f64::from(self.0) / 1024.0
    }

    /// An estimate times the weight, rounded down.
    #[inline]
    pub fn times(self, cost: Cost) -> Cost {
        ((u64::from(cost) * u64::from(self.0)) >> 10).min(u64::from(UNREACHED)) as Cost
    }
}

impl Default for Weight {
    fn default() -> Weight {
        Weight::ONE
    }
}

/// An estimate times a weight.
pub struct Weighted<H> {
    pub(crate) estimate: H,
    pub(crate) weight: Weight,
}

impl<H: GridHeuristic> GridHeuristic for Weighted<H> {
    #[inline]
    fn estimate(&self, cell: Cell, point: Point) -> Cost {
        self.weight.times(self.estimate.estimate(cell, point))
    }

    fn growth(&self, max_move_cost: Cost) -> Cost {
        // A key grows by the edge and by the weighted growth of the estimate, which rounding may raise by one.
        let estimate = self.estimate.growth(max_move_cost) - max_move_cost;
        self.weight
            .times(estimate)
            .saturating_add(max_move_cost + 1)
    }

    fn overestimates(&self) -> bool {
        self.weight != Weight::ONE
    }
}
