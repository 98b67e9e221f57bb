//! The agent of the sector index: near-optimal, in bounded work a move, on every map.
//!
//! [`crate::index::sectors`] explains the method and proves that it ends. The agent walks a committed piece of path while
//! the next window is searched from that piece's end, a slice of operations a move. Where a window is not ready in time,
//! as on the first move of a hard one, the agent behaves as Time-Bounded A* does inside the window: it steps towards the
//! most promising cell, and back along its own trail if that turns out wrong.

use crate::agent::{Agent, Context, Decision};
use crate::grid::{Cell, ChangeSet};
use crate::index::sectors::SectorIndex;
use crate::index::{IndexKind, IndexRequest, Indexes};
use crate::map::Map;
use crate::search::{Window, WindowState};
use crate::space::Space;
use crate::spec::{AgentFactory, Algorithm, SpecText};
use std::sync::Arc;

/// The most hops that a window may look ahead.
const MOST_HOPS: u32 = 6;

/// `sectors` in specs.
pub static SECTORS_AGENT: Algorithm = Algorithm {
    name: "sectors",
    about: "follows next hops between regions, with A* in a small window: near-optimal, bounded, complete on every map",
    keys: &[
        (
            "side",
            "cells on a side of a sector: 8, 16, 32 or 64 (default: by the map's size)",
        ),
        (
            "k",
            "hops that a window looks ahead, 1 to 6 (default: 3, or 2 with sectors of 32 and more)",
        ),
        (
            "commit",
            "the fewest moves walked before the next window takes over, 1 to 64 (default: 8)",
        ),
        (
            "slice",
            "operations a move, at least 16 (default: what finishes a window in time)",
        ),
    ],
    parse: |text| Ok(Box::new(Parameters::parse(text)?)),
};

struct Parameters {
    side: Option<String>,
    hops: Option<u32>,
    commit: u32,
    slice: Option<u64>,
}

impl Parameters {
    fn parse(text: &SpecText) -> Result<Parameters, crate::spec::SpecError> {
        let side: u32 = text.value("side", 0, "8, 16, 32 or 64", |s| {
            [8, 16, 32, 64].contains(s)
        })?;
        let hops = text.value("k", 0, "1 to 6", |k| (1..=MOST_HOPS).contains(k))?;
        let slice = text.value("slice", 0, "at least 16", |&s| s >= 16)?;
        Ok(Parameters {
            side: (side > 0).then(|| side.to_string()),
            hops: (hops > 0).then_some(hops),
            commit: text.value("commit", 8, "1 to 64", |c| (1..=64).contains(c))?,
            slice: (slice > 0).then_some(slice),
        })
    }
}

impl AgentFactory for Parameters {
    fn needs(&self) -> Vec<IndexRequest> {
        let request = IndexRequest::new(IndexKind::Sectors);
        vec![match &self.side {
            Some(side) => request.with("side", side),
            None => request,
        }]
    }

    fn build(&self, _map: &Map, indexes: &Indexes) -> Result<Box<dyn Agent<Map>>, String> {
        let index = indexes
            .find::<SectorIndex>(&self.needs()[0])
            .ok_or("it needs a `sectors` index; build one with `waypost build sectors`")?;
        let mut agent = SectorsAgent::new(index);
        if let Some(hops) = self.hops {
            agent.hops = hops;
        }
        agent.commit = self.commit;
        agent.slice = self.slice.unwrap_or_else(|| agent.default_slice());
        Ok(Box::new(agent))
    }
}

/// What the agent is busy with beside walking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing is planned: a new problem, or the last window's path leads to the goal.
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
}

/// An agent that follows the sector index.
#[derive(Debug)]
pub struct SectorsAgent {
    index: Arc<SectorIndex>,
    hops: u32,
    commit: u32,
    slice: u64,
    goal: Cell,
    goal_region: u32,
    connected: bool,
    /// The regions that the window covers: `c(m)` to `c(j)`.
    chain: [u32; MOST_HOPS as usize + 1],
    chain_length: u8,
    plan: Plan,
    /// How many of the traced path's last cells lie in the blocks of the chain from each index on.
    tails: [u32; MOST_HOPS as usize + 1],
    /// Where in this chain the next window's begins.
    next_first: u8,
    /// The piece being walked, the next cell last.
    path: Vec<Cell>,
    /// The next piece, the first cell last.
    ahead: Vec<Cell>,
    /// Where the agent must stand for its plan to be of use.
    expected: Cell,
    window: Option<Box<Window>>,
}

