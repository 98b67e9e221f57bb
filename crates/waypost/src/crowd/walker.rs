//! One walker of a crowd, and the cells that walkers stand in.

use super::{Options, Tick};
use crate::agent::{Agent, Context, Decision};
use crate::grid::{Cell, ChangeSet, Point};
use crate::map::Map;
use crate::search::hill_climb::{best_neighbour, climb_step};
use crate::space::Space;

/// Names a walker; never names another one, also after the walker was removed and its place taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WalkerId {
    slot: u32,
    generation: u32,
}

impl WalkerId {
    pub(super) fn slot(self) -> u32 {
        self.slot
    }
}

/// What a walker is doing, for a game to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has no goal.
    Idle,
    /// It is on its way.
    Moving,
    /// It stands on its goal.
    Arrived,
    /// There is no way to its goal.
    Unreachable {
        /// The cell nearest to the goal that it can reach.
        nearest: Option<Point>,
    },
    /// The cell that it stands in has become a wall.
    Blocked,
    /// Its next cell is taken by another walker.
    Waiting {
        /// For how many ticks.
        ticks: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Gone,
    Idle,
    /// Has a goal that its agent has not been set up for.
    New,
    Going,
    Arrived,
    Unreachable,
    Blocked,
}

/// An agent and where it is.
#[derive(Debug)]
pub struct Walker<A> {
    agent: Option<A>,
    at: Cell,
    goal: Cell,
    /// Where it wants to go in this tick.
    intent: Cell,
    /// Where it came from, for provisional steps.
    previous: Cell,
    leader: Option<WalkerId>,
    generation: u32,
    waits: u32,
    state: State,
}

impl<A: Agent<Map>> Walker<A> {
    pub fn new(agent: A, at: Cell) -> Walker<A> {
        Walker {
            agent: Some(agent),
            at,
            goal: Cell::NONE,
            intent: Cell::NONE,
            previous: Cell::NONE,
            leader: None,
            generation: 0,
            waits: 0,
            state: State::Idle,
        }
    }

    /// Takes the place of a walker that was removed.
    pub fn revive(&mut self, agent: A, at: Cell) {
        let generation = self.generation.wrapping_add(1);
        *self = Walker::new(agent, at);
        self.generation = generation;
    }

    pub fn retire(&mut self) -> Option<(Cell, A)> {
        self.state = State::Gone;
        Some((self.at, self.agent.take()?))
    }

    pub fn id(&self, slot: u32) -> WalkerId {
        WalkerId {
            slot,
            generation: self.generation,
        }
    }

    pub fn has(&self, id: WalkerId) -> bool {
        self.is_there() && self.generation == id.generation
    }

    pub fn is_there(&self) -> bool {
        self.state != State::Gone
    }

    pub fn at(&self) -> Cell {
        self.at
    }

    pub fn leader(&self) -> Option<WalkerId> {
        self.leader.filter(|_| self.is_there())
    }

    pub fn is_on_its_way(&self) -> bool {
        self.state == State::Going && self.intent == Cell::NONE
    }

    pub fn is_waiting_for_set_up(&self) -> bool {
        self.state == State::New && self.intent == Cell::NONE
    }

    pub fn reserved_bytes(&self) -> usize {
        let agent = self.agent.as_ref().map_or(0, Agent::reserved_bytes);
        size_of::<Walker<A>>() - size_of::<A>().min(size_of::<Walker<A>>()) + agent
    }

    pub fn send(&mut self, goal: Cell) {
        self.leader = None;
        self.new_goal(goal);
    }

    fn new_goal(&mut self, goal: Cell) {
        self.goal = goal;
        self.intent = Cell::NONE;
        self.waits = 0;
        self.state = State::New;
    }

    pub fn follow(&mut self, leader: WalkerId) {
        self.leader = Some(leader);
    }

    /// Aims at the leader's cell, if there is still a leader.
    pub fn aim(&mut self, leader_at: Option<Cell>) {
        match leader_at {
            None => self.halt(),
            Some(cell) if cell == self.goal && self.state != State::Idle => {}
            Some(cell) => self.new_goal(cell),
        }
    }

    pub fn halt(&mut self) {
        self.leader = None;
        self.goal = Cell::NONE;
        self.intent = Cell::NONE;
        self.waits = 0;
        self.state = State::Idle;
    }

    pub fn status(&self, map: &Map) -> Status {
        match self.state {
            State::Gone | State::Idle => Status::Idle,
            State::New | State::Going if self.waits > 0 => Status::Waiting { ticks: self.waits },
            State::New | State::Going => Status::Moving,
            State::Arrived => Status::Arrived,
            State::Blocked => Status::Blocked,
            State::Unreachable => {
                let goal = map.grid().point(self.goal);
                let nearest = map.nearest_reachable(self.at, goal);
                Status::Unreachable {
                    nearest: nearest.map(|cell| map.grid().point(cell)),
                }
            }
        }
    }

