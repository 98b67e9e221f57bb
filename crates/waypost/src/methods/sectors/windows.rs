//! Windows: how they are opened along a chain of hops, searched, traced back, and cut into the piece that is walked.

use super::ends::{End, Weighing};
use super::fields::{Chain, Fields};
use super::{MAX_HOPS, SectorsAgent};
use crate::agent::Context;
use crate::grid::scan::{Walk, moved};
use crate::grid::{Cell, Direction, Point};
use crate::index::sectors::{Window, WindowState};
use crate::map::Map;
use crate::search::climb::Ground;

/// Steps over free ground that take as long as an operation of a search.
pub(super) const STEPS_AN_OPERATION: u64 = 8;

/// How much of a path that took no search is walked in a crowd before the next one, in a hundred moves. Of one from a field little:
/// another one costs a look at each cell. Of a straight one more: it leads far, and what is lost by the end of it is small.
const FIELD_PERCENT: u8 = 40;
const STRAIGHT_PERCENT: u8 = 70;

/// A search that took more expansions than this for each move of its path was hard, and in a crowd so much of the path is
/// walked: in mazes windows are expensive, and there is little choice of ways.
const HARD: u64 = 16;
const HARD_PERCENT: u8 = 80;

/// What the agent is busy with beside walking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Nothing: the last window's path leads to the goal, or there is no problem.
    None,
    /// The regions at the ends of the way are being chosen.
    Choosing {
        /// The end at hand.
        end: End,
        /// Where the way begins.
        from: Cell,
        /// Whether the search around the end is done, and its regions are being compared.
        is_weighed: bool,
    },
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
pub(super) struct WindowBuffers {
    pub(super) window: Window,
    /// The piece being walked, the next cell last.
    pub(super) path: Vec<Cell>,
    /// The next piece, the first cell last.
    pub(super) ahead: Vec<Cell>,
    /// How many of the traced path's last cells lie in the blocks of the chain from each index on.
    pub(super) tails: [u32; MAX_HOPS as usize + 1],
    /// The sector of the cell that was counted last for them.
    pub(super) tails_at: (u32, u32),
    /// The sectors of the chain's regions, as far as they have been looked up.
    pub(super) places: [(u32, u32); MAX_HOPS as usize + 1],
    pub(super) placed: u8,
    /// What the search of the window has taken so far.
    pub(super) expansions: u64,
    /// Windows that followed one another on the chain at hand.
    pub(super) followed: usize,
    /// What the regions at an end are compared with, on terrain.
    pub(super) weighing: Option<Box<Weighing>>,
}

impl WindowBuffers {
    fn clear_tails(&mut self) {
        self.tails.fill(0);
        self.tails_at = (u32::MAX, u32::MAX);
    }
}

impl SectorsAgent {
    /// Forgets all plans and plans from where the agent stands.
    pub(super) fn restart(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        at: Cell,
    ) {
        let grid = context.space.grid();
        room.path.clear();
        room.ahead.clear();
        room.followed = 0;
        self.expected = at;
        if !self.index.index().layout().fits(grid) {
            // Another map altogether.
            self.plan = Plan::Lost;
            return;
        }
        let regions = [at, self.goal].map(|cell| self.index.index().region(grid.point(cell)));
        match regions {
            [Some(here), Some(there)] if self.index.index().connected(here, there) => {
                self.chain[0] = here;
                self.chain_length = 1;
                room.placed = 0;
                self.goal_region = there;
                self.via = there;
                self.set_off(context, room, at);
            }
            _ => self.plan = Plan::Lost,
        }
    }

    /// Begins with the ends of the way, or with its first window where a goal in the same sector is near.
    fn set_off(&mut self, context: &mut Context<Map>, room: &mut WindowBuffers, at: Cell) {
        if !self.has_ends(context, at) {
            self.look_near(context, room);
            if self.is_near || context.space.ground().is_none() {
                return self.begin_window(context, room, at);
            }
            self.chain_length = 1;
        }
        room.placed = 0;
        self.begin_ends(context, room, at);
    }

