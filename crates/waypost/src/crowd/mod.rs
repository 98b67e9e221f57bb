//! Crowds: many agents on one changing map, one budget a tick.
//!
//! A [`Crowd`] walks on the map of a [`World`], which others may share. Each [`Crowd::tick`] moves every walker that has a goal by one step.
//!
//! **Legs.** An agent is asked for a leg ([`Agent::next_leg`]): a direction and how often. While a leg is walked nobody asks
//! the agent; a walker of 32 bytes counts the steps. So a tick passes once over a flat array, and touches agents only
//! where a leg ends.
//!
//! **No spikes, nobody stands still.** Planning for a new goal is the expensive move of most methods. Walkers take turns
//! under a budget of operations a tick ([`Options::set_up_operations`]), first come first served; those whose
//! turn has not come walk on meanwhile, up the heuristic towards their goal where that leads on, else to the neighbour
//! nearest to it that they do not come from. So ten thousand new goals in one tick are spread over the ticks that follow,
//! and every walker moves from the first tick on. Agents that will need a new plan when a leg ends
//! ([`Agent::wants_plan`]) queue while they still walk it.
//!
//! **Occupancy** ([`Options::exclusive`]): one walker a cell. See [`traffic`](self) in the source for the rule: walkers
//! on their paths go first, those with the oldest goals before others, the rest make room, nobody exchanges places.
//!
//! **Changing maps** ([`World::patch`]): a tick begins with a look at the map. Legs that a wall blocks end there and then, and
//! their walkers plan again in turn; what comes after legs is looked at in turns, some walkers a tick; agents look for themselves when
//! they are asked. A walker never steps on a wall.
//!
//! **Threads.** Walkers decide each for itself, plans are made in batches that do not depend on threads, and places are
//! settled one after the other: the same calls give the same state, byte for byte, on any number of threads.

mod any;
mod exclusive;
mod group;
mod knots;
mod queue;
mod review;
mod snapshot;
mod tick;
mod traffic;
mod turns;
mod view;
mod walker;

pub use any::{AnyCrowd, MadeCrowd};
pub(crate) use any::{boxed_crowd, guided_crowd, renewed_crowd};
pub use group::Formation;
pub use queue::{Lane, PathQueue, RequestState, Ticket};
pub use snapshot::{Snapshot, SnapshotError};
pub use view::WalkerView;
pub use walker::{Hindrance, MAX_MOVE_TICKS, Status, WalkerId};

use crate::agent::Scratch;
use crate::agent::{Agent, Meter};
use crate::grid::{Cell, ChangeSet, Grid, GridPatch, Point};
use crate::map::Map;
use crate::world::World;
use review::Review;
use std::sync::Arc;
use thiserror::Error;
use traffic::{Track, Traffic, Watch};
use turns::Turns;
use walker::{Flags, Pace, State, Walker};

/// How a crowd behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Weighted operations of a tick ([`WEIGHTS`](crate::agent::WEIGHTS), about nanoseconds) that may be spent on plans for new
    /// goals; at least one walker plans in a tick all the same.
    pub set_up_operations: u64,
    /// Operations of a tick that may be spent on repairing indexes after a patch, each of the weight of a climb step.
    pub repair_operations: u64,
    /// Whether only one walker may stand in a cell.
    pub exclusive: bool,
    /// Ticks that a walker waits for a cell before it looks for another one; a walker adds up to three of its own.
    pub patience: u32,
    /// Whether an index that is due is waited for, so that what happens depends on calls alone ([`crate::index::slot`]).
    pub lockstep: bool,
    /// Whether indexes that a patch made stale are rebuilt by themselves, on threads of their own. They take over after as many
    /// ticks as the rebuild stands for operations of repair, so what happens does not depend on how fast a thread is.
    pub rebuild: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            set_up_operations: 1_000_000,
            repair_operations: 20_000,
            exclusive: false,
            patience: 3,
            lockstep: true,
            rebuild: false,
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
    /// No agent can be made for the map as it is.
    #[error("no agent can be made for this map: {reason}")]
    NoAgent {
        /// Why, and what to do.
        reason: String,
    },
    /// No walker is that fast or that slow.
    #[error("a move cannot take {ticks} ticks; give 1 to {MAX_MOVE_TICKS}")]
    Pace {
        /// The ticks of a move.
        ticks: u32,
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
    /// Walkers that planned for a new goal.
    pub set_up: u64,
    /// Walkers that took a provisional step because it was not their turn to plan.
    pub provisional: u64,
    /// Walkers that stood still because their next cell was taken.
    pub waits: u64,
    /// Operations of all walkers.
    pub meter: Meter,
}

