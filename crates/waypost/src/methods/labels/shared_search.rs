//! The search round new walls that all agents of a world share: it lasts from move to move.

use crate::agent::{Context, JUMP_POINT, KNOWN_JUMP_POINT, Meter, WEIGHTS};
use crate::cost::Cost;
use crate::grid::{Cell, Point};
use crate::index::jump::JumpGraph;
use crate::index::labels::WaysTo;
use crate::map::Map;
use crate::search::jps::{JumpSearch, LowerBound, Status};

/// Slices that a finished search waits for its owner.
pub(super) const MAX_UNCLAIMED: u32 = 256;
/// A search that goes on from move to move.
#[derive(Debug, Default)]
pub(super) struct SharedSearch {
    pub(super) search: JumpSearch,
    /// What the labels know of the problem.
    known: OldWays,
    pub(super) problem: Option<Problem>,
    /// Slices since the owner asked last: one that never comes back loses its search.
    pub(super) unclaimed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) from: Cell,
    pub(super) goal: Cell,
    pub(super) state: u64,
}

impl SharedSearch {
    /// Goes on with the search under way, outside of moves, for so many expansions of cells.
    pub(super) fn help(&mut self, map: &Map, graph: &JumpGraph, expansions: u64) {
        let is_wanted = self
            .problem
            .is_some_and(|problem| problem.state == map.fingerprint());
        if is_wanted && self.search.status() == Status::Running {
            let points = expansions / self.known.point_cost();
            self.search.advance_with(graph, points, &self.known);
        }
    }

    /// Nobody wants the search any more.
    pub(super) fn forget(&mut self) {
        (self.problem, self.known) = (None, OldWays::default());
    }

    /// Goes on with the search under way, whoever wants it, or begins one for this problem.
    pub(super) fn go_on(
        &mut self,
        context: &mut Context<Map>,
        graph: &JumpGraph,
        problem: Problem,
        slice: Meter,
        known: impl FnOnce(&mut Context<Map>) -> OldWays,
    ) {
        let mut left = slice.expansions;
        let map = context.space;
        let is_own = self.problem == Some(problem);
        self.unclaimed = if is_own { 0 } else { self.unclaimed + 1 };
        let is_void = self
            .problem
            .is_none_or(|other| other.state != problem.state)
            || self.unclaimed > MAX_UNCLAIMED;
        if is_void {
            let (from, goal) = (
                map.grid().point(problem.from),
                map.grid().point(problem.goal),
            );
            let before = context.meter.look_ups;
            self.known = known(context);
            self.search.begin_in_slices(graph, map, (from, goal));
            left = left_of(slice, context.meter.look_ups - before);
            (self.problem, self.unclaimed) = (Some(problem), 0);
        }
        let before = if is_void { 0 } else { self.search.expansions() };
        if is_void || self.search.status() == Status::Running {
            let cost = self.known.point_cost();
            self.search.advance_with(graph, left / cost, &self.known);
            context.meter.expansions += cost * (self.search.expansions() - before);
        }
    }
}

/// What is left of a slice, in expansions of cells, after so many look-ups for what the labels know.
pub(super) fn left_of(slice: Meter, look_ups: u64) -> u64 {
    let weighted = slice.climb_steps * WEIGHTS.climb_steps;
    weighted.saturating_sub(look_ups * WEIGHTS.look_ups) / WEIGHTS.expansions
}

/// What labels know of the ways to a goal, where they know anything.
#[derive(Clone, Debug, Default)]
pub(super) struct OldWays(pub(super) Option<WaysTo>);

impl OldWays {
    /// What a jump point costs, in expansions of cells.
    pub(super) fn point_cost(&self) -> u64 {
        match self.0 {
            Some(_) => KNOWN_JUMP_POINT,
            None => JUMP_POINT,
        }
    }
}

impl LowerBound for OldWays {
    const KNOWS: bool = true;

    #[inline]
    fn at_least(&self, at: Point) -> Cost {
        self.0.as_ref().map_or(0, |ways| ways.at_least(at))
    }
}