    pub fn map_changed(&mut self, context: &mut Context<Map>, changes: &ChangeSet) {
        if !self.is_there() {
            return;
        }
        self.intent = Cell::NONE;
        match self.state {
            State::Going => {
                if let Some(agent) = &mut self.agent {
                    agent.map_changed(context, changes);
                }
            }
            // What was true of the old map is asked again.
            State::Unreachable | State::Blocked if self.goal != Cell::NONE => {
                self.state = State::New;
            }
            State::Blocked => self.state = State::Idle,
            _ => {}
        }
        if !context.space.contains(self.at) {
            self.state = State::Blocked;
        }
    }

    /// Prepares the agent for its goal and asks it for the first move.
    pub fn set_up(&mut self, context: &mut Context<Map>) {
        if !context.space.connected(self.at, self.goal) {
            self.state = State::Unreachable;
            return;
        }
        if let Some(agent) = &mut self.agent {
            agent.start(context, self.at, self.goal);
            self.state = State::Going;
            self.decide(context);
        }
    }

    /// Asks the agent for its move.
    pub fn decide(&mut self, context: &mut Context<Map>) {
        let Some(agent) = &mut self.agent else {
            return;
        };
        match agent.next_move(context, self.at) {
            Decision::Step(next) => self.intent = next,
            Decision::Thinking => {}
            Decision::Arrived => self.state = State::Arrived,
            Decision::Unreachable => self.state = State::Unreachable,
        }
    }

    /// A step towards the goal while the set-up waits: uphill by the heuristic where that works, else to the best
    /// neighbour that it does not come from.
    pub fn provisional_step(&mut self, map: &Map) -> bool {
        if !map.connected(self.at, self.goal) {
            self.state = State::Unreachable;
            return false;
        }
        if self.at == self.goal {
            self.state = State::Arrived;
            return false;
        }
        let previous = self.previous;
        let best = climb_step(map, self.at, self.goal).or_else(|| {
            let aside = |cell: Cell| match cell == previous {
                true => u32::MAX / 2,
                false => map.heuristic(cell, self.goal),
            };
            best_neighbour(map, self.at, aside).map(|best| best.cell)
        });
        self.intent = best.unwrap_or(Cell::NONE);
        best.is_some()
    }

    /// Makes the step that was decided on, if the cell is free.
    pub fn carry_out(
        &mut self,
        map: &Map,
        occupancy: &mut Occupancy,
        options: Options,
        slot: usize,
        tick: &mut Tick,
    ) {
        if self.intent == Cell::NONE {
            if self.state == State::Arrived && self.waits == 0 {
                tick.arrived += 1;
                self.waits = 1;
            }
            return;
        }
        if occupancy.enter(self.intent) {
            self.step_to(self.intent, occupancy);
            tick.moves += 1;
            return;
        }
        tick.waits += 1;
        self.waits += 1;
        // Patience differs from walker to walker and from time to time, so that two do not mirror each other.
        let patience = options.patience + ((slot as u32).wrapping_mul(7) ^ self.at.0) % 4;
        if self.waits > patience {
            self.step_aside(map, occupancy, tick);
        }
    }

    fn step_to(&mut self, next: Cell, occupancy: &mut Occupancy) {
        occupancy.leave(self.at);
        self.previous = self.at;
        self.at = next;
        self.intent = Cell::NONE;
        self.waits = 0;
    }

    /// Gives way: to the free neighbour nearest the goal, and plans again from there.
    fn step_aside(&mut self, map: &Map, occupancy: &mut Occupancy, tick: &mut Tick) {
        let free = |cell: Cell| match occupancy.is_free(cell) {
            true => map.heuristic(cell, self.goal),
            false => u32::MAX / 2,
        };
        let aside = best_neighbour(map, self.at, free).map(|best| best.cell);
        self.waits = 0;
        self.intent = Cell::NONE;
        if self.state == State::Going {
            self.state = State::New;
        }
        if let Some(cell) = aside.filter(|&cell| occupancy.enter(cell)) {
            self.step_to(cell, occupancy);
            tick.moves += 1;
        }
    }
}

/// Which cells are taken; nothing is, where walkers may share cells.
#[derive(Debug)]
pub struct Occupancy {
    taken: Option<Vec<u64>>,
}

impl Occupancy {
    pub fn new(map: &Map, exclusive: bool) -> Occupancy {
        Occupancy {
            taken: exclusive.then(|| vec![0; map.grid().id_bound().div_ceil(64)]),
        }
    }

    /// Takes a cell; false where it is taken already.
    pub fn enter(&mut self, cell: Cell) -> bool {
        let Some(taken) = &mut self.taken else {
            return true;
        };
        let (word, bit) = (cell.index() / 64, 1 << (cell.0 % 64));
        let free = taken[word] & bit == 0;
        taken[word] |= bit;
        free
    }

    pub fn leave(&mut self, cell: Cell) {
        if let Some(taken) = &mut self.taken {
            taken[cell.index() / 64] &= !(1 << (cell.0 % 64));
        }
    }

    pub fn is_free(&self, cell: Cell) -> bool {
        let bit = |taken: &Vec<u64>| taken[cell.index() / 64] >> (cell.0 % 64) & 1;
        self.taken.as_ref().is_none_or(|taken| bit(taken) == 0)
    }

    pub fn memory_bytes(&self) -> usize {
        self.taken.as_ref().map_or(0, |taken| taken.len() * 8)
    }
}