impl Tick {
    /// Adds what another tick, or another part of this one, did.
    pub fn add(&mut self, other: &Tick) {
        self.moves += other.moves;
        self.arrived += other.arrived;
        self.set_up += other.set_up;
        self.provisional += other.provisional;
        self.waits += other.waits;
        self.meter.add(&other.meter);
    }
}

/// Bytes of a crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrowdMemory {
    /// Of the walkers and their agents, learned values aside.
    pub walkers: usize,
    /// Of what agents have learned.
    pub learned: usize,
    /// Of what depends on the map alone: which cells are taken.
    pub shared: usize,
}

/// Many agents of one kind on one map.
pub struct Crowd<A> {
    world: Arc<World>,
    /// For as long as it is there the world knows that a crowd walks in it.
    _joined: Arc<()>,
    /// Where cells are, for those who look at walkers while others change the map.
    shape: Grid,
    /// The state of the map that it looked at last.
    seen: u64,
    options: Options,
    walkers: Vec<Walker>,
    /// By the walker's place; `None` where it was removed.
    agents: Vec<Option<A>>,
    free: Vec<u32>,
    turns: Turns,
    review: Review,
    traffic: Option<Traffic>,
    /// Walkers that follow others.
    followers: Vec<u32>,
    scratch: Vec<Scratch>,
    ticks: u64,
    /// Counts what walkers were told from outside, for those that wait for others to be told something.
    orders: u32,
}

impl<A: Agent<Map>> Crowd<A> {
    /// A crowd without walkers.
    pub fn new(world: Arc<World>, options: Options) -> Crowd<A> {
        let map = world.map();
        Crowd {
            traffic: options.exclusive.then(|| Traffic::new(&map)),
            shape: map.grid().shape(),
            seen: map.fingerprint(),
            _joined: world.join(),
            world: world.clone(),
            options,
            walkers: Vec::new(),
            agents: Vec::new(),
            free: Vec::new(),
            turns: Turns::default(),
            review: Review::default(),
            followers: Vec::new(),
            scratch: Vec::new(),
            ticks: 0,
            orders: 0,
        }
    }

    /// Makes room for this many walkers.
    pub fn reserve(&mut self, walkers: usize) {
        self.walkers.reserve_exact(walkers);
        self.agents.reserve_exact(walkers);
    }

    /// Sets what a tick may spend from now on ([`Options::set_up_operations`], [`Options::repair_operations`]).
    pub fn set_budget(&mut self, set_up_operations: u64, repair_operations: u64) {
        self.options.set_up_operations = set_up_operations;
        self.options.repair_operations = repair_operations;
    }

    /// How it behaves.
    pub fn options(&self) -> Options {
        self.options
    }

    /// How many walkers wait for their turn to plan.
    pub fn planning(&self) -> usize {
        self.turns.len()
    }

    /// The map as it is now.
    pub fn map(&self) -> Arc<Map> {
        self.world.map()
    }

    /// The world that it walks on.
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Ticks so far.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// How many walkers there are.
    pub fn len(&self) -> usize {
        self.walkers.len() - self.free.len()
    }

    /// Whether there are no walkers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a walker on the map.
    pub fn add(&mut self, agent: A, at: Point) -> Result<WalkerId, CrowdError> {
        let cell = self.map().passable_cell(at);
        let cell = cell.ok_or(CrowdError::Blocked { point: at })?;
        let slot = self.free.last().copied();
        let slot = slot.unwrap_or(self.walkers.len() as u32);
        self.orders = self.orders.wrapping_add(1);
        if let Some(traffic) = &mut self.traffic
            && !traffic.enter(slot, cell)
        {
            return Err(CrowdError::Taken { point: at });
        }
        match self.free.pop() {
            Some(_) => {
                let walker = &mut self.walkers[slot as usize];
                *walker = Walker::new(cell, walker.generation.wrapping_add(1));
                self.agents[slot as usize] = Some(agent);
            }
            None => {
                self.walkers.push(Walker::new(cell, 0));
                self.agents.push(Some(agent));
            }
        }
        Ok(self.id(slot))
    }

