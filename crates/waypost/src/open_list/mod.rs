//! Open lists: where a search keeps the nodes that it has reached and not yet expanded (Game AI Pro, chapter 17.8).
//!
//! All of them keep duplicates instead of lowering keys in place: a node reached by a better path is pushed again, and
//! the search drops what it pops a second time. Keys never fall below the last popped key: the search raises those of
//! inconsistent heuristics (pathmax), so that one rule serves every list.

mod array;
mod buckets;
mod either;
mod heap;
mod last_inserted;

pub use array::UnorderedArray;
pub use buckets::Buckets;
pub use either::BucketsOrHeap;
pub use heap::Heap;
pub use last_inserted::LastInserted;

#[cfg(test)]
mod tests;

use crate::cost::Cost;
use crate::grid::Cell;

/// Takes nodes in and gives them out, the least key first.
pub trait Nodes {
    /// Adds a node with its key and the cost of its path.
    fn push(&mut self, key: Cost, g: Cost, cell: Cell);

    /// Takes out a node with the least key.
    fn pop(&mut self) -> Option<(Cost, Cell)>;

    /// The same after [`OpenList::clear_rounded`].
    #[inline]
    fn push_rounded(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.push(key, g, cell);
    }

    /// The same after [`OpenList::clear_rounded`]: a node whose key is the least but for rounding, and that key rounded down.
    #[inline]
    fn pop_rounded(&mut self) -> Option<(Cost, Cell)> {
        self.pop()
    }

    /// Whether keys are rounded.
    #[inline]
    fn rounds(&self) -> bool {
        false
    }
}

/// A priority queue of nodes.
pub trait OpenList: Nodes + Default + Send {
    /// The list as a search loop uses it. A list may hand out its arrays one by one here: what a loop holds itself, the
    /// compiler keeps in registers, and what it reaches through a list it must read again after every write.
    type Running<'a>: Nodes
    where
        Self: 'a;

    /// Lends the list to a loop.
    fn run(&mut self) -> Self::Running<'_>;

    /// The largest growth of keys that the list can be cleared for.
    const MAX_GROWTH: Cost = Cost::MAX;

    /// Are searches with this list compiled for the common heuristics apart? Costs compile time, so only the default is.
    const FAVOURED: bool = false;

    /// Does the list need keys that never fall below the last popped one? Then the search raises them.
    const RAISES_KEYS: bool = true;

    /// Forgets all nodes. No key will be below `lowest`, and none will exceed the last popped one by more than `growth`.
    /// Allocates only where a larger growth than ever before is asked for.
    fn clear(&mut self, lowest: Cost, growth: Cost);

    /// The same for a search that copes with keys rounded down to multiples of up to `2^most_bits`, where the list is the faster
    /// for it.
    fn clear_rounded(&mut self, lowest: Cost, growth: Cost, _most_bits: u32) {
        self.clear(lowest, growth);
    }

    /// Bytes held.
    fn memory_bytes(&self) -> usize;
}

impl<N: Nodes> Nodes for &mut N {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        (**self).push(key, g, cell);
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        (**self).pop()
    }
}

/// What comes first among nodes with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Ties {
    /// The node with the longer path behind it, which is probably nearer to the goal.
    #[default]
    LargerG,
    /// Whatever the list happens to hold first.
    Unbroken,
}

/// A node in a list that compares.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The key, then what breaks ties: least first.
    rank: u64,
    cell: Cell,
}

impl Entry {
    /// A node with its key and the cost of its path.
    #[inline]
    fn new(key: Cost, g: Cost, cell: Cell, ties: Ties) -> Entry {
        let tie = match ties {
            Ties::LargerG => !g,
            Ties::Unbroken => 0,
        };
        Entry {
            rank: u64::from(key) << 32 | u64::from(tie),
            cell,
        }
    }

    #[inline]
    fn key_and_cell(self) -> (Cost, Cell) {
        ((self.rank >> 32) as Cost, self.cell)
    }
}

/// An open list that compares ranks, so that one node can be kept in front of it.
pub trait Ranked {
    /// An empty list that breaks ties so.
    fn with_ties(ties: Ties) -> Self;

    /// How it breaks ties.
    fn ties(&self) -> Ties;

    /// The rank of the node that a pop would return.
    fn least_rank(&self) -> Option<u64>;

    /// Adds a node.
    fn push_entry(&mut self, entry: Entry);
}
