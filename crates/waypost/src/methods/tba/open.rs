//! The open list of a time-sliced search: buckets whose every operation takes a constant time, whatever they hold.
//!
//! A heap's steps grow with the logarithm of the list, so a number of expansions would not bound a slice's work. Here
//! a bit per bucket, and a bit per 64 of those, twice over, find the least bucket that holds something in three looks; a
//! bucket is a stack of items in one pool that grows by segments and is never copied.
//!
//! Two ways from keys to buckets:
//! - **exact**: a ring with one bucket for every key, where keys never fall below the last popped one and lie within a
//!   window that the ring is made for (A* with a consistent heuristic);
//! - **rounded**: keys of any size in any order, rounded to 13 significant bits like a floating-point number (weighted A*,
//!   whose keys fall on the way to the goal, and graphs with very dear edges). A search in this order is complete; its
//!   bound on the cost of the path grows by one part in 8,192.

use super::segments::Segments;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::open_list::{Nodes, OpenList};
use bytemuck::Zeroable;

/// The most buckets: what three levels of 64 can tell apart.
const MAX_BUCKETS: usize = 1 << 18;
const SIGNIFICANT_BITS: u32 = 13;
const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Zeroable)]
struct Item {
    cell: u32,
    below: u32,
}

/// Buckets that are exact or rounded.
#[derive(Clone, Debug, Default)]
pub struct SliceBuckets {
    /// The top item of each bucket's stack.
    tops: Vec<u32>,
    /// Bits of buckets that hold something, of words of those, and of words of those.
    filled: [Vec<u64>; 3],
    items: Segments<Item>,
    items_used: u32,
    free: u32,
    /// Buckets less one in a ring; `None` where keys are rounded.
    ring: Option<u32>,
    /// Round even where a ring would do: keys may fall.
    keys_fall: bool,
    /// The last popped key, or the least that it can have been.
    key: Cost,
}

impl SliceBuckets {
    /// Says whether keys may fall below the last popped one, and makes room for this many items.
    pub fn prepare(&mut self, keys_fall: bool, items: usize, most_items: usize) {
        self.keys_fall = keys_fall;
        self.items.expect(most_items);
        self.items.reserve(items);
    }

    #[inline]
    fn bucket_of(&self, key: Cost) -> usize {
        match self.ring {
            Some(mask) => (key & mask) as usize,
            None => rounded(key),
        }
    }

    fn mark(&mut self, bucket: usize) {
        self.filled[0][bucket >> 6] |= 1 << (bucket & 63);
        self.filled[1][bucket >> 12] |= 1 << (bucket >> 6 & 63);
        self.filled[2][0] |= 1 << (bucket >> 12);
    }

    fn unmark(&mut self, bucket: usize) {
        self.filled[0][bucket >> 6] &= !(1 << (bucket & 63));
        if self.filled[0][bucket >> 6] == 0 {
            self.filled[1][bucket >> 12] &= !(1 << (bucket >> 6 & 63));
            if self.filled[1][bucket >> 12] == 0 {
                self.filled[2][0] &= !(1 << (bucket >> 12));
            }
        }
    }

    /// The first filled bucket from `bucket` on.
    #[inline]
    fn filled_from(&self, bucket: usize) -> Option<usize> {
        let mut at = bucket;
        for level in 0..3 {
            let word = at >> 6;
            let bits = self.filled[level].get(word)? & (u64::MAX << (at & 63));
            if bits != 0 {
                at = word << 6 | bits.trailing_zeros() as usize;
                for lower in (0..level).rev() {
                    at = at << 6 | self.filled[lower][at].trailing_zeros() as usize;
                }
                return Some(at);
            }
            at = word + 1;
        }
        None
    }

    fn resize(&mut self, buckets: usize) {
        if self.tops.len() < buckets {
            self.tops = vec![NOTHING; buckets];
            self.filled = [64, 4096, MAX_BUCKETS].map(|covered| vec![0; buckets.div_ceil(covered)]);
        }
    }

    fn empty_all(&mut self) {
        let mut from = 0;
        while let Some(bucket) = self.filled_from(from) {
            self.tops[bucket] = NOTHING;
            self.unmark(bucket);
            from = bucket;
        }
    }
}

/// A key as a bucket number: order is kept, and keys that differ by more than one part in 8,192 are told apart.
#[inline]
fn rounded(key: Cost) -> usize {
    let excess = (32 - key.leading_zeros()).saturating_sub(SIGNIFICANT_BITS + 1);
    // Above 2^14 the leading bit is always set: each doubling takes 2^13 buckets more.
    (excess as usize * (1 << SIGNIFICANT_BITS)) + (key >> excess) as usize
}

