//! The parts of a tick where no two walkers share a cell: tracks are kept long enough, then steps are settled.

use super::tick::Decided;
use super::traffic::Track;
use super::walker::{Flags, State, Walker};
use super::{Crowd, Tick, scratch_for};
use crate::agent::Scratch;
use crate::agent::{Agent, Context};
use crate::grid::{Cell, Direction};
use crate::map::Map;
use crate::parallel::prelude::*;

/// A track with fewer steps ahead is made longer.
const MIN_AHEAD: u8 = 10;

impl<A: Agent<Map>> Crowd<A> {
    /// Makes the tracks of all walkers long enough, on `parts` threads.
    pub(super) fn extend_tracks(&mut self, map: &Map, share: usize, parts: usize) -> Vec<Decided> {
        scratch_for(&mut self.scratch, parts - 1);
        let tracks = self.traffic.as_mut().map(|t| &mut t.tracks);
        let Some(tracks) = tracks else {
            return Vec::new();
        };
        if parts == 1 {
            let scratch = &mut self.scratch[0];
            let (walkers, agents) = (&mut self.walkers, &mut self.agents);
            return vec![extend_part(map, walkers, agents, tracks, 0, scratch)];
        }
        self.walkers
            .par_chunks_mut(share)
            .zip(self.agents.par_chunks_mut(share))
            .zip(tracks.par_chunks_mut(share))
            .zip(self.scratch.par_iter_mut())
            .enumerate()
            .map(|(i, (((walkers, agents), tracks), scratch))| {
                extend_part(map, walkers, agents, tracks, (i * share) as u32, scratch)
            })
            .collect()
    }

    /// Settles who goes where, one walker a cell.
    pub(super) fn settle(&mut self, map: &Map, tick: &mut Tick) {
        let Some(traffic) = &mut self.traffic else {
            return;
        };
        traffic.settle(map, self.options, &mut self.walkers, tick);
        // Those without a way may have one now.
        self.orders = self.orders.wrapping_add(traffic.exchanges);
        for &slot in &traffic.lost {
            let walker = &mut self.walkers[slot as usize];
            match walker.state {
                State::Going | State::New => walker.state = State::New,
                // Back to its goal, behind all others.
                State::Arrived => {
                    walker.state = State::New;
                    walker.set(Flags::YIELDS, true);
                }
                _ => continue,
            }
            walker.steps = 0;
            traffic.tracks[slot as usize].restart(walker.at);
        }
        for &slot in &traffic.astray {
            let walker = &mut self.walkers[slot as usize];
            if walker.state == State::Going {
                walker.set(Flags::ASTRAY, true);
                self.turns.queue_ahead(slot, walker);
            }
        }
        let mut due = 0;
        for (slot, walker) in self.walkers.iter_mut().enumerate() {
            let going = matches!(walker.state, State::Going | State::New);
            if going && walker.at == walker.goal {
                walker.arrive(tick);
                traffic.tracks[slot].restart(walker.at);
            }
            due += walker.steps_cost();
            self.turns.queue(slot as u32, walker);
        }
        self.turns.expect(due);
    }
}

fn extend_part<A: Agent<Map>>(
    map: &Map,
    walkers: &mut [Walker],
    agents: &mut [Option<A>],
    tracks: &mut [Track],
    first: u32,
    scratch: &mut Scratch,
) -> Decided {
    let mut decided = Decided::default();
    let mut context = Context::new(map, scratch);
    for (i, walker) in walkers.iter_mut().enumerate() {
        let (track, slot) = (&mut tracks[i], first + i as u32);
        if !walker.is_ready() {
            continue;
        }
        match walker.state {
            State::Going if track.ahead() >= MIN_AHEAD => {}
            State::Going => {
                track.forget_behind(map.grid());
                if let Some(agent) = &mut agents[i] {
                    extend(map, walker, agent, track, &mut context);
                    if walker.steps == 0 && agent.wants_plan() {
                        decided.to_queue_ahead.push(slot);
                        if track.ahead() == 0 {
                            walker.state = State::New;
                            decided.to_queue.push(slot);
                        }
                    }
                }
            }
            _ => {}
        }
        if walker.state == State::New {
            if track.ahead() == 0 {
                track.restart(walker.at);
                walker.steps = 0;
                walker.provide(map, &mut decided.tick);
                move_steps(map, walker, track);
            } else {
                decided.tick.provisional += 1;
            }
        }
    }
    decided.tick.meter.add(&context.meter);
    decided
}

/// Asks the agent for more of the path until the track is full or the agent has to plan.
fn extend<A: Agent<Map>>(
    map: &Map,
    walker: &mut Walker,
    agent: &mut A,
    track: &mut Track,
    context: &mut Context<Map>,
) {
    loop {
        move_steps(map, walker, track);
        let ends = !track.has_room() || track.end() == walker.goal || agent.wants_plan();
        if walker.steps > 0 || ends {
            return;
        }
        walker.ask(agent, context, track.end());
        if walker.steps == 0 || walker.state != State::Going {
            return;
        }
    }
}

/// Moves the steps of the walker's leg to the end of its track, as far as there is room.
fn move_steps(map: &Map, walker: &mut Walker, track: &mut Track) {
    let grid = map.grid();
    if walker.steps == 0 {
        return;
    }
    let end = track.end();
    let offset = |d: Direction| grid.neighbour(end, d).0.wrapping_sub(end.0);
    let mut directions = Direction::ALL.into_iter();
    let Some(direction) = directions.find(|&d| offset(d) == walker.offset) else {
        return;
    };
    while walker.steps > 0 && track.has_room() {
        let next = Cell(track.end().0.wrapping_add(walker.offset));
        track.lay(map, direction, next);
        walker.steps -= 1;
    }
}
