//! Learned heuristics: compact tables, one for each goal, that hold the values which learning has raised and nothing else.
//!
//! Wherever no value was learned, the heuristic of the space stands (times the weight of weighted LRTA*). JAIR 2010 keeps
//! "separate heuristic tables for the different goals" and never lowers a value (section 3); here all goals of one agent
//! share one hash table whose keys are pairs (goal, cell), so a goal that is selected again finds what was learned for it.
//!
//! # How it grows
//! Real-time agents may not stop for a rehash of everything. The table is an extendible hash table: small blocks of
//! [`SLOTS`] entries and a directory of block numbers. A block that fills up is split in two: at most [`SLOTS`] entries
//! move, whatever the size of the table. Blocks and directories come from a [`BlockPool`] that the agents of a thread share:
//! set-up reserves it, so a move that learns takes a block and allocates nothing. An agent that has learned nothing holds a
//! null pointer and no memory besides. Where the pool runs dry, one block (1.5 kB) is allocated at a time. The directory
//! holds four bytes a block and doubles by copying itself; room for it is reserved along with the blocks.
//!
//! # Counting memory
//! JAIR 2010 section 8.6 counts every updated value as one state of 32 bits, however often it is updated:
//! [`LearnedHeuristic::len`] times [`super::BYTES_PER_STATE`]. [`LearnedHeuristic::reserved_bytes`] says what is held and in
//! use.

use crate::cost::Cost;
use crate::grid::Cell;
use crate::space::Space;

/// Entries of a block.
pub const SLOTS: usize = 128;
/// A block with this many entries is split before it takes another: probes stay short.
const MAX_ENTRIES: u16 = 112;

#[derive(Clone, Copy, Debug)]
struct Slot {
    goal: Cell,
    /// [`Cell::NONE`] in an empty slot.
    cell: Cell,
    value: Cost,
}

const EMPTY: Slot = Slot {
    goal: Cell::NONE,
    cell: Cell::NONE,
    value: 0,
};

/// A block of entries: the unit in which tables grow.
#[derive(Clone, Debug)]
pub struct Block {
    slots: Box<[Slot; SLOTS]>,
    entries: u16,
    /// How many low bits of the hash all entries of this block share.
    depth: u8,
}

impl Block {
    fn new() -> Block {
        Block {
            slots: Box::new([EMPTY; SLOTS]),
            entries: 0,
            depth: 0,
        }
    }

    fn clear(&mut self, depth: u8) {
        self.slots.fill(EMPTY);
        self.entries = 0;
        self.depth = depth;
    }

    /// The slot that holds the key, or the empty slot where it belongs. There always is an empty one.
    #[inline]
    fn find(&self, hash: u32, goal: Cell, cell: Cell) -> usize {
        let mut i = hash as usize >> (32 - SLOTS.trailing_zeros());
        loop {
            let slot = &self.slots[i];
            if slot.cell == Cell::NONE || (slot.cell == cell && slot.goal == goal) {
                return i;
            }
            i = (i + 1) % SLOTS;
        }
    }

    fn insert(&mut self, hash: u32, slot: Slot) {
        let i = self.find(hash, slot.goal, slot.cell);
        self.slots[i] = slot;
        self.entries += 1;
    }
}

/// Free blocks and directories, shared by the agents of a thread.
#[derive(Clone, Debug, Default)]
pub struct BlockPool {
    free: Vec<Block>,
    // Boxes go from here to agents and back: a move that begins to learn allocates nothing.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<Table>>,
}

impl BlockPool {
    /// Makes sure that an agent can begin to learn and take this many blocks without an allocation. Part of its set-up.
    pub fn reserve(&mut self, blocks: usize) {
        // Room for blocks that come back besides those that wait here.
        self.free
            .reserve((2 * blocks).saturating_sub(self.free.len()));
        while self.free.len() < blocks {
            self.free.push(Block::new());
        }
        if self.idle.is_empty() {
            self.idle.push(Box::default());
        }
        self.idle[0].reserve(blocks);
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let idle: usize = self.idle.iter().map(|table| table.reserved_bytes()).sum();
        self.free.capacity() * size_of::<Block>()
            + self.free.len() * size_of::<[Slot; SLOTS]>()
            + self.idle.capacity() * size_of::<Box<Table>>()
            + idle
    }

    /// Free blocks and tables.
    pub(crate) fn waiting(&self) -> [usize; 2] {
        [self.free.len(), self.idle.len()]
    }

    /// Takes one of this many equal parts of what another pool has.
    pub(crate) fn take_part(&mut self, other: &mut BlockPool, parts: usize) {
        let rest = |all: usize| all - all / parts.max(1);
        self.free.extend(other.free.drain(rest(other.free.len())..));
        self.idle.extend(other.idle.drain(rest(other.idle.len())..));
    }

    fn take(&mut self, depth: u8) -> Block {
        let mut block = self.free.pop().unwrap_or_else(Block::new);
        block.clear(depth);
        block
    }
}

