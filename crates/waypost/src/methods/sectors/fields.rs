//! What windows have in common: ways from everywhere in a window to its target, for all walkers of a crowd that go the same way.
//!
//! Walkers that follow the same chain of regions search the same window for the same target. The first ones search; a
//! window that is asked for again is swept once from its target ([`Fields::grow`]), and from then on a piece of path takes as
//! many look-ups as it has cells. A field is half a byte a cell; all together never take more than [`MAX_BYTES`], and those
//! that nobody has asked for in a while make room for others.
//!
//! Fields are made between ticks, a slice of a sweep at a time, in an order that depends on what was asked for and not on who asked
//! first, so results do not depend on threads.

use super::MAX_HOPS;
use crate::agent::guide::Memo;
use crate::grid::{Cell, ChangeSet, Direction, Point};
use crate::index::sectors::{Layout, SectorIndex, Window, WindowState};
use crate::map::Map;
use crate::stream::{Reader, Writer};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most bytes of all fields together.
pub const MAX_BYTES: usize = 16 << 20;
/// How often a window must have been asked for before its field is made.
const MIN_ASKED: u32 = 2;
/// The most windows that are remembered as asked for.
const MAX_ASKED: usize = 16_384;
/// How often fields that nobody uses are dropped, in ticks.
const CLEAN_EVERY: u64 = 256;
/// The part of a tick's operations of upkeep that sweeps may take: what they save is of that order.
const SWEEP_PART: u64 = 4;
/// No way leads from a cell.
const NO_WAY: u8 = 15;

/// The regions of a window; what is beyond its end is [`u32::MAX`].
pub type Chain = [u32; MAX_HOPS as usize + 1];

/// The ways from all cells of a window to its target.
struct Field {
    corner: (u32, u32),
    box_side: u32,
    /// The number of each sector of the box among those of the window.
    slots: Vec<u8>,
    /// The direction of the next step, or [`NO_WAY`], of two cells a byte.
    ways: Vec<u8>,
    is_used: AtomicBool,
}

/// Fields by their chains.
#[derive(Default)]
pub struct Fields {
    /// Copied when they change while a snapshot holds on to them.
    fields: Arc<BTreeMap<Chain, Arc<Field>>>,
    /// Windows without a field, and how often they were asked for.
    asked: BTreeMap<Chain, u32>,
    /// Those of them whose turn to be swept has come.
    due: VecDeque<Chain>,
    /// The window that is being swept, and its memory.
    under_way: Option<Sweep>,
    window: Option<Window>,
    bytes: usize,
    ticks: u64,
    /// The map and the index that the fields are of.
    fingerprint: u64,
    index: Option<Arc<SectorIndex>>,
}

/// A sweep that goes on in the next tick.
struct Sweep {
    chain: Chain,
    corner: (u32, u32),
    /// Operations so far.
    done: u64,
}

impl Fields {
    /// Writes the way from a cell to the target of a chain's window, the cell included; `None` where there is no field.
    pub fn way(
        &self,
        index: &Arc<SectorIndex>,
        map: &Map,
        chain: &Chain,
        (from, target): (Cell, Cell),
        cells: &mut Vec<Cell>,
    ) -> Option<()> {
        let field = self.fields.get(chain).filter(|_| self.is_of(index, map))?;
        let layout = index.layout();
        field.is_used.store(true, Ordering::Relaxed);
        let (mut cell, mut point) = (from, map.grid().point(from));
        cells.push(cell);
        while cell != target {
            let direction = field.way(layout, point)?;
            cell = map.grid().neighbour(cell, direction);
            point.x = point.x.wrapping_add_signed(direction.dx());
            point.y = point.y.wrapping_add_signed(direction.dy());
            cells.push(cell);
        }
        Some(())
    }

    /// Remembers what was asked for in vain in a tick, in any order.
    pub fn ask(&mut self, chains: &mut Vec<Chain>) {
        chains.sort_unstable();
        for chain in chains.drain(..) {
            let asked = self.asked.entry(chain).or_insert(0);
            *asked += 1;
            if *asked == MIN_ASKED && !self.fields.contains_key(&chain) {
                self.due.push_back(chain);
            }
        }
        if self.asked.len() >= MAX_ASKED {
            self.asked.clear();
            self.due.clear();
        }
    }

    fn is_of(&self, index: &Arc<SectorIndex>, map: &Map) -> bool {
        let same = |known: &Arc<SectorIndex>| Arc::ptr_eq(known, index);
        self.fingerprint == map.fingerprint() && self.index.as_ref().is_some_and(same)
    }

