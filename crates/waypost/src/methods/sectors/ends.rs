//! The ends of a way over terrain: by which region a start is left, and by which one a goal is come to.
//!
//! Chains lead from representative to representative. Who stands on the other side of woods than the representative of its own
//! region may be nearer to that of another one, and better off with its chain. So both ends are searched around: the block of the goal's sector
//! for what it costs from there to the representatives in it, then that of the start's. Of each the region is chosen whose cost
//! and rest of the chain are least together. The chain to the goal is then: the start's region, the one chosen beside it,
//! hop by hop to the one chosen beside the goal, the goal's region. The first and the last hop were found inside the blocks of the
//! regions at the ends, as all others were inside those of theirs, so every window holds a path as before.

use super::SectorsAgent;
use super::near::is_beside;
use super::windows::{Plan, WindowBuffers, search};
use crate::agent::Context;
use crate::cost::Cost;
use crate::grid::Cell;
use crate::index::sectors::{SectorIndex, WindowState};
use crate::map::Map;

/// The most hops that are looked up to compare the regions around an end, and how many of them to follow the chain that the others are
/// compared with, and any other one.
const MAX_HOPS_WEIGHED: u32 = 256;
const MAX_HOPS_COMPARED: u32 = 96;
const MAX_HOPS_ASIDE: usize = 32;
/// The most regions that are looked at, those of the end's own sector first.
pub(super) const MAX_CANDIDATES: usize = 128;
/// The most look-ups that comparing them takes.
pub(super) const WEIGHING_BOUND: u64 = MAX_HOPS_WEIGHED as u64 * (2 + SectorIndex::MOST_LOOKS)
    + 3 * MAX_CANDIDATES as u64
    + MAX_HOPS_COMPARED as u64;
/// Regions whose rests can be known: more than are looked at, a power of two.
const SLOTS: usize = 512;

const NOTHING_KNOWN: (u32, i64) = (u32::MAX, 0);

/// Which end is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// That of the goal, first, as it is come to from the start's own region.
    Goal,
    /// Then that of the start, for the region that was chosen there.
    Start,
    /// And once more for the goal's own region: who stands between two roads is better off on that of the goal.
    StartForOwn,
}

/// What it costs to the goal inside its block, where a way leads there.
#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    via: Option<Cost>,
    own: Option<Cost>,
    from_start: Option<Cost>,
}

/// A region to leave the start by, and what all of the way costs.
#[derive(Clone, Copy, Debug)]
struct Choice {
    cost: i64,
    region: u32,
}

/// What chains cost, beside one of them.
#[derive(Debug)]
pub(super) struct Weighing {
    target: u32,
    candidates: Vec<u32>,
    /// Regions with the cost of their chain's rest; below zero beside that of the first chain. Probed from the region's number on.
    known: Vec<(u32, i64)>,
    /// Regions of the chain that is followed, each with what it cost up to there.
    trail: Vec<(u32, i64)>,
    /// Where that chain is, and what it has cost.
    at: u32,
    cost: i64,
    hops_left: u32,
    /// Whether the chain is the first, with which others are compared.
    is_first: bool,
    /// Whether that one was followed to its end: what is known are costs then, not differences of costs.
    is_whole: bool,
    /// The candidate that is best, after the cost with it and that of the walk to it: of equal ones the nearest to the end.
    best: Option<(i64, Cost, u32)>,
    arrival: Arrival,
    /// The choice at the start for the region chosen beside the goal.
    by_via: Option<Choice>,
}

impl Default for Weighing {
    fn default() -> Weighing {
        Weighing {
            target: 0,
            candidates: Vec::with_capacity(MAX_CANDIDATES),
            known: vec![NOTHING_KNOWN; SLOTS],
            trail: Vec::with_capacity(MAX_HOPS_COMPARED as usize + 1),
            at: 0,
            cost: 0,
            hops_left: 0,
            is_first: false,
            is_whole: false,
            best: None,
            arrival: Arrival::default(),
            by_via: None,
        }
    }
}

