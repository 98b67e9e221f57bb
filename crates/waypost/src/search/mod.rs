//! Searches: A* and its relatives on preallocated, stamped memory.

pub mod hill_climb;
mod scratch;

pub use scratch::Scratch;