    /// Drops the fields that are of another index, or that a change of the map touches.
    fn follow(&mut self, index: &Arc<SectorIndex>, map: &Map) {
        if self.is_of(index, map) {
            return;
        }
        let same_index = self.index.as_ref().is_some_and(|i| Arc::ptr_eq(i, index));
        match map.changes_since(self.fingerprint) {
            Some(changes) if same_index => self.drop_touched(index.layout(), map, &changes),
            _ => *self = Fields::default(),
        }
        self.under_way = None;
        self.index = Some(index.clone());
        self.fingerprint = map.fingerprint();
    }

    fn drop_touched(&mut self, layout: Layout, map: &Map, changes: &ChangeSet) {
        let cells = changes.blocked.iter().chain(&changes.opened);
        let mut places: Vec<(u32, u32)> = Vec::new();
        for &cell in cells {
            // Whether a step is legal depends on the cells next to it too.
            let Point { x, y } = map.grid().point(cell);
            for dy in 0..3 {
                for dx in 0..3 {
                    let (x, y) = ((x + dx).max(1) - 1, (y + dy).max(1) - 1);
                    places.push(layout.place(Point { x, y }));
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        self.keep(|field| !places.iter().any(|&place| field.slot(place).is_some()));
    }

    /// Keeps some fields.
    fn keep(&mut self, wanted: impl Fn(&Field) -> bool) {
        let bytes = &mut self.bytes;
        Arc::make_mut(&mut self.fields).retain(|_, field| {
            let kept = wanted(field);
            if !kept {
                *bytes -= field.memory_bytes();
            }
            kept
        });
    }

    /// Goes on making fields that were asked for, for a part of this many operations: once a tick.
    pub fn grow(
        &mut self,
        index: &Arc<SectorIndex>,
        map: &Map,
        new_window: impl FnOnce() -> Window,
        operations: u64,
    ) {
        self.follow(index, map);
        self.ticks += 1;
        if self.ticks.is_multiple_of(CLEAN_EVERY) {
            self.keep(|field| field.is_used.swap(false, Ordering::Relaxed));
        }
        let mut window = self.window.take().unwrap_or_else(new_window);
        let mut left = operations / SWEEP_PART;
        while left > 0 && self.bytes < MAX_BYTES {
            if self.under_way.is_none() {
                let Some(chain) = self.due.pop_front() else {
                    break;
                };
                self.asked.remove(&chain);
                self.begin(index, map, &mut window, chain);
            }
            left = left.saturating_sub(self.sweep(map, &mut window, left).max(1));
        }
        self.window = Some(window);
    }

    /// Begins the sweep of a chain's window.
    fn begin(&mut self, index: &SectorIndex, map: &Map, window: &mut Window, chain: Chain) {
        let layout = index.layout();
        let regions = chain.iter().take_while(|region| **region != u32::MAX);
        let cells = regions.map(|&region| index.representative(region));
        let places = cells
            .clone()
            .map(|cell| layout.place(map.grid().point(cell)));
        let (Some(target), Some(first)) = (cells.last(), places.clone().next()) else {
            return;
        };
        let margin = places.clone().count() as u32;
        let corner = (
            first.0.saturating_sub(margin),
            first.1.saturating_sub(margin),
        );
        window.clear(corner);
        for place in places {
            layout.block(place).for_each(|place| window.include(place));
        }
        window.begin(map, target, None);
        self.under_way = Some(Sweep {
            chain,
            corner,
            done: 0,
        });
    }

    /// Goes on with the sweep under way for up to this many operations; says how many it took.
    fn sweep(&mut self, map: &Map, window: &mut Window, operations: u64) -> u64 {
        let Some(sweep) = &mut self.under_way else {
            return 0;
        };
        let taken = window.advance(map, operations);
        sweep.done += taken;
        if window.state() != WindowState::Open {
            let field = Field::of(window, sweep.corner);
            self.bytes += field.memory_bytes();
            Arc::make_mut(&mut self.fields).insert(sweep.chain, Arc::new(field));
            self.under_way = None;
        }
        taken
    }
}

/// What is shared with a snapshot in the process.
type SharedFields = BTreeMap<Chain, Arc<Field>>;

impl Fields {
    /// All that matters between ticks. Fields themselves follow from map and index.
    pub fn memo(&self, missed: &[Chain]) -> Memo {
        let mut out = Writer::default();
        out.u64(self.ticks);
        out.u64(self.fingerprint);
        out.u8(u8::from(self.index.is_some()));
        out.u64(self.fields.len() as u64);
        for (chain, field) in &*self.fields {
            save_chain(&mut out, chain);
            out.u8(u8::from(field.is_used.load(Ordering::Relaxed)));
        }
        out.u64(self.asked.len() as u64);
        for (chain, &times) in &self.asked {
            save_chain(&mut out, chain);
            out.u32(times);
        }
        out.u8(u8::from(self.under_way.is_some()));
        if let Some(sweep) = &self.under_way {
            save_chain(&mut out, &sweep.chain);
            out.u64(sweep.done);
        }
        let mut missed = missed.to_vec();
        missed.sort_unstable();
        for list in [self.due.iter().copied().collect(), missed] {
            out.u64(list.len() as u64);
            list.iter().for_each(|chain| save_chain(&mut out, chain));
        }
        Memo {
            bytes: out.into_bytes(),
            shared: Some(self.fields.clone()),
        }
    }

    /// What a memo was made of, and what was asked for in vain; `None` where it is none.
    pub fn recall(
        index: &Arc<SectorIndex>,
        map: &Map,
        mut window: Window,
        memo: &Memo,
    ) -> Option<(Fields, Vec<Chain>)> {
        let from = &mut Reader::new(&memo.bytes);
        let mut fields = Fields {
            ticks: from.u64()?,
            fingerprint: from.u64()?,
            index: (from.u8()? != 0).then(|| index.clone()),
            ..Fields::default()
        };
        let shared = memo.shared.clone();
        if let Some(Ok(shared)) = shared.map(|shared| shared.downcast::<SharedFields>()) {
            fields.bytes = shared.values().map(|field| field.memory_bytes()).sum();
            fields.fields = shared;
        }
        for _ in 0..from.count(CHAIN_BYTES + 1)? {
            let (chain, is_used) = (load_chain(index, from)?, from.u8()? != 0);
            if !fields.fields.contains_key(&chain) {
                fields.begin(index, map, &mut window, chain);
                fields.sweep(map, &mut window, u64::MAX);
            }
            let field = fields.fields.get(&chain)?;
            field.is_used.store(is_used, Ordering::Relaxed);
        }
        for _ in 0..from.count(CHAIN_BYTES + 4)? {
            let chain = load_chain(index, from)?;
            fields.asked.insert(chain, from.u32()?);
        }
        if from.u8()? != 0 {
            let (chain, done) = (load_chain(index, from)?, from.u64()?);
            fields.begin(index, map, &mut window, chain);
            // It was under way, so it is not done by then.
            fields.sweep(map, &mut window, done);
        }
        fields.window = Some(window);
        let mut list = || -> Option<Vec<Chain>> {
            let count = from.count(CHAIN_BYTES)?;
            (0..count).map(|_| load_chain(index, from)).collect()
        };
        fields.due = list()?.into();
        let missed = list()?;
        from.is_at_end().then_some((fields, missed))
    }
}

const CHAIN_BYTES: usize = size_of::<Chain>();

fn save_chain(out: &mut Writer, chain: &Chain) {
    chain.iter().for_each(|&region| out.u32(region));
}

/// A chain of regions that the index has.
fn load_chain(index: &SectorIndex, from: &mut Reader) -> Option<Chain> {
    let mut chain = [u32::MAX; MAX_HOPS as usize + 1];
    for region in &mut chain {
        *region = from.u32()?;
        if *region != u32::MAX && *region as usize >= index.region_count() {
            return None;
        }
    }
    Some(chain)
}

impl Field {
    /// The ways that a sweep of a whole window has found, from everywhere to where it began.
    fn of(window: &Window, corner: (u32, u32)) -> Field {
        let (slots, arrivals) = window.arrivals();
        let way = |arrival: Option<Direction>| arrival.map_or(NO_WAY, |d| d.opposite() as u8);
        let mut ways = vec![0; arrivals.len().div_ceil(2)];
        for (i, arrival) in arrivals.enumerate() {
            ways[i / 2] |= way(arrival) << (4 * (i % 2));
        }
        Field {
            corner,
            box_side: slots.len().isqrt() as u32,
            slots: slots.to_vec(),
            ways,
            is_used: AtomicBool::new(true),
        }
    }

    fn slot(&self, (column, row): (u32, u32)) -> Option<usize> {
        let (x, y) = (
            column.wrapping_sub(self.corner.0),
            row.wrapping_sub(self.corner.1),
        );
        let inside = x < self.box_side && y < self.box_side;
        let slot = inside.then(|| self.slots[(y * self.box_side + x) as usize])?;
        (slot != u8::MAX).then_some(slot.into())
    }

    #[inline]
    fn way(&self, layout: Layout, point: Point) -> Option<Direction> {
        let slot = self.slot(layout.place(point))?;
        let cell = slot * layout.area() + layout.offset(point);
        let way = self.ways[cell / 2] >> (4 * (cell % 2)) & 15;
        (way != NO_WAY).then(|| Direction::from_number(way))
    }

    fn memory_bytes(&self) -> usize {
        size_of::<(Chain, Field)>() + self.slots.len() + self.ways.len()
    }
}