    /// Takes a walker off the map and gives its agent back.
    pub fn remove(&mut self, id: WalkerId) -> Result<A, CrowdError> {
        self.orders = self.orders.wrapping_add(1);
        let walker = self.walker_mut(id)?;
        let at = walker.at;
        walker.halt();
        walker.state = State::Gone;
        if let Some(traffic) = &mut self.traffic {
            traffic.leave(id.slot, at);
        }
        self.free.push(id.slot);
        self.agents[id.slot as usize]
            .take()
            .ok_or(CrowdError::NoSuchWalker)
    }

    /// Sends a walker to a goal, whatever it was doing. A goal that is a wall or cannot be reached is taken too: the walker's
    /// status says so, and names the nearest cell that can be reached.
    pub fn send(&mut self, id: WalkerId, goal: Point) -> Result<(), CrowdError> {
        let cell = self.map().grid().cell(goal);
        let goal = cell.ok_or(CrowdError::Blocked { point: goal })?;
        self.walker_mut(id)?.leader = WalkerId::NONE;
        self.aim(id.slot, goal);
        Ok(())
    }

    /// Lets a walker follow another one: its goal is wherever the other stands.
    pub fn follow(&mut self, id: WalkerId, leader: WalkerId) -> Result<(), CrowdError> {
        self.walker(leader)?;
        let walker = self.walker_mut(id)?;
        let new = !walker.follows();
        walker.leader = leader;
        if new {
            self.followers.retain(|&slot| slot != id.slot);
            self.followers.push(id.slot);
        }
        Ok(())
    }

    /// Sets a walker's speed: from its next move on each takes this many ticks, 1 (as at first) to [`MAX_MOVE_TICKS`]. The one that it is at takes no
    /// longer than these.
    pub fn set_pace(&mut self, id: WalkerId, ticks: u32) -> Result<(), CrowdError> {
        let pace = Pace::new(ticks).ok_or(CrowdError::Pace { ticks })?;
        self.walker_mut(id)?.pace.change(pace);
        Ok(())
    }

    /// Lets a walker hold its ground, or go on: one that holds it keeps its goal, does not move, and gives way to nobody.
    pub fn hold(&mut self, id: WalkerId, holds: bool) -> Result<(), CrowdError> {
        self.orders = self.orders.wrapping_add(1);
        self.walker_mut(id)?.set(Flags::HOLDS, holds);
        Ok(())
    }

    /// Withdraws a walker's goal: it stands still.
    pub fn halt(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        self.orders = self.orders.wrapping_add(1);
        self.walker_mut(id)?.lose_goal();
        self.forget_path(id);
        Ok(())
    }

    fn forget_path(&mut self, id: WalkerId) {
        if let Some(traffic) = &mut self.traffic {
            traffic.tracks[id.index()].restart(self.walkers[id.index()].at);
        }
    }

    /// Whether a walker holds a cell, where no two may share one.
    pub fn is_held(&self, at: Point) -> bool {
        let cell = self.shape.cell(at);
        let traffic = self.traffic.as_ref();
        cell.is_some_and(|cell| traffic.is_some_and(|traffic| traffic.is_held(cell)))
    }

    /// Lets a walker take the place where it stands for its goal: it has arrived. Where no two share a cell its goal is withdrawn
    /// instead, so that it makes room for those who come after it and does not come back.
    pub fn arrive(&mut self, id: WalkerId) -> Result<(), CrowdError> {
        let is_exclusive = self.traffic.is_some();
        let walker = self.walker_mut(id)?;
        walker.lose_goal();
        if walker.state == State::Idle && !is_exclusive {
            walker.goal = walker.at;
            walker.state = State::Arrived;
        }
        self.forget_path(id);
        Ok(())
    }

    /// Where a walker is.
    pub fn position(&self, id: WalkerId) -> Result<Point, CrowdError> {
        Ok(self.shape.point(self.walker(id)?.at))
    }

    /// What a walker is doing.
    pub fn status(&self, id: WalkerId) -> Result<Status, CrowdError> {
        Ok(self.walker(id)?.status(&self.map()))
    }