impl SectorsAgent {
    /// An agent with the default parameters.
    pub fn new(index: Arc<SectorIndex>) -> SectorsAgent {
        let hops = if index.layout().side() < 32 { 3 } else { 2 };
        let mut agent = SectorsAgent {
            index,
            hops,
            commit: 8,
            slice: 0,
            goal: Cell::NONE,
            goal_region: 0,
            connected: false,
            chain: [0; MOST_HOPS as usize + 1],
            chain_length: 0,
            plan: Plan::None,
            tails: [0; MOST_HOPS as usize + 1],
            next_first: 1,
            path: Vec::new(),
            ahead: Vec::new(),
            expected: Cell::NONE,
            window: None,
        };
        agent.slice = agent.default_slice();
        agent
    }

    /// Operations a move that search and trace the largest window while the shortest piece is walked.
    fn default_slice(&self) -> u64 {
        (2 * self.index.window_bound(self.hops)).div_ceil(u64::from(self.commit))
    }

    /// Forgets all plans; the next move plans from where the agent stands.
    fn restart(&mut self, context: &mut Context<Map>, at: Cell) {
        self.path.clear();
        self.ahead.clear();
        self.plan = Plan::None;
        self.expected = at;
        self.chain[0] = self.index.region(context.space.grid().point(at));
        self.chain_length = 1;
        if at != self.goal {
            self.open_window(context, at);
        }
    }

    /// Follows the chain as far as the window looks and begins the search from `from`.
    fn open_window(&mut self, context: &mut Context<Map>, from: Cell) {
        while u32::from(self.chain_length) <= self.hops && self.chain_end() != self.goal_region {
            let (next, looks) = self.index.next_hop(self.chain_end(), self.goal_region);
            context.meter.look_ups += looks;
            let Some(next) = next else {
                break;
            };
            self.chain[usize::from(self.chain_length)] = next;
            self.chain_length += 1;
        }
        let (layout, grid) = (self.index.layout(), context.space.grid());
        let mut window = self.window.take().unwrap_or_else(|| self.new_window());
        let place = |region: u32| layout.place(grid.point(self.index.representative(region)));
        let first = place(self.chain[0]);
        let corner = (
            first.0.saturating_sub(self.hops + 1),
            first.1.saturating_sub(self.hops + 1),
        );
        let target = self.target();
        window.clear(corner);
        for &region in &self.chain[..usize::from(self.chain_length)] {
            layout.block(place(region)).for_each(|p| window.include(p));
        }
        window.begin(context.space, from, Some(target));
        self.window = Some(window);
        self.plan = Plan::Searching;
    }

