//! Estimates of the cost that is left (Game AI Pro, chapters 17.3, 17.6 and 17.7).
//!
//! A [`Heuristic`] is what a search is told to use; for one goal it becomes a [`GridHeuristic`], which the search loop
//! calls. The octile distance and landmarks have types of their own that the loop is compiled for; everything else goes
//! through [`Estimate`], which decides by a branch.
//!
//! All of them are admissible. All but the canonical heuristic are consistent; see [`crate::index::landmarks`].

mod choice;
mod closed_form;
mod estimates;
pub(crate) mod landmarks;
pub(crate) mod tables;

pub use choice::{Estimate, Heuristic, Weight, Weighted};
pub use closed_form::{Chebyshev, Euclid, Octile, Zero};
pub use estimates::{Canonical, Differential};
pub use landmarks::Landmarks;
pub use tables::{TableRow, Tables};

use crate::cost::Cost;
use crate::grid::{Cell, Point};

/// An estimate towards one goal on a grid.
pub trait GridHeuristic {
    /// What may be left from a cell, which is at `point`.
    fn estimate(&self, cell: Cell, point: Point) -> Cost;

    /// Does it never fall by more than a move costs? Then keys never fall along a path, and a search need not raise them.
    const CONSISTENT: bool = false;

    /// The most by which the key of a successor exceeds its parent's.
    fn growth(&self, max_move_cost: Cost) -> Cost {
        2 * max_move_cost
    }

    /// Whether it may say more than is left. A search opens nodes again then, and the more often the less exactly keys are kept.
    fn overestimates(&self) -> bool {
        false
    }
}
