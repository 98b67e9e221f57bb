//! Searches: A* and its relatives on preallocated, stamped memory.

mod scratch;

pub use scratch::Scratch;
