//! A heap with four children a node: half as deep as a binary one, and the four lie in one or two cache lines.
//!
//! For searches whose keys grow by too much, or by nobody knows how much, for a ring of buckets.

use super::{Entry, Nodes, OpenList, Ranked, Ties};
use crate::cost::Cost;
use crate::grid::Cell;

const CHILDREN: usize = 4;

/// A 4-ary heap.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    entries: Vec<Entry>,
    ties: Ties,
}

impl Heap {
    fn sift_down(&mut self, entry: Entry) {
        let (mut hole, length) = (0, self.entries.len());
        loop {
            let first = hole * CHILDREN + 1;
            if first >= length {
                break;
            }
            let last = (first + CHILDREN).min(length);
            let mut least = first;
            for child in first + 1..last {
                if self.entries[child].rank < self.entries[least].rank {
                    least = child;
                }
            }
            if self.entries[least].rank >= entry.rank {
                break;
            }
            self.entries[hole] = self.entries[least];
            hole = least;
        }
        self.entries[hole] = entry;
    }
}

impl Nodes for Heap {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.push_entry(Entry::new(key, g, cell, self.ties));
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        let last = self.entries.pop()?;
        let Some(&first) = self.entries.first() else {
            return Some(last.key_and_cell());
        };
        self.sift_down(last);
        Some(first.key_and_cell())
    }
}

impl OpenList for Heap {
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

impl Ranked for Heap {
    fn with_ties(ties: Ties) -> Heap {
        Heap {
            entries: Vec::new(),
            ties,
        }
    }

    fn ties(&self) -> Ties {
        self.ties
    }

    #[inline]
    fn least_rank(&self) -> Option<u64> {
        self.entries.first().map(|entry| entry.rank)
    }

    #[inline]
    fn push_entry(&mut self, entry: Entry) {
        let mut hole = self.entries.len();
        self.entries.push(entry);
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if self.entries[parent].rank <= entry.rank {
                break;
            }
            self.entries[hole] = self.entries[parent];
            hole = parent;
        }
        self.entries[hole] = entry;
    }
}
