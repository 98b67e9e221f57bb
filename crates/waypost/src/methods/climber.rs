//! Walks to subgoals that climbing reaches, and by LRTA* where it does not: what kNN LRTA* and HCDPS do between selections.
//!
//! Where climbing reaches a target, LRTA* would walk exactly that climb (JAIR 2010, Theorem 5), and what it learned on the way
//! would never be read again. So the walker climbs and learns nothing, and holds no table. Only where a climb gets stuck,
//! because the map has changed or because nobody promised that it would arrive, LRTA* ([`Lrta`]) takes over and learns. Steps of
//! a climb are found a leg at a time ([`crate::search::climb`]), up to [`LEG`] ahead, and each is checked when it is made.

use super::knn_lrta::cases::{CaseSpace, Heading, LEG};
use crate::agent::lrta::{Lrta, LrtaParams};
use crate::agent::walkers::Walkers;
use crate::agent::{Context, Decision, Leg, WEIGHTS};
use crate::grid::Cell;
use crate::map::News;
use crate::space::Space;

/// A walker to one target after the other.
#[derive(Clone, Debug)]
pub struct Climber {
    /// LRTA*, once it was needed.
    walker: Option<Box<Lrta>>,
    /// The goal or subgoal of the moment.
    target: Cell,
    /// Where the last move was decided: the agent still stands there if somebody was in its way.
    stood: Cell,
    /// Where the last move led: the agent stands elsewhere only if it was stopped or moved by something else.
    expected: Cell,
    heading: Option<Heading>,
    /// Climbing has not let the agent down on the way to this target.
    climbing: bool,
}

/// A walker without a target.
impl Default for Climber {
    fn default() -> Climber {
        Climber {
            walker: None,
            target: Cell::NONE,
            stood: Cell::NONE,
            expected: Cell::NONE,
            heading: None,
            climbing: true,
        }
    }
}

impl Climber {
    /// A new problem: what was learned is forgotten, and the memory of LRTA* goes back to the thread.
    pub fn start<S: Space>(&mut self, context: &mut Context<S>, from: Cell) {
        if let Some(walker) = self.walker.take() {
            Walkers::give_back(context, walker);
        }
        Walkers::prepare(context);
        self.heading = None;
        self.stand_at(from);
    }

    /// The agent will be asked at this cell next.
    pub(crate) fn stand_at(&mut self, cell: Cell) {
        (self.stood, self.expected) = (cell, cell);
    }

    /// Whether the agent stands where no move has led it.
    pub(crate) fn was_moved(&self, at: Cell) -> bool {
        at != self.expected && at != self.stood
    }

    /// The goal or subgoal of the moment.
    pub fn target(&self) -> Cell {
        self.target
    }

    /// Goes to another target, by climbing while that leads on.
    pub(crate) fn head_for(&mut self, target: Cell) {
        self.target = target;
        self.climbing = true;
    }

    /// Whether climbing has led on so far on the way to this target.
    pub(crate) fn is_climbing(&self) -> bool {
        self.climbing
    }

    /// Drops what was found of the next leg.
    pub fn halt(&mut self) {
        self.heading = None;
    }

    /// Whether LRTA* has been needed on this problem.
    #[cfg(test)]
    pub(crate) fn has_learned(&self) -> bool {
        self.walker.is_some()
    }

    /// Whether LRTA* has raised a value of this cell on the way to the target.
    pub(crate) fn has_learned_at(&self, cell: Cell) -> bool {
        let walker = self.walker.as_ref();
        walker.is_some_and(|walker| walker.has_learned(cell))
    }

    /// The next step of the leg that was found before, if the agent is on it.
    #[inline]
    pub fn ahead<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        let heading = self.heading.filter(|_| at == self.expected)?;
        let next = context.space.ahead(at, heading.direction)?;
        context.meter.trace_steps += 1;
        self.heading = (heading.steps > 1).then(|| Heading {
            steps: heading.steps - 1,
            ..heading
        });
        self.stepped(at, next);
        Some(next)
    }

    /// The next step of the climb to the target; `None` where it ends, and then LRTA* is due until there is another target.
    pub fn climb<S: CaseSpace>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        let step = context.space.climb_step(at, self.target);
        self.climbing = step.is_some();
        let (next, heading) = step?;
        context.meter.climb_steps += 1 + heading.map_or(0, |h| u64::from(h.steps));
        self.heading = heading;
        Some(next)
    }

    /// A step of LRTA* to the target, which must be connected with `at`.
    pub fn walk<S: Space>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        let mut walker = match self.walker.take() {
            Some(walker) => walker,
            None => Walkers::take(context),
        };
        walker.set_goal(self.target);
        let next = walker.step(context, at);
        self.walker = Some(walker);
        next
    }

    /// A step was decided.
    #[inline]
    pub fn stepped(&mut self, at: Cell, next: Cell) {
        (self.stood, self.expected) = (at, next);
    }

    /// A decision with the rest of the leg that was found for it, up to the goal.
    pub fn leg<S: CaseSpace>(&mut self, space: &S, decision: Decision, goal: Cell) -> Leg {
        let (Decision::Step(next), Some(heading)) = (decision, self.heading) else {
            return Leg::single(decision);
        };
        self.heading = None;
        let (more, end) = space.along(next, heading, goal);
        self.expected = end;
        Leg { decision, more }
    }

    /// The map has changed: climbs are tried again, and learned values are kept while they are lower bounds.
    pub fn changed<S: Space>(&mut self, context: &mut Context<S>, news: News) {
        self.heading = None;
        self.climbing = true;
        if let Some(walker) = &mut self.walker {
            walker.changed(context, news);
        }
    }

    /// States in memory: the lists of a single expansion, also where climbing stands in for LRTA*, and what was learned.
    pub(crate) fn states_in_memory(&self) -> usize {
        let states = self.walker.as_ref().map_or(0, |w| w.states_in_memory());
        states.max(9)
    }

    /// Bytes that hold learned values.
    pub(crate) fn learned_bytes(&self) -> usize {
        self.walker.as_ref().map_or(0, |w| w.reserved_bytes())
    }

    /// No step takes more operations than this.
    pub fn operations_bound<S: Space>(space: &S) -> u64 {
        u64::from(LEG) + Lrta::new(LrtaParams::default()).operations_bound(space)
    }

    /// The same, weighted.
    pub fn weighted_bound<S: Space>(space: &S) -> u64 {
        let walking = Lrta::new(LrtaParams::default()).weighted_bound(space);
        u64::from(LEG) * WEIGHTS.climb_steps + walking
    }
}
