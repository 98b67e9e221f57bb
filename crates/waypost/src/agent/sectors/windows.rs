//! Windows: how they are opened along a chain of hops, searched, traced back, and cut into the piece that is walked.

use super::{MOST_HOPS, SectorsAgent};
use crate::agent::Context;
use crate::grid::Cell;
use crate::map::Map;
use crate::search::{Window, WindowState};

/// What the agent is busy with beside walking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
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
pub(super) struct Room {
    pub(super) window: Window,
    /// The piece being walked, the next cell last.
    pub(super) path: Vec<Cell>,
    /// The next piece, the first cell last.
    pub(super) ahead: Vec<Cell>,
    /// How many of the traced path's last cells lie in the blocks of the chain from each index on.
    pub(super) tails: [u32; MOST_HOPS as usize + 1],
    /// Windows that followed one another on the chain at hand.
    pub(super) followed: usize,
}

impl SectorsAgent {
    /// Forgets all plans and plans from where the agent stands.
    pub(super) fn restart(&mut self, context: &mut Context<Map>, room: &mut Room, at: Cell) {
        let grid = context.space.grid();
        room.path.clear();
        room.ahead.clear();
        room.followed = 0;
        self.expected = at;
        let regions = [at, self.goal].map(|cell| self.index.index().region(grid.point(cell)));
        match regions {
            [Some(here), Some(there)] if self.index.index().connected(here, there) => {
                self.chain[0] = here;
                self.chain_length = 1;
                self.goal_region = there;
                self.open_window(context, room, at);
            }
            _ => self.plan = Plan::Lost,
        }
    }

    /// Follows the chain as far as the window looks and begins the search from `from`.
    pub(super) fn open_window(&mut self, context: &mut Context<Map>, room: &mut Room, from: Cell) {
        while self.chain_length <= self.hops && self.chain_end() != self.goal_region {
            let (next, looks) = self
                .index
                .index()
                .next_hop(self.chain_end(), self.goal_region);
            context.meter.look_ups += looks;
            let Some(next) = next else {
                break;
            };
            self.chain[usize::from(self.chain_length)] = next;
            self.chain_length += 1;
        }
        let layout = self.index.index().layout();
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
        let cell = self.index.index().representative(region);
        self.index
            .index()
            .layout()
            .place(context.space.grid().point(cell))
    }

    fn chain_end(&self) -> u32 {
        self.chain[usize::from(self.chain_length) - 1]
    }

    pub(super) fn target(&self) -> Cell {
        if self.chain_end() == self.goal_region {
            self.goal
        } else {
            self.index.index().representative(self.chain_end())
        }
    }

    /// Works on the plan for at most `budget` operations.
    pub(super) fn work(&mut self, context: &mut Context<Map>, room: &mut Room, budget: u64) {
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
        let (column, row) = self
            .index
            .index()
            .layout()
            .place(context.space.grid().point(cell));
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
    pub(super) fn take_over(&mut self, context: &mut Context<Map>, room: &mut Room, at: Cell) {
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
            room.followed += 1;
            if self.target() == end || room.followed > self.index.index().region_count() {
                // The chain ends short of the goal: it is of an older map. Or it goes in circles: of no map at all.
                self.plan = Plan::Lost;
            }
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
