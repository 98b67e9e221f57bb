//! Whose turn it is to plan: two queues, first come first served, under one budget of weighted operations a tick.
//!
//! Those without a plan come first; those that still walk on one come after them, or, so that they never starve, at least
//! one a tick. Plans are made in batches whose size depends on what plans have cost so far and not on threads; a
//! batch may run on any number of them.

use super::traffic::Track;
use super::walker::{Flags, State, Walker};
use super::{Tick, scratch_for};
use crate::agent::Scratch;
use crate::agent::{Agent, Context, Decision, Meter};
use crate::grid::Cell;
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::stream::{Reader, Writer};
use std::collections::VecDeque;

/// The most walkers of a batch.
const BATCH: u64 = 64;
/// What a plan costs beyond the operations that it counts, in weighted operations as all costs here: lines of the cache that nobody
/// has touched for long. Estimated from a map of 8.6 million cells with labels, where 55 plans of about 3,500 weighted operations took
/// 0.3 ms. Of smaller maps more is in the cache: there it is one for so many cells.
const FIXED_COST: u64 = 2_000;
const CELLS_A_FIXED_COST: u64 = 400;
/// What a plan is taken to cost until one was made: a guess on the dear side, so that a crowd's first batch, whose size rests on it, is no
/// dearer than its budget.
const FIRST_COST: u64 = 6_000;

/// Where no two walkers share a cell, the part of a tick's budget that those get that have a path still: one in so many. Nearly all of them
/// stand beside it, and come back to it by themselves; with more of the budget no more of them arrive (3,000 walkers on brc202d, seeds 1 to 6:
/// throughput 0.802 with a half, 0.796 with a third, 0.803 with a quarter, 0.798 with a fifth).
const ASTRAY_PART: u64 = 4;

/// What finding provisional steps costs, and asking before whether the goal can be reached, which is done once, after the first
/// ones. Measured on a map of 8.6 million cells: 170 and about 350 ns, where an expansion took 23.
const STEPS_COST: u64 = 200;
const CONNECTED_COST: u64 = 350;

/// The part of a tick's budget that is for plans in any case, one in so many, however many walkers take provisional steps. When ten thousand
/// get goals at once, these steps alone are a tick's work; where no two share a cell, crowds are smaller, and who has no plan is in the way.
const PLANS_PART: u64 = 4;
const EXCLUSIVE_PLANS_PART: u64 = 2;

/// Walkers that wait for their turn.
#[derive(Debug, Default)]
pub(super) struct Turns {
    without_plan: VecDeque<u32>,
    ahead: VecDeque<u32>,
    /// What a plan costs, on a sliding average.
    usual_cost: u64,
    /// Walkers that have queued since the last tick: each will look for provisional steps in this one.
    fresh: u64,
    /// What walkers without a plan whose provisional steps are used up will spend on the next ones.
    due: u64,
}

/// All walkers, their agents, and, where no two share a cell, their tracks.
pub(super) struct Everybody<'a, A> {
    pub walkers: &'a mut [Walker],
    pub agents: &'a mut [Option<A>],
    pub tracks: &'a mut [Track],
}

/// A walker whose turn it is, with its agent taken out of its place.
struct Turn<A> {
    slot: u32,
    walker: Walker,
    /// Where the walker's leg begins.
    leg_start: Cell,
    agent: A,
    cost: u64,
    meter: Meter,
    arrived: u64,
}

impl Turns {
    pub fn queue(&mut self, slot: u32, walker: &mut Walker) {
        if walker.state == State::New && !walker.is(Flags::QUEUED) {
            walker.set(Flags::QUEUED, true);
            self.without_plan.push_back(slot);
            self.fresh += 1;
        }
    }

    pub fn queue_ahead(&mut self, slot: u32, walker: &mut Walker) {
        if walker.state == State::Going && !walker.is(Flags::AHEAD) {
            walker.set(Flags::AHEAD, true);
            self.ahead.push_back(slot);
        }
    }

    /// Walkers in both queues.
    pub fn len(&self) -> usize {
        self.without_plan.len() + self.ahead.len()
    }

