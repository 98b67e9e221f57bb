//! A tick, part by part.

use super::turns::Everybody;
use super::walker::{Flags, State, Walker};
use super::{Crowd, Tick, scratch_for};
use crate::agent::Scratch;
use crate::agent::{Agent, Context};
use crate::grid::Cell;
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::search::climb::next_leg;
use crate::search::hill_climb::best_neighbour;
use crate::space::Space;

/// The most provisional steps that are found at once.
const PROVISIONAL_STEPS: u32 = 8;
/// The most that are found at first. Walkers begin with different numbers of them, by where they stand, so that those who got their
/// goals together do not look for the next ones together.
const FIRST_STEPS: u32 = 4;
/// A thread takes at least this many walkers: fewer are not worth waking it.
const MIN_SHARE: usize = 512;
/// A follower whose leader has moved away from the place it heads for by more than a part of the way to it plans again.
const STALE_PART: u32 = 8;

/// How what all plan with stands to the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planning {
    /// It is of the map as it is.
    InStep,
    /// It knows most ways, and is on its way to know all.
    Behind,
    /// It is under repair, and nobody may plan.
    Paused,
}

/// What a part of the walkers decided.
#[derive(Debug, Default)]
pub(super) struct Decided {
    pub tick: Tick,
    /// Walkers without a plan that are not in the queue yet.
    pub to_queue: Vec<u32>,
    pub to_queue_ahead: Vec<u32>,
    /// What provisional steps will cost in the next tick.
    pub due: u64,
}

impl<A: Agent<Map>> Crowd<A> {
    /// Moves every walker by one step.
    pub fn tick(&mut self) -> Tick {
        self.tick_with(Planning::InStep)
    }

    /// The same; where nobody may plan, because what all plan with is under repair, those without a plan step provisionally.
    pub(super) fn tick_with(&mut self, planning: Planning) -> Tick {
        let world = self.world.clone();
        let map = &*world.map();
        self.look(map);
        self.ticks += 1;
        Scratch::level(&mut self.scratch);
        let mut tick = Tick::default();
        self.aim_followers(map);
        let parting = self.untie(map, &mut tick);
        if planning != Planning::Paused {
            // A plan that is blocked is better than none: it is looked at when there will be another.
            let reviewed = match planning {
                Planning::InStep => self.review(map, &mut tick),
                _ => 0,
            };
            let tracks = self.traffic.as_mut().map(|traffic| &mut traffic.tracks);
            let all = Everybody {
                walkers: &mut self.walkers,
                agents: &mut self.agents,
                tracks: tracks.map_or(&mut [], |tracks| tracks),
            };
            let budget = self.options.set_up_operations;
            let budget = budget.saturating_sub(parting + reviewed).max(budget / 2);
            let scratch = &mut self.scratch;
            self.turns.spend(budget, map, all, scratch, &mut tick);
        }
        let decided = self.decide(map);
        tick.add(&decided.tick);
        for slot in decided.to_queue {
            self.turns.queue(slot, &mut self.walkers[slot as usize]);
        }
        for slot in decided.to_queue_ahead {
            self.turns
                .queue_ahead(slot, &mut self.walkers[slot as usize]);
        }
        self.turns.expect(decided.due);
        if self.traffic.is_some() {
            self.settle(map, &mut tick);
            self.watch(map);
        }
        tick
    }

    /// Followers aim at where their leaders stand now; those whose leader is gone stand still.
    fn aim_followers(&mut self, map: &Map) {
        let mut followers = std::mem::take(&mut self.followers);
        followers.retain(|&slot| {
            let walker = &self.walkers[slot as usize];
            if !walker.follows() || !walker.is_there() {
                return false;
            }
            match self.walker(walker.leader).map(|walker| walker.at) {
                Ok(at) => self.aim_at_leader(map, slot, at),
                Err(_) => self.walkers[slot as usize].lose_goal(),
            }
            self.walkers[slot as usize].follows()
        });
        self.followers = followers;
    }

    /// A follower that still walks to a place near its leader goes on, and plans again when that place is stale.
    fn aim_at_leader(&mut self, map: &Map, slot: u32, leader: Cell) {
        let walker = &self.walkers[slot as usize];
        if walker.goal == leader && walker.state != State::Idle {
            return;
        }
        let (moved, way) = match walker.state {
            State::Going => (
                map.heuristic(walker.goal, leader),
                map.heuristic(walker.at, leader),
            ),
            _ => (1, 0),
        };
        if moved.saturating_mul(STALE_PART) >= way {
            // It keeps its place in the queue: a goal that moves each tick would never have its turn.
            self.aim(slot, leader);
        }
    }

