//! Requests for whole paths: a queue with two lanes (Game AI Pro, section 17.11).
//!
//! Short requests do not wait behind long ones, and at most two searches are open at a time, one a lane: interleaving many
//! would thrash the cache. Which lane a request takes is judged by the heuristic between its ends. A budget of expansions
//! a tick is spent on the short lane first; what is left goes to the long one, which gets a quarter in any case, so that
//! neither starves. Nothing is dropped: every ticket is answered, also after its request was cancelled.
//!
//! An answer is of the map as it was when it was given; searches that are open when the map changes begin again.

use crate::cost::Cost;
use crate::grid::Cell;
use crate::map::Map;
use crate::search::{AStar, PathSearch, Status};
use crate::space::Space;
use std::collections::{BTreeMap, VecDeque};

/// Names a request of a queue; never names another one of it. Other queues give the same tickets to requests of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket {
    slot: u32,
    generation: u32,
}

impl Ticket {
    /// As one number, for those who cannot keep a struct.
    pub const fn to_bits(self) -> u64 {
        (self.generation as u64) << 32 | self.slot as u64
    }

    /// Back from [`Ticket::to_bits`]. Any number will do: one that names no request is refused where it is used.
    pub const fn from_bits(bits: u64) -> Ticket {
        Ticket {
            slot: bits as u32,
            generation: (bits >> 32) as u32,
        }
    }
}

/// The two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// For requests whose ends are near each other.
    Short,
    /// For the others.
    Long,
}

/// The state of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// It waits for its turn.
    Waiting,
    /// It is being searched.
    Searching,
    /// The path.
    Found(Vec<Cell>),
    /// There is none.
    NoPath,
    /// It was cancelled.
    Cancelled,
    /// The ticket was closed, or the queue has not given it.
    Unknown,
}

struct Request {
    generation: u32,
    from: Cell,
    goal: Cell,
    /// Requests for the same ends share one search: how many tickets hold it.
    holders: u32,
    state: RequestState,
}

/// The queue.
pub struct PathQueue {
    requests: Vec<Request>,
    free: Vec<u32>,
    /// Requests without an answer, by their ends.
    unanswered: BTreeMap<(Cell, Cell), u32>,
    lanes: [VecDeque<u32>; 2],
    searches: [AStar; 2],
    /// The request that each lane is at.
    open: [Option<u32>; 2],
    short_cost: Cost,
    state: u64,
}

impl PathQueue {
    /// An empty queue. Requests whose ends are at most `short_cost` apart by the heuristic take the short lane.
    pub fn new(short_cost: Cost) -> PathQueue {
        PathQueue {
            requests: Vec::new(),
            free: Vec::new(),
            unanswered: BTreeMap::new(),
            lanes: Default::default(),
            searches: Default::default(),
            open: [None, None],
            short_cost,
            state: 0,
        }
    }

    /// Asks for a path. A request for the same ends that has not been answered yet is shared.
    pub fn request(&mut self, map: &Map, from: Cell, goal: Cell) -> Ticket {
        if let Some(&slot) = self.unanswered.get(&(from, goal)) {
            self.requests[slot as usize].holders += 1;
            return self.ticket(slot);
        }
        let state = if map.connected(from, goal) {
            RequestState::Waiting
        } else {
            RequestState::NoPath
        };
        let waits = state == RequestState::Waiting;
        let slot = self.store(from, goal, state);
        if waits {
            self.unanswered.insert((from, goal), slot);
            self.lanes[self.lane(map, from, goal) as usize].push_back(slot);
        }
        self.ticket(slot)
    }

    /// The lane that a request for these ends takes.
    pub fn lane(&self, map: &Map, from: Cell, goal: Cell) -> Lane {
        if map.heuristic(from, goal) <= self.short_cost {
            Lane::Short
        } else {
            Lane::Long
        }
    }

    /// The state of a request.
    pub fn state(&self, ticket: Ticket) -> &RequestState {
        self.find(ticket)
            .map_or(&RequestState::Unknown, |r| &r.state)
    }

