//! Landmarks: distances built off-line that make estimates better than any formula (Game AI Pro, chapter 17.3.3; JAIR
//! 2010, section 4).
//!
//! - **Differential heuristics** ("Euclidean embedding"): for every cell the distances to a few pivots `p`, and then
//!   `|d(a, p) - d(b, p)|` never exceeds the distance between `a` and `b`. The greatest of these and the octile distance is
//!   admissible and consistent. Four bytes a cell and pivot.
//! - **Canonical heuristics**: for every cell its nearest canonical state `C` and the distance to it, and the distances
//!   between all canonical states; then `d(C(a), C(b)) - d(a, C(a)) - d(b, C(b))` is admissible. It is *not* consistent:
//!   where the nearest state changes between neighbours the estimate jumps by up to twice the distance to it. Searches
//!   raise keys to the parent's and reopen nodes, so they stay exact. Eight bytes a cell and four a pair of states.
//!
//! Cells are numbered by their rank among the passable ones: a count per word of the grid's bits and a count of bits.
//!
//! A build takes one run of Dijkstra's algorithm per pivot and per canonical state.

mod artifact;
mod build;
mod estimates;
mod place;
#[cfg(test)]
mod tests;

pub use artifact::LANDMARKS;
pub use build::Parameters;
pub use estimates::{Canonical, Differential};
pub use place::Placing;

use crate::artifact::{Array, Header};
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::ranks::Ranks;
use crate::map::Map;

/// The most pivots.
pub const MOST_PIVOTS: usize = 64;
/// The most canonical states.
pub const MOST_STATES: usize = 2048;
/// No canonical state can be reached from a cell.
const NO_STATE: u32 = u32::MAX;

/// A cell's nearest canonical state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Nearest {
    state: u32,
    distance: Cost,
}

/// Distances to pivots and between canonical states of one map.
#[derive(Clone, Debug)]
pub struct Landmarks {
    header: Header,
    state: u64,
    ranks: Ranks,
    pivots: Array<Cell>,
    /// For every passable cell the distances to all pivots.
    distances: Array<Cost>,
    states: Array<Cell>,
    nearest: Array<Nearest>,
    /// Distances between canonical states, row by row.
    between: Array<Cost>,
    /// The greatest distance of any cell to its nearest canonical state.
    radius: Cost,
}

impl Landmarks {
    /// The pivots, in the order of their distances.
    pub fn pivots(&self) -> &[Cell] {
        &self.pivots
    }

    /// The canonical states.
    pub fn states(&self) -> &[Cell] {
        &self.states
    }

    /// Was it built or opened for a map of this size and rules, and for this state of it?
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
