//! A tick of traffic: walker after walker settles its step, pushing others out of the way.

use super::prospect::Prospect;
use super::track::moved;
use super::ways::Ways;
use super::{EMPTY, Traffic};
use crate::cost::Cost;
use crate::crowd::walker::{Flags, State, Walker};
use crate::crowd::{Options, Tick};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;
use crate::space::Space;

/// The longest chain of walkers that one may push.
const LONGEST_CHAIN: u32 = 256;
/// Of so many ticks that a tired walker is held up it yields in one.
const YIELD_EVERY: u32 = 8;
/// What a walker goes out of its way for one that comes towards it, in a hundred of a straight step.
const OPPOSED_PERCENT: u32 = 60;
/// What a step to the left of its path costs a walker more, in a hundred of a straight step: those that meet pass each other on one side.
const LEFT_PERCENT: u32 = 10;
/// Steps off its path after which a walker plans again, behind those without a plan; from a step away it comes back by itself.
const OFF: u32 = 1;
/// Steps off its path after which a walker plans again before all others that have a path.
const FAR_OFF: u32 = 4;

/// A tick under way.
pub(super) struct Round<'a> {
    pub map: &'a Map,
    pub options: Options,
    pub walkers: &'a mut [Walker],
    pub traffic: &'a mut Traffic,
    pub tick: &'a mut Tick,
}

