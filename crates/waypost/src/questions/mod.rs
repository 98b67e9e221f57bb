//! Questions that games ask beside "which way": functions over a [`crate::Map`], whatever its rules, terrain and unit size.
//!
//! - [`nearest_goal`]: which of several goals is nearest by cost, and how far it is;
//! - [`range`]: all cells within a cost, with the cost of each;
//! - [`Field`]: costs to the nearest of some goals from everywhere (a Dijkstra map), and where to flee from them;
//! - [`sees`]: is the straight line between two places free;
//! - [`smooth`]: the straightened path; [`few_turns`]: an equally cheap path with fewer turns.
//!
//! The distance without a path is [`crate::search::PathSearch::distance`].

mod few_turns;
mod field;
mod goals;
mod range;
mod sight;
mod smooth;

pub use few_turns::few_turns;
pub use field::Field;
pub use goals::nearest_goal;
pub use range::{Reached, range};
pub use sight::sees;
pub use smooth::{Smoothed, smooth, turns};
