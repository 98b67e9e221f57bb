//! Paths as searches return them.

use crate::cost::Cost;
use crate::grid::Cell;

/// A path, cell by cell.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Path {
    /// Every cell, start and goal included.
    pub cells: Vec<Cell>,
    /// The cost of all moves.
    pub cost: Cost,
}
