//! Open lists: where a search keeps the nodes that it has reached and not yet expanded (Game AI Pro, chapter 17.8).
//!
//! All of them keep duplicates instead of lowering keys in place: a node reached by a better path is pushed again, and
//! the search drops what it pops a second time. Keys never fall below the last popped key: the search raises those of
//! inconsistent heuristics (pathmax), so that one rule serves every list.

mod buckets;
mod either;
mod heap;

pub use buckets::Buckets;
pub use either::BucketsOrHeap;
pub use heap::Heap;

use crate::cost::Cost;
use crate::grid::Cell;

/// A priority queue of nodes.
pub trait OpenList: Default + Send {
    /// Does the list need keys that never fall below the last popped one? Then the search raises them.
    const RAISES_KEYS: bool = true;

    /// Forgets all nodes. No key will be below `lowest`, and none will exceed the last popped one by more than `growth`.
    /// Allocates only where a larger growth than ever before is asked for.
    fn clear(&mut self, lowest: Cost, growth: Cost);

    /// Adds a node with its key and the cost of its path.
    fn push(&mut self, key: Cost, g: Cost, cell: Cell);

    /// Takes out a node with the least key.
    fn pop(&mut self) -> Option<(Cost, Cell)>;

    /// Bytes held.
    fn memory_bytes(&self) -> usize;
}
