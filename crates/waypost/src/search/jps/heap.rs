//! The open list of jump searches: a 4-ary heap. Jumps have costs of every size, so the exact ring of buckets that
//! serves A* on cells does not fit here.

use crate::cost::Cost;
use crate::grid::Direction;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// f above, the complement of g below: least f first, of equals the largest g.
    key: u64,
    id: u32,
    arrival: Direction,
}

/// Open states, cheapest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    entries: Vec<Entry>,
}

/// What leaves the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Popped {
    pub g: Cost,
    pub id: u32,
    pub arrival: Direction,
}

impl Heap {
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    pub fn memory_bytes(&self) -> usize {
        self.entries.len() * size_of::<Entry>()
    }

    #[inline]
    pub fn push(&mut self, f: Cost, g: Cost, id: u32, arrival: Direction) {
        let entry = Entry {
            key: u64::from(f) << 32 | u64::from(!g),
            id,
            arrival,
        };
        let mut at = self.entries.len();
        self.entries.push(entry);
        while at > 0 {
            let parent = (at - 1) / 4;
            if self.entries[parent].key <= entry.key {
                break;
            }
            self.entries[at] = self.entries[parent];
            at = parent;
        }
        self.entries[at] = entry;
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Popped> {
        let last = self.entries.pop()?;
        let Some(&top) = self.entries.first() else {
            return Some(popped(last));
        };
        let length = self.entries.len();
        let mut at = 0;
        loop {
            let first = at * 4 + 1;
            if first >= length {
                break;
            }
            let children = &self.entries[first..(first + 4).min(length)];
            let mut least = 0;
            for (i, child) in children.iter().enumerate().skip(1) {
                if child.key < children[least].key {
                    least = i;
                }
            }
            if last.key <= children[least].key {
                break;
            }
            self.entries[at] = children[least];
            at = first + least;
        }
        self.entries[at] = last;
        Some(popped(top))
    }
}

fn popped(entry: Entry) -> Popped {
    Popped {
        g: !(entry.key as u32),
        id: entry.id,
        arrival: entry.arrival,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn least_f_then_largest_g_leaves_first() {
        let mut rng = Rng::new(9);
        for _ in 0..50 {
            let mut heap = Heap::default();
            let mut all: Vec<(u32, u32)> = (0..rng.below(80))
                .map(|_| (rng.below(30), rng.below(30)))
                .collect();
            for (i, &(f, g)) in all.iter().enumerate() {
                heap.push(f, g, i as u32, Direction::East);
            }
            all.sort_by_key(|&(f, g)| (f, !g));
            for &(_, g) in &all {
                assert_eq!(heap.pop().map(|p| p.g), Some(g));
            }
            assert_eq!(heap.pop(), None);
        }
    }
}
