//! Walks an agent from start to goal and measures everything but time. The engine reads no clock: a [`Watch`] that does
//! can be passed in.

use crate::agent::{Agent, Context, Decision, Meter};
use crate::cost::Cost;
use crate::grid::Cell;
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
    let mut walk = Walk {
        outcome: Outcome::OutOfMoves,
        path: vec![from],
        cost: 0,
        decisions: 0,
        meter: Meter::default(),
        operations_per_move_max: 0,
        revisits: 0,
        memory_bytes_max: 0,
    };
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
        walk.decisions += 1;
        walk.operations_per_move_max = walk.operations_per_move_max.max(context.meter.operations());
        walk.meter.add(&context.meter);
        walk.memory_bytes_max = walk.memory_bytes_max.max(agent.memory_bytes());
        match decision {
            Decision::Step(to) => {
                let cost = context
                    .space
                    .edge_cost(at, to)
                    .ok_or(IllegalMove { from: at, to })?;
                walk.cost += u64::from(cost as Cost);
                walk.path.push(to);
                if let Some(trace) = context.trace.as_deref_mut() {
                    trace.record(Event::Stepped { to });
                }
                at = to;
            }
            Decision::Thinking => {}
            Decision::Arrived => {
                walk.outcome = Outcome::Arrived;
                break;
            }
            Decision::Unreachable => {
                walk.outcome = Outcome::Unreachable;
                break;
            }
        }
    }
    walk.revisits = revisits(&walk.path);
    Ok(walk)
}

/// Steps of a walk onto cells stood on before.
pub fn revisits(path: &[Cell]) -> u64 {
    let mut cells = path.to_vec();
    cells.sort_unstable();
    cells.dedup();
    (path.len() - cells.len()) as u64
}
