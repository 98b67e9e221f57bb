//! What a jump search knows of its points, and its open list: a row of narrow buckets, searched for its least point where two share a bucket.
//!
//! Jumps have costs of every size, so the exact ring that serves A* on cells does not fit. A bucket here spans a sixteenth of a
//! straight step; a search has about one open point for each that it passes, so the least of a bucket is found at a glance. Points
//! beyond the last bucket wait in the rows that come after, without order, and are spread when their row's turn comes.
//!
//! A point stands in the list once, however often a shorter way to it is found, and is linked through the very memory that holds what is
//! known of it: the list takes no memory of its own, and no search outgrows it.
//!
//! Against a 4-ary heap: two thirds of the instructions of a search over a jump-point graph and half of its mispredicted branches (callgrind, `brc202d`).

use crate::cost::{Cost, CostPair};
use crate::grid::Directions;

/// Buckets of a row, and rows: whatever lies beyond the last waits in the last bucket of all.
const LISTS: usize = 4096;
const NOTHING: u32 = u32::MAX;
/// Points of a row that are spread over its buckets at a time, where a search has a limit.
const SPREAD: usize = 64;

/// What a search knows of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The search that this was noted by.
    pub stamp: u32,
    pub g: Cost,
    pub f: Cost,
    pub parent: u32,
    /// The points of the same bucket that came before and after.
    pub below: u32,
    pub above: u32,
    /// The directions that it was entered in at cost `g`.
    pub arrivals: Directions,
    /// Those of the arrivals that wait to be expanded: the point is open while there are any.
    pub waiting: Directions,
}

/// Of a point that no search has reached.
pub(super) const BLANK: Node = Node {
    stamp: 0,
    g: Cost::MAX,
    f: Cost::MAX,
    parent: u32::MAX,
    below: NOTHING,
    above: NOTHING,
    arrivals: Directions::NONE,
    waiting: Directions::NONE,
};

impl Node {
    /// Least f first, of equals the least g.
    #[inline]
    pub fn key(&self) -> u64 {
        u64::from(self.f) << 32 | u64::from(self.g)
    }
}

/// Lists of points, each begun by the one that came last, and a bit for every list that holds something.
#[derive(Clone, Debug)]
struct Lists {
    tops: Box<[u32; LISTS]>,
    filled: Box<[u64; LISTS / 64]>,
}

impl Lists {
    fn new() -> Lists {
        Lists {
            tops: Box::new([NOTHING; LISTS]),
            filled: Box::new([0; LISTS / 64]),
        }
    }

    fn clear(&mut self) {
        for (i, word) in self.filled.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                self.tops[i * 64 + bits.trailing_zeros() as usize] = NOTHING;
                bits &= bits - 1;
            }
        }
    }

    /// Makes a point the first of a list; returns the one that was.
    #[inline]
    fn begin_with(&mut self, list: usize, id: u32) -> u32 {
        let list = list % LISTS;
        self.filled[list / 64] |= 1 << (list % 64);
        std::mem::replace(&mut self.tops[list], id)
    }

    #[inline]
    fn take(&mut self, nodes: &mut [Node], list: usize, id: u32) {
        let Node { below, above, .. } = nodes[id as usize];
        if let Some(node) = nodes.get_mut(below as usize) {
            node.above = above;
        }
        match nodes.get_mut(above as usize) {
            Some(node) => node.below = below,
            None => {
                let list = list % LISTS;
                self.tops[list] = below;
                if below == NOTHING {
                    self.filled[list / 64] &= !(1 << (list % 64));
                }
            }
        }
    }

    /// Empties a list and gives it away, by its first point.
    fn take_all(&mut self, list: usize) -> u32 {
        self.filled[list / 64] &= !(1 << (list % 64));
        std::mem::replace(&mut self.tops[list], NOTHING)
    }

    /// The next list from this one on that holds something.
    #[inline]
    fn next_filled(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.filled.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.filled.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

/// Open points, cheapest first; of equals the one that came last.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    buckets: Lists,
    rows: Lists,
    /// An f is shifted right by this to number its bucket.
    shift: u32,
    /// The number of the first bucket of the row.
    first: u64,
    /// The row that the buckets stand for.
    row: usize,
    /// Buckets before this one are empty.
    at: usize,
    /// Points of the row that are not in their buckets yet.
    spreading: u32,
}

/// A point that leaves the queue, and the directions that it was entered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Popped {
    pub g: Cost,
    pub id: u32,
    pub arrivals: Directions,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            buckets: Lists::new(),
            rows: Lists::new(),
            shift: 0,
            first: 0,
            row: 0,
            at: 0,
            spreading: NOTHING,
        }
    }
}

impl Queue {
    /// Empties the queue for a search in which no key is below `least`.
    pub fn clear(&mut self, costs: CostPair, least: Cost) {
        self.buckets.clear();
        self.rows.clear();
        self.shift = (costs.straight() / 16).max(1).ilog2();
        self.first = u64::from(least) >> self.shift;
        (self.row, self.at, self.spreading) = (0, 0, NOTHING);
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        2 * (LISTS * size_of::<u32>() + LISTS / 8)
    }

    /// The bucket of a point with this f, counted from the first of the row. One below those that have left, which no search here makes, is served
    /// at once.
    #[inline]
    fn bucket(&self, f: Cost) -> usize {
        let bucket = (u64::from(f) >> self.shift).saturating_sub(self.first) as usize;
        bucket.max(self.at)
    }

