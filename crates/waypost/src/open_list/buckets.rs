//! A ring of buckets, one for every exact key: no sorting at all.
//!
//! The keys in the list at one time lie within a window that is known beforehand (twice the most expensive edge for a consistent
//! heuristic), so a ring of that many slots holds each key in a bucket of its own. A bucket is a stack: the node pushed
//! last is taken first, which favours large g among equal keys without a comparison. Two levels of bits find the next
//! bucket that is not empty; stack items live in one pool and are reused, so the part of it in use stays in cache.
//!
//! The stack of the last popped key is taken out of its bucket whole, and nodes that come with that very key go on top of it.
//! Two of three pops then never look at the ring, whose words the push before may just have written: a processor that waits
//! for such writes works on one node at a time, and otherwise on several (A* on `orz900d`: 1.12 times as fast).
//!
//! Costs on terrain are large numbers, and a ring with a slot for each would not stay in the cache: there keys are rounded to as
//! many bits as the ring has slots for, and the search finishes the bucket that it found the goal in.
//!
//! Push is constant time; pop looks at one word of bits per 64 empty slots, and at most at all of them once.

use super::{Nodes, OpenList};
use crate::cost::Cost;
use crate::grid::Cell;

const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Item {
    cell: Cell,
    below: u32,
}

/// The ring. See the module's documentation.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// The top item of each slot's stack.
    tops: Vec<u32>,
    /// A bit for every slot that holds something.
    filled: Vec<u64>,
    items: Vec<Item>,
    state: State,
}

/// What changes with every push and pop.
#[derive(Clone, Copy, Debug)]
struct State {
    /// Items that hold nothing, linked through `below`.
    free: u32,
    /// Slots less one: a power of two less one.
    mask: u32,
    /// The last popped key.
    key: Cost,
    /// The stack of that very key, which is outside its bucket.
    current: u32,
    /// Bits of keys that are rounded away; `key` is without them.
    bits: u32,
}

/// Slots of a ring for rounded keys, 2 kB: so few that many nodes share a bucket, and a pop seldom looks for the next one.
const ROUNDED_SLOTS: Cost = 512;

impl Default for Buckets {
    fn default() -> Buckets {
        Buckets {
            tops: Vec::new(),
            filled: Vec::new(),
            items: Vec::new(),
            state: State {
                free: NOTHING,
                mask: 0,
                key: 0,
                current: NOTHING,
                bits: 0,
            },
        }
    }
}

impl OpenList for Buckets {
    type Running<'a> = RunningBuckets<'a>;

    const FAVOURED: bool = true;

    /// A ring of a million slots; beyond that, use a heap.
    const MAX_GROWTH: Cost = (1 << 20) - 1;

    fn run(&mut self) -> RunningBuckets<'_> {
        RunningBuckets {
            tops: &mut self.tops,
            filled: &mut self.filled,
            items: &mut self.items,
            state: self.state,
            kept: &mut self.state,
        }
    }

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        let slots = (growth.min(<Self as OpenList>::MAX_GROWTH) as usize + 1)
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
        self.state = State {
            free: NOTHING,
            mask: self.tops.len() as u32 - 1,
            key: lowest,
            current: NOTHING,
            bits: 0,
        };
    }

    fn clear_rounded(&mut self, lowest: Cost, growth: Cost, most_bits: u32) {
        let bits = (0..most_bits).find(|bits| (growth >> bits) + 2 <= ROUNDED_SLOTS);
        let bits = bits.unwrap_or(most_bits);
        self.clear(lowest >> bits, (growth >> bits) + u32::from(bits > 0));
        self.state.bits = bits;
    }

    fn memory_bytes(&self) -> usize {
        self.tops.len() * 4 + self.filled.len() * 8 + self.items.len() * size_of::<Item>()
    }
}

impl Nodes for Buckets {
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.run().push(key, g, cell);
    }

    fn pop(&mut self) -> Option<(Cost, Cell)> {
        self.run().pop()
    }

    fn push_rounded(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.run().push_rounded(key, g, cell);
    }

    fn pop_rounded(&mut self) -> Option<(Cost, Cell)> {
        self.run().pop_rounded()
    }

    fn rounds(&self) -> bool {
        self.state.bits > 0
    }
}

/// The ring in the hands of a search loop.
pub struct RunningBuckets<'a> {
    tops: &'a mut [u32],
    filled: &'a mut [u64],
    items: &'a mut Vec<Item>,
    state: State,
    /// Where the state goes back to.
    kept: &'a mut State,
}

impl Drop for RunningBuckets<'_> {
    fn drop(&mut self) {
        *self.kept = self.state;
    }
}

impl RunningBuckets<'_> {
    /// Finds the first filled slot from `slot` on, round the ring.
    #[inline(always)]
    fn next_filled(&self, slot: u32) -> Option<u32> {
        let mut word = (slot >> 6) as usize;
        let here = self.filled[word] >> (slot & 63);
        if here != 0 {
            return Some(slot + here.trailing_zeros());
        }
        // Once round, back to the slots of the first word that were left out above.
        let words = self.filled.len();
        for _ in 0..words {
            word = if word + 1 == words { 0 } else { word + 1 };
            let bits = self.filled[word];
            if bits != 0 {
                return Some((word as u32) << 6 | bits.trailing_zeros());
            }
        }
        None
    }
}

// Called from the one hot loop alone: a call costs as much as the work.
impl Nodes for RunningBuckets<'_> {
    #[inline(always)]
    fn push(&mut self, key: Cost, _g: Cost, cell: Cell) {
        debug_assert!(key >= self.state.key && key - self.state.key <= self.state.mask);
        let slot = (key & self.state.mask) as usize;
        let is_current = key == self.state.key;
        let below = if is_current {
            self.state.current
        } else {
            self.tops[slot]
        };
        let item = Item { cell, below };
        let number = self.state.free;
        let number = if let Some(free) = self.items.get_mut(number as usize) {
            self.state.free = free.below;
            *free = item;
            number
        } else {
            self.items.push(item);
            self.items.len() as u32 - 1
        };
        if is_current {
            self.state.current = number;
        } else {
            self.tops[slot] = number;
            self.filled[slot >> 6] |= 1 << (slot & 63);
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        if self.state.current == NOTHING {
            let State { key, mask, .. } = self.state;
            let slot = self.next_filled(key & mask)?;
            self.state.key += slot.wrapping_sub(key) & mask;
            self.state.current = std::mem::replace(&mut self.tops[slot as usize], NOTHING);
            self.filled[slot as usize >> 6] &= !(1 << (slot & 63));
        }
        let number = self.state.current;
        let item = &mut self.items[number as usize];
        let Item { cell, below } = *item;
        item.below = self.state.free;
        self.state.free = number;
        self.state.current = below;
        Some((self.state.key, cell))
    }

    #[inline(always)]
    fn push_rounded(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.push(key >> self.state.bits, g, cell);
    }

    #[inline(always)]
    fn pop_rounded(&mut self) -> Option<(Cost, Cell)> {
        let (key, cell) = self.pop()?;
        Some((key << self.state.bits, cell))
    }

    #[inline(always)]
    fn rounds(&self) -> bool {
        self.state.bits > 0
    }
}