    /// Gives a ticket back, answered or not: its answer if there is one. The last holder of a request that is still waiting
    /// or searched cancels it.
    pub fn close(&mut self, ticket: Ticket) -> RequestState {
        let Some(request) = self.find_mut(ticket) else {
            return RequestState::Unknown;
        };
        request.holders = request.holders.saturating_sub(1);
        if request.holders > 0 {
            return request.state.clone();
        }
        let answer = match std::mem::replace(&mut request.state, RequestState::Cancelled) {
            RequestState::Waiting | RequestState::Searching => RequestState::Cancelled,
            answer => answer,
        };
        request.generation = request.generation.wrapping_add(1);
        let ends = (request.from, request.goal);
        if self.unanswered.get(&ends) == Some(&ticket.slot) {
            self.unanswered.remove(&ends);
        }
        for lane in 0..2 {
            self.lanes[lane].retain(|&slot| slot != ticket.slot);
            if self.open[lane] == Some(ticket.slot) {
                self.open[lane] = None;
            }
        }
        self.free.push(ticket.slot);
        answer
    }

    /// Requests that have no answer yet.
    pub fn waiting(&self) -> usize {
        let open = self.open.iter().flatten().count();
        self.lanes[0].len() + self.lanes[1].len() + open
    }

    /// Spends at most `expansions` on the requests; returns how many it spent. After a patch the open searches begin again.
    pub fn tick(&mut self, map: &Map, expansions: u64) -> u64 {
        if self.state != map.fingerprint() {
            self.state = map.fingerprint();
            for lane in 0..2 {
                if let Some(slot) = self.open[lane].take() {
                    self.lanes[lane].push_front(slot);
                }
            }
        }
        let reserve = if self.lanes[1].is_empty() && self.open[1].is_none() {
            0
        } else {
            expansions / 4
        };
        let short = self.run_lane(map, Lane::Short, expansions - reserve);
        short + self.run_lane(map, Lane::Long, expansions - short)
    }

    fn run_lane(&mut self, map: &Map, lane: Lane, budget: u64) -> u64 {
        let lane = lane as usize;
        let mut spent = 0;
        while spent < budget {
            let Some(slot) = self.open[lane].or_else(|| self.begin_next(map, lane)) else {
                break;
            };
            let search = &mut self.searches[lane];
            let before = search.expansions();
            let status = search.advance(map, budget - spent);
            spent += (search.expansions() - before).max(1);
            let state = match status {
                Status::Running => break,
                Status::Found => {
                    let mut cells = Vec::new();
                    search.path_into(map, &mut cells);
                    RequestState::Found(cells)
                }
                Status::NotFound => RequestState::NoPath,
            };
            let request = &mut self.requests[slot as usize];
            request.state = state;
            self.unanswered.remove(&(request.from, request.goal));
            self.open[lane] = None;
        }
        spent
    }

    fn begin_next(&mut self, map: &Map, lane: usize) -> Option<u32> {
        let slot = self.lanes[lane].pop_front()?;
        let request = &mut self.requests[slot as usize];
        request.state = RequestState::Searching;
        self.searches[lane].begin(map, request.from, request.goal);
        self.open[lane] = Some(slot);
        Some(slot)
    }

    fn store(&mut self, from: Cell, goal: Cell, state: RequestState) -> u32 {
        let generation = self
            .free
            .last()
            .map_or(0, |&slot| self.requests[slot as usize].generation);
        let request = Request {
            generation,
            from,
            goal,
            holders: 1,
            state,
        };
        match self.free.pop() {
            Some(slot) => {
                self.requests[slot as usize] = request;
                slot
            }
            None => {
                self.requests.push(request);
                self.requests.len() as u32 - 1
            }
        }
    }

    fn ticket(&self, slot: u32) -> Ticket {
        Ticket {
            slot,
            generation: self.requests[slot as usize].generation,
        }
    }

    fn find(&self, ticket: Ticket) -> Option<&Request> {
        self.requests
            .get(ticket.slot as usize)
            .filter(|r| r.generation == ticket.generation && r.holders > 0)
    }

    fn find_mut(&mut self, ticket: Ticket) -> Option<&mut Request> {
        self.requests
            .get_mut(ticket.slot as usize)
            .filter(|r| r.generation == ticket.generation && r.holders > 0)
    }
}