    /// Follows the chain as far as the window looks and begins the search from `from`.
    pub(super) fn open_window(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
    ) {
        self.look_near(context, room);
        self.begin_window(context, room, from);
    }

    /// Follows the chain as far as the window looks, and finds out whether the goal is near.
    pub(super) fn look_near(&mut self, context: &mut Context<Map>, room: &mut WindowBuffers) {
        self.follow_chain(context, room, self.look());
        self.is_near = self.fill_near_window(context, room);
    }

    /// Begins the search of the window from `from`, once it is known whether the goal is near.
    pub(super) fn begin_window(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
    ) {
        if !self.is_near {
            self.fill_window(room);
        }
        room.window.begin(context.space, from, Some(self.target()));
        room.expansions = 0;
        self.plan = Plan::Searching;
    }

    /// Fills the window with the blocks round the regions of its chain.
    fn fill_window(&self, room: &mut WindowBuffers) {
        let layout = self.index.index().layout();
        let margin = u32::from(self.hops) + 1;
        let (column, row) = room.places[0];
        room.window
            .clear((column.saturating_sub(margin), row.saturating_sub(margin)));
        for &place in &room.places[..usize::from(self.chain_length)] {
            let block = layout.block(place);
            block.for_each(|place| room.window.include(place));
        }
    }

    /// How many hops the window at hand looks ahead.
    fn look(&self) -> u8 {
        match self.is_short {
            true => (self.hops - 1).max(1),
            false => self.hops,
        }
    }

    /// Follows the chain for up to this many hops, and not beyond the goal's region.
    pub(super) fn follow_chain(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        hops: u8,
    ) {
        while self.chain_length <= hops && self.chain_end() != self.goal_region {
            let (next, looks) = self.next_region(self.chain_end());
            context.meter.look_ups += looks;
            let Some(next) = next else {
                break;
            };
            self.chain[usize::from(self.chain_length)] = next;
            self.chain_length += 1;
        }
        for i in usize::from(room.placed)..usize::from(self.chain_length) {
            let cell = self.index.index().representative(self.chain[i]);
            let point = context.space.grid().point(cell);
            room.places[i] = self.index.index().layout().place(point);
        }
        room.placed = self.chain_length.max(room.placed);
    }

    /// Looks for a piece of path that needs no search: over free ground straight to the goal, or to the representative of a region
    /// that lies at least as many hops ahead as a window looks, the further the better. False where nothing can be seen; the
    /// chain is then that of a window.
    pub(super) fn find_direct(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
    ) -> bool {
        self.follow_chain(context, room, MAX_HOPS as u8);
        let whole = self.chain_length;
        let nearest = if self.chain_end() == self.goal_region {
            whole.min(self.look() + 1)
        } else {
            self.look() + 1
        };
        for length in (nearest..=whole).rev() {
            self.chain_length = length;
            let target = self.target();
            room.ahead.clear();
            if target != from && straight_way(context, from, target, &mut room.ahead) {
                self.take_way(context, room, STRAIGHT_PERCENT);
                return true;
            }
        }
        room.ahead.clear();
        self.chain_length = whole.min(self.look() + 1);
        false
    }

    /// The most operations of [`SectorsAgent::find_direct`]: two walks to each region of the chain, which is beside the one before.
    pub(super) fn straight_ways_bound(&self) -> u64 {
        let side = u64::from(self.index.index().layout().side());
        let regions = u64::from(MAX_HOPS) + 1;
        let steps = (regions + 1) * 2 * side;
        regions * 2 * (steps / STEPS_AN_OPERATION + 1)
    }

