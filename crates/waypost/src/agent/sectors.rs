//! The agent of the sector index: near-optimal, in bounded work a move, on every map.
//!
//! [`crate::index::sectors`] explains the method and proves that it ends. The agent walks a committed piece of path while
//! the next window is searched from that piece's end, a slice of operations a move. Where a window is not ready in time,
//! as on the first move of a hard one, the agent behaves as Time-Bounded A* does inside the window: it steps towards the
//! most promising cell, and back along its own trail if that turns out wrong.
//!
//! After a patch, while the index is of an older map, the agent follows the old chain from where it stands. Windows are
//! searched on the map as it is, so every move is legal, and a chain is finite whatever the map; where a window holds no
//! path any more the agent walks by LRTA*, which is complete, until it gets a new goal, a repaired index or another
//! patch.

mod spec;

pub use spec::SECTORS_AGENT;

use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::{Agent, Context, Decision};
use crate::crowd::Trip;
use crate::grid::{Cell, ChangeSet};
use crate::index::Index;
use crate::index::sectors::SectorIndex;
use crate::map::Map;
use crate::search::{Window, WindowState};
use crate::space::Space;
use std::any::Any;
use std::sync::Arc;

/// The most hops that a window may look ahead.
const MOST_HOPS: u32 = 6;
/// A smaller budget a move is taken for this one: windows must be finished some day.
const LEAST_SLICE: u64 = 16;

/// What the agent is busy with beside walking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing: the last window's path leads to the goal, or there is no problem.
    None,
    /// A window is being searched.
    Searching,
    /// A window's path is being traced back from its target.
    Tracing {
        /// The next cell to write down.
        at: Cell,
        /// All cells after it lie in the blocks of the chain from this index on.
        least: u8,
    },
    /// The next piece of path is ready.
    Ready,
    /// No window helps: the index is of an older map.
    Lost,
}

/// The memory of a walking agent. Its size depends on the sectors and the hops alone.
#[derive(Debug)]
struct Room {
    window: Window,
    /// The piece being walked, the next cell last.
    path: Vec<Cell>,
    /// The next piece, the first cell last.
    ahead: Vec<Cell>,
    /// How many of the traced path's last cells lie in the blocks of the chain from each index on.
    tails: [u32; MOST_HOPS as usize + 1],
}

/// An agent that follows the sector index.
#[derive(Debug)]
pub struct SectorsAgent {
    index: Arc<SectorIndex>,
    slice: u64,
    goal: Cell,
    goal_region: u32,
    /// Where the agent must stand for its plan to be of use.
    expected: Cell,
    plan: Plan,
    /// The regions that the window covers: `c(m)` to `c(j)`.
    chain: [u32; MOST_HOPS as usize + 1],
    chain_length: u8,
    /// Where in this chain the next window's begins.
    next_first: u8,
    hops: u8,
    commit: u8,
    connected: bool,
    /// The map has changed: whether there is a way must be asked again.
    recheck: bool,
    room: Option<Box<Room>>,
    fallback: Option<Box<Lrta>>,
}

impl SectorsAgent {
    /// An agent with the default parameters.
    pub fn new(index: Arc<SectorIndex>) -> SectorsAgent {
        let hops = if index.layout().side() < 32 { 3 } else { 2 };
        let mut agent = SectorsAgent {
            index,
            slice: 0,
            goal: Cell::NONE,
            goal_region: 0,
            expected: Cell::NONE,
            plan: Plan::None,
            chain: [0; MOST_HOPS as usize + 1],
            chain_length: 0,
            next_first: 1,
            hops,
            commit: 8,
            connected: false,
            recheck: false,
            room: None,
            fallback: None,
        };
        agent.slice = agent.default_slice();
        agent
    }

    /// Takes a repaired index; the next move plans with it.
    pub fn set_index(&mut self, index: Arc<SectorIndex>) {
        if index.layout().side() != self.index.layout().side() {
            self.room = None;
        }
        self.index = index;
        self.expected = Cell::NONE;
    }

    /// Operations a move that search and trace the largest window while the shortest piece is walked.
    fn default_slice(&self) -> u64 {
        (2 * self.index.window_bound(self.hops.into())).div_ceil(u64::from(self.commit))
    }

    /// All the memory that the agent will ever need: a path cannot be longer than its window has cells.
    fn new_room(&self) -> Box<Room> {
        let hops = self.hops.into();
        let cells = self.index.window_bound(hops) as usize;
        Box::new(Room {
            window: Window::new(
                self.index.layout(),
                SectorIndex::window_sectors(hops),
                SectorIndex::window_box(hops),
            ),
            path: Vec::with_capacity(cells),
            ahead: Vec::with_capacity(cells),
            tails: [0; MOST_HOPS as usize + 1],
        })
    }