    /// All the memory that the agent will ever need: a path cannot be longer than its window has cells.
    fn new_window(&mut self) -> Box<Window> {
        let cells = self.index.window_bound(self.hops) as usize;
        self.path.reserve(cells);
        self.ahead.reserve(cells);
        Box::new(Window::new(
            self.index.layout(),
            SectorIndex::window_sectors(self.hops),
            SectorIndex::window_box(self.hops),
        ))
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

    /// Works on the plan for at most `budget` operations.
    fn work(&mut self, context: &mut Context<Map>, budget: u64) {
        let Some(mut window) = self.window.take() else {
            return;
        };
        let mut left = budget;
        if self.plan == Plan::Searching {
            let expansions = window.advance(context.space, left);
            context.meter.expansions += expansions;
            left -= expansions;
            match window.state() {
                WindowState::Open => {}
                WindowState::Found => {
                    self.ahead.clear();
                    self.plan = Plan::Tracing {
                        at: self.target(),
                        least: self.chain_length - 1,
                    };
                    self.tails = [0; MOST_HOPS as usize + 1];
                }
                WindowState::Exhausted => self.plan = Plan::None,
            }
        }
        while left > 0 && matches!(self.plan, Plan::Tracing { .. }) {
            self.trace(context, &window);
            context.meter.trace_steps += 1;
            left -= 1;
        }
        self.window = Some(window);
    }

    /// Writes down one more cell of the window's path, from its target back.
    fn trace(&mut self, context: &Context<Map>, window: &Window) {
        let Plan::Tracing { at, least } = self.plan else {
            return;
        };
        self.ahead.push(at);
        let least = least.min(self.last_block_with(context, at));
        for tail in &mut self.tails[..=usize::from(least)] {
            *tail += 1;
        }
        self.plan = match window.before(context.space, at) {
            Some(before) => Plan::Tracing { at: before, least },
            None => {
                self.cut();
                Plan::Ready
            }
        };
    }

    /// The last region of the chain whose block of sectors holds the cell.
    fn last_block_with(&self, context: &Context<Map>, cell: Cell) -> u8 {
        let (layout, grid) = (self.index.layout(), context.space.grid());
        let (column, row) = layout.place(grid.point(cell));
        (0..self.chain_length)
            .rev()
            .find(|&i| {
                let cell = self.index.representative(self.chain[usize::from(i)]);
                let (c, r) = layout.place(grid.point(cell));
                c.abs_diff(column) <= 1 && r.abs_diff(row) <= 1
            })
            .unwrap_or(0)
    }

    /// Keeps the part of the traced path that is walked before the next window takes over: at least `commit` moves, and
    /// up to a cell from where the rest lies in the blocks of later regions, so that the next window holds a path too.
    fn cut(&mut self) {
        self.ahead.pop(); // where the path begins
        if self.target() == self.goal {
            return;
        }
        let moves = self.ahead.len();
        let walked = (moves + 1)
            .saturating_sub(self.tails[1] as usize)
            .max(self.commit as usize)
            .min(moves);
        let rest = (moves - walked + 1) as u32;
        let serves = |&first: &usize| self.tails[first] >= rest;
        self.next_first = (1..self.tails.len()).rev().find(serves).unwrap_or(1) as u8;
        self.ahead.drain(..moves - walked);
    }

    /// The piece that was ready becomes the one that is walked, and the next window opens at its end.
    fn take_over(&mut self, context: &mut Context<Map>) {
        std::mem::swap(&mut self.path, &mut self.ahead);
        self.ahead.clear();
        self.plan = Plan::None;
        let end = self.path.first().copied().unwrap_or(self.expected);
        if end != self.goal {
            let first = self.next_first.min(self.chain_length - 1);
            self.chain.copy_within(usize::from(first).., 0);
            self.chain_length -= first;
            self.open_window(context, end);
        }
    }

    /// A step while the window is not ready: towards its most promising cell, or back along the trail.
    fn provisional(&mut self, context: &mut Context<Map>, at: Cell, budget: u64) -> Option<Cell> {
        let window = self.window.as_deref()?;
        let space = context.space;
        let mut cell = space.grid().cell(window.best()?)?;
        for _ in 0..budget {
            context.meter.trace_steps += 1;
            let Some(before) = window.before(space, cell) else {
                return window.before(space, at);
            };
            if before == at {
                return Some(cell);
            }
            cell = before;
        }
        None
    }
}

impl Agent<Map> for SectorsAgent {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        self.connected = context.space.connected(from, goal);
        self.path.clear();
        self.plan = Plan::None;
        if self.connected {
            self.goal_region = self.index.region(context.space.grid().point(goal));
            self.restart(context, from);
        }
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if !self.connected {
            return Decision::Unreachable;
        }
        if at == self.goal {
            return Decision::Arrived;
        }
        if at != self.expected {
            self.restart(context, at);
        }
        let budget = self.slice.min(context.budget.operations).max(1);
        self.work(context, budget);
        if self.path.is_empty() && self.plan == Plan::Ready {
            self.back_to_the_path(context, at);
            self.take_over(context);
        }
        let step = match self.path.pop() {
            Some(next) => Some(next),
            None => self.provisional(context, at, budget),
        };
        match step {
            Some(next) => {
                self.expected = next;
                Decision::Step(next)
            }
            None => Decision::Thinking,
        }
    }

    fn map_changed(&mut self, _context: &mut Context<Map>, _changes: &ChangeSet) {
        self.path.clear();
        self.ahead.clear();
        self.plan = Plan::None;
        self.expected = Cell::NONE;
    }

    fn memory_bytes(&self) -> usize {
        size_of::<SectorsAgent>()
            + (self.path.capacity() + self.ahead.capacity()) * size_of::<Cell>()
            + self.window.as_ref().map_or(0, |w| w.memory_bytes())
    }

    fn operations_bound(&self, _space: &Map) -> Option<u64> {
        // Search and trace within a slice; a provisional step traces at most as far again; hops are looked up in rows
        // of at most 2^32 runs.
        Some(2 * self.slice + 33 * u64::from(self.hops + 1))
    }
}

impl SectorsAgent {
    /// After provisional steps the agent may stand beside the window's path: leads it back to it.
    fn back_to_the_path(&mut self, context: &mut Context<Map>, at: Cell) {
        let Some(window) = self.window.as_deref() else {
            return;
        };
        if window.from() == at {
            return;
        }
        let mut cell = at;
        let mut steps = 0;
        let meets = loop {
            context.meter.trace_steps += 1;
            if let Some(i) = self.ahead.iter().position(|&c| c == cell) {
                break i;
            }
            match window.before(context.space, cell) {
                Some(before) => cell = before,
                None => break self.ahead.len(),
            }
            steps += 1;
        };
        self.ahead.truncate(meets);
        cell = at;
        for _ in 0..steps {
            cell = window.before(context.space, cell).unwrap_or(cell);
            self.ahead.push(cell);
        }
        self.ahead[meets..].reverse();
    }
}