    /// All walkers, in the order of ids: id, place and status.
    pub fn iter(&self) -> impl Iterator<Item = (WalkerId, Point, Status)> + '_ {
        let (map, there) = (self.map(), self.walkers.iter().enumerate());
        there
            .filter(|(_, w)| w.is_there())
            .map(move |(slot, walker)| {
                let point = map.grid().point(walker.at);
                (self.id(slot as u32), point, walker.status(&map))
            })
    }

    /// Changes the map of the world ([`World::patch`]). Walkers whose cell became a wall are moved nowhere: they are
    /// [`Status::Blocked`] until it opens again or they are removed. All others look and go on; see the module.
    pub fn patch(&mut self, patch: &GridPatch) -> ChangeSet {
        let changes = self.world.patch(patch);
        let world = self.world.clone();
        self.look(&world.map());
        changes
    }

    /// Looks whether the map has changed, and at every walker if it has.
    fn look(&mut self, map: &Map) {
        let seen = std::mem::replace(&mut self.seen, map.fingerprint());
        if seen == map.fingerprint() {
            return;
        }
        let reach = Reach::of(map, map.changes_since(seen).as_ref());
        if reach.blocks {
            self.review.begin(reach, self.walkers.len());
        }
        for (slot, walker) in self.walkers.iter_mut().enumerate() {
            if walker.is_there() {
                let tracks = self.traffic.as_mut().map_or(&mut [][..], |t| &mut t.tracks);
                walker.map_changed(map, &reach, tracks.get_mut(slot));
                self.turns.queue(slot as u32, walker);
            }
        }
    }

    /// Makes all agents again. Those under way walk their legs to the end and plan again in turn; one that cannot be made stays
    /// as it is.
    pub(crate) fn renew_agents(
        &mut self,
        map: &Map,
        make: &mut impl FnMut(&Map) -> Result<A, String>,
    ) {
        let agents = self.agents.iter_mut().zip(&mut self.walkers).enumerate();
        for (slot, (agent, walker)) in agents.filter(|(_, (_, walker))| walker.is_there()) {
            let Ok(fresh) = make(map) else {
                return;
            };
            *agent = Some(fresh);
            walker.set(Flags::STARTED, false);
            if walker.state == State::Going {
                walker.state = State::New;
            }
            self.turns.queue(slot as u32, walker);
        }
    }

    /// Bytes beyond map, indexes and the scratch memory of threads.
    pub fn memory(&self) -> CrowdMemory {
        let agents = || self.agents.iter().flatten();
        let learned: usize = agents().map(Agent::learned_bytes).sum();
        let beyond: usize = agents()
            .map(|agent| agent.reserved_bytes().saturating_sub(size_of::<A>()))
            .sum();
        let lists = self.free.capacity() + self.followers.capacity();
        let traffic = self.traffic.as_ref();
        let (cells, lists_of_traffic) = traffic.map_or((0, 0), Traffic::memory_bytes);
        let walkers = beyond.saturating_sub(learned)
            + self.walkers.capacity() * size_of::<Walker>()
            + self.agents.capacity() * size_of::<Option<A>>()
            + lists * size_of::<u32>()
            + self.turns.memory_bytes()
            + lists_of_traffic;
        CrowdMemory {
            walkers,
            learned,
            shared: cells,
        }
    }

    /// The most weighted operations ([`Meter::weighted`]) that one walker's move takes on the map as it is, its plan included; `None`
    /// where the method has no bound, or nobody is there.
    pub fn walker_bound(&self) -> Option<u64> {
        let map = self.map();
        let mut bounds = self.agents.iter().flatten().map(|a| a.weighted_bound(&map));
        let first = bounds.next()??;
        bounds.try_fold(first, |most, bound| Some(most.max(bound?)))
    }

    /// A new goal for a walker. One that stands in a wall keeps it for later.
    fn aim(&mut self, slot: u32, goal: Cell) {
        self.orders = self.orders.wrapping_add(1);
        let walker = &mut self.walkers[slot as usize];
        let is_blocked = walker.state == State::Blocked;
        walker.new_goal(goal);
        if is_blocked {
            walker.state = State::Blocked;
            return;
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.tracks[slot as usize].restart(walker.at);
            traffic.watches[slot as usize] = Watch::at(walker.at);
        }
        self.turns.queue(slot, walker);
    }

    fn id(&self, slot: u32) -> WalkerId {
        WalkerId {
            slot,
            generation: self.walkers[slot as usize].generation,
        }
    }

    fn walker(&self, id: WalkerId) -> Result<&Walker, CrowdError> {
        self.walkers
            .get(id.slot as usize)
            .filter(|walker| walker.is_there() && walker.generation == id.generation)
            .ok_or(CrowdError::NoSuchWalker)
    }

    fn walker_mut(&mut self, id: WalkerId) -> Result<&mut Walker, CrowdError> {
        self.walkers
            .get_mut(id.slot as usize)
            .filter(|walker| walker.is_there() && walker.generation == id.generation)
            .ok_or(CrowdError::NoSuchWalker)
    }
}

