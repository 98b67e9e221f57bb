//! The search round new walls that all agents of a world share: it lasts from move to move.

use crate::agent::{Context, JUMP_POINT, Meter, WEIGHTS};
use crate::grid::Cell;
use crate::index::jump::JumpGraph;
use crate::map::Map;
use crate::search::jps::{JumpSearch, Status};

/// Slices that a finished search waits for its owner.
pub(super) const MAX_UNCLAIMED: u32 = 256;
/// A search that goes on from move to move.
#[derive(Debug, Default)]
pub(super) struct SharedSearch {
    pub(super) search: JumpSearch,
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
    /// Goes on with the search under way, outside of moves.
    pub(super) fn help(&mut self, map: &Map, graph: &JumpGraph, points: u64) {
        let is_wanted = self
            .problem
            .is_some_and(|problem| problem.state == map.fingerprint());
        if is_wanted && self.search.status() == Status::Running {
            self.search.advance(graph, points);
        }
    }

    /// Goes on with the search under way, whoever wants it, or begins one for this problem.
    pub(super) fn go_on(
        &mut self,
        context: &mut Context<Map>,
        graph: &JumpGraph,
        problem: Problem,
        slice: Meter,
    ) {
        let mut points = slice.expansions / JUMP_POINT;
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
            self.search.begin(graph, map, from, goal);
            points = after_start(&mut context.meter, slice, &self.search);
            (self.problem, self.unclaimed) = (Some(problem), 0);
        }
        let before = if is_void { 0 } else { self.search.expansions() };
        if is_void || self.search.status() == Status::Running {
            self.search.advance(graph, points);
            context.meter.expansions += JUMP_POINT * (self.search.expansions() - before);
        }
    }
}

/// Counts what the start of a search has seen, and says how many jump points are left of a slice. A start that sees more than a slice
/// is worth counts as a slice: none on the maps that were measured does.
pub(super) fn after_start(meter: &mut Meter, slice: Meter, search: &JumpSearch) -> u64 {
    let seen = (search.reached() as u64).min(slice.climb_steps);
    meter.climb_steps += seen;
    (slice.climb_steps - seen) * WEIGHTS.climb_steps / WEIGHTS.expansions / JUMP_POINT
}