    /// Forgets all plans and plans from where the agent stands.
    fn restart(&mut self, context: &mut Context<Map>, room: &mut Room, at: Cell) {
        let grid = context.space.grid();
        room.path.clear();
        room.ahead.clear();
        self.expected = at;
        let regions = [at, self.goal].map(|cell| self.index.region(grid.point(cell)));
        match regions {
            [Some(here), Some(there)] if self.index.connected(here, there) => {
                self.chain[0] = here;
                self.chain_length = 1;
                self.goal_region = there;
                self.open_window(context, room, at);
            }
            _ => self.plan = Plan::Lost,
        }
    }

    /// Follows the chain as far as the window looks and begins the search from `from`.
    fn open_window(&mut self, context: &mut Context<Map>, room: &mut Room, from: Cell) {
        while self.chain_length <= self.hops && self.chain_end() != self.goal_region {
            let (next, looks) = self.index.next_hop(self.chain_end(), self.goal_region);
            context.meter.look_ups += looks;
            let Some(next) = next else {
                break;
            };
            self.chain[usize::from(self.chain_length)] = next;
            self.chain_length += 1;
        }
        let layout = self.index.layout();
        let margin = u32::from(self.hops) + 1;
        let (column, row) = self.place(context, self.chain[0]);
        room.window
            .clear((column.saturating_sub(margin), row.saturating_sub(margin)));
        for &region in &self.chain[..usize::from(self.chain_length)] {
            let block = layout.block(self.place(context, region));
            block.for_each(|place| room.window.include(place));
        }
        room.window.begin(context.space, from, Some(self.target()));
        self.plan = Plan::Searching;
    }

    /// The sector of a region.
    fn place(&self, context: &Context<Map>, region: u32) -> (u32, u32) {
        let cell = self.index.representative(region);
        self.index.layout().place(context.space.grid().point(cell))
    }

    fn chain_end(&self) -> u32 {
        self.chain[usize::from(self.chain_length) - 1]
    }

    fn target(&self) -> Cell {
        if self.chain_end() == self.goal_region {
            self.goal
        } else {
            self.index.representative(self.chain_end())
        }
    }

    /// The next piece of path, without regard to a budget, for walkers that share this agent. A walker's note is the region that
    /// its next window begins with, plus one; without one it is the region where it stands, as on a first move. The piece
    /// is kept in the trip as far as it fits. Where it does not, the same window serves again from where it ends.
    fn next_piece(&mut self, context: &mut Context<Map>, trip: &mut Trip) -> bool {
        self.goal = trip.goal;
        let mut room = self.room.take().unwrap_or_else(|| self.new_room());
        match trip.note.checked_sub(1) {
            None => self.restart(context, &mut room, trip.from),
            Some(region) => {
                room.path.clear();
                room.ahead.clear();
                self.chain[0] = region;
                self.chain_length = 1;
                let goal = context.space.grid().point(self.goal);
                self.plan = Plan::Lost;
                if let Some(there) = self.index.region(goal) {
                    self.goal_region = there;
                    self.open_window(context, &mut room, trip.from);
                }
            }
        }
        self.work(context, &mut room, u64::MAX);
        let ready = self.plan == Plan::Ready;
        if ready {
            let piece = room.ahead.iter().rev().copied();
            let path = [trip.from].into_iter().chain(piece).collect::<Vec<_>>();
            let fits = trip.keep(context.space, path.into_iter());
            let ends = self.target() == self.goal;
            let first = self.next_first.min(self.chain_length - 1);
            let next = if fits { first } else { 0 };
            trip.note = self.chain[usize::from(next)] + 1;
            trip.goes_on(!(fits && ends));
        }
        self.room = Some(room);
        ready
    }

    /// Works on the plan for at most `budget` operations.
    fn work(&mut self, context: &mut Context<Map>, room: &mut Room, budget: u64) {
        let mut left = budget;
        if self.plan == Plan::Searching {
            let expansions = search(context, &mut room.window, left);
            left -= expansions;
            match room.window.state() {
                WindowState::Open => {}
                WindowState::Found => {
                    room.ahead.clear();
                    room.tails.fill(0);
                    self.plan = Plan::Tracing {
                        at: self.target(),
                        least: self.chain_length - 1,
                    };
                }
                WindowState::Exhausted => self.plan = Plan::Lost,
            }
        }
        while left > 0 && matches!(self.plan, Plan::Tracing { .. }) {
            self.trace(context, room);
            context.meter.trace_steps += 1;
            left -= 1;
        }
    }

