//! One walker a cell: who goes first, who makes room.
//!
//! The rule is priority inheritance with backtracking (Okumura, Machida, Défago and Tamura, "Priority inheritance with
//! backtracking for iterative multi-agent path finding", Artificial Intelligence 310, 2022). Walkers settle their steps in an
//! order of precedence: those in doors come first, for who waits in a door keeps everybody waiting, then those that stand on their
//! paths, and of these, as of the others, those whose goal is oldest ([`Rank`]). Each takes the best of its neighbours, rather to the right than to the left; whoever stands there and has not settled yet moves out of the way first, which may push another in turn; where that fails the next best is tried,
//! and at last the walker stays. No two walkers exchange places or share a cell.
//!
//! What is best a walker knows from its [`Track`], the piece of its path around it: a cell is worth the way to the furthest
//! path cell that it sees and what is left from there ([`prospect::Prospect`]). So a walker that was pushed off its path comes back
//! by itself, without another plan; it plans again where it lost sight of the path. Walkers without a plan go by the heuristic.
//! Those without a goal, and those that have arrived, are pushed too; the latter go back when they can.
//!
//! One addition: a walker that was held up for longer than its patience yields. It goes to the end of the order, so that
//! whoever it faces in a dead end becomes the one that pushes, and tries also neighbours that are worse than its
//! place. Patience differs from walker to walker, so that two do not mirror each other.
//!
//! Members of a group do not push each other where they can exchange their goals ([`exchange`]).
//!
//! Where walkers are in each other's way for long all the same, a search parts them ([`knot`]).
//!
//! A walker settles once a tick and looks at nine cells, so the work of a tick is bounded by the number of walkers.

mod door;
mod exchange;
mod knot;
mod prospect;
mod round;
mod track;
mod ways;

use super::walker::{Flags, Walker};
use super::{Options, Tick};
use crate::grid::Cell;
use crate::map::Map;
use door::is_in_door;
pub(super) use knot::{
    Knot, MOST_CELLS, Member, Sample, Target, Untied, WATCH_EVERY, Watch, Window,
};
use round::Round;
pub(super) use track::Track;

/// No walker in a place of the table.
const EMPTY: u32 = u32::MAX;

/// Who settles before whom, whatever the order of precedence.
#[derive(Clone, Copy, Debug)]
enum Rank {
    /// Those that stand in a door and on their paths: they are let out before others are let in, and nobody outside pushes them back.
    OnPathInDoor,
    /// Those that stand in a door beside their paths.
    InDoor,
    /// Those that stand on their paths: streams keep moving, and who was pushed out of one comes back where there is room.
    OnPath,
    /// Those that are under way all the same.
    UnderWay,
    /// Those that want nothing come last, so that everybody may push them.
    Anybody,
}

impl Rank {
    const ALL: [Rank; 5] = [
        Rank::OnPathInDoor,
        Rank::InDoor,
        Rank::OnPath,
        Rank::UnderWay,
        Rank::Anybody,
    ];
}

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
    pub order: Vec<u32>,
    behind: Vec<u32>,
    /// The paths around walkers, by slot.
    pub tracks: Vec<Track>,
    /// Walkers that are off their paths by more than [`FAR_OFF`] steps, or were pushed off their goals.
    pub lost: Vec<u32>,
    /// Walkers that stand beside their paths.
    pub astray: Vec<u32>,
    /// How many walkers have exchanged their goals in this tick.
    pub exchanges: u32,
    /// Who makes no progress, by slot.
    pub watches: Vec<Watch>,
    /// Walkers that are being parted.
    pub knot: Option<Box<Knot>>,
}

impl Traffic {
    /// Whether a walker holds a cell.
    pub fn is_held(&self, cell: Cell) -> bool {
        self.held.contains(cell)
    }

    pub fn new(map: &Map) -> Traffic {
        Traffic {
            held: Cells::for_map(map),
            taken: Cells::for_map(map),
            table: Vec::new(),
            order: Vec::new(),
            behind: Vec::new(),
            tracks: Vec::new(),
            lost: Vec::new(),
            astray: Vec::new(),
            exchanges: 0,
            watches: Vec::new(),
            knot: None,
        }
    }

    /// Takes a cell between ticks; false where it is held already.
    pub fn enter(&mut self, slot: u32, cell: Cell) -> bool {
        let free = !self.held.contains(cell);
        if free {
            self.held.insert(cell);
            self.order.push(slot);
            let slot = slot as usize;
            if self.tracks.len() <= slot {
                self.tracks.resize(slot + 1, Track::at(Cell::NONE));
                self.watches.resize(slot + 1, Watch::at(Cell::NONE));
            }
            self.tracks[slot] = Track::at(cell);
            self.watches[slot] = Watch::at(cell);
            if let Some(knot) = &mut self.knot {
                knot.somebody_at(cell);
            }
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
        let slots = [
            &self.table,
            &self.order,
            &self.behind,
            &self.lost,
            &self.astray,
        ];
        let slots: usize = slots.map(Vec::capacity).iter().sum();
        let tracks = self.tracks.capacity() * size_of::<Track>();
        let watches = self.watches.capacity() * size_of::<Watch>();
        (words * 8, slots * 4 + tracks + watches)
    }

    /// Settles and makes the steps of a tick.
    pub fn settle(&mut self, map: &Map, options: Options, walkers: &mut [Walker], tick: &mut Tick) {
        self.renew_order(walkers);
        self.renew_table(walkers);
        self.lost.clear();
        self.astray.clear();
        self.exchanges = 0;
        let mut knot = self.knot.take();
        let mut round = Round {
            map,
            options,
            walkers,
            traffic: self,
            tick,
        };
        if let Some(knot) = &mut knot {
            knot.settle(&mut round);
        }
        for rank in Rank::ALL {
            for i in 0..round.traffic.order.len() {
                let slot = round.traffic.order[i];
                let walker = &round.walkers[slot as usize];
                if !walker.is(Flags::SETTLED) && round.traffic.admits(rank, map, slot, walker) {
                    round.settle(slot, None, 0);
                }
            }
        }
        if let Some(knot) = &knot {
            knot.reopen(&mut round);
        }
        self.knot = knot;
        // Every walker has moved its mark from one set to the other.
        std::mem::swap(&mut self.held, &mut self.taken);
    }

    /// Whether a walker settles when this rank does, if it has not before.
    #[inline]
    fn admits(&self, rank: Rank, map: &Map, slot: u32, walker: &Walker) -> bool {
        let wants = walker.wants_to_move();
        let is_on_path = || self.tracks[slot as usize].is_at(walker.at);
        match rank {
            Rank::OnPathInDoor => wants && is_on_path() && is_in_door(map, walker.at),
            Rank::InDoor => wants && !is_on_path() && is_in_door(map, walker.at),
            Rank::OnPath => wants && is_on_path(),
            Rank::UnderWay => wants,
            Rank::Anybody => true,
        }
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