    /// The lists, and the one of them, of a bucket that is beyond the row.
    #[cold]
    fn beyond(&mut self, bucket: usize) -> (&mut Lists, usize) {
        let row = (self.row + bucket / LISTS).min(LISTS - 1);
        match row == self.row {
            true => (&mut self.buckets, LISTS - 1),
            false => (&mut self.rows, row),
        }
    }

    /// Puts a point in its place.
    #[inline]
    pub fn put(&mut self, nodes: &mut [Node], id: u32) {
        let node = &mut nodes[id as usize];
        let bucket = self.bucket(node.f);
        let below = if bucket < LISTS {
            self.buckets.begin_with(bucket, id)
        } else {
            let (lists, list) = self.beyond(bucket);
            lists.begin_with(list, id)
        };
        (node.below, node.above) = (below, NOTHING);
        if let Some(node) = nodes.get_mut(below as usize) {
            node.above = id;
        }
    }

    /// Takes a point out, which must be in.
    #[inline]
    pub fn take(&mut self, nodes: &mut [Node], id: u32) {
        let bucket = self.bucket(nodes[id as usize].f);
        if bucket < LISTS {
            self.buckets.take(nodes, bucket, id);
        } else {
            let (lists, list) = self.beyond(bucket);
            lists.take(nodes, list, id);
        }
    }

    /// Finds the next bucket that holds something, and spreads the next row where there is none: a part of it at a time. Returns whether there
    /// is one, or nothing left at all.
    #[inline]
    pub fn is_ready(&mut self, nodes: &mut [Node]) -> bool {
        if self.spreading == NOTHING {
            if let Some(bucket) = self.buckets.next_filled(self.at) {
                self.at = bucket;
                return true;
            }
            let Some(row) = self.rows.next_filled(self.row) else {
                return true;
            };
            self.first += ((row - self.row) * LISTS) as u64;
            (self.row, self.at) = (row, 0);
            self.spreading = self.rows.take_all(row);
        }
        self.spread(nodes);
        false
    }

    #[cold]
    fn spread(&mut self, nodes: &mut [Node]) {
        for _ in 0..SPREAD {
            let Some(node) = nodes.get(self.spreading as usize) else {
                return;
            };
            let next = node.below;
            self.put(nodes, self.spreading);
            self.spreading = next;
        }
    }

    /// Takes the least point out.
    #[inline]
    pub fn pop(&mut self, nodes: &mut [Node]) -> Option<Popped> {
        while !self.is_ready(nodes) {}
        let mut least = self.buckets.tops[self.at];
        let node = nodes.get(least as usize)?;
        let (mut key, mut next) = (node.key(), node.below);
        while let Some(node) = nodes.get(next as usize) {
            if node.key() < key {
                (least, key) = (next, node.key());
            }
            next = node.below;
        }
        self.buckets.take(nodes, self.at, least);
        let node = &mut nodes[least as usize];
        Some(Popped {
            g: node.g,
            id: least,
            arrivals: std::mem::take(&mut node.waiting),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Keys near the lowest, rows away and beyond all rows, put in, lowered and popped in turns as a search does.
    #[test]
    fn least_f_then_least_g_leaves_first() {
        let mut rng = Rng::new(9);
        let mut queue = Queue::default();
        for round in 0..200 {
            let spread = [30, 3_000, 3_000_000, 3_000_000_000][round % 4];
            let costs = [CostPair::Sqrt2, CostPair::OnePointFour][round / 4 % 2];
            let least = rng.below(5_000);
            queue.clear(costs, least);
            let mut nodes = vec![BLANK; 300];
            let mut open: Vec<u32> = Vec::new();
            let mut lowest = least;
            for id in 0..300 {
                if rng.below(5) < 3 {
                    let (f, g) = (lowest.saturating_add(rng.below(spread)), rng.below(30));
                    (nodes[id].f, nodes[id].g, nodes[id].waiting) = (f, g, Directions(1));
                    queue.put(&mut nodes, id as u32);
                    open.push(id as u32);
                } else if rng.below(3) == 0 && !open.is_empty() {
                    let id = open[rng.below(open.len() as u32) as usize];
                    queue.take(&mut nodes, id);
                    let node = &mut nodes[id as usize];
                    let by = rng.below((node.f - lowest).min(node.g).max(1));
                    (node.f, node.g) = (node.f - by, node.g - by);
                    queue.put(&mut nodes, id);
                } else {
                    lowest = pop_least(&mut queue, &mut nodes, &mut open).unwrap_or(lowest);
                }
            }
            while !open.is_empty() {
                pop_least(&mut queue, &mut nodes, &mut open);
            }
            assert_eq!(queue.pop(&mut nodes), None);
        }
    }

    /// Pops, and says whose turn it was; it must be that of the least of all.
    fn pop_least(queue: &mut Queue, nodes: &mut [Node], open: &mut Vec<u32>) -> Option<Cost> {
        let expected = open.iter().map(|&id| nodes[id as usize].key()).min();
        let popped = queue.pop(nodes);
        let id = popped.map(|popped| popped.id);
        assert_eq!(id.map(|id| nodes[id as usize].key()), expected);
        open.retain(|&other| Some(other) != id);
        id.map(|id| nodes[id as usize].f)
    }
}