    /// Every walker decides on its step; where cells may be shared it is made at once.
    fn decide(&mut self, map: &Map) -> Decided {
        let threads = crate::parallel::threads();
        let share = self.walkers.len().div_ceil(threads).max(MIN_SHARE);
        let parts = self.walkers.len().div_ceil(share).max(1);
        let parts = if self.traffic.is_some() {
            self.extend_tracks(map, share, parts)
        } else {
            self.walk_legs(map, share, parts)
        };
        parts.into_iter().fold(Decided::default(), |mut all, part| {
            all.tick.add(&part.tick);
            all.to_queue.extend(part.to_queue);
            all.to_queue_ahead.extend(part.to_queue_ahead);
            all.due += part.due;
            all
        })
    }

    fn walk_legs(&mut self, map: &Map, share: usize, parts: usize) -> Vec<Decided> {
        scratch_for(&mut self.scratch, parts - 1);
        if parts == 1 {
            let scratch = &mut self.scratch[0];
            let (walkers, agents) = (&mut self.walkers, &mut self.agents);
            return vec![decide_part(map, walkers, agents, 0, scratch)];
        }
        self.walkers
            .par_chunks_mut(share)
            .zip(self.agents.par_chunks_mut(share))
            .zip(self.scratch.par_iter_mut())
            .enumerate()
            .map(|(i, ((walkers, agents), scratch))| {
                decide_part(map, walkers, agents, (i * share) as u32, scratch)
            })
            .collect()
    }
}

fn decide_part<A: Agent<Map>>(
    map: &Map,
    walkers: &mut [Walker],
    agents: &mut [Option<A>],
    first: u32,
    scratch: &mut Scratch,
) -> Decided {
    let mut decided = Decided::default();
    let mut context = Context::new(map, scratch);
    for (i, walker) in walkers.iter_mut().enumerate() {
        if !walker.is_ready() {
            continue;
        }
        if walker.steps == 0 {
            match walker.state {
                State::Going => {
                    if let Some(agent) = &mut agents[i] {
                        think(
                            map,
                            walker,
                            agent,
                            &mut context,
                            first + i as u32,
                            &mut decided,
                        );
                    }
                }
                State::New => walker.provide(map, &mut decided.tick),
                _ => continue,
            }
        } else if walker.state == State::New {
            decided.tick.provisional += 1;
        }
        if walker.steps > 0 {
            walker.step(map.grid());
            decided.tick.moves += 1;
            walker.notice_arrival(&mut decided.tick);
            decided.due += walker.steps_cost();
        }
    }
    decided.tick.meter.add(&context.meter);
    decided
}

/// A walker's leg has ended: its agent says how to go on, or waits for a turn to plan.
fn think<A: Agent<Map>>(
    map: &Map,
    walker: &mut Walker,
    agent: &mut A,
    context: &mut Context<Map>,
    slot: u32,
    decided: &mut Decided,
) {
    if !agent.wants_plan() {
        walker.ask(agent, context, walker.at);
        if walker.steps > 0 && agent.wants_plan() {
            decided.to_queue_ahead.push(slot);
        }
    }
    // Also where the agent has just found that its way is blocked.
    if walker.state == State::Going && walker.steps == 0 && agent.wants_plan() {
        walker.state = State::New;
        decided.to_queue.push(slot);
        walker.provide(map, &mut decided.tick);
    }
}

impl Walker {
    /// Provisional steps towards the goal, while others plan: up the heuristic where that leads on, else to the best
    /// neighbour that the walker does not come from.
    pub fn provide(&mut self, map: &Map, tick: &mut Tick) {
        if self.at == self.goal {
            self.state = State::Arrived;
            tick.arrived += 1;
            return;
        }
        // When all get goals at once, the first steps have to be cheap: few of them, and no look at the components.
        let most_steps = match self.is(Flags::STEPPED) {
            true if !self.find_whether_connected(map) => return,
            true => PROVISIONAL_STEPS,
            false => 1 + self.at.0 % FIRST_STEPS,
        };
        self.set(Flags::STEPPED, true);
        tick.meter.expansions += 1;
        let grid = map.grid();
        let ends = (grid.point(self.at), grid.point(self.goal));
        let climb = match map.is_uniform() {
            true => next_leg(map, ends.0, ends.1, most_steps),
            false => None,
        };
        if let Some(leg) = climb {
            let next = grid.neighbour(self.at, leg.direction);
            self.head_for(self.at, next, leg.steps - 1);
        } else {
            let previous = self.previous();
            let aside = |cell: Cell| match cell == previous {
                true => u32::MAX / 2,
                false => map.heuristic(cell, self.goal),
            };
            match best_neighbour(map, self.at, aside) {
                Some(best) => self.head_for(self.at, best.cell, 0),
                None => return,
            }
        }
        tick.provisional += 1;
    }

    fn notice_arrival(&mut self, tick: &mut Tick) {
        let going = matches!(self.state, State::Going | State::New);
        if going && self.steps == 0 && self.at == self.goal {
            self.arrive(tick);
        }
    }

    /// It stands on its goal.
    pub fn arrive(&mut self, tick: &mut Tick) {
        self.state = State::Arrived;
        self.steps = 0;
        self.waits = 0;
        tick.arrived += 1;
    }
}