impl Weighing {
    /// Bytes that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Weighing>()
            + self.candidates.capacity() * size_of::<u32>()
            + self.known.len() * size_of::<(u32, i64)>()
            + self.trail.capacity() * size_of::<(u32, i64)>()
    }

    /// Begins with the chain from a region to a target, for these candidates.
    fn begin(&mut self, from: u32, target: u32, candidates: impl Iterator<Item = u32>) {
        self.target = target;
        self.candidates.clear();
        self.candidates.extend(candidates);
        self.known.fill(NOTHING_KNOWN);
        self.trail.clear();
        self.hops_left = MAX_HOPS_WEIGHED;
        (self.at, self.cost, self.is_first) = (from, 0, true);
        self.is_whole = false;
        self.best = None;
    }

    /// Where a region is in the table, or would be. There is room: no more hops are made than half of the slots.
    fn slot(&self, region: u32) -> usize {
        let mut slot = region as usize % SLOTS;
        while self.known[slot].0 != region && self.known[slot] != NOTHING_KNOWN {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    fn rest(&self, region: u32) -> Option<i64> {
        let known = self.known[self.slot(region)];
        (known != NOTHING_KNOWN).then_some(known.1)
    }

    /// Compares candidates for about this many operations; says how many, and whether it is done. `cost_to` is what it costs to walk to a
    /// candidate's representative.
    fn advance(
        &mut self,
        index: &SectorIndex,
        most: u64,
        cost_to: impl Fn(u32) -> Option<Cost>,
    ) -> (u64, bool) {
        let mut spent = 0;
        while spent < most {
            if let Some(rest) = self.end_of_chain() {
                spent += 1 + self.trail.len() as u64;
                self.end_chain(rest, &cost_to);
                match self.candidates.last() {
                    Some(&next) => (self.at, self.cost) = (next, 0),
                    None => return (spent, true),
                }
                continue;
            }
            let (next, looks) = index.next_edge(self.at, self.target);
            spent += 1 + looks;
            self.hops_left -= 1;
            self.trail.push((self.at, self.cost));
            match next {
                Some((next, cost)) => {
                    self.at = next;
                    self.cost += i64::from(cost);
                }
                None => self.hops_left = 0,
            }
        }
        (spent, false)
    }

    /// What is left where the chain at hand has come to something known; `Some(None)` where it is given up.
    fn end_of_chain(&self) -> Option<Option<i64>> {
        if self.is_first {
            let is_long = self.trail.len() as u32 == MAX_HOPS_COMPARED;
            let ends = self.at == self.target || is_long || self.hops_left == 0;
            // The others are compared with this one: what is left from its end counts nothing.
            return ends.then_some(Some(0));
        }
        match self.rest(self.at) {
            Some(rest) => Some(Some(rest)),
            None if self.trail.len() == MAX_HOPS_ASIDE || self.hops_left == 0 => Some(None),
            None => None,
        }
    }

    /// Notes what is left from all regions of the chain at hand, and whether its candidate is the best so far.
    fn end_chain(&mut self, rest: Option<i64>, cost_to: impl Fn(u32) -> Option<Cost>) {
        if self.is_first {
            self.is_whole = self.at == self.target;
        }
        if let Some(rest) = rest {
            let (end, cost) = (self.at, self.cost);
            self.trail.push((end, cost));
            while let Some((region, before)) = self.trail.pop() {
                let slot = self.slot(region);
                self.known[slot] = (region, rest + cost - before);
            }
            if !self.is_first
                && let Some(candidate) = self.candidates.last().copied()
                && let (Some(way), Some(rest)) = (cost_to(candidate), self.rest(candidate))
            {
                let found = (i64::from(way) + rest, way, candidate);
                self.best = Some(self.best.map_or(found, |best| best.min(found)));
            }
        }
        if !self.is_first {
            self.candidates.pop();
        }
        self.is_first = false;
        self.trail.clear();
    }
}

impl SectorsAgent {
    /// Whether the regions at the ends of a way are worth choosing: on terrain, where the goal is in another sector than the start. The first
    /// piece of a crowd's walker ends in the block round its start, so there the goal must lie outside of that.
    pub(super) fn has_ends(&self, context: &Context<Map>, from: Cell) -> bool {
        let (layout, grid) = (self.index.index().layout(), context.space.grid());
        let [start, goal] = [from, self.goal].map(|cell| layout.place(grid.point(cell)));
        let is_apart = match self.is_lent() {
            true => !is_beside(start, goal),
            false => start != goal,
        };
        context.space.ground().is_some() && is_apart
    }

    /// Begins to look at the ends of a way.
    pub(super) fn begin_ends(
        &mut self,
        context: &Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
    ) {
        self.open_block(context, room, self.goal);
        self.plan = Plan::Choosing {
            end: End::Goal,
            from,
            is_weighed: false,
        };
    }

    /// Begins a search from a cell to all of the block round its sector.
    fn open_block(&self, context: &Context<Map>, room: &mut WindowBuffers, from: Cell) {
        let layout = self.index.index().layout();
        let place = layout.place(context.space.grid().point(from));
        room.window
            .clear((place.0.saturating_sub(1), place.1.saturating_sub(1)));
        layout
            .block(place)
            .for_each(|place| room.window.include(place));
        room.window.begin(context.space, from, None);
        room.expansions = 0;
    }

    /// Goes on looking at the ends, for about this many operations; says how many.
    pub(super) fn choose(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        most: u64,
    ) -> u64 {
        let mut spent = 0;
        while let Plan::Choosing {
            end,
            from,
            is_weighed,
        } = self.plan
            && spent < most
        {
            if room.window.state() == WindowState::Open {
                spent += search(context, &mut room.window, most - spent);
                continue;
            }
            if !is_weighed {
                spent += self.begin_weighing(context, room, end);
                self.plan = Plan::Choosing {
                    end,
                    from,
                    is_weighed: true,
                };
                continue;
            }
            let (index, map, window) = (self.index.index(), context.space, &room.window);
            let cost_to = |region| window.settled_cost(map, index.representative(region));
            let weighing = room.weighing.get_or_insert_default();
            let (looks, is_done) = weighing.advance(index, most - spent, cost_to);
            context.meter.look_ups += looks;
            spent += looks;
            if is_done {
                self.end_choice(context, room, end, from);
            }
        }
        spent
    }

    /// The block of an end is searched: begins to compare the regions in it. Gives the operations that it took.
    fn begin_weighing(
        &self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        end: End,
    ) -> u64 {
        let (index, map, window) = (self.index.index(), context.space, &room.window);
        let (own, target) = match end {
            End::Goal => (self.goal_region, self.chain[0]),
            End::Start => (self.chain[0], self.via),
            End::StartForOwn => (self.chain[0], self.goal_region),
        };
        let place = index.layout().place(map.grid().point(window.from()));
        let mut looks = 0;
        let around = index.regions_around(place).take(MAX_CANDIDATES);
        let candidates = around.filter(|&region| {
            looks += 1;
            let is_end = end != End::Goal && (region == own || region == self.goal_region);
            let settled = window.settled_cost(map, index.representative(region));
            !is_end && settled.is_some() && index.connected(region, target)
        });
        let weighing = room.weighing.get_or_insert_default();
        weighing.begin(own, target, candidates);
        context.meter.look_ups += looks;
        looks
    }

    /// All regions at an end are compared: the best is chosen, and the next end is looked at.
    fn end_choice(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        end: End,
        from: Cell,
    ) {
        let weighing = room.weighing.get_or_insert_default();
        let arrival = weighing.arrival;
        let choice = |arrival: Option<Cost>| {
            let (cost, _, region) = weighing.best?;
            let cost = cost + i64::from(arrival.unwrap_or(0));
            Some(Choice { cost, region })
        };
        match end {
            End::Goal => {
                let best = weighing.best.map(|(_, _, region)| region);
                self.choose_via(context, room, best, from);
                self.open_block(context, room, from);
                self.look_at(End::Start, from);
            }
            End::Start => {
                let by_via = choice(arrival.via);
                let is_known = arrival.via.and(arrival.own).is_some() && weighing.is_whole;
                if is_known && self.via != self.goal_region {
                    weighing.by_via = by_via;
                    return self.look_at(End::StartForOwn, from);
                }
                self.set_out(context, room, from, by_via);
            }
            End::StartForOwn => {
                let (by_via, by_own) = (weighing.by_via, choice(arrival.own));
                let is_cheaper = |own: &Choice| by_via.is_none_or(|via| own.cost < via.cost);
                let by_own = by_own.filter(|own| weighing.is_whole && is_cheaper(own));
                if by_own.is_some() {
                    self.via = self.goal_region;
                }
                self.set_out(context, room, from, by_own.or(by_via));
            }
        }
    }

    fn look_at(&mut self, end: End, from: Cell) {
        self.plan = Plan::Choosing {
            end,
            from,
            is_weighed: false,
        };
    }

    /// Takes the best region beside the goal, if a note can name it, and keeps what the search around the goal has found.
    fn choose_via(
        &mut self,
        context: &Context<Map>,
        room: &mut WindowBuffers,
        best: Option<u32>,
        from: Cell,
    ) {
        let index = self.index.index();
        let goal = context.space.grid().point(self.goal);
        let around = index.regions_around(index.layout().place(goal));
        let noted = around
            .take(MAX_VIA as usize)
            .find(|&region| Some(region) == best);
        self.via = noted.unwrap_or(self.goal_region);
        let to_goal = |cell| room.window.settled_cost(context.space, cell);
        let arrival = Arrival {
            via: to_goal(index.representative(self.via)),
            own: to_goal(index.representative(self.goal_region)),
            from_start: to_goal(from),
        };
        room.weighing.get_or_insert_default().arrival = arrival;
    }

    /// The ends are chosen. Where the goal lies beside the start, and a way inside the block is no more expensive than the chain, the goal
    /// itself is searched for.
    fn set_out(
        &mut self,
        context: &mut Context<Map>,
        room: &mut WindowBuffers,
        from: Cell,
        choice: Option<Choice>,
    ) {
        let arrival = room.weighing.get_or_insert_default().arrival;
        let Some(Choice { cost, region }) = choice else {
            return self.open_window(context, room, from);
        };
        if arrival
            .from_start
            .is_some_and(|direct| i64::from(direct) <= cost)
        {
            self.follow_chain(context, room, 0);
            self.is_near = true;
            self.fill_window_beside(context, room, from);
            return self.begin_window(context, room, from);
        }
        self.chain[1] = region;
        self.chain_length = 2;
        room.placed = 0;
        self.follow_chain(context, room, 1);
        // An agent of its own goes on with the next move; the turn of a crowd's walker has had its work, and ends with a piece.
        self.is_near = !self.is_lent() && self.fill_near_window(context, room);
        match self.is_near {
            true => self.begin_window(context, room, from),
            false => self.trace_from(room, self.index.index().representative(region)),
        }
    }
}

/// Bits of a walker's note that say where it is; those above say which region it comes to its goal by.
const PLACE_BITS: u32 = 26;
/// The most that these can say.
const MAX_VIA: u32 = (1 << (32 - PLACE_BITS)) - 1;

impl SectorsAgent {
    /// A walker's note: the region that its next window begins with, and the one that it comes to its goal by.
    pub(super) fn note(&self, context: &Context<Map>, region: u32) -> u32 {
        let index = self.index.index();
        let place = index.layout().place(context.space.grid().point(self.goal));
        let via = match self.via == self.goal_region {
            true => None,
            false => index
                .regions_around(place)
                .position(|region| region == self.via),
        };
        (via.map_or(0, |via| via as u32 + 1) << PLACE_BITS) | (region + 1)
    }

    /// What a note says; nothing where it means nothing in the index at hand.
    pub(super) fn read_note(
        &self,
        context: &Context<Map>,
        note: u32,
    ) -> (Option<u32>, Option<u32>) {
        let index = self.index.index();
        let place = index.layout().place(context.space.grid().point(self.goal));
        let region = (note & ((1 << PLACE_BITS) - 1)).checked_sub(1);
        let via = (note >> PLACE_BITS).checked_sub(1);
        (
            region.filter(|&region| (region as usize) < index.region_count()),
            via.and_then(|via| index.regions_around(place).nth(via as usize)),
        )
    }
}
