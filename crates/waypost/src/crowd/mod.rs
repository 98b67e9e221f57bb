//! Crowds: many agents on one changing map, one budget a tick.
//!
//! A [`Crowd`] owns the map and its walkers. Each [`Crowd::tick`] moves every walker that has a goal by one step: walkers
//! are cut into groups of a fixed size, each with its share of the tick's budget, so that results depend neither on the
//! number of threads nor on the order in which they run.
//!
//! **No spikes, nobody stands still.** Setting up a walker for a new goal is the expensive move of most methods. Each group
//! sets up as many of its walkers in a tick as its share of the budget allows, taking turns; the others
//! make a provisional step: a hill-climbing step towards their goal, which costs one expansion. So ten thousand new
//! goals in one tick are spread over the ticks that follow, and every walker moves from the first tick on.
//!
//! **Occupancy** ([`Options::exclusive`]): decisions are made in parallel, and steps are carried out one walker after the
//! other in the order of ids, so that no two ever stand in one cell. A walker whose next cell is taken waits; after
//! [`Options::patience`] ticks it steps aside to a free neighbour and plans again from there, and the ticks of patience
//! differ from walker to walker, so two that meet in a corridor do not mirror each other for ever.

mod queue;
mod walker;

pub use queue::{Lane, PathQueue, RequestState, Ticket};
pub use walker::{Status, WalkerId};

use crate::agent::{Agent, Budget, Context, Meter};
use crate::grid::{Cell, ChangeSet, GridPatch, Point};
use crate::map::Map;
use crate::search::Scratch;
use rayon::prelude::*;
use thiserror::Error;
use walker::{Occupancy, Walker};

/// Walkers that share a budget. Part of the promise that results do not depend on threads: changing it changes results.
const GROUP: usize = 256;
/// Walkers by which the turn to be set up moves on in a tick.
const TURN: usize = 37;

/// How a crowd behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Operations of a tick that may be spent on setting up walkers for new goals; at least one walker of each group is
    /// set up in a tick all the same.
    pub set_up_operations: u64,
    /// May only one walker stand in a cell?
    pub exclusive: bool,
    /// Ticks that a walker waits for a cell before it steps aside; a walker adds up to three of its own.
    pub patience: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            set_up_operations: 40_000,
            exclusive: false,
            patience: 3,
        }
    }
}

/// Why a walker could not be added or sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CrowdError {
    /// Outside the map or a wall.
    #[error("{point} is not a passable cell of the map")]
    Blocked {
        /// The point.
        point: Point,
    },
    /// Another walker stands there.
    #[error("another walker stands at {point}; choose a free cell")]
    Taken {
        /// The point.
        point: Point,
    },
    /// The walker was removed.
    #[error("no walker has this id: it was removed")]
    NoSuchWalker,
}

/// What a tick did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tick {
    /// Steps made.
    pub moves: u64,
    /// Walkers that reached their goal.
    pub arrived: u64,
    /// Walkers that were set up for a new goal.
    pub set_up: u64,
    /// Walkers that took a provisional step because their set-up had to wait.
    pub provisional: u64,
    /// Walkers that stood still because their next cell was taken.
    pub waits: u64,
    /// Operations of all walkers.
    pub meter: Meter,
}

impl Tick {
    fn add(&mut self, other: &Tick) {
        self.moves += other.moves;
        self.arrived += other.arrived;
        self.set_up += other.set_up;
        self.provisional += other.provisional;
        self.waits += other.waits;
        self.meter.add(&other.meter);
    }
}

/// Many agents of one kind on one map.
pub struct Crowd<A> {
    map: Map,
    options: Options,
    walkers: Vec<Walker<A>>,
    free: Vec<u32>,
    occupancy: Occupancy,
    scratch: Vec<Scratch>,
    ticks: u64,
}

