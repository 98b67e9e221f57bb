//! Edge lists of all abstract nodes in one array, with room to grow in place.
//!
//! A list takes a slot of 4, 8, ... 64 or a power of two entries, so most repairs change it where it is; a list that
//! outgrows its slot moves to a free slot of the next size or to the end. Slots given back are used again, last first.

/// Where a node's neighbours lie in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct EdgeList {
    pub start: u32,
    pub count: u32,
}

/// All edge lists of a hierarchy.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgePool {
    entries: Vec<u32>,
    /// Starts of unused slots by size class.
    free: Vec<Vec<u32>>,
}

/// The entries of the slot that a list of this length lies in.
pub(super) const fn slot_size(count: u32) -> u32 {
    if count <= 64 {
        count.next_multiple_of(4)
    } else {
        count.next_power_of_two()
    }
}

const fn class(slot: u32) -> usize {
    if slot <= 64 {
        slot as usize / 4
    } else {
        10 + slot.trailing_zeros() as usize
    }
}

impl EdgePool {
    pub fn from_entries(entries: Vec<u32>) -> EdgePool {
        EdgePool {
            entries,
            free: Vec::new(),
        }
    }

    pub fn entries(&self) -> &[u32] {
        &self.entries
    }

    #[inline]
    pub fn list(&self, list: EdgeList) -> &[u32] {
        &self.entries[list.start as usize..(list.start + list.count) as usize]
    }

    /// Stores a list in the place of an old one.
    pub fn replace(&mut self, old: EdgeList, neighbours: &[u32]) -> EdgeList {
        let count = neighbours.len() as u32;
        let slot = slot_size(count);
        let start = if slot == slot_size(old.count) {
            old.start
        } else {
            self.release(old);
            self.claim(slot)
        };
        self.entries[start as usize..start as usize + neighbours.len()].copy_from_slice(neighbours);
        EdgeList { start, count }
    }

    /// Gives a list's slot back.
    pub fn release(&mut self, old: EdgeList) {
        let slot = slot_size(old.count);
        if slot > 0 {
            let class = class(slot);
            if self.free.len() <= class {
                self.free.resize_with(class + 1, Vec::new);
            }
            self.free[class].push(old.start);
        }
    }

    fn claim(&mut self, slot: u32) -> u32 {
        if slot == 0 {
            return 0;
        }
        if let Some(start) = self.free.get_mut(class(slot)).and_then(Vec::pop) {
            return start;
        }
        let start = self.entries.len() as u32;
        self.entries.resize(self.entries.len() + slot as usize, 0);
        start
    }

    pub fn memory_bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|class| class.len() * 4).sum();
        self.entries.len() * 4 + free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_contents_while_others_move() {
        let mut pool = EdgePool::default();
        let none = EdgeList::default();
        let mut lists: Vec<EdgeList> = (0..20)
            .map(|i| pool.replace(none, &vec![i; i as usize]))
            .collect();
        for (round, i) in [3usize, 17, 3, 9, 0, 19].into_iter().enumerate() {
            lists[i] = pool.replace(lists[i], &vec![i as u32; 70 * (round % 2) + 1]);
        }
        for (i, &list) in lists.iter().enumerate() {
            assert!(pool.list(list).iter().all(|&e| e == i as u32), "list {i}");
        }
        let before = pool.entries().len();
        pool.release(lists[12]);
        let again = pool.replace(none, &[7; 12]);
        assert_eq!(
            (pool.entries().len(), again.start),
            (before, lists[12].start)
        );
    }

    #[test]
    fn every_slot_size_has_its_own_class() {
        let sizes: Vec<u32> = (1..2000).map(slot_size).collect();
        for pair in sizes.windows(2) {
            assert_eq!(pair[0] == pair[1], class(pair[0]) == class(pair[1]));
        }
    }
}