    /// Looks for a piece of path in the field of the window that would be searched; false where it has none.
    pub(super) fn find_in_field(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
        fields: &Fields,
        missed: &mut Option<Chain>,
    ) -> bool {
        if self.chain_end() == self.goal_region {
            return false;
        }
        let mut chain = [u32::MAX; MAX_HOPS as usize + 1];
        let length = usize::from(self.chain_length);
        chain[..length].copy_from_slice(&self.chain[..length]);
        let ends = (from, self.target());
        let way = fields.way(
            self.index.index(),
            context.space,
            &chain,
            ends,
            &mut room.ahead,
        );
        context.meter.trace_steps += room.ahead.len() as u64 / STEPS_AN_OPERATION;
        match way {
            Some(()) => self.take_way(context, room, FIELD_PERCENT),
            None => *missed = Some(chain),
        }
        if way.is_none() {
            room.ahead.clear();
        }
        way.is_some()
    }

    /// Takes a way from a cell to the chain's target, both included, as a window's path.
    fn take_way(&mut self, context: &Context<Map>, room: &mut WindowBuffers, percent: u8) {
        // From the target back, as a window's path is traced.
        room.ahead.reverse();
        room.clear_tails();
        let mut least = self.chain_length - 1;
        for i in 0..room.ahead.len() {
            least = self.note_tail(context, room, i, least);
        }
        self.cut(room, percent);
        self.plan = Plan::Ready;
    }

    /// The region after this one on the way to the goal's, and how many entries were looked at.
    pub(super) fn next_region(&self, region: u32) -> (Option<u32>, u64) {
        match region == self.via {
            true => (Some(self.goal_region), 0),
            false => self.index.index().next_hop(region, self.via),
        }
    }

    fn chain_end(&self) -> u32 {
        self.chain[usize::from(self.chain_length) - 1]
    }

    pub(super) fn target(&self) -> Cell {
        if self.is_near || self.chain_end() == self.goal_region {
            self.goal
        } else {
            self.index.index().representative(self.chain_end())
        }
    }

    /// Works on the plan for at most `budget` operations.
    pub(super) fn work(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        budget: u64,
    ) {
        let mut left = budget.saturating_sub(self.choose(context, room, budget));
        if self.plan == Plan::Searching && left > 0 {
            let expansions = search(context, &mut room.window, left);
            room.expansions += expansions;
            left -= expansions;
            match room.window.state() {
                WindowState::Open => {}
                WindowState::Found => self.trace_from(room, self.target()),
                WindowState::Exhausted => self.plan = Plan::Lost,
            }
        }
        while left > 0 && matches!(self.plan, Plan::Tracing { .. }) {
            self.trace(context, room);
            context.meter.trace_steps += 1;
            left -= 1;
        }
    }

    /// Begins to trace the window's path back from its last cell.
    pub(super) fn trace_from(&mut self, room: &mut WindowBuffers, at: Cell) {
        room.ahead.clear();
        room.clear_tails();
        self.plan = Plan::Tracing {
            at,
            least: self.chain_length - 1,
        };
    }

    /// Writes down one more cell of the window's path, from its target back.
    fn trace(&mut self, context: &Context<Map>, room: &mut WindowBuffers) {
        let Plan::Tracing { at, least } = self.plan else {
            return;
        };
        room.ahead.push(at);
        let least = self.note_tail(context, room, room.ahead.len() - 1, least);
        self.plan = match room.window.before(context.space, at) {
            Some(before) => Plan::Tracing { at: before, least },
            None => {
                let hard = room.expansions > HARD * room.ahead.len() as u64;
                let percent = match hard && self.is_lent() {
                    true => HARD_PERCENT,
                    false => self.commit_percent,
                };
                self.cut(room, percent);
                Plan::Ready
            }
        };
    }

    /// Counts one more cell of a traced path for the tails that it belongs to; gives the last block that all cells so far
    /// lie in, or in later ones.
    fn note_tail(
        &self,
        context: &Context<Map>,
        room: &mut WindowBuffers,
        cell: usize,
        least: u8,
    ) -> u8 {
        let point = context.space.grid().point(room.ahead[cell]);
        let place = self.index.index().layout().place(point);
        let least = match place == room.tails_at {
            true => least,
            false => least.min(self.last_block_with(room, place)),
        };
        room.tails_at = place;
        for tail in &mut room.tails[..=usize::from(least)] {
            *tail += 1;
        }
        least
    }