/// The entries of one agent: blocks and the directory that finds them.
#[derive(Clone, Debug, Default)]
struct Table {
    blocks: Vec<Block>,
    /// Block numbers by the low bits of the hash; a power of two long, or empty where nothing is stored.
    directory: Vec<u32>,
    len: usize,
}

impl Table {
    fn reserve(&mut self, blocks: usize) {
        self.blocks
            .reserve(blocks.saturating_sub(self.blocks.len()));
        // Blocks fill unevenly, so the directory may be a few times as long as there are blocks.
        let entries = (4 * blocks).next_power_of_two();
        self.directory
            .reserve(entries.saturating_sub(self.directory.len()));
    }

    /// Bytes of what is in use. Room that a table from the pool brings along is not counted: which table an agent gets
    /// depends on the thread that it is moved on, and what it has learned does not.
    fn bytes_in_use(&self) -> usize {
        size_of::<Table>()
            + self.directory.len() * size_of::<u32>()
            + self.blocks.len() * (size_of::<Block>() + size_of::<[Slot; SLOTS]>())
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<Table>()
            + self.directory.capacity() * size_of::<u32>()
            + self.blocks.capacity() * size_of::<Block>()
            + self.blocks.len() * size_of::<[Slot; SLOTS]>()
    }

    #[inline]
    fn get(&self, goal: Cell, cell: Cell) -> Option<Cost> {
        let hash = hash_of(goal, cell);
        let block = &self.blocks[self.block_of(hash)];
        let slot = &block.slots[block.find(hash, goal, cell)];
        (slot.cell == cell).then_some(slot.value)
    }

    fn raise(&mut self, pool: &mut BlockPool, goal: Cell, cell: Cell, value: Cost) {
        let hash = hash_of(goal, cell);
        loop {
            let number = self.block_of(hash);
            let block = &mut self.blocks[number];
            let i = block.find(hash, goal, cell);
            if block.slots[i].cell == cell {
                block.slots[i].value = block.slots[i].value.max(value);
                return;
            }
            if block.entries < MAX_ENTRIES {
                block.slots[i] = Slot { goal, cell, value };
                block.entries += 1;
                self.len += 1;
                return;
            }
            self.split(pool, number, hash);
        }
    }

    #[inline]
    fn block_of(&self, hash: u32) -> usize {
        self.directory[hash as usize & (self.directory.len() - 1)] as usize
    }

    /// Moves the entries whose next bit of the hash is 1 into a block of their own. `key` is any hash of the block.
    fn split(&mut self, pool: &mut BlockPool, number: usize, key: u32) {
        let depth = self.blocks[number].depth;
        if self.directory.len() == 1 << depth {
            self.directory.extend_from_within(..);
        }
        let mut one = pool.take(depth + 1);
        let zero = &mut self.blocks[number];
        let old = *zero.slots;
        zero.clear(depth + 1);
        for slot in old.into_iter().filter(|slot| slot.cell != Cell::NONE) {
            let hash = hash_of(slot.goal, slot.cell);
            let side = if hash >> depth & 1 == 0 {
                &mut *zero
            } else {
                &mut one
            };
            side.insert(hash, slot);
        }
        let new = self.blocks.len() as u32;
        self.blocks.push(one);
        let bit = 1usize << depth;
        let first = (key as usize & (bit - 1)) | bit;
        for entry in self.directory[first..].iter_mut().step_by(2 * bit) {
            *entry = new;
        }
    }
}

/// The learned values of one agent for all goals that it has had.
#[derive(Clone, Debug, Default)]
pub struct LearnedHeuristic {
    /// `None` until something is learned.
    table: Option<Box<Table>>,
}

impl LearnedHeuristic {
    /// Nothing learned.
    pub fn new() -> LearnedHeuristic {
        LearnedHeuristic::default()
    }

    /// Forgets everything and gives the memory back.
    pub fn forget(&mut self, pool: &mut BlockPool) {
        if let Some(mut table) = self.table.take() {
            pool.free.append(&mut table.blocks);
            table.directory.clear();
            table.len = 0;
            pool.idle.push(table);
        }
    }

    /// How many values are stored: states whose heuristic was raised, counted once for each goal.
    pub fn len(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.len)
    }

    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held beyond the value itself, as far as they are in use: the same whatever the agent's thread held before.
    pub fn reserved_bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.bytes_in_use())
    }

    /// All values with their goals and cells, in the order of these.
    pub fn entries(&self) -> Vec<(Cell, Cell, Cost)> {
        let blocks = self.table.iter().flat_map(|table| &table.blocks);
        let slots = blocks.flat_map(|block| block.slots.iter());
        let taken = slots.filter(|slot| slot.cell != Cell::NONE);
        let mut entries: Vec<_> = taken.map(|s| (s.goal, s.cell, s.value)).collect();
        entries.sort_unstable();
        entries
    }

    /// The learned value, if there is one. Constant time.
    #[inline]
    pub fn get(&self, goal: Cell, cell: Cell) -> Option<Cost> {
        self.table.as_ref()?.get(goal, cell)
    }

    /// Stores a value; a lower one than is stored changes nothing.
    pub fn raise(&mut self, pool: &mut BlockPool, goal: Cell, cell: Cell, value: Cost) {
        let table = self.table.get_or_insert_with(|| {
            let mut table = pool.idle.pop().unwrap_or_default();
            table.blocks.push(pool.take(0));
            table.directory.push(0);
            table
        });
        table.raise(pool, goal, cell, value);
    }

    /// The heuristic of a cell: what was learned, or the space's own value times the weight.
    #[inline]
    pub fn value<S: Space>(&self, space: &S, weight: Weight, goal: Cell, cell: Cell) -> Cost {
        match self.get(goal, cell) {
            Some(value) => value,
            None => weight.times(space.heuristic(cell, goal)),
        }
    }
}

