//! Search memory that an agent can own: directories over all ids, pages only for ids that were touched.
//!
//! A corridor touches a small part of a map, and an agent's search lives on from move to move, so it can neither use the
//! thread's memory nor afford an array over the map. A directory has one number for 64 ids. It may hold anything: a page
//! counts as an id's only if the page names that part of the directory as its owner, so nothing is ever cleared.

use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::search::nodes::{NodeMemory, Paths};
use bytemuck::Zeroable;

const PAGE: usize = 64;

/// Which page belongs to which 64 ids.
#[derive(Clone, Debug, Default)]
struct Directory {
    pages: Vec<u32>,
    owners: Vec<u32>,
}

impl Directory {
    fn begin(&mut self, id_bound: usize) {
        let parts = id_bound.div_ceil(PAGE);
        if self.pages.len() < parts {
            self.pages.resize(parts, 0);
        }
        self.owners.clear();
    }

    #[inline]
    fn find(&self, id: u32) -> Option<usize> {
        let part = id as usize / PAGE;
        let page = *self.pages.get(part)? as usize;
        (self.owners.get(page) == Some(&(part as u32))).then_some(page)
    }

    /// A new page for an id that has none.
    #[inline]
    fn claim(&mut self, id: u32) -> usize {
        let page = self.owners.len();
        self.pages[id as usize / PAGE] = page as u32;
        self.owners.push(id / PAGE as u32);
        page
    }

    fn memory_bytes(&self) -> usize {
        (self.pages.len() + self.owners.capacity()) * 4
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry<L> {
    g: Cost,
    link: L,
    closed: bool,
}

/// Costs of the nodes that a search has reached, and the links to their parents.
#[derive(Clone, Debug)]
pub struct PagedNodes<L> {
    directory: Directory,
    entries: Vec<Entry<L>>,
}

impl<L> Default for PagedNodes<L> {
    fn default() -> PagedNodes<L> {
        PagedNodes {
            directory: Directory::default(),
            entries: Vec::new(),
        }
    }
}

impl<L> PagedNodes<L> {
    #[inline]
    fn slot(&self, cell: Cell) -> Option<usize> {
        Some(self.directory.find(cell.0)? * PAGE + cell.index() % PAGE)
    }
}

impl<L: Zeroable + Copy + Send> Paths<L> for PagedNodes<L> {
    #[inline]
    fn improve(&mut self, cell: Cell, g: Cost, link: L) -> bool {
        let slot = match self.slot(cell) {
            Some(slot) => slot,
            None => {
                let page = self.directory.claim(cell.0);
                let blank = Entry {
                    g: UNREACHED,
                    link: L::zeroed(),
                    closed: false,
                };
                self.entries.resize((page + 1) * PAGE, blank);
                page * PAGE + cell.index() % PAGE
            }
        };
        let entry = &mut self.entries[slot];
        if g >= entry.g {
            return false;
        }
        *entry = Entry {
            g,
            link,
            closed: false,
        };
        true
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Option<(Cost, L)> {
        let slot = self.slot(cell)?;
        let entry = &mut self.entries[slot];
        if entry.closed {
            return None;
        }
        entry.closed = true;
        Some((entry.g, entry.link))
    }
}

impl<L: Zeroable + Copy + Send> NodeMemory for PagedNodes<L> {
    type Link = L;
    type Running<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn run(&mut self) -> &mut Self {
        self
    }

    const NODE_BYTES: usize = size_of::<Entry<L>>();

    fn begin(&mut self, id_bound: usize) {
        self.directory.begin(id_bound);
        self.entries.clear();
    }

    #[inline]
    fn reached(&self, cell: Cell) -> Option<(Cost, L)> {
        let entry = &self.entries[self.slot(cell)?];
        (entry.g != UNREACHED).then_some((entry.g, entry.link))
    }

    fn memory_bytes(&self) -> usize {
        self.directory.memory_bytes() + self.entries.capacity() * size_of::<Entry<L>>()
    }
}

/// A set of ids.
#[derive(Clone, Debug, Default)]
pub struct PagedSet {
    directory: Directory,
    words: Vec<u64>,
}

impl PagedSet {
    /// Empties the set for ids below a bound.
    pub fn begin(&mut self, id_bound: usize) {
        self.directory.begin(id_bound);
        self.words.clear();
    }

    /// Adds an id.
    pub fn insert(&mut self, id: u32) {
        let page = match self.directory.find(id) {
            Some(page) => page,
            None => {
                self.words.push(0);
                self.directory.claim(id)
            }
        };
        self.words[page] |= 1 << (id % PAGE as u32);
    }

    /// Is the id in the set? False for ids beyond the bound.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.directory
            .find(id)
            .is_some_and(|page| self.words[page] >> (id % PAGE as u32) & 1 != 0)
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.directory.memory_bytes() + self.words.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn sets_are_empty_after_each_begin() {
        let mut rng = Rng::new(2);
        let mut set = PagedSet::default();
        for _ in 0..50 {
            set.begin(5000);
            let mut expected = BTreeSet::new();
            for _ in 0..rng.below(300) {
                let id = rng.below(5000);
                set.insert(id);
                expected.insert(id);
            }
            assert!((0..5100).all(|id| set.contains(id) == expected.contains(&id)));
        }
    }

    #[test]
    fn nodes_keep_the_best_path_and_close_once() {
        let mut nodes = PagedNodes::<u32>::default();
        for _ in 0..3 {
            nodes.begin(1000);
            assert_eq!(nodes.reached(Cell(70)), None);
            assert!(nodes.improve(Cell(70), 9, 1));
            assert!(!nodes.improve(Cell(70), 9, 2));
            assert_eq!(nodes.close(Cell(70)), Some((9, 1)));
            assert_eq!(nodes.close(Cell(70)), None);
            assert!(nodes.improve(Cell(70), 8, 3));
            assert_eq!(nodes.close(Cell(70)), Some((8, 3)));
            assert_eq!(nodes.reached(Cell(71)), None);
        }
    }
}
