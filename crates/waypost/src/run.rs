//! Walks an agent from start to goal and measures everything but time. The engine reads no clock: a [`Watch`] that does
//! can be passed in.

use crate::agent::{Agent, Context, Decision, Meter};
use crate::grid::Cell;
use crate::progress::Progress;
use crate::space::Space;
use crate::trace::Event;
use thiserror::Error;

/// Is told before and after each decision; the lab's watch reads the clock there.
pub trait Watch {
    /// The agent is about to decide.
    fn before(&mut self) {}
    /// The agent has decided; `meter` holds the operations of this decision alone.
    fn after(&mut self, decision: Decision, meter: &Meter) {
        let _ = (decision, meter);
    }
    /// Whether the walk goes on; one that does not ends as if its moves were used up.
    fn goes_on(&self) -> bool {
        true
    }
}

/// Watches nothing.
impl Watch for () {}

/// Watches a walk, and ends it where whoever watches the progress wants no more of it: asked before every decision.
pub struct UnlessCancelled<'a, W> {
    watch: &'a mut W,
    progress: &'a dyn Progress,
}

impl<'a, W: Watch> UnlessCancelled<'a, W> {
    /// Tells `watch` all.
    pub fn new(watch: &'a mut W, progress: &'a dyn Progress) -> UnlessCancelled<'a, W> {
        UnlessCancelled { watch, progress }
    }
}

impl<W: Watch> Watch for UnlessCancelled<'_, W> {
    #[inline]
    fn before(&mut self) {
        self.watch.before();
    }

    #[inline]
    fn after(&mut self, decision: Decision, meter: &Meter) {
        self.watch.after(decision, meter);
    }

    fn goes_on(&self) -> bool {
        !self.progress.is_cancelled() && self.watch.goes_on()
    }
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The goal was reached.
    Arrived,
    /// The agent says there is no path.
    Unreachable,
    /// The limit of moves was used up first.
    OutOfMoves,
}

/// What a walk took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// How it ended.
    pub outcome: Outcome,
    /// Every cell stood on, start first.
    pub path: Vec<Cell>,
    /// The cost of the moves made.
    pub cost: u64,
    /// Decisions asked for, the ones without a step included.
    pub decisions: u64,
    /// Operations of all decisions.
    pub meter: Meter,
    /// The most operations of any single decision.
    pub operations_per_move_max: u64,
    /// Steps onto a cell that had been stood on before (scrubbing).
    pub revisits: u64,
    /// The agent's strictly on-line memory at its largest.
    pub memory_bytes_max: usize,
}

impl Walk {
    /// A walk that has not begun.
    pub fn from(at: Cell) -> Walk {
        Walk {
            outcome: Outcome::OutOfMoves,
            path: vec![at],
            cost: 0,
            decisions: 0,
            meter: Meter::default(),
            operations_per_move_max: 0,
            revisits: 0,
            memory_bytes_max: 0,
        }
    }

    /// Takes down what the agent decided at a cell, what that cost and the bytes that it holds; the cell that it is at now, or `None` where the walk
    /// is over.
    pub fn take<S: Space>(
        &mut self,
        space: &S,
        at: Cell,
        decision: Decision,
        meter: &Meter,
        memory_bytes: usize,
    ) -> Result<Option<Cell>, IllegalMove> {
        self.decisions += 1;
        self.operations_per_move_max = self.operations_per_move_max.max(meter.operations());
        self.meter.add(meter);
        self.memory_bytes_max = self.memory_bytes_max.max(memory_bytes);
        match decision {
            Decision::Step(to) => {
                let cost = space.edge_cost(at, to);
                self.cost += u64::from(cost.ok_or(IllegalMove { from: at, to })?);
                self.path.push(to);
                return Ok(Some(to));
            }
            Decision::Thinking => return Ok(Some(at)),
            Decision::Arrived => self.outcome = Outcome::Arrived,
            Decision::Unreachable => self.outcome = Outcome::Unreachable,
        }
        Ok(None)
    }

    /// The walk, when it is over.
    pub fn finished(mut self) -> Walk {
        self.revisits = revisits(&self.path);
        self
    }
}

/// An agent broke its contract.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the agent stepped from cell {from:?} to {to:?}, which is not a legal move")]
pub struct IllegalMove {
    /// Where it stood.
    pub from: Cell,
    /// Where it wanted to go.
    pub to: Cell,
}

/// Lets an agent walk until it arrives, gives up, or has been asked `limit` times.
pub fn walk<S: Space, A: Agent<S> + ?Sized>(
    agent: &mut A,
    context: &mut Context<S>,
    from: Cell,
    goal: Cell,
    limit: u64,
    watch: &mut impl Watch,
) -> Result<Walk, IllegalMove> {
    let mut walk = Walk::from(from);
    let mut at = from;
    let mut started = false;
    while walk.decisions < limit && watch.goes_on() {
        context.meter = Meter::default();
        watch.before();
        if !started {
            agent.start(context, from, goal);
            started = true;
        }
        let decision = agent.next_move(context, at);
        watch.after(decision, &context.meter);
        let bytes = agent.memory_bytes();
        let Some(next) = walk.take(context.space, at, decision, &context.meter, bytes)? else {
            break;
        };
        if let (Decision::Step(to), Some(trace)) = (decision, context.trace.as_deref_mut()) {
            trace.record(Event::Stepped { to });
        }
        at = next;
    }
    Ok(walk.finished())
}

/// Steps of a walk onto cells stood on before.
fn revisits(path: &[Cell]) -> u64 {
    let mut cells = path.to_vec();
    cells.sort_unstable();
    cells.dedup();
    (path.len() - cells.len()) as u64
}
