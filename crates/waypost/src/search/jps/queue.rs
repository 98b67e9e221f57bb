//! The open list of jump searches: a row of narrow buckets, searched for its least entry where two share a bucket.
//!
//! Jumps have costs of every size, so the exact ring that serves A* on cells does not fit. A bucket here spans a sixteenth of a
//! straight step; a search has about one open state for each that it passes, so the least of a bucket is found at a glance. States
//! beyond the last bucket wait in a heap of no order until the row is empty and begins again at the least of them.
//!
//! Against a 4-ary heap: two thirds of the instructions of a search over a jump-point graph and half of its mispredicted branches (callgrind, `brc202d`).

use crate::cost::{Cost, CostPair};
use crate::grid::Direction;

const BUCKETS: usize = 4096;
const NOTHING: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// f above, the complement of g below: least f first, of equals the largest g.
    key: u64,
    id: u32,
    /// The entry of the same bucket that came before.
    below: u32,
    arrival: Direction,
}

/// Open states, cheapest first; of equals the one that came last.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    /// The last entry of each bucket.
    tops: Vec<u32>,
    /// A bit for every bucket that holds something.
    filled: [u64; BUCKETS / 64],
    entries: Vec<Entry>,
    /// Entries taken out, linked through `below`.
    free: u32,
    /// Entries beyond the last bucket.
    beyond: Vec<Entry>,
    /// A key is shifted right by this to number its bucket.
    shift: u32,
    /// The number of the first bucket.
    first: u64,
    /// Buckets before this one are empty.
    at: usize,
}

/// What leaves the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Popped {
    pub g: Cost,
    pub id: u32,
    pub arrival: Direction,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            tops: Vec::new(),
            filled: [0; BUCKETS / 64],
            entries: Vec::new(),
            free: NOTHING,
            beyond: Vec::new(),
            shift: 0,
            first: 0,
            at: 0,
        }
    }
}

impl Queue {
    /// Empties the queue for a search in which no key is below `least`.
    pub fn clear(&mut self, costs: CostPair, least: Cost) {
        self.tops.resize(BUCKETS, NOTHING);
        for (i, word) in self.filled.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                self.tops[i * 64 + bits.trailing_zeros() as usize] = NOTHING;
                bits &= bits - 1;
            }
        }
        self.entries.clear();
        self.beyond.clear();
        self.free = NOTHING;
        self.shift = 32 + (costs.straight() / 16).max(1).ilog2();
        self.first = u64::from(least) << 32 >> self.shift;
        self.at = 0;
    }

    /// Makes room for so many open states.
    pub fn reserve(&mut self, states: usize) {
        self.tops.resize(BUCKETS, NOTHING);
        self.entries
            .reserve(states.saturating_sub(self.entries.len()));
        self.beyond
            .reserve(states.saturating_sub(self.beyond.len()));
    }

    /// Bytes of the entries that the current search has had at one time.
    pub fn used_bytes(&self) -> usize {
        (self.entries.len() + self.beyond.len()) * size_of::<Entry>()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.tops.len() * 4
            + (self.entries.capacity() + self.beyond.capacity()) * size_of::<Entry>()
    }

    #[inline]
    pub fn push(&mut self, f: Cost, g: Cost, id: u32, arrival: Direction) {
        self.insert(Entry {
            key: u64::from(f) << 32 | u64::from(!g),
            id,
            below: NOTHING,
            arrival,
        });
    }

    #[inline]
    fn insert(&mut self, mut entry: Entry) {
        // An inconsistent key, which no search here makes, would still be served at once.
        let bucket = (entry.key >> self.shift).saturating_sub(self.first) as usize;
        let Some(top) = self.tops.get_mut(bucket.max(self.at)) else {
            self.beyond.push(entry);
            return;
        };
        let bucket = bucket.max(self.at);
        entry.below = *top;
        if let Some(free) = self.entries.get_mut(self.free as usize) {
            *top = self.free;
            self.free = free.below;
            *free = entry;
        } else {
            *top = self.entries.len() as u32;
            self.entries.push(entry);
        }
        self.filled[bucket / 64 % (BUCKETS / 64)] |= 1 << (bucket % 64);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Popped> {
        while !self.find_filled() {
            if self.beyond.is_empty() {
                return None;
            }
            self.begin_anew();
        }
        let top = self.tops[self.at];
        let (mut least, mut above_least) = (top, NOTHING);
        let (mut above, mut next) = (top, self.entries[top as usize].below);
        while next != NOTHING {
            let entry = self.entries[next as usize];
            if entry.key < self.entries[least as usize].key {
                (least, above_least) = (next, above);
            }
            (above, next) = (next, entry.below);
        }
        let taken = self.entries[least as usize];
        if above_least != NOTHING {
            self.entries[above_least as usize].below = taken.below;
        } else {
            self.tops[self.at] = taken.below;
            if taken.below == NOTHING {
                self.filled[self.at / 64] &= !(1 << (self.at % 64));
            }
        }
        self.entries[least as usize].below = self.free;
        self.free = least;
        Some(Popped {
            g: !(taken.key as u32),
            id: taken.id,
            arrival: taken.arrival,
        })
    }

    /// Moves on to the next bucket that holds something.
    #[inline]
    fn find_filled(&mut self) -> bool {
        let mut word = self.at / 64;
        let mut bits = self.filled[word] & (u64::MAX << (self.at % 64));
        while bits == 0 {
            word += 1;
            match self.filled.get(word) {
                Some(&next) => bits = next,
                None => return false,
            }
        }
        self.at = word * 64 + bits.trailing_zeros() as usize;
        true
    }

    /// Begins the row at the least of the entries beyond it.
    #[cold]
    fn begin_anew(&mut self) {
        let least = self.beyond.iter().map(|entry| entry.key).min();
        self.first = least.unwrap_or(0) >> self.shift;
        self.at = 0;
        let mut waiting = std::mem::take(&mut self.beyond);
        let row = self.first..self.first + BUCKETS as u64;
        waiting.retain(|&entry| {
            let fits = row.contains(&(entry.key >> self.shift));
            if fits {
                self.insert(entry);
            }
            !fits
        });
        self.beyond = waiting;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Keys near the lowest and far beyond the row, pushed and popped in turns as a search does.
    #[test]
    fn least_f_then_largest_g_leaves_first() {
        let mut rng = Rng::new(9);
        let mut queue = Queue::default();
        for round in 0..200 {
            let spread = [30, 3_000, 3_000_000][round % 3];
            let least = rng.below(5_000);
            queue.clear(CostPair::Sqrt2, least);
            let mut model: Vec<(u32, u32)> = Vec::new();
            let mut lowest = least;
            for _ in 0..300 {
                if rng.below(5) < 3 {
                    let (f, g) = (lowest + rng.below(spread), rng.below(30));
                    queue.push(f, g, f, Direction::East);
                    model.push((f, !g));
                } else {
                    let expected = model.iter().copied().min();
                    let got = queue.pop().map(|popped| (popped.id, !popped.g));
                    assert_eq!(got, expected, "round {round}");
                    if let Some(popped) = expected {
                        lowest = popped.0;
                        let at = model.iter().position(|&entry| entry == popped);
                        model.swap_remove(at.expect("it came from there"));
                    }
                }
            }
            model.sort();
            for &(f, g) in &model {
                assert_eq!(
                    queue.pop().map(|popped| (popped.id, !popped.g)),
                    Some((f, g))
                );
            }
            assert_eq!(queue.pop(), None);
        }
    }
}
