//! Edges of jump points, in lists that can be written again one by one.
//!
//! All edges stand in one array. A point's lists, one for each direction of arrival, follow each other in a block whose size is a
//! multiple of [`STEP`]; a block that is given back waits for a point that needs one of its size. So memory stops growing
//! when every size has been needed as often as it ever is at once.

use crate::cost::Cost;
use crate::grid::Direction;

/// Sizes of blocks are multiples of this.
const STEP: usize = 4;
/// Entries of a point: where the list of each direction begins, and where the last one ends.
const ENTRIES: usize = 9;

const NO_BLOCK: u32 = u32::MAX;

/// A way from one jump point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Edge {
    target: u32,
    cost_and_arrival: u32,
}

impl Edge {
    /// The same edge with other numbers of points.
    pub(super) fn renumbered(self, numbers: &[u32]) -> Edge {
        Edge {
            target: numbers[self.target as usize],
            ..self
        }
    }

    /// Costs keep 29 bits: a jump is no longer than the longest side of a map.
    pub(super) fn new(target: u32, arrival: Direction, cost: Cost) -> Edge {
        Edge {
            target,
            cost_and_arrival: cost << 3 | arrival as u32,
        }
    }

    /// The number of the jump point it leads to.
    #[inline]
    pub fn target(self) -> u32 {
        self.target
    }

    /// The direction in which it enters that point.
    #[inline]
    pub fn arrival(self) -> Direction {
        Direction::from_number(self.cost_and_arrival as u8)
    }

    /// What it costs.
    #[inline]
    pub fn cost(self) -> Cost {
        self.cost_and_arrival >> 3
    }
}

/// The edges of all points.
#[derive(Clone, Debug)]
pub(super) struct EdgeLists {
    first: Vec<u32>,
    edges: Vec<Edge>,
    count: usize,
    /// By size in steps: a block that belongs to nobody, or [`NO_BLOCK`]; its first edge leads to the next such block.
    spare: Vec<u32>,
    /// The lists of a point while they are found.
    found: Vec<Edge>,
}

impl EdgeLists {
    /// Room for this many points, without edges.
    pub fn new(points: usize) -> EdgeLists {
        EdgeLists {
            first: vec![0; points * ENTRIES],
            edges: Vec::new(),
            count: 0,
            spare: Vec::new(),
            found: Vec::new(),
        }
    }

    /// The edges of a point entered in a direction.
    #[inline]
    pub fn of(&self, id: u32, arrival: Direction) -> &[Edge] {
        let list = id as usize * ENTRIES + arrival as usize;
        &self.edges[self.first[list] as usize..self.first[list + 1] as usize]
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the lists of a point that has none: `find` adds the edges for each direction of arrival.
    pub fn write(&mut self, id: u32, mut find: impl FnMut(Direction, &mut Vec<Edge>)) {
        let entry = id as usize * ENTRIES;
        if self.first.len() < entry + ENTRIES {
            self.first.resize(entry + ENTRIES, 0);
        }
        self.found.clear();
        for arrival in Direction::ALL {
            self.first[entry + arrival as usize] = self.found.len() as u32;
            find(arrival, &mut self.found);
        }
        let block = self.take(self.found.len());
        for first in &mut self.first[entry..entry + ENTRIES - 1] {
            *first += block;
        }
        self.first[entry + ENTRIES - 1] = block + self.found.len() as u32;
        self.edges[block as usize..][..self.found.len()].copy_from_slice(&self.found);
        self.count += self.found.len();
    }

    /// Drops the lists of a point.
    pub fn clear(&mut self, id: u32) {
        let entry = id as usize * ENTRIES;
        let Some(entries) = self.first.get_mut(entry..entry + ENTRIES) else {
            return;
        };
        let (block, end) = (entries[0], entries[ENTRIES - 1]);
        entries.fill(0);
        let (count, steps) = size(block, end);
        if steps > 0 {
            if self.spare.len() <= steps {
                self.spare.resize(steps + 1, NO_BLOCK);
            }
            let next = std::mem::replace(&mut self.spare[steps], block);
            self.edges[block as usize] = Edge::new(next, Direction::North, 0);
            self.count -= count;
        }
    }

    fn take(&mut self, count: usize) -> u32 {
        let steps = count.div_ceil(STEP);
        let spare = self.spare.get(steps).copied().unwrap_or(NO_BLOCK);
        if steps > 0 && spare != NO_BLOCK {
            self.spare[steps] = self.edges[spare as usize].target;
            return spare;
        }
        let block = self.edges.len();
        let blank = Edge::new(u32::MAX, Direction::North, 0);
        self.edges.resize(block + steps * STEP, blank);
        block as u32
    }

    /// Makes room for this many more points.
    pub fn reserve(&mut self, points: usize) {
        let points_now = self.first.len() / ENTRIES;
        let edges_each = self.edges.len() / points_now.max(1) + STEP;
        self.first.reserve(points * ENTRIES);
        self.edges.reserve(points * 2 * edges_each);
        let longest = self.found.capacity().max(1024);
        self.found.clear();
        self.found.reserve(longest);
        self.spare.reserve(longest.saturating_sub(self.spare.len()));
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        (self.first.len() + self.spare.len()) * 4 + self.edges.len() * size_of::<Edge>()
    }
}

/// Edges of a block and the steps of its size.
fn size(block: u32, end: u32) -> (usize, usize) {
    let count = (end - block) as usize;
    (count, count.div_ceil(STEP))
}