impl<A: Agent<Map>> Crowd<A> {
    /// A crowd without walkers.
    pub fn new(map: Map, options: Options) -> Crowd<A> {
        Crowd {
            occupancy: Occupancy::new(&map, options.exclusive),
            map,
            options,
            walkers: Vec::new(),
            free: Vec::new(),
            scratch: Vec::new(),
            ticks: 0,
        }
    }

    /// The map as it is now.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Ticks so far.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// How many walkers there are.
    pub fn len(&self) -> usize {
        self.walkers.len() - self.free.len()
    }

    /// No walkers?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a walker on the map.
    pub fn add(&mut self, agent: A, at: Point) -> Result<WalkerId, CrowdError> {
        let cell = self.passable(at)?;
        if !self.occupancy.enter(cell) {
            return Err(CrowdError::Taken { point: at });
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.walkers[slot as usize].revive(agent, cell);
                slot
            }
            None => {
                self.walkers.push(Walker::new(agent, cell));
                self.walkers.len() as u32 - 1
            }
        };
        Ok(self.walkers[slot as usize].id(slot))
    }

    /// Takes a walker off the map and gives its agent back.
    pub fn remove(&mut self, id: WalkerId) -> Result<A, CrowdError> {
        let walker = self.walker_mut(id)?;
        let (at, agent) = walker.retire().ok_or(CrowdError::NoSuchWalker)?;
        self.occupancy.leave(at);
        self.free.push(id.slot());
        Ok(agent)
    }

    /// Sends a walker to a goal, whatever it was doing. A goal that is a wall or cannot be reached is taken too: the walker's
    /// status says so, and names the nearest cell that can be reached.
    pub fn send(&mut self, id: WalkerId, goal: Point) -> Result<(), CrowdError> {
        let goal_cell = self
            .map
            .grid()
            .cell(goal)
            .ok_or(CrowdError::Blocked { point: goal })?;
        self.walker_mut(id)?.send(goal_cell);
        Ok(())
    }

    /// Lets a walker follow another one: its goal is wherever the other stands.
    pub fn follow(&mut self, id: WalkerId, leader: WalkerId) -> Result<(), CrowdError> {
        self.walker(leader)?;
        self.walker_mut(id)?.follow(leader);
        Ok(())
    }

    /// Withdraws a walker's goal: it stands still.
    pub fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.walker_mut(id)?.halt();
        Ok(())
    }

    /// Where a walker is.
    pub fn position(&self, id: WalkerId) -> Result<Point, CrowdError> {
        Ok(self.map.grid().point(self.walker(id)?.at()))
    }

    /// What a walker is doing.
    pub fn status(&self, id: WalkerId) -> Result<Status, CrowdError> {
        Ok(self.walker(id)?.status(&self.map))
    }

    /// All walkers, in the order of ids: id, place and status.
    pub fn iter(&self) -> impl Iterator<Item = (WalkerId, Point, Status)> + '_ {
        self.walkers
            .iter()
            .enumerate()
            .filter(|(_, walker)| walker.is_there())
            .map(|(slot, walker)| {
                let point = self.map.grid().point(walker.at());
                (walker.id(slot as u32), point, walker.status(&self.map))
            })
    }

    /// Changes the map between ticks. Walkers are told, and those whose cell became a wall are moved nowhere: they are
    /// [`Status::Blocked`] until it opens again or they are removed.
    pub fn patch(&mut self, patch: &GridPatch) -> ChangeSet {
        let changes = self.map.apply(patch);
        if changes.is_empty() {
            return changes;
        }
        let scratch = scratch_for(&mut self.scratch, 0);
        for walker in &mut self.walkers {
            let mut context = Context::new(&self.map, scratch);
            walker.map_changed(&mut context, &changes);
        }
        changes
    }

    /// Bytes that the walkers take beyond map and indexes.
    pub fn memory_bytes(&self) -> usize {
        let agents: usize = self.walkers.iter().map(Walker::reserved_bytes).sum();
        agents + self.occupancy.memory_bytes()
    }

    /// Moves every walker by one step.
    pub fn tick(&mut self) -> Tick {
        self.ticks += 1;
        self.aim_followers();
        let groups = self.walkers.len().div_ceil(GROUP).max(1);
        let share = self.options.set_up_operations / groups as u64;
        let threads = rayon::current_num_threads().min(groups);
        scratch_for(&mut self.scratch, threads - 1);
        let (map, turn) = (&self.map, self.ticks);
        // Each thread takes a run of whole groups: scratch holds nothing between moves, so which thread it is of does not
        // matter.
        let per_thread = groups.div_ceil(threads) * GROUP;
        let mut tick = self
            .walkers
            .par_chunks_mut(per_thread.max(1))
            .zip(self.scratch.par_iter_mut())
            .map(|(walkers, scratch)| {
                let mut tick = Tick::default();
                for group in walkers.chunks_mut(GROUP) {
                    tick.add(&decide_group(map, group, scratch, share, turn));
                }
                tick
            })
            .reduce(Tick::default, |mut a, b| {
                a.add(&b);
                a
            });
        for slot in 0..self.walkers.len() {
            let walker = &mut self.walkers[slot];
            walker.carry_out(
                &self.map,
                &mut self.occupancy,
                self.options,
                slot,
                &mut tick,
            );
        }
        tick
    }

    /// Followers aim at where their leaders stand now; those whose leader is gone stand still.
    fn aim_followers(&mut self) {
        for slot in 0..self.walkers.len() {
            if let Some(leader) = self.walkers[slot].leader() {
                let at = self.walker(leader).map(Walker::at).ok();
                self.walkers[slot].aim(at);
            }
        }
    }

    fn passable(&self, point: Point) -> Result<Cell, CrowdError> {
        self.map
            .passable_cell(point)
            .ok_or(CrowdError::Blocked { point })
    }

    fn walker(&self, id: WalkerId) -> Result<&Walker<A>, CrowdError> {
        self.walkers
            .get(id.slot() as usize)
            .filter(|walker| walker.has(id))
            .ok_or(CrowdError::NoSuchWalker)
    }

    fn walker_mut(&mut self, id: WalkerId) -> Result<&mut Walker<A>, CrowdError> {
        self.walkers
            .get_mut(id.slot() as usize)
            .filter(|walker| walker.has(id))
            .ok_or(CrowdError::NoSuchWalker)
    }
}

