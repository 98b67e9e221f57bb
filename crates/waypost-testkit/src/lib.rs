//! Independent oracle, path checker, test maps and counting allocator for the tests of the other crates.
//!
//! **Invariant:** this crate depends on no other crate of the workspace. It has its own map, its own move rules, its own
//! random numbers and the plainest search there is, so an error in the engine cannot hide behind the same error here.
//! Nothing in it is fast, on purpose: every rule is written out in the words of its definition.

pub mod allocations;
mod checker;
mod damage;
pub mod golden;
mod map;
mod mover;
mod oracle;
mod random;
pub mod shapes;

pub use checker::{PathError, WalkedPath, check_path};
pub use damage::{damage, damage_words};
pub use map::TestMap;
pub use mover::Mover;
pub use oracle::{Corner, Moves, Rules, component_numbers, distances, optimal_cost, optimal_moves};
pub use random::TestRng;