    /// So much will be spent on provisional steps in the next tick ([`Walker::steps_cost`]).
    pub fn expect(&mut self, due: u64) {
        self.due = due;
    }

    pub fn save(&self, out: &mut Writer) {
        out.u32s(self.without_plan.iter().copied());
        out.u32s(self.ahead.iter().copied());
        for number in [self.usual_cost, self.fresh, self.due] {
            out.u64(number);
        }
    }

    /// What [`Turns::save`] wrote for this many walkers.
    pub fn load(from: &mut Reader, walkers: usize) -> Option<Turns> {
        let mut queue = || {
            let queue = from.u32s()?;
            let known = queue.iter().all(|&slot| (slot as usize) < walkers);
            known.then(|| VecDeque::from(queue))
        };
        Some(Turns {
            without_plan: queue()?,
            ahead: queue()?,
            usual_cost: from.u64()?,
            fresh: from.u64()?,
            due: from.u64()?,
        })
    }

    pub fn memory_bytes(&self) -> usize {
        (self.without_plan.capacity() + self.ahead.capacity()) * size_of::<u32>()
    }

    /// Lets walkers plan until the budget is spent; at least one of each queue gets its turn.
    pub fn spend<A: Agent<Map>>(
        &mut self,
        budget: u64,
        map: &Map,
        mut all: Everybody<A>,
        scratch: &mut Vec<Scratch>,
        tick: &mut Tick,
    ) {
        // Plans and provisional steps share the tick: when all get new goals at once, few plan in the first ticks. A part of the budget is
        // for plans in any case: a crowd whose provisional steps took it all would never have plans, and go on like that.
        let fresh = std::mem::take(&mut self.fresh);
        let provisional = fresh * STEPS_COST + std::mem::take(&mut self.due);
        let plans_part = match all.tracks.is_empty() {
            true => PLANS_PART,
            false => EXCLUSIVE_PLANS_PART,
        };
        let mut left = budget.saturating_sub(provisional).max(budget / plans_part);
        // Where cells are not shared, a plan lays out a track too.
        let cells = u64::from(map.grid().width()) * u64::from(map.grid().height());
        let fixed_cost = match all.tracks.is_empty() {
            true => FIXED_COST.min(cells / CELLS_A_FIXED_COST),
            false => FIXED_COST,
        };
        for flag in [Flags::QUEUED, Flags::AHEAD] {
            let mut first = true;
            if flag == Flags::AHEAD && !all.tracks.is_empty() {
                left = left.min(budget / ASTRAY_PART);
            }
            while first || left > 0 {
                let expected = match self.usual_cost {
                    0 => FIRST_COST,
                    usual => usual.max(fixed_cost),
                };
                let size = (left / expected).clamp(1, BATCH);
                let mut batch = self.take(flag, size, &mut all);
                if batch.is_empty() {
                    break;
                }
                run_batch(map, &mut batch, scratch);
                for turn in batch {
                    let cost = turn.cost + fixed_cost;
                    self.usual_cost = match self.usual_cost {
                        0 => cost,
                        usual => (7 * usual + cost) / 8,
                    };
                    left = left.saturating_sub(cost);
                    tick.set_up += u64::from(flag == Flags::QUEUED);
                    tick.arrived += turn.arrived;
                    tick.meter.add(&turn.meter);
                    all.walkers[turn.slot as usize] = turn.walker;
                    if turn.leg_start == turn.walker.at
                        && let Some(track) = all.tracks.get_mut(turn.slot as usize)
                    {
                        track.restart(turn.walker.at);
                    }
                    all.agents[turn.slot as usize] = Some(turn.agent);
                }
                first = false;
            }
        }
    }