    /// Writes down one more cell of the window's path, from its target back.
    fn trace(&mut self, context: &Context<Map>, room: &mut Room) {
        let Plan::Tracing { at, least } = self.plan else {
            return;
        };
        room.ahead.push(at);
        let least = least.min(self.last_block_with(context, at));
        for tail in &mut room.tails[..=usize::from(least)] {
            *tail += 1;
        }
        self.plan = match room.window.before(context.space, at) {
            Some(before) => Plan::Tracing { at: before, least },
            None => {
                self.cut(room);
                Plan::Ready
            }
        };
    }

    /// The last region of the chain whose block of sectors holds the cell.
    fn last_block_with(&self, context: &Context<Map>, cell: Cell) -> u8 {
        let (column, row) = self.index.layout().place(context.space.grid().point(cell));
        (0..self.chain_length)
            .rev()
            .find(|&i| {
                let (c, r) = self.place(context, self.chain[usize::from(i)]);
                c.abs_diff(column) <= 1 && r.abs_diff(row) <= 1
            })
            .unwrap_or(0)
    }

    /// Keeps the part of the traced path that is walked before the next window takes over: at least `commit` moves, and
    /// up to a cell from where the rest lies in the blocks of later regions, so that the next window holds a path too.
    fn cut(&mut self, room: &mut Room) {
        room.ahead.pop(); // where the path begins
        if self.target() == self.goal {
            return;
        }
        let moves = room.ahead.len();
        let walked = (moves + 1)
            .saturating_sub(room.tails[1] as usize)
            .max(self.commit.into())
            .min(moves);
        let rest = (moves - walked + 1) as u32;
        let serves = |&first: &usize| room.tails[first] >= rest;
        self.next_first = (1..room.tails.len()).rev().find(serves).unwrap_or(1) as u8;
        room.ahead.drain(..moves - walked);
    }

    /// The piece that was ready becomes the one that is walked, and the next window opens at its end.
    fn take_over(&mut self, context: &mut Context<Map>, room: &mut Room, at: Cell) {
        if room.window.from() != at {
            lead_back(context, room, at);
        }
        std::mem::swap(&mut room.path, &mut room.ahead);
        room.ahead.clear();
        // Provisional steps may have led to the very end of the piece: then nothing is left to walk.
        let end = room.path.first().copied().unwrap_or(at);
        self.plan = Plan::None;
        if end != self.goal {
            let first = self.next_first.min(self.chain_length - 1);
            self.chain.copy_within(usize::from(first).., 0);
            self.chain_length -= first;
            self.open_window(context, room, end);
            if self.target() == end {
                // The chain ends short of the goal: it is of an older map.
                self.plan = Plan::Lost;
            }
        }
    }

    /// The next step of the plan, of a provisional one, or of LRTA*; `None` where the budget does not reach to one.
    fn step(&mut self, context: &mut Context<Map>, room: &mut Room, at: Cell) -> Option<Cell> {
        if at != self.expected {
            self.restart(context, room, at);
        }
        let budget = self.slice.min(context.budget.operations.max(LEAST_SLICE));
        self.work(context, room, budget);
        if room.path.is_empty() && self.plan == Plan::Ready {
            self.take_over(context, room, at);
        }
        let planned = match room.path.pop() {
            Some(next) => Some(next),
            None if self.plan == Plan::Lost => return self.step_by_learning(context, at),
            None => provisional_step(context, room, at, budget),
        };
        // A map that changed without a word: this move is spent on planning again.
        let legal = planned.is_none_or(|next| context.space.legal_step(at, next).is_some());
        if !legal {
            self.restart(context, room, at);
        }
        planned.filter(|_| legal)
    }

    fn step_by_learning(&mut self, context: &mut Context<Map>, at: Cell) -> Option<Cell> {
        let goal = self.goal;
        let lrta = self.fallback.get_or_insert_with(|| {
            let mut lrta = Box::new(Lrta::new(LrtaParams::default()));
            lrta.start(context, goal);
            lrta
        });
        lrta.step(context, at)
    }

    /// Drops what LRTA* has learned for the last problem or on the last map.
    fn end_fallback(&mut self, context: &mut Context<Map>) {
        if let Some(mut lrta) = self.fallback.take() {
            lrta.forget(context);
        }
    }
}