impl Round<'_> {
    /// Settles a walker's step; false where it stays. A pushed walker must leave its cell, and not for its pusher's.
    pub fn settle(&mut self, slot: u32, pusher: Option<Cell>, depth: u32) -> bool {
        let mut walker = self.walkers[slot as usize];
        self.walkers[slot as usize].set(Flags::SETTLED, true);
        if walker.is_fixed() {
            self.stay(slot, false, false);
            return false;
        }
        let wants = walker.wants_to_move();
        let patience = self.patience(slot, &walker);
        let tired = wants && u32::from(walker.waits) >= patience;
        if wants && self.follow_track(slot, &walker) {
            return true;
        }
        if wants && self.exchange_goals(slot, &walker) {
            walker = self.walkers[slot as usize];
        }
        if wants && pusher.is_none() && self.push_ahead(slot, &walker, depth) {
            return true;
        }
        let track = &self.traffic.tracks[slot as usize];
        let prospect = (wants && track.ahead() > 0).then(|| Prospect::of(self.map, track));
        let mut ways = self.ways(&walker, prospect.as_ref(), pusher);
        let mut gives_ground = false;
        let map = self.map;
        let value = |cell, point| prospect.as_ref().map_or(0, |p| p.value(map, cell, point));
        while let Some(cell) = ways.next(value) {
            if cell == walker.at {
                // What comes after is worse than standing still.
                if pusher.is_none() && !tired {
                    break;
                }
                gives_ground = true;
                continue;
            }
            if self.try_cell(slot, cell, pusher, depth) {
                self.step(slot, cell);
                if pusher.is_none() && gives_ground {
                    // Whoever it faces pushes it from now on: if it only stepped back it would come forward again.
                    self.walkers[slot as usize].set(Flags::YIELDS, true);
                }
                self.find_place(slot);
                return true;
            }
        }
        let yields = tired && yields_now(slot, walker.waits);
        self.stay(slot, wants, yields);
        false
    }

    /// The common case: the walker stands on its path and the next cell of it is free.
    fn follow_track(&mut self, slot: u32, walker: &Walker) -> bool {
        let track = &self.traffic.tracks[slot as usize];
        let Some((here, direction)) = track.step() else {
            return false;
        };
        let next = self.map.grid().neighbour(here, direction);
        let free = here == walker.at
            && !self.traffic.held.contains(next)
            && !self.traffic.taken.contains(next)
            && self.map.legal(here).contains(direction);
        if free {
            self.traffic.taken.insert(next);
            self.traffic.tracks[slot as usize].advance(next);
            self.step(slot, next);
        }
        free
    }

    /// Nearly as common: the walker stands on its path, and whoever holds the next cell of it does not come towards it and goes on too. Nothing
    /// else has to be valued then.
    fn push_ahead(&mut self, slot: u32, walker: &Walker, depth: u32) -> bool {
        let Some((here, direction)) = self.traffic.tracks[slot as usize].step() else {
            return false;
        };
        let next = self.map.grid().neighbour(here, direction);
        let may = here == walker.at
            && self.map.legal(here).contains(direction)
            && self.trouble(next, direction) == 0;
        if may && self.try_cell(slot, next, None, depth) {
            self.traffic.tracks[slot as usize].advance(next);
            self.step(slot, next);
            return true;
        }
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

    /// The walker's own cell and those of its neighbours that are not taken.
    fn ways(&self, walker: &Walker, prospect: Option<&Prospect>, pusher: Option<Cell>) -> Ways {
        let grid = self.map.grid();
        let at = grid.point(walker.at);
        // Where the pusher would be after another step of the same kind; a walker beside its way is out of it for good.
        let in_the_way = pusher.map(|from| Cell(walker.at.0.wrapping_mul(2).wrapping_sub(from.0)));
        let mut ways = Ways::new(prospect.is_none());
        // One that has no way stands where others leave it.
        let goal = match walker.state {
            State::Stuck(_) => Cell::NONE,
            _ => walker.goal,
        };
        let value = |cell: Cell, point: Point, cost: Cost| match (prospect, goal) {
            (Some(prospect), _) => prospect.bound(self.map, point),
            (None, Cell::NONE) => cost,
            (None, goal) => self.map.heuristic(cell, goal),
        };
        ways.add(value(walker.at, at, 0), 0, [false; 2], walker.at, at);
        for direction in self.map.legal(walker.at) {
            let cell = grid.neighbour(walker.at, direction);
            if !self.traffic.taken.contains(cell) {
                let point = moved(at, direction);
                let value = value(cell, point, self.map.step_cost(walker.at, direction));
                let held = self.traffic.held.contains(cell);
                let mut extra = if held {
                    self.trouble(cell, direction)
                } else {
                    0
                };
                if prospect.is_some_and(|prospect| prospect.is_left(direction)) {
                    extra += self.map.rules().costs.straight() * LEFT_PERCENT / 100;
                }
                let faults = [held, in_the_way == Some(cell)];
                ways.add(value, extra, faults, cell, point);
            }
        }
        ways
    }

    /// What it is worth not to push whoever holds a cell: something where it comes the other way.
    fn trouble(&self, cell: Cell, direction: Direction) -> Cost {
        let holder = self.traffic.holder(self.walkers, cell);
        if holder == EMPTY || !self.walkers[holder as usize].wants_to_move() {
            return 0;
        }
        let step = self.traffic.tracks[holder as usize].step();
        let turn = step.map_or(0, |(_, other)| other as u8 + 8 - direction as u8);
        // More than a quarter turn from the walker's own direction.
        match turn % 8 {
            3..=5 => self.map.rules().costs.straight() * OPPOSED_PERCENT / 100,
            _ => 0,
        }
    }

    pub fn step(&mut self, slot: u32, cell: Cell) {
        let walker = &mut self.walkers[slot as usize];
        self.traffic.held.remove(walker.at);
        self.traffic.tracks[slot as usize].leave(walker.at);
        walker.move_to(cell);
        walker.waits = 0;
        self.tick.moves += 1;
    }

    /// A walker was led away from its place: one that had arrived goes back.
    pub fn note_led(&mut self, slot: u32) {
        if self.walkers[slot as usize].state == State::Arrived {
            self.traffic.lost.push(slot);
        }
    }

    /// Finds a walker's place on its path after a step that may lead off it.
    fn find_place(&mut self, slot: u32) {
        let walker = &self.walkers[slot as usize];
        let off = self.traffic.tracks[slot as usize].follow(self.map.grid(), walker.at);
        if off > FAR_OFF || walker.state == State::Arrived {
            self.traffic.lost.push(slot);
        } else if off > OFF && walker.wants_to_move() {
            self.traffic.astray.push(slot);
        }
    }

    pub fn stay(&mut self, slot: u32, waits: bool, yields: bool) {
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

/// Does a tired walker yield in this tick? Once in a while, each at times of its own: if all yield together, none does.
fn yields_now(slot: u32, waits: u16) -> bool {
    let mixed = (slot.wrapping_mul(0x9e37_79b9) ^ u32::from(waits)).wrapping_mul(0x85eb_ca6b);
    (mixed >> 16).is_multiple_of(YIELD_EVERY)
}

impl Walker {
    /// Whether nobody may move it in this tick.
    pub fn is_fixed(&self) -> bool {
        self.state == State::Blocked || self.is(Flags::HOLDS) || self.is(Flags::RESTS)
    }

    /// Whether it is under way.
    pub(super) fn wants_to_move(&self) -> bool {
        matches!(self.state, State::Going | State::New)
    }
}
