//! A ring of buckets, one for every exact key: no sorting at all.
//!
//! The keys in the list at one time lie within a window that is known beforehand (twice the dearest edge for a consistent
//! heuristic), so a ring of that many slots holds each key in a bucket of its own. A bucket is a stack: the node pushed
//! last is taken first, which favours large g among equal keys without a comparison. Two levels of bits find the next
//! bucket that is not empty; stack items live in one pool and are reused, so the part of it in use stays in cache.
//!
//! Push is constant time; pop looks at one word of bits per 64 empty slots, and at most at all of them once.

use super::OpenList;
use crate::cost::Cost;
use crate::grid::Cell;

const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Item {
    cell: Cell,
    below: u32,
}

/// The ring. See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    /// The top item of each slot's stack.
    tops: Vec<u32>,
    /// A bit for every slot that holds something.
    filled: Vec<u64>,
    items: Vec<Item>,
    /// Items taken out, linked through `below`.
    free: u32,
    /// Slots less one: a power of two less one.
    mask: u32,
    /// The last popped key.
    key: Cost,
    len: usize,
}

impl Buckets {
    /// Finds the first filled slot from `slot` on, round the ring. Something must be in the list.
    #[inline(always)]
    fn next_filled(&self, slot: u32) -> u32 {
        let mut word = (slot >> 6) as usize;
        let here = self.filled[word] >> (slot & 63);
        if here != 0 {
            return slot + here.trailing_zeros();
        }
        let words = self.filled.len();
        loop {
            word = if word + 1 == words { 0 } else { word + 1 };
            let bits = self.filled[word];
            if bits != 0 {
                return (word as u32) << 6 | bits.trailing_zeros();
            }
        }
    }
}

impl OpenList for Buckets {
    const FAVOURED: bool = true;

    /// A ring of a million slots; beyond that, use a heap.
    const MOST_GROWTH: Cost = (1 << 20) - 1;

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        let slots = (growth.min(<Self as OpenList>::MOST_GROWTH) as usize + 1)
            .next_power_of_two()
            .max(64);
        if self.tops.len() < slots {
            self.tops.resize(slots, NOTHING);
            self.filled.resize(slots / 64, 0);
        }
        for (i, word) in self.filled.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                self.tops[i * 64 + bits.trailing_zeros() as usize] = NOTHING;
                bits &= bits - 1;
            }
        }
        self.items.clear();
        self.free = NOTHING;
        self.mask = self.tops.len() as u32 - 1;
        self.key = lowest;
        self.len = 0;
    }

    // Called from the one hot loop alone: a call costs as much as the work.
    #[inline(always)]
    fn push(&mut self, key: Cost, _g: Cost, cell: Cell) {
        debug_assert!(key >= self.key && key - self.key <= self.mask);
        let slot = (key & self.mask) as usize;
        let item = Item {
            cell,
            below: self.tops[slot],
        };
        let at = if self.free == NOTHING {
            self.items.push(item);
            self.items.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.items[at as usize].below;
            self.items[at as usize] = item;
            at
        };
        self.tops[slot] = at;
        self.filled[slot >> 6] |= 1 << (slot & 63);
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        if self.len == 0 {
            return None;
        }
        let slot = self.next_filled(self.key & self.mask);
        self.key += slot.wrapping_sub(self.key) & self.mask;
        let at = self.tops[slot as usize];
        let Item { cell, below } = self.items[at as usize];
        self.tops[slot as usize] = below;
        if below == NOTHING {
            self.filled[slot as usize >> 6] &= !(1 << (slot & 63));
        }
        self.items[at as usize].below = self.free;
        self.free = at;
        self.len -= 1;
        Some((self.key, cell))
    }

    fn memory_bytes(&self) -> usize {
        self.tops.len() * 4 + self.filled.len() * 8 + self.items.len() * size_of::<Item>()
    }
}
