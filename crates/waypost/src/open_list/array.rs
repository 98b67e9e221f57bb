//! An array in no order: a push writes one entry, a pop looks at all of them.
//!
//! The chapter recommends it where the open list stays below some thirty nodes. On whole maps it does not.

use super::{Entry, Nodes, OpenList, Ranked, Ties};
use crate::cost::Cost;
use crate::grid::Cell;

/// The array. A popped entry is replaced by the last one.
#[derive(Clone, Debug, Default)]
pub struct UnorderedArray {
    entries: Vec<Entry>,
    ties: Ties,
}

impl UnorderedArray {
    /// The place of the first entry of least rank.
    #[inline]
    fn least(&self) -> Option<usize> {
        (0..self.entries.len()).min_by_key(|&i| self.entries[i].rank)
    }
}

impl Nodes for UnorderedArray {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.entries.push(Entry::new(key, g, cell, self.ties));
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        let least = self.least()?;
        Some(self.entries.swap_remove(least).key_and_cell())
    }
}

impl OpenList for UnorderedArray {
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    fn clear(&mut self, _lowest: Cost, _growth: Cost) {
        self.entries.clear();
    }

    fn memory_bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
    }
}

impl Ranked for UnorderedArray {
    fn with_ties(ties: Ties) -> UnorderedArray {
        UnorderedArray {
            entries: Vec::new(),
            ties,
        }
    }

    fn ties(&self) -> Ties {
        self.ties
    }

    #[inline]
    fn least_rank(&self) -> Option<u64> {
        self.least().map(|i| self.entries[i].rank)
    }

    #[inline]
    fn push_entry(&mut self, entry: Entry) {
        self.entries.push(entry);
    }
}