/// The least key of a bucket.
#[inline]
fn least_key(bucket: usize) -> Cost {
    let excess = (bucket >> SIGNIFICANT_BITS).saturating_sub(1);
    ((bucket - (excess << SIGNIFICANT_BITS)) as Cost) << excess
}

impl Nodes for SliceBuckets {
    #[inline]
    fn push(&mut self, key: Cost, _g: Cost, cell: Cell) {
        let bucket = self.bucket_of(key);
        let item = Item {
            cell: cell.0,
            below: self.tops[bucket],
        };
        let at = if self.free == NOTHING {
            let at = self.items_used;
            self.items_used += 1;
            self.items.put(at as usize, item);
            at
        } else {
            let at = self.free;
            let entry = self.items.entry(at as usize);
            self.free = entry.below;
            *entry = item;
            at
        };
        if item.below == NOTHING {
            self.mark(bucket);
        }
        self.tops[bucket] = at;
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        let from = self.ring.map_or(0, |mask| self.key & mask) as usize;
        let bucket = self.filled_from(from).or_else(|| self.filled_from(0))?;
        match self.ring {
            Some(mask) => self.key += (bucket as u32).wrapping_sub(self.key) & mask,
            None => self.key = least_key(bucket),
        }
        let at = self.tops[bucket];
        let entry = self.items.entry(at as usize);
        let item = *entry;
        entry.below = self.free;
        self.free = at;
        self.tops[bucket] = item.below;
        if item.below == NOTHING {
            self.unmark(bucket);
        }
        Some((self.key, Cell(item.cell)))
    }
}

impl OpenList for SliceBuckets {
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const RAISES_KEYS: bool = false;

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        self.empty_all();
        let ring = (growth as usize + 1).next_power_of_two().max(64);
        if self.keys_fall || ring > MAX_BUCKETS {
            self.ring = None;
            self.resize(rounded(Cost::MAX) + 1);
        } else {
            self.resize(ring);
            self.ring = Some(ring as u32 - 1);
        }
        self.items_used = 0;
        self.free = NOTHING;
        self.key = lowest;
    }

    fn memory_bytes(&self) -> usize {
        self.tops.len() * 4
            + self
                .filled
                .iter()
                .map(|level| level.len() * 8)
                .sum::<usize>()
            + self.items.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn rounding_keeps_the_order() {
        let mut last = 0;
        for key in (0..200_000).chain((200_000..u32::MAX - 5000).step_by(4999)) {
            let bucket = rounded(key);
            assert!(bucket >= last && bucket <= last + 1 + 4999, "{key}");
            assert!(key >= 1 << 14 || bucket == key as usize, "{key}");
            let least = least_key(bucket);
            assert!(least <= key && key - least <= key >> 13 && rounded(least) == bucket);
            last = bucket;
        }
        assert!(rounded(Cost::MAX) < MAX_BUCKETS);
    }

    #[test]
    fn rings_pop_in_order() {
        let mut rng = Rng::new(3);
        let mut list = SliceBuckets::default();
        for growth in [10, 2786, 100_000] {
            list.prepare(false, 0, 100);
            list.clear(5, growth);
            list.push(5, 0, Cell(5));
            let mut kept = vec![5];
            for round in 0..3000 {
                kept.sort_unstable();
                let (key, cell) = list.pop().expect("not empty");
                assert_eq!((key, cell.0), (kept[0], kept[0]), "growth {growth}");
                kept.remove(0);
                // Now and then the list runs empty.
                let more = if kept.is_empty() { 3 } else { rng.below(3) };
                for _ in 0..more * u32::from(round % 100 < 60) + u32::from(kept.is_empty()) {
                    let next = key + rng.between(0, growth);
                    kept.push(next);
                    list.push(next, 0, Cell(next));
                }
            }
        }
    }

    #[test]
    fn falling_keys_pop_least_first() {
        let mut rng = Rng::new(4);
        let mut list = SliceBuckets::default();
        list.prepare(true, 0, 100);
        list.clear(0, 0);
        let mut kept = Vec::new();
        for round in 0..4000 {
            let key = rng.below(1 << (1 + round % 31));
            kept.push(rounded(key));
            list.push(key, 0, Cell(rounded(key) as u32));
            if round % 3 == 0 {
                kept.sort_unstable();
                let (_, cell) = list.pop().expect("not empty");
                assert_eq!(cell.index(), kept.remove(0));
            }
        }
    }
}