/// Goes on with a window's search, node by node where there is a trace; gives the number of expansions.
fn search(context: &mut Context<Map>, window: &mut Window, most: u64) -> u64 {
    let space = context.space;
    let Some(trace) = context.trace.as_deref_mut() else {
        let expansions = window.advance(space, most);
        context.meter.expansions += expansions;
        return expansions;
    };
    let mut expansions = 0;
    while expansions < most && window.advance(space, 1) == 1 {
        expansions += 1;
        if let Some(event) = window.last_expanded(space) {
            trace.record(event);
        }
    }
    context.meter.expansions += expansions;
    expansions
}

/// After provisional steps the agent may stand beside the window's path: puts the way back in front of it. Both ways come
/// from the window's first cell, so they part once.
fn lead_back(context: &mut Context<Map>, room: &mut Room, at: Cell) {
    let Room {
        window,
        path: trail,
        ahead,
        ..
    } = room;
    trail.clear();
    let mut cell = at;
    while let Some(before) = window.before(context.space, cell) {
        trail.push(cell);
        cell = before;
    }
    context.meter.trace_steps += trail.len() as u64;
    let together = trail
        .iter()
        .rev()
        .zip(ahead.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    ahead.truncate(ahead.len() - together);
    // Back to where the ways part, the next cell last; the cell under the agent is left out.
    let back = trail.len() - together;
    let parting = trail.get(back).copied().unwrap_or(window.from());
    if back > 0 {
        ahead.push(parting);
        ahead.extend(trail[1..back].iter().rev());
    }
    trail.clear();
}

/// A step while the window is not ready: towards its most promising cell, or back along the trail.
fn provisional_step(
    context: &mut Context<Map>,
    room: &Room,
    at: Cell,
    budget: u64,
) -> Option<Cell> {
    let space = context.space;
    let mut cell = space.grid().cell(room.window.best()?)?;
    for _ in 0..budget {
        context.meter.trace_steps += 1;
        let Some(before) = room.window.before(space, cell) else {
            return room.window.before(space, at);
        };
        if before == at {
            return Some(cell);
        }
        cell = before;
    }
    None
}

impl Agent<Map> for SectorsAgent {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.connected = context.space.connected(from, goal);
        self.plan = Plan::None;
        self.recheck = false;
        self.expected = Cell::NONE;
        self.end_fallback(context);
        if self.connected && from != goal && self.room.is_none() {
            self.room = Some(self.new_room());
        }
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if self.recheck {
            self.recheck = false;
            self.connected = context.space.connected(at, self.goal);
        }
        if !self.connected {
            return Decision::Unreachable;
        }
        if at == self.goal {
            return Decision::Arrived;
        }
        let mut room = self.room.take().unwrap_or_else(|| self.new_room());
        let step = self.step(context, &mut room, at);
        self.room = Some(room);
        match step {
            Some(next) => {
                self.expected = next;
                Decision::Step(next)
            }
            None => Decision::Thinking,
        }
    }

    fn replace_index(&mut self, index: &Arc<dyn Index>) {
        let any = index.clone() as Arc<dyn Any + Send + Sync>;
        if let Ok(index) = any.downcast::<SectorIndex>() {
            self.set_index(index);
        }
    }

    fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        let _ = changes;
        self.end_fallback(context);
        self.expected = Cell::NONE;
        self.recheck = true;
    }

    fn memory_bytes(&self) -> usize {
        let room = |room: &Room| {
            let cells = room.path.capacity() + room.ahead.capacity();
            size_of::<Room>() + cells * size_of::<Cell>() + room.window.memory_bytes()
        };
        size_of::<SectorsAgent>()
            + self.room.as_deref().map_or(0, room)
            + self
                .fallback
                .as_ref()
                .map_or(0, |lrta| lrta.reserved_bytes())
    }

    fn learned_bytes(&self) -> usize {
        let fallback = self.fallback.as_ref();
        fallback.map_or(0, |lrta| lrta.reserved_bytes())
    }

    fn operations_bound(&self, space: &Map) -> Option<u64> {
        // Search and trace within a slice; a provisional step traces at most as far again, and the way back from such
        // steps is no longer than there are moves while a window is worked on; hops are looked up in rows of at most
        // 2^32 runs; LRTA* takes over where there is no window.
        let hops = 33 * (u64::from(self.hops) + 1);
        let window = 2 * self.index.window_bound(self.hops.into());
        let fallback = Lrta::new(LrtaParams::default()).operations_bound(space);
        Some(2 * self.slice + window.div_ceil(self.slice) + 2 + hops + fallback)
    }
}