fn scratch_for(all: &mut Vec<Scratch>, index: usize) -> &mut Scratch {
    while all.len() <= index {
        all.push(Scratch::new());
    }
    &mut all[index]
}

/// Lets a group decide: those on their way first, then as many new goals as the share allows, taking turns.
fn decide_group<A: Agent<Map>>(
    map: &Map,
    group: &mut [Walker<A>],
    scratch: &mut Scratch,
    share: u64,
    turn: u64,
) -> Tick {
    let mut tick = Tick::default();
    let mut spent = 0;
    let mut context = Context::new(map, scratch);
    context.budget = Budget::UNLIMITED;
    for walker in group.iter_mut().filter(|w| w.is_on_its_way()) {
        context.meter = Meter::default();
        walker.decide(&mut context);
        tick.meter.add(&context.meter);
    }
    // The turn goes round: a tick begins where few ticks before it began, so every walker comes first again and again.
    let begin = (turn as usize * TURN) % group.len().max(1);
    let (after, before) = group.split_at_mut(begin);
    for walker in before.iter_mut().chain(after) {
        if spent > share {
            break;
        }
        if walker.is_waiting_for_set_up() {
            context.meter = Meter::default();
            walker.set_up(&mut context);
            spent += context.meter.operations().max(1);
            tick.meter.add(&context.meter);
            tick.set_up += 1;
        }
    }
    for walker in group
        .iter_mut()
        .filter(|walker| walker.is_waiting_for_set_up())
    {
        if walker.provisional_step(map) {
            tick.provisional += 1;
        }
        tick.meter.expansions += 1;
    }
    tick
}