    /// The last region of the chain whose block of sectors holds a sector.
    fn last_block_with(&self, room: &WindowBuffers, (column, row): (u32, u32)) -> u8 {
        (0..self.chain_length)
            .rev()
            .find(|&i| {
                let (c, r) = room.places[usize::from(i)];
                c.abs_diff(column) <= 1 && r.abs_diff(row) <= 1
            })
            .unwrap_or(0)
    }

    /// Keeps the part of the traced path that is walked before the next window takes over: at least `commit` moves and
    /// `percent` of them, and
    /// up to a cell from where the rest lies in the blocks of later regions, so that the next window holds a path too.
    fn cut(&mut self, room: &mut WindowBuffers, percent: u8) {
        room.ahead.pop(); // where the path begins
        if self.target() == self.goal {
            // Agents are lent: what another walker's plan left behind must not be noted for this one.
            self.next_first = self.chain_length - 1;
            return;
        }
        let moves = room.ahead.len();
        let walked = (moves + 1)
            .saturating_sub(room.tails[1] as usize)
            .max(self.commit.into())
            .max(moves * usize::from(percent) / 100)
            .min(moves);
        let rest = (moves - walked + 1) as u32;
        let serves = |&first: &usize| room.tails[first] >= rest;
        self.next_first = (1..room.tails.len()).rev().find(serves).unwrap_or(1) as u8;
        room.ahead.drain(..moves - walked);
    }

    /// The piece that was ready becomes the one that is walked, and the next window opens at its end.
    pub(super) fn take_over(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        at: Cell,
    ) {
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
            room.placed = 0;
            self.open_window(context, room, end);
            room.followed += 1;
            if self.target() == end || room.followed > self.index.index().region_count() {
                // The chain ends short of the goal: it is of an older map. Or it goes in circles: of no map at all.
                self.plan = Plan::Lost;
            }
        }
    }
}

/// Writes the cells of a walk over free ground, its first one included: diagonal steps first, or straight ones. False where
/// neither is free.
fn straight_way(context: &mut Context<Map>, from: Cell, to: Cell, cells: &mut Vec<Cell>) -> bool {
    let (map, grid) = (context.space, context.space.grid());
    let walk = Walk::between(grid.point(from), grid.point(to));
    let parts = [
        (walk.diagonal, walk.diagonal_steps),
        (walk.straight, walk.straight_steps),
    ];
    for parts in [parts, [parts[1], parts[0]]] {
        let (mut point, mut seen) = (grid.point(from), 0);
        let free = parts.iter().all(|&(direction, steps)| {
            let run = map.run(point, direction, steps);
            let is_cheapest =
                run == steps && leads_over_cheapest_ground(map, point, direction, run);
            point = moved(point, direction, steps);
            seen += u64::from(run);
            is_cheapest
        });
        context.meter.climb_steps += 1 + seen / STEPS_AN_OPERATION;
        if free {
            cells.clear();
            cells.push(from);
            let mut cell = from;
            for (direction, steps) in parts {
                for _ in 0..steps {
                    cell = grid.neighbour(cell, direction);
                    cells.push(cell);
                }
            }
            return true;
        }
    }
    false
}

/// Whether no cell of a run has more than the least factor: on terrain a straight walk is a shortest path only then.
fn leads_over_cheapest_ground(map: &Map, at: Point, direction: Direction, steps: u32) -> bool {
    let (Some(ground), Some(mut cell)) = (map.ground(), map.grid().cell(at)) else {
        return true;
    };
    let least = map.least_steps();
    let most = match direction.is_diagonal() {
        true => least.diagonal,
        false => least.straight,
    };
    (0..steps).all(|_| {
        let from = cell;
        cell = map.grid().neighbour(from, direction);
        ground.cost(from, cell, direction) <= most
    })
}

/// Goes on with a window's search, node by node where there is a trace; gives the number of expansions.
pub(super) fn search(context: &mut Context<Map>, window: &mut Window, most: u64) -> u64 {
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
fn lead_back(context: &mut Context<Map>, room: &mut WindowBuffers, at: Cell) {
    let WindowBuffers {
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