/// The rectangle that holds all changes of a patch.
#[derive(Clone, Copy, Debug)]
struct Reach {
    least: Point,
    most: Point,
    blocks: bool,
}

impl Reach {
    /// Of these changes; of the whole map where they are not known.
    fn of(map: &Map, changes: Option<&ChangeSet>) -> Reach {
        let Some(changes) = changes else {
            return Reach {
                least: Point { x: 0, y: 0 },
                most: Point {
                    x: map.grid().width(),
                    y: map.grid().height(),
                },
                blocks: true,
            };
        };
        let (mut least, mut most) = (Point { x: !0, y: !0 }, Point { x: 0, y: 0 });
        for &cell in changes.blocked.iter().chain(&changes.opened) {
            let Point { x, y } = map.grid().point(cell);
            (least.x, least.y) = (least.x.min(x), least.y.min(y));
            (most.x, most.y) = (most.x.max(x), most.y.max(y));
        }
        Reach {
            least,
            most,
            blocks: !changes.blocked.is_empty(),
        }
    }

    /// The rectangle that holds both.
    fn joined(self, other: Reach) -> Reach {
        Reach {
            least: Point {
                x: self.least.x.min(other.least.x),
                y: self.least.y.min(other.least.y),
            },
            most: Point {
                x: self.most.x.max(other.most.x),
                y: self.most.y.max(other.most.y),
            },
            blocks: self.blocks || other.blocks,
        }
    }

    /// Whether a leg between two cells may touch a change.
    fn touches(&self, from: Point, to: Point) -> bool {
        from.x.min(to.x) <= self.most.x + 1
            && from.x.max(to.x) + 1 >= self.least.x
            && from.y.min(to.y) <= self.most.y + 1
            && from.y.max(to.y) + 1 >= self.least.y
    }
}

impl Walker {
    /// Asks again what was true of the old map.
    fn map_changed(&mut self, map: &Map, reach: &Reach, track: Option<&mut Track>) {
        self.set(Flags::CONNECTED, false);
        match self.state {
            State::Unreachable | State::Blocked | State::Stuck(_) if self.goal != Cell::NONE => {
                self.state = State::New;
            }
            State::Blocked => self.state = State::Idle,
            State::Going | State::New if reach.blocks => {
                let start = track.as_ref().map_or(self.at, |track| track.end());
                let blocked = track.as_ref().is_some_and(|track| !track.is_free(map))
                    || self.steps > 0 && self.leg_is_blocked(map, reach, start);
                if blocked || !map.components().connected(self.at, self.goal) {
                    self.state = State::New;
                    self.steps = 0;
                    if let Some(track) = track {
                        track.restart(self.at);
                    }
                }
            }
            _ => {}
        }
        if !map.grid().is_passable(self.at) {
            self.state = State::Blocked;
            self.steps = 0;
        }
    }

    /// Whether a wall stands in the way of the leg that begins at a cell.
    fn leg_is_blocked(&self, map: &Map, reach: &Reach, start: Cell) -> bool {
        let grid = map.grid();
        if !reach.touches(grid.point(start), grid.point(self.leg_end(start))) {
            return false;
        }
        let mut at = start;
        (0..self.steps).any(|_| {
            let next = Cell(at.0.wrapping_add(self.offset));
            let illegal = map.legal_step(at, next).is_none();
            at = next;
            illegal
        })
    }
}

fn scratch_for(all: &mut Vec<Scratch>, index: usize) -> &mut Scratch {
    while all.len() <= index {
        all.push(Scratch::new());
    }
    &mut all[index]
}
