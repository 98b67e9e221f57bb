//! What walkers have planned beyond their legs: after walls went up it is looked at, some walkers a tick.
//!
//! A leg that a wall blocks ends there and then. What its walker goes on with is the agent's business, whom nobody asks before the
//! leg is over: along a corridor of a thousand cells a walker would go to the end to see that it is closed. To look at all paths with
//! every patch would make the tick after it expensive. So walkers are looked at in turns, under a part of the tick's budget.

use super::walker::{Flags, State};
use super::{Crowd, Reach, Tick};
use crate::agent::{Agent, MEASURED_RUN, Meter};
use crate::grid::{Cell, Point};
use crate::map::Map;
use crate::search::climb::Ground;
use crate::search::jps::Run;
use crate::stream::{Reader, Writer};

/// The part of a tick's budget for plans that is spent on looking.
const BUDGET_PART: u64 = 8;
/// Weighted operations that it takes to look at a walker at all: its agent is not in any cache.
const LOOK_COST: u64 = 150;

/// Who has to be looked at, and where walls have gone up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Review {
    walls: Option<Reach>,
    /// The place of the walker whose turn is next.
    next: u32,
    /// How many have to be looked at still.
    left: u32,
}

impl Review {
    /// Walls went up: all walkers have to be looked at, those that wait to be so first.
    pub fn begin(&mut self, walls: Reach, walkers: usize) {
        self.walls = Some(match self.walls {
            Some(others) => others.joined(walls),
            None => walls,
        });
        self.left = walkers as u32;
    }

    /// Whether there is anybody left to look at.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    pub fn save(&self, out: &mut Writer) {
        out.u32(self.next);
        out.u32(self.left);
        out.u8(u8::from(self.walls.is_some()));
        if let Some(Reach { least, most, .. }) = self.walls {
            for number in [least.x, least.y, most.x, most.y] {
                out.u32(number);
            }
        }
    }

    /// What [`Review::save`] wrote for so many walkers.
    pub fn load(from: &mut Reader, walkers: usize) -> Option<Review> {
        let (next, left) = (from.u32()?, from.u32()?);
        let point = |from: &mut Reader| {
            let (x, y) = (from.u32()?, from.u32()?);
            Some(Point { x, y })
        };
        let walls = match from.u8()? {
            0 => None,
            _ => Some(Reach {
                least: point(from)?,
                most: point(from)?,
                blocks: true,
            }),
        };
        (next as usize <= walkers && left as usize <= walkers).then_some(Review {
            walls,
            next,
            left,
        })
    }
}

impl<A: Agent<Map>> Crowd<A> {
    /// Looks at some walkers; those whose plan a wall blocks plan again when their turn comes. Returns what that took of the tick's budget.
    pub(super) fn review(&mut self, map: &Map, tick: &mut Tick) -> u64 {
        let Some(walls) = self.review.walls else {
            return 0;
        };
        let budget = self.options.set_up_operations / BUDGET_PART;
        let mut spent = 0;
        while self.review.left > 0 && spent <= budget && !self.walkers.is_empty() {
            let slot = self.review.next as usize % self.walkers.len();
            (self.review.next, self.review.left) = (slot as u32 + 1, self.review.left - 1);
            let (walker, agent) = (&mut self.walkers[slot], &self.agents[slot]);
            let (State::Going, Some(agent)) = (walker.state, agent) else {
                continue;
            };
            let traffic = self.traffic.as_ref();
            let leg_start = traffic.map_or(walker.at, |traffic| traffic.tracks[slot].end());
            let mut look = Look {
                map,
                walls: &walls,
                at: walker.leg_end(leg_start),
                meter: Meter::default(),
                is_blocked: false,
            };
            agent.runs_ahead(look.at, &mut |run| look.along(run));
            spent += LOOK_COST + look.meter.weighted();
            tick.meter.add(&look.meter);
            if look.is_blocked {
                // It walks on meanwhile: its leg is free.
                walker.set(Flags::ASTRAY, true);
                self.turns.queue_ahead(slot as u32, walker);
            }
        }
        if self.review.is_over() {
            self.review.walls = None;
        }
        spent
    }
}

/// A look along the runs of a plan.
struct Look<'a> {
    map: &'a Map,
    walls: &'a Reach,
    at: Cell,
    meter: Meter,
    is_blocked: bool,
}

impl Look<'_> {
    fn along(&mut self, run: Run) {
        if self.is_blocked {
            return;
        }
        let grid = self.map.grid();
        let from = grid.point(self.at);
        let to = crate::grid::scan::moved(from, run.direction, run.steps);
        self.meter.look_ups += 1;
        if self.walls.touches(from, to) {
            self.meter.climb_steps += MEASURED_RUN;
            self.is_blocked = self.map.run(from, run.direction, run.steps) < run.steps;
        }
        match grid.cell(to) {
            Some(cell) => self.at = cell,
            None => self.is_blocked = true,
        }
    }
}
