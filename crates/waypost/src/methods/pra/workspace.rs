//! Memory of the searches: flat arrays over cells and nodes, stamped instead of cleared.
//!
//! An array over the map is too much for each of a thousand agents, and a search may live on from move to move. So an agent
//! holds a workspace only while a search is under way, and takes it from those that the agents of its thread share
//! ([`Workspaces`]): where plans are made without a limit, as in crowds, a thread has one.

use crate::cost::Cost;
use crate::grid::{Cell, Neighbourhood, neighbourhood_in};
use crate::hierarchy::{Hierarchy, Place};
use crate::map::Map;
use crate::open_list::{Buckets, Nodes, OpenList};
use crate::search::best_first::BestFirst;
use crate::search::nodes::Stamped;
use crate::search::surface::Neighbourhoods;
use std::cell;

/// A search on one level of the hierarchy, or with its links on the ground.
pub(super) type LevelSearch = BestFirst<Stamped<Cell>, CoarseBuckets>;
/// A search on the ground.
pub(super) type GroundSearch = BestFirst<Stamped<u8>, Buckets>;

/// What the searches of a planner write to. Between searches anybody may use it.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) search: LevelSearch,
    pub(super) from_start: LevelSearch,
    pub(super) ground: GroundSearch,
    pub(super) marked: Marks,
    pub(super) enclosure: Enclosure,
}

impl Workspace {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.search.memory_bytes()
            + self.from_start.memory_bytes()
            + self.ground.memory_bytes()
            + self.marked.stamps.capacity() * 4
            + self.enclosure.words.capacity() * 12
    }
}

/// Workspaces that no agent of a thread uses just now.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "they go to agents and come back as they are"
)]
pub struct Workspaces(Vec<Box<Workspace>>);

impl Workspaces {
    /// One that is free, or a new one.
    pub(super) fn take(&mut self) -> Box<Workspace> {
        self.0.pop().unwrap_or_default()
    }

    /// For the next one who needs it.
    pub(super) fn give_back(&mut self, workspace: Box<Workspace>) {
        self.0.push(workspace);
    }
}

/// A set of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Marks {
    /// Empties the set for ids below a bound.
    pub fn begin(&mut self, id_bound: usize) {
        if self.stamps.len() < id_bound {
            self.stamps.resize(id_bound, 0);
        }
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Adds an id below the bound.
    #[inline]
    pub fn insert(&mut self, id: u32) {
        self.stamps[id as usize] = self.stamp;
    }

    /// Is the id in the set? False for ids beyond the bound.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.stamps.get(id as usize) == Some(&self.stamp)
    }
}

/// Which cells are below marked nodes, as bit rows like the grid's. A word is worked out when it is first looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Enclosure {
    words: Vec<u64>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl Enclosure {
    /// Forgets all cells, for a grid of this many words.
    pub fn begin(&mut self, words: usize) {
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.stamps.resize(words, 0);
        }
        if self.stamp == u32::MAX {
            self.stamps.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The cells below marked nodes of level 1, for a search.
    pub fn of<'a>(
        &'a mut self,
        hierarchy: &'a Hierarchy,
        map: &'a Map,
        marked: &'a Marks,
    ) -> CellsInside<'a> {
        CellsInside {
            hierarchy,
            map,
            marked,
            row: map.grid().words_per_row(),
            words: cell::Cell::from_mut(&mut self.words[..]).as_slice_of_cells(),
            stamps: cell::Cell::from_mut(&mut self.stamps[..]).as_slice_of_cells(),
            stamp: self.stamp,
        }
    }
}

/// The map with everything outside a corridor walled up, for the search loop that knows grids.
///
/// A corridor that is widened holds every cell next to a cell of the path above, so walls at its edge take nothing from the
/// ways inside it that the path promises.
pub(super) struct CellsInside<'a> {
    hierarchy: &'a Hierarchy,
    map: &'a Map,
    marked: &'a Marks,
    row: usize,
    words: &'a [cell::Cell<u64>],
    stamps: &'a [cell::Cell<u32>],
    stamp: u32,
}

