//! A few steps planned ahead: what agents follow that commit to more than one step.

use super::Context;
use crate::grid::Cell;
use crate::space::Space;

/// Steps to make, the next one last.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    steps: Vec<Cell>,
}

impl Plan {
    /// Makes room for this many steps.
    pub fn reserve(&mut self, steps: usize) {
        self.steps.reserve(steps.saturating_sub(self.steps.len()));
    }

    /// Replaces the plan; the steps come from the last to the next. Counts them as trace steps.
    pub fn set<S: Space>(
        &mut self,
        context: &mut Context<S>,
        from_last: impl Iterator<Item = Cell>,
    ) {
        self.steps.clear();
        self.steps.extend(from_last);
        context.meter.trace_steps += self.steps.len() as u64;
    }

    /// Whether no step is left.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Drops the plan.
    pub fn clear(&mut self) {
        self.steps.clear();
    }

    /// The next step of an agent at `at`, or `None` where the plan is at its end or was overtaken by events: the agent
    /// is not where the plan says, or the move is not legal any more. A step stays planned until the agent stands there.
    pub fn next<S: Space>(&mut self, context: &mut Context<S>, at: Cell) -> Option<Cell> {
        if self.steps.last() == Some(&at) {
            self.steps.pop();
        }
        let next = *self.steps.last()?;
        context.meter.trace_steps += 1;
        if context.space.edge_cost(at, next).is_none() {
            self.steps.clear();
            return None;
        }
        Some(next)
    }

    /// Bytes held.
    pub fn reserved_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Cell>()
    }
}
