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
mod place;
#[cfg(test)]
mod tests;

pub use crate::heuristic::{Canonical, Differential, Landmarks};
pub(crate) use artifact::LANDMARKS;
pub use build::Parameters;
pub use place::Placing;

use crate::heuristic::landmarks::{NO_STATE, Nearest};

/// The most pivots.
pub(crate) const MAX_PIVOTS: usize = 64;
/// The most canonical states.
pub(crate) const MAX_STATES: usize = 2048;
