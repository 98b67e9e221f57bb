//! An agent that is made again when an index that it uses is replaced: what makes slots work for every method.

use crate::agent::{Agent, Context, Decision, Leg};
use crate::grid::Cell;
use crate::index::Indexes;
use crate::index::slot::Slot;
use crate::map::{Map, News};
use crate::method::AgentFactory;
use std::sync::Arc;

/// An agent, and what to make another one with.
pub(crate) struct Renewing {
    agent: Box<dyn Agent<Map>>,
    factory: Arc<dyn AgentFactory>,
    indexes: Indexes,
    /// The slots of the indexes, at hand for a look with every move.
    slots: Box<[Arc<Slot>]>,
    /// That of the indexes it was made of, or [`NEVER`].
    version: u64,
    /// Of the map that it was made for.
    size: (u32, u32),
    goal: Cell,
}

/// The version of an agent that is at work on a map of another size: no index fits, and each move asks again.
const NEVER: u64 = u64::MAX;

impl Renewing {
    /// Makes an agent of these indexes.
    pub fn new(
        factory: Arc<dyn AgentFactory>,
        map: &Map,
        indexes: &Indexes,
    ) -> Result<Renewing, String> {
        Ok(Renewing {
            // What is built first may add slots.
            agent: factory.build(map, indexes)?,
            slots: indexes.slots().cloned().collect(),
            factory,
            indexes: indexes.clone(),
            version: indexes.version(),
            size: size_of_map(map),
            goal: Cell::NONE,
        })
    }

    /// Whether there is another index.
    #[inline]
    fn is_due(&self) -> bool {
        // Most methods have one index, and this look is part of every move.
        match &*self.slots {
            [slot] => slot.version() != self.version,
            _ => self.indexes.version() != self.version,
        }
    }

    /// Whether its indexes are of a map of another size than this.
    fn is_foreign(&self, map: &Map) -> bool {
        !self.slots.is_empty() && self.size != size_of_map(map)
    }

    /// A bound of the agent that makes the next move: the one at hand, or the one that will be made of an index that waits to be taken.
    fn bound(&self, map: &Map, of: impl Fn(&dyn Agent<Map>) -> Option<u64>) -> Option<u64> {
        if self.is_foreign(map) {
            return None;
        }
        let own = of(&*self.agent);
        if !self.is_due() {
            return own;
        }
        match self.factory.build(map, &self.indexes) {
            Ok(next) => of(&*next),
            Err(_) => own,
        }
    }

    /// Takes what the slots hold now. This is set-up: it may allocate. An agent that cannot be made stays as it is, safely.
    /// Whether there is an agent for the map.
    #[cold]
    fn renew(&mut self, context: &mut Context<Map>, at: Cell) -> bool {
        if self.is_foreign(context.space) {
            self.version = NEVER;
            return false;
        }
        self.slots = self.indexes.slots().cloned().collect();
        self.version = self.indexes.version();
        if let Ok(agent) = self.factory.build(context.space, &self.indexes) {
            self.agent = agent;
            self.agent.start(context, at, self.goal);
        }
        true
    }
}

fn size_of_map(map: &Map) -> (u32, u32) {
    (map.grid().width(), map.grid().height())
}

impl Agent<Map> for Renewing {
    fn start(&mut self, context: &mut Context<Map>, from: Cell, goal: Cell) {
        self.goal = goal;
        let is_foreign = self.is_foreign(context.space);
        if (is_foreign || self.is_due()) && !self.renew(context, from) {
            return;
        }
        self.agent.start(context, from, goal);
    }

    fn next_move(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if self.is_due() && !self.renew(context, at) {
            return Decision::Unreachable;
        }
        self.agent.next_move(context, at)
    }

    fn next_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        if self.is_due() && !self.renew(context, at) {
            return Leg::single(Decision::Unreachable);
        }
        self.agent.next_leg(context, at)
    }

    fn decide(&mut self, context: &mut Context<Map>, at: Cell) -> Decision {
        if self.is_due() && !self.renew(context, at) {
            return Decision::Unreachable;
        }
        self.agent.decide(context, at)
    }

    fn decide_leg(&mut self, context: &mut Context<Map>, at: Cell) -> Leg {
        if self.is_due() && !self.renew(context, at) {
            return Leg::single(Decision::Unreachable);
        }
        self.agent.decide_leg(context, at)
    }

    fn wants_plan(&self) -> bool {
        self.agent.wants_plan()
    }

    fn plan_ahead(&mut self, context: &mut Context<Map>, from: Cell) {
        self.agent.plan_ahead(context, from);
    }

    fn seen(&mut self) -> &mut u64 {
        self.agent.seen()
    }

    fn changed(&mut self, context: &mut Context<Map>, news: News) {
        self.agent.changed(context, news);
    }

    fn memory_bytes(&self) -> usize {
        self.agent.memory_bytes()
    }

    fn reserved_bytes(&self) -> usize {
        size_of::<Renewing>() + self.agent.reserved_bytes()
    }

    fn learned_bytes(&self) -> usize {
        self.agent.learned_bytes()
    }

    fn operations_bound(&self, map: &Map) -> Option<u64> {
        self.bound(map, |agent| agent.operations_bound(map))
    }

    fn weighted_bound(&self, map: &Map) -> Option<u64> {
        self.bound(map, |agent| agent.weighted_bound(map))
    }
}
