//! LRTA* at the ready: what a move falls back on without allocating.

use super::Context;
use super::lrta::{Lrta, LrtaParams};
use crate::grid::Cell;
use crate::space::Space;

/// LRTA* with its memory reserved, for the agents of a thread that will need one.
#[derive(Clone, Debug, Default)]
pub struct Walkers {
    // Boxes go from here to agents and back: a move that begins to learn allocates nothing.
    #[allow(clippy::vec_box)]
    idle: Vec<Box<Lrta>>,
}

impl Walkers {
    /// How many are idle.
    pub(crate) fn len(&self) -> usize {
        self.idle.len()
    }

    /// Takes one of this many equal parts of what others have.
    pub(crate) fn take_part(&mut self, other: &mut Walkers, parts: usize) {
        let rest = other.idle.len() - other.idle.len() / parts.max(1);
        self.idle.extend(other.idle.drain(rest..));
    }

    /// Makes sure that one is idle.
    pub(crate) fn prepare<S: Space>(context: &mut Context<S>) {
        if context.scratch.walkers.idle.is_empty() {
            let walker = Walkers::fresh(context);
            context.scratch.walkers.idle.push(walker);
        }
    }

    fn fresh<S: Space>(context: &mut Context<S>) -> Box<Lrta> {
        let mut walker = Box::new(Lrta::new(LrtaParams::default()));
        walker.start(context, Cell::NONE);
        walker
    }

    pub(crate) fn take<S: Space>(context: &mut Context<S>) -> Box<Lrta> {
        let idle = context.scratch.walkers.idle.pop();
        idle.unwrap_or_else(|| Walkers::fresh(context))
    }

    /// Takes one back, forgetting what it learned.
    pub(crate) fn give_back<S: Space>(context: &mut Context<S>, mut walker: Box<Lrta>) {
        walker.set_params(LrtaParams::default());
        walker.start(context, Cell::NONE);
        context.scratch.walkers.idle.push(walker);
    }
}
