//! One walker a cell: who goes first, who makes room.
//!
//! The rule is priority inheritance with backtracking (Okumura, Machida, Défago and Tamura, "Priority inheritance with
//! backtracking for iterative multi-agent path finding", Artificial Intelligence 310, 2022), with the walkers' own plans in
//! the place of distances. Walkers settle their steps in an order of precedence: those whose goal is oldest come first. A
//! walker whose next cell is held by one that has not settled yet makes that one move out of the way first, which may push
//! another in turn; what cannot be pushed stays, and the one behind waits. No two walkers exchange places or share a
//! cell.
//!
//! Walkers without a goal, and those that have arrived, are pushed too; the latter go back when they can.
//!
//! One addition: a walker that was held up for longer than its patience yields. It goes to the end of the order, so that
//! whoever it faces in a dead end becomes the one that pushes, and tries its other neighbours, the nearest to its goal
//! first, from where it plans again. Patience differs from walker to walker, so that two do not mirror each other.

use super::walker::{Flags, State, Walker};
use super::{Options, Tick};
use crate::grid::Cell;
use crate::map::Map;
use crate::space::Space;

/// The longest chain of walkers that one may push.
const LONGEST_CHAIN: u32 = 256;
/// Ticks after which a walker that is still held up yields again.
const YIELD_EVERY: u32 = 16;
/// No walker in a place of the table.
const EMPTY: u32 = u32::MAX;

/// A set of cells.
#[derive(Debug, Default)]
struct Cells(Vec<u64>);

impl Cells {
    fn for_map(map: &Map) -> Cells {
        Cells(vec![0; map.grid().id_bound().div_ceil(64)])
    }

    #[inline]
    fn contains(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] >> (cell.0 % 64) & 1 != 0
    }

    #[inline]
    fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.0 % 64);
    }

    #[inline]
    fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.0 % 64));
    }
}

/// Who stands where, and the order of precedence.
#[derive(Debug)]
pub(super) struct Traffic {
    /// Cells that are held between ticks.
    held: Cells,
    /// Cells that are taken for after this tick.
    taken: Cells,
    /// Walkers by the cell that they hold, in open addressing.
    table: Vec<u32>,
    /// Walkers, those that come first first.
    order: Vec<u32>,
    behind: Vec<u32>,
    /// Walkers that left their plan in this tick.
    pub strayed: Vec<u32>,
}

impl Traffic {
    pub fn new(map: &Map) -> Traffic {
        Traffic {
            held: Cells::for_map(map),
            taken: Cells::for_map(map),
            table: Vec::new(),
            order: Vec::new(),
            behind: Vec::new(),
            strayed: Vec::new(),
        }
    }

    /// Takes a cell between ticks; false where it is held already.
    pub fn enter(&mut self, slot: u32, cell: Cell) -> bool {
        let free = !self.held.contains(cell);
        if free {
            self.held.insert(cell);
            self.order.push(slot);
        }
        free
    }

    /// Gives a cell back between ticks.
    pub fn leave(&mut self, slot: u32, cell: Cell) {
        self.held.remove(cell);
        self.order.retain(|&other| other != slot);
    }

    /// Bytes held: by the sets of cells, and by the lists of walkers.
    pub fn memory_bytes(&self) -> (usize, usize) {
        let words = self.held.0.capacity() + self.taken.0.capacity();
        let slots = [&self.table, &self.order, &self.behind, &self.strayed];
        let slots: usize = slots.map(Vec::capacity).iter().sum();
        (words * 8, slots * 4)
    }

    /// Settles and makes the steps of a tick.
    pub fn settle(&mut self, map: &Map, options: Options, walkers: &mut [Walker], tick: &mut Tick) {
        self.renew_order(walkers);
        self.renew_table(walkers);
        self.strayed.clear();
        let mut round = Round {
            map,
            options,
            walkers,
            traffic: self,
            tick,
        };
        // Those that want nothing come last, so that everybody may push them.
        for wanting in [true, false] {
            for i in 0..round.traffic.order.len() {
                let slot = round.traffic.order[i];
                let walker = &round.walkers[slot as usize];
                if !walker.is(Flags::SETTLED) && (walker.steps > 0 || !wanting) {
                    round.settle(slot, None, 0);
                }
            }
        }
        // Every walker has moved its mark from one set to the other.
        std::mem::swap(&mut self.held, &mut self.taken);
    }

    /// Those that yield go to the end of the order, among themselves as they were.
    fn renew_order(&mut self, walkers: &mut [Walker]) {
        self.behind.clear();
        let behind = &mut self.behind;
        self.order.retain(|&slot| {
            let walker = &mut walkers[slot as usize];
            walker.set(Flags::SETTLED, false);
            let yields = walker.is(Flags::YIELDS);
            if yields {
                walker.set(Flags::YIELDS, false);
                behind.push(slot);
            }
            !yields
        });
        self.order.append(behind);
    }

    fn renew_table(&mut self, walkers: &[Walker]) {
        let size = (2 * self.order.len()).next_power_of_two().max(2);
        self.table.clear();
        self.table.resize(size, EMPTY);
        for &slot in &self.order {
            let mut place = self.place(walkers[slot as usize].at);
            while self.table[place] != EMPTY {
                place = (place + 1) & (size - 1);
            }
            self.table[place] = slot;
        }
    }

