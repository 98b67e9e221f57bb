//! Buckets where the keys allow it, a heap elsewhere: decided at the beginning of each search.

use super::{Buckets, Heap, Nodes, OpenList};
use crate::cost::Cost;
use crate::grid::Cell;

/// For spaces whose edge costs are known only when a search begins.
#[derive(Clone, Debug, Default)]
pub struct BucketsOrHeap {
    buckets: Buckets,
    heap: Heap,
    use_heap: bool,
}

impl Nodes for BucketsOrHeap {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        if self.use_heap {
            self.heap.push(key, g, cell);
        } else {
            self.buckets.push(key, g, cell);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        if self.use_heap {
            self.heap.pop()
        } else {
            self.buckets.pop()
        }
    }
}

impl OpenList for BucketsOrHeap {
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        self.use_heap = growth > Buckets::MAX_GROWTH;
        if self.use_heap {
            self.heap.clear(lowest, growth);
        } else {
            self.buckets.clear(lowest, growth);
        }
    }

    fn memory_bytes(&self) -> usize {
        self.buckets.memory_bytes() + self.heap.memory_bytes()
    }
}