impl CellsInside<'_> {
    // Six calls of it in the one hot loop: left to itself, the compiler makes calls of them.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        if self.stamps[at].get() != self.stamp {
            self.words[at].set(self.work_out(at));
            self.stamps[at].set(self.stamp);
        }
        self.words[at].get()
    }

    #[cold]
    #[inline(never)]
    fn work_out(&self, at: usize) -> u64 {
        let (mut passable, mut inside) = (self.map.grid().words()[at], 0);
        // Neighbours often have the same parent: asking once for a run of them is enough.
        let mut last = None;
        let mut is_marked = 0;
        while passable != 0 {
            let bit = passable.trailing_zeros();
            passable &= passable - 1;
            let parent = self.hierarchy.parent(Place {
                level: 0,
                id: at as u32 * 64 + bit,
            });
            if last != Some(parent) {
                last = Some(parent);
                is_marked = u64::from(self.marked.contains(parent));
            }
            inside |= is_marked << bit;
        }
        inside
    }
}

impl Neighbourhoods for CellsInside<'_> {
    #[inline]
    fn around(&self, cell: Cell) -> Neighbourhood {
        neighbourhood_in(cell, self.row, |at| self.word(at))
    }
}

/// Keys of abstract levels are put into buckets by sixteenths: of two nodes whose keys differ by less than a sixtieth of a
/// cell either may come first. Costs there are rough by nature.
const COARSE_SHIFT: u32 = 4;
/// The most by which a key in the ring exceeds the last popped one; what exceeds it by more waits at the end of the ring, and
/// may so come too early: an edge of more than 60 cells.
const COARSE_GROWTH: Cost = (1 << 13) - 1;

/// Buckets for searches on all levels: exact on the ground, coarse above.
#[derive(Clone, Debug, Default)]
pub(super) struct CoarseBuckets {
    buckets: Buckets,
    shift: u32,
    last: Cost,
}

impl OpenList for CoarseBuckets {
    type Running<'a> = RunningCoarse<'a>;

    fn run(&mut self) -> RunningCoarse<'_> {
        RunningCoarse {
            buckets: self.buckets.run(),
            shift: self.shift,
            last: &mut self.last,
        }
    }

    fn clear(&mut self, lowest: Cost, growth: Cost) {
        self.shift = if growth > COARSE_GROWTH {
            COARSE_SHIFT
        } else {
            0
        };
        self.last = lowest >> self.shift;
        self.buckets.clear(self.last, COARSE_GROWTH);
    }

    fn memory_bytes(&self) -> usize {
        self.buckets.memory_bytes()
    }
}

impl Nodes for CoarseBuckets {
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        self.run().push(key, g, cell);
    }

    fn pop(&mut self) -> Option<(Cost, Cell)> {
        self.run().pop()
    }
}

/// The buckets in the hands of a search loop.
pub(super) struct RunningCoarse<'a> {
    buckets: <Buckets as OpenList>::Running<'a>,
    shift: u32,
    last: &'a mut Cost,
}

impl Nodes for RunningCoarse<'_> {
    #[inline]
    fn push(&mut self, key: Cost, g: Cost, cell: Cell) {
        let key = (key >> self.shift).clamp(*self.last, *self.last + COARSE_GROWTH);
        self.buckets.push(key, g, cell);
    }

    #[inline]
    fn pop(&mut self) -> Option<(Cost, Cell)> {
        let (key, cell) = self.buckets.pop()?;
        *self.last = key;
        Some((key << self.shift, cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn marks_are_gone_after_each_begin() {
        let mut rng = Rng::new(2);
        let mut set = Marks::default();
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
    fn coarse_buckets_sort_but_for_sixteenths() {
        let mut rng = Rng::new(3);
        for growth in [2786, Cost::MAX] {
            let mut list = CoarseBuckets::default();
            list.clear(1000, growth);
            let mut last = 1000;
            for round in 0..2000 {
                let key = last + rng.below(2786);
                list.push(key, 0, Cell(round));
                if rng.below(3) == 0 {
                    let (key, _) = list.pop().expect("not empty");
                    assert!(key + (1 << COARSE_SHIFT) > last, "{key} after {last}");
                    assert!(growth == Cost::MAX || key >= last, "exact on the ground");
                    last = last.max(key);
                }
            }
        }
    }
}