    #[inline]
    fn place(&self, cell: Cell) -> usize {
        let mixed = cell.0.wrapping_mul(0x9e37_79b9);
        (mixed >> 8) as usize & (self.table.len() - 1)
    }

    /// The walker that holds a cell and has not left it in this tick.
    fn holder(&self, walkers: &[Walker], cell: Cell) -> u32 {
        let mut place = self.place(cell);
        loop {
            let slot = self.table[place];
            if slot == EMPTY || walkers[slot as usize].at == cell {
                return slot;
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }
}

/// A tick under way.
struct Round<'a> {
    map: &'a Map,
    options: Options,
    walkers: &'a mut [Walker],
    traffic: &'a mut Traffic,
    tick: &'a mut Tick,
}

impl Round<'_> {
    /// Settles a walker's step; false where it stays. A pushed walker must leave its cell, and not for its pusher's.
    fn settle(&mut self, slot: u32, pusher: Option<Cell>, depth: u32) -> bool {
        let walker = self.walkers[slot as usize];
        self.walkers[slot as usize].set(Flags::SETTLED, true);
        let wants = walker.steps > 0 && walker.state != State::Blocked;
        if wants && self.try_cell(slot, walker.ahead(), pusher, depth) {
            self.step(slot, walker.ahead());
            return true;
        }
        let patience = self.patience(slot, &walker);
        let tired = wants && u32::from(walker.waits) >= patience;
        if (pusher.is_some() || tired) && walker.state != State::Blocked {
            let (others, count) = self.other_cells(&walker, pusher);
            for &cell in &others[..count] {
                if self.try_cell(slot, cell, pusher, depth) {
                    self.stray(slot, cell);
                    let walker = &mut self.walkers[slot as usize];
                    walker.set(Flags::YIELDS, pusher.is_none());
                    return true;
                }
            }
        }
        // Once in a while: if all yield all the time, none does.
        let yields = tired && (u32::from(walker.waits) - patience).is_multiple_of(YIELD_EVERY);
        self.stay(slot, wants, yields);
        false
    }

    /// May the walker take a cell? Makes whoever holds it go first. A cell whose holder stays is the holder's.
    fn try_cell(&mut self, slot: u32, cell: Cell, pusher: Option<Cell>, depth: u32) -> bool {
        if pusher == Some(cell) || self.traffic.taken.contains(cell) {
            return false;
        }
        if !self.traffic.held.contains(cell) {
            self.traffic.taken.insert(cell);
            return true;
        }
        let holder = self.traffic.holder(self.walkers, cell);
        if holder == EMPTY || holder == slot {
            return false;
        }
        if self.walkers[holder as usize].is(Flags::SETTLED) {
            // It is one of those whose push led here: all of them move now, in a circle.
            self.traffic.taken.insert(cell);
            return true;
        }
        if depth >= LONGEST_CHAIN {
            return false;
        }
        self.traffic.taken.insert(cell);
        let at = self.walkers[slot as usize].at;
        self.settle(holder, Some(at), depth + 1)
    }

    /// All neighbours but the one ahead: those out of the pusher's way first, of these the free ones, of these the ones nearest
    /// to the goal.
    fn other_cells(&self, walker: &Walker, pusher: Option<Cell>) -> ([Cell; 8], usize) {
        let (mut cells, mut count) = ([Cell::NONE; 8], 0);
        let mut keys = [(false, false, 0); 8];
        let pushed_to = pusher.map(|from| Cell(walker.at.0.wrapping_mul(2).wrapping_sub(from.0)));
        let ahead = (walker.steps > 0).then(|| walker.ahead());
        self.map.for_each_neighbour(walker.at, |cell, cost| {
            if Some(cell) == ahead {
                return;
            }
            let h = match walker.goal {
                Cell::NONE => cost,
                goal => self.map.heuristic(cell, goal),
            };
            let key = (Some(cell) == pushed_to, self.traffic.held.contains(cell), h);
            let place = keys[..count].partition_point(|&k| k <= key);
            keys.copy_within(place..count, place + 1);
            cells.copy_within(place..count, place + 1);
            (keys[place], cells[place]) = (key, cell);
            count += 1;
        });
        (cells, count)
    }

    fn step(&mut self, slot: u32, cell: Cell) {
        let walker = &mut self.walkers[slot as usize];
        self.traffic.held.remove(walker.at);
        walker.at = cell;
        walker.steps = walker.steps.saturating_sub(1);
        walker.waits = 0;
        self.tick.moves += 1;
    }

    /// A step off the plan.
    fn stray(&mut self, slot: u32, cell: Cell) {
        let walker = &mut self.walkers[slot as usize];
        walker.head_for(cell, 0);
        self.traffic.strayed.push(slot);
        self.step(slot, cell);
    }

    fn stay(&mut self, slot: u32, waits: bool, yields: bool) {
        let walker = &mut self.walkers[slot as usize];
        self.traffic.held.remove(walker.at);
        self.traffic.taken.insert(walker.at);
        if waits {
            walker.waits = walker.waits.saturating_add(1);
            walker.set(Flags::YIELDS, yields);
            self.tick.waits += 1;
        }
    }

    /// Differs from walker to walker and from place to place.
    fn patience(&self, slot: u32, walker: &Walker) -> u32 {
        self.options.patience + (slot.wrapping_mul(7) ^ walker.at.0) % 4
    }
}
