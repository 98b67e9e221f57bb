//! An optional buffer of what searches do, for pictures and for search traces that other tools show.
//!
//! Counters ([`crate::Meter`]) are always on; events are recorded only where a [`Trace`] hangs on the
//! [`crate::Context`]. Without one, [`crate::Context::expanded`] costs one branch that is never taken.

use crate::cost::Cost;
use crate::grid::Cell;

/// Something that an agent did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A search looked at the neighbours of a node.
    Expanded {
        /// The node.
        cell: Cell,
        /// The node it was reached from; [`Cell::NONE`] for the first.
        parent: Cell,
        /// The cost of the path to it.
        g: Cost,
        /// That cost and the estimate of the rest.
        f: Cost,
    },
    /// The agent moved.
    Stepped {
        /// Where it stands now.
        to: Cell,
    },
}

/// Events in their order, up to a limit: what comes later is counted and dropped.
#[derive(Clone, Debug)]
pub struct Trace {
    events: Vec<Event>,
    limit: usize,
    dropped: u64,
}

impl Trace {
    /// An empty buffer for at most `limit` events.
    pub fn with_limit(limit: usize) -> Trace {
        Trace {
            events: Vec::new(),
            limit,
            dropped: 0,
        }
    }

    /// Records an event.
    pub fn record(&mut self, event: Event) {
        if self.events.len() < self.limit {
            self.events.push(event);
        } else {
            self.dropped += 1;
        }
    }

    /// What was recorded.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many events came after the limit was reached.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_and_is_reported() {
        let mut trace = Trace::with_limit(2);
        for i in 0..5 {
            trace.record(Event::Stepped { to: Cell(i) });
        }
        assert_eq!(
            trace.events(),
            [
                Event::Stepped { to: Cell(0) },
                Event::Stepped { to: Cell(1) }
            ]
        );
        assert_eq!(trace.dropped(), 3);
    }
}
