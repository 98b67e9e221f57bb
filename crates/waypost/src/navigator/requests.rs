//! Requests for whole paths in two lanes, spread over ticks: for maps whose exact paths take long.

use super::{Error, Navigator, standing};
use crate::crowd::{PathQueue, RequestState, Ticket};
use crate::grid::Point;

/// A queue of requests for paths ([`PathQueue`]) in one world.
pub struct PathRequests {
    nav: Navigator,
    queue: PathQueue,
}

/// The state of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// It waits, or is being searched.
    Pending,
    /// The path, start and goal included.
    Found(Vec<Point>),
    /// There is none.
    NoPath,
    /// It was closed, or the queue has not given it.
    Unknown,
}

impl Navigator {
    /// A queue of requests. Those whose ends are up to `short` straight steps of the cheapest ground apart do not wait behind longer ones.
    pub fn requests(&self, short: u32) -> PathRequests {
        let straight = self.live_map().least_steps().straight;
        PathRequests {
            nav: self.clone(),
            queue: PathQueue::new(short.saturating_mul(straight)),
        }
    }
}

impl PathRequests {
    /// Asks for a path.
    pub fn ask(&mut self, from: impl Into<Point>, goal: impl Into<Point>) -> Result<Ticket, Error> {
        let map = self.nav.live_map();
        let (from, goal) = (standing(&map, from.into())?, standing(&map, goal.into())?);
        Ok(self.queue.request(&map, from, goal))
    }

    /// Spends at most this many expansions on all requests; returns how many it spent.
    pub fn tick(&mut self, expansions: u64) -> u64 {
        self.queue.tick(&self.nav.live_map(), expansions)
    }

    /// The state of a request.
    pub fn state(&self, ticket: Ticket) -> Request {
        self.named(self.queue.state(ticket))
    }

    /// Gives a ticket back, answered or not, with its answer if there is one.
    pub fn close(&mut self, ticket: Ticket) -> Request {
        let last = self.queue.close(ticket);
        self.named(&last)
    }

    /// Requests without an answer.
    pub fn pending(&self) -> usize {
        self.queue.waiting()
    }

    fn named(&self, state: &RequestState) -> Request {
        match state {
            RequestState::Waiting | RequestState::Searching => Request::Pending,
            RequestState::Found(cells) => {
                let map = self.nav.live_map();
                Request::Found(cells.iter().map(|&cell| map.grid().point(cell)).collect())
            }
            RequestState::NoPath => Request::NoPath,
            RequestState::Cancelled | RequestState::Unknown => Request::Unknown,
        }
    }
}
