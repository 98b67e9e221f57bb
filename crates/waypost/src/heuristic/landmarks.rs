//! Distances to landmarks, as searches estimate with them; [`crate::index::landmarks`] builds them.

use super::estimates::{Canonical, Differential};
use crate::artifact::{Array, Header};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::grid::ranks::Ranks;
use crate::map::Map;

/// No canonical state can be reached from a cell.
pub(crate) const NO_STATE: u32 = u32::MAX;

/// A cell's nearest canonical state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Nearest {
    pub(crate) state: u32,
    pub(crate) distance: Cost,
}

/// Distances to pivots and between canonical states of one map.
#[derive(Clone, Debug)]
pub struct Landmarks {
    pub(crate) header: Header,
    pub(crate) state: u64,
    pub(crate) ranks: Ranks,
    pub(crate) pivots: Array<Cell>,
    /// The distances of all passable cells to the first pivot, then to the next: cells that a search looks at one after the other
    /// stand beside each other.
    pub(crate) distances: Array<Cost>,
    pub(crate) states: Array<Cell>,
    pub(crate) nearest: Array<Nearest>,
    /// Distances between canonical states, row by row.
    pub(crate) between: Array<Cost>,
    /// The greatest distance of any cell to its nearest canonical state.
    pub(crate) radius: Cost,
}

impl Landmarks {
    /// The pivots, in the order of their distances.
    pub fn pivots(&self) -> &[Cell] {
        &self.pivots
    }

    /// The distances to each pivot, by the rank of the cell.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[Cost]> {
        self.distances.chunks_exact(self.ranks.passable().max(1))
    }

    /// The canonical states.
    pub fn states(&self) -> &[Cell] {
        &self.states
    }

    /// Whether it was built or opened for a map of this size and rules, and for this state of it.
    pub fn fits(&self, map: &Map) -> bool {
        let grid = map.grid();
        self.state == map.fingerprint()
            && (self.header.width, self.header.height) == (grid.width(), grid.height())
            && self.header.rules == map.rules()
    }

    /// Whether its distances give lower bounds on the map as it is: where it fits, and where walls alone have gone up since.
    pub fn bounds(&self, map: &Map) -> bool {
        self.header.rules == map.rules() && map.has_but_walls_since(self.state)
    }

    /// The differential heuristic towards a goal, with the pivots that say most about the way from `from`.
    pub fn differential<'a>(&'a self, map: &'a Map, from: Cell, goal: Cell) -> Differential<'a> {
        Differential::new(self, map, from, goal)
    }

    /// The canonical heuristic towards a goal.
    pub fn canonical<'a>(&'a self, map: &'a Map, goal: Cell) -> Canonical<'a> {
        Canonical::new(self, map, goal)
    }
}