/// Mixes both halves of the key into all bits.
#[inline]
fn hash_of(goal: Cell, cell: Cell) -> u32 {
    let key = u64::from(cell.0) ^ u64::from(goal.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = key.wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed >> 32) as u32 ^ (mixed >> 17) as u32
}

/// A weight of the heuristic in thousandths: at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weight(u32);

impl Weight {
    /// The heuristic as it is.
    pub const ONE: Weight = Weight(1000);
    /// The largest weight: beyond it a search is greedy anyway.
    pub const MOST: f64 = 1000.0;

    /// A weight from 1 to [`Weight::MOST`], rounded to thousandths.
    pub fn new(weight: f64) -> Option<Weight> {
        (1.0..=Weight::MOST)
            .contains(&weight)
            .then(|| Weight((weight * 1000.0).round() as u32))
    }

    /// The weighted value, rounded down.
    #[inline]
    pub const fn times(self, h: Cost) -> Cost {
        if self.0 == 1000 {
            return h;
        }
        let product = h as u64 * self.0 as u64 / 1000;
        // A weighted value stays below every sum that saturates.
        if product < (Cost::MAX / 2) as u64 {
            product as Cost
        } else {
            Cost::MAX / 2
        }
    }

    /// Whether it is 1.
    pub(crate) const fn is_one(self) -> bool {
        self.0 == 1000
    }
}

impl std::str::FromStr for Weight {
    type Err = ();

    fn from_str(text: &str) -> Result<Weight, ()> {
        Weight::new(text.parse().map_err(|_| ())?).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeMap;

    #[test]
    fn the_table_equals_a_plain_map() {
        let mut rng = Rng::new(7);
        let mut pool = BlockPool::default();
        let mut table = LearnedHeuristic::new();
        let mut plain = BTreeMap::new();
        for round in 0..40_000u32 {
            let (goal, cell) = (Cell(rng.below(3)), Cell(rng.below(20_000)));
            let value = rng.below(1000);
            table.raise(&mut pool, goal, cell, value);
            let stored = plain.entry((goal, cell)).or_insert(0);
            *stored = value.max(*stored);
            if round % 1000 == 0 {
                for goal in (0..3).map(Cell) {
                    for cell in (0..20_000).map(Cell) {
                        assert_eq!(table.get(goal, cell), plain.get(&(goal, cell)).copied());
                    }
                }
            }
        }
        assert_eq!(table.len(), plain.len());
        let blocks = table.table.as_ref().map_or(0, |t| t.blocks.len());
        let full = table.len() as f64 / (blocks * SLOTS) as f64;
        assert!(full > 0.4, "only {full} of the slots are used");
        table.forget(&mut pool);
        assert!(table.is_empty() && table.get(Cell(0), Cell(1)).is_none());
    }

    #[test]
    fn neighbouring_cells_of_wide_maps_spread_over_the_blocks() {
        let mut pool = BlockPool::default();
        let mut table = LearnedHeuristic::new();
        for y in 0..200 {
            for x in 0..200 {
                table.raise(&mut pool, Cell(77), Cell(y * 4096 + x), 1);
            }
        }
        let table = table.table.expect("something was learned");
        assert!(table.directory.len() <= 4 * table.blocks.len());
    }

    #[test]
    fn reserved_blocks_are_used_and_come_back() {
        let mut pool = BlockPool::default();
        let mut table = LearnedHeuristic::new();
        pool.reserve(8);
        assert_eq!((pool.free.len(), pool.idle.len()), (8, 1));
        for cell in 0..300 {
            table.raise(&mut pool, Cell(5), Cell(cell), 9);
        }
        let used = table.table.as_ref().map_or(0, |t| t.blocks.len());
        assert!(used > 1 && pool.free.len() == 8 - used && pool.idle.is_empty());
        table.forget(&mut pool);
        assert_eq!((pool.free.len(), pool.idle.len()), (8, 1));
        assert_eq!(size_of::<LearnedHeuristic>(), size_of::<usize>());
    }

    #[test]
    fn weights_round_down_and_never_below_the_value() {
        let weight: Weight = "1.5".parse().expect("a weight");
        assert_eq!((weight.times(3), weight.times(u32::MAX)), (4, u32::MAX / 2));
        assert_eq!(Weight::ONE.times(u32::MAX), u32::MAX);
        for bad in ["0.9", "-1", "NaN", "inf", "1001", "x"] {
            assert!(bad.parse::<Weight>().is_err(), "{bad}");
        }
    }
}