    /// Takes up to `size` walkers out of a queue that still need what they queued for.
    fn take<A>(&mut self, flag: Flags, size: u64, all: &mut Everybody<A>) -> Vec<Turn<A>> {
        let mut batch = Vec::new();
        while (batch.len() as u64) < size {
            let queue = match flag {
                Flags::QUEUED => &mut self.without_plan,
                _ => &mut self.ahead,
            };
            let Some(slot) = queue.pop_front() else {
                break;
            };
            let walker = &mut all.walkers[slot as usize];
            let state = match flag {
                Flags::QUEUED => State::New,
                _ => State::Going,
            };
            let waits = walker.is(flag) && walker.state == state;
            walker.set(flag, false);
            if waits && let Some(agent) = all.agents[slot as usize].take() {
                batch.push(Turn {
                    slot,
                    walker: *walker,
                    leg_start: all.tracks.get(slot as usize).map_or(walker.at, Track::end),
                    agent,
                    cost: 0,
                    meter: Meter::default(),
                    arrived: 0,
                });
            }
        }
        batch
    }
}

fn run_batch<A: Agent<Map>>(map: &Map, batch: &mut [Turn<A>], scratch: &mut Vec<Scratch>) {
    let threads = crate::parallel::threads().min(batch.len()).max(1);
    if threads == 1 {
        let scratch = scratch_for(scratch, 0);
        batch.iter_mut().for_each(|turn| turn.run(map, scratch));
        return;
    }
    scratch_for(scratch, threads - 1);
    let share = batch.len().div_ceil(threads);
    batch
        .par_chunks_mut(share)
        .zip(scratch.par_iter_mut())
        .for_each(|(turns, scratch)| turns.iter_mut().for_each(|turn| turn.run(map, scratch)));
}

impl<A: Agent<Map>> Turn<A> {
    fn run(&mut self, map: &Map, scratch: &mut Scratch) {
        let mut context = Context::new(map, scratch);
        let walker = &mut self.walker;
        let is_on_path = walker.state == State::Going && !walker.is(Flags::ASTRAY);
        if is_on_path {
            let end = walker.leg_end(self.leg_start);
            self.agent.notice(&mut context);
            // One that queued twice may have had its plan by the other queue.
            if self.agent.wants_plan() {
                self.agent.plan_ahead(&mut context, end);
            }
        } else if walker.at == walker.goal {
            walker.steps = 0;
            walker.state = State::Arrived;
            self.arrived = 1;
        } else if walker.find_whether_connected(map) {
            if !walker.is(Flags::STARTED) {
                walker.set(Flags::STARTED, true);
                self.agent.start(&mut context, walker.at, walker.goal);
            }
            walker.state = State::Going;
            walker.steps = 0;
            walker.set(Flags::ASTRAY, false);
            self.leg_start = walker.at;
            walker.ask(&mut self.agent, &mut context, walker.at);
        }
        self.meter = context.meter;
        self.cost = context.meter.weighted();
    }
}

impl Walker {
    /// What it will spend on provisional steps in the next tick.
    pub fn steps_cost(&self) -> u64 {
        match (
            self.state == State::New && self.steps == 0,
            self.is(Flags::CONNECTED),
        ) {
            (false, _) => 0,
            (true, true) => STEPS_COST,
            (true, false) => STEPS_COST + CONNECTED_COST,
        }
    }

    /// Is there a way to the goal? Asked once for each goal and map.
    pub fn find_whether_connected(&mut self, map: &Map) -> bool {
        if !self.is(Flags::CONNECTED) {
            if map.components().connected(self.at, self.goal) {
                self.set(Flags::CONNECTED, true);
            } else {
                self.state = State::Unreachable;
                self.steps = 0;
            }
        }
        self.is(Flags::CONNECTED)
    }

    /// Asks the agent for its next leg, from where the last one ends.
    #[inline]
    pub fn ask<A: Agent<Map>>(&mut self, agent: &mut A, context: &mut Context<Map>, from: Cell) {
        let leg = agent.next_leg(context, from);
        match leg.decision {
            Decision::Step(next) if next != Cell::NONE => self.head_for(from, next, leg.more),
            Decision::Step(_) | Decision::Thinking => {}
            Decision::Arrived => self.state = State::Arrived,
            Decision::Unreachable => self.state = State::Unreachable,
        }
    }
}
