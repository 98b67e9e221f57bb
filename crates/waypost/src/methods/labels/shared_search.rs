//! The search round new walls that all agents of a world share: it lasts from move to move.

use crate::agent::guide::Found;
use crate::agent::trail::Trail;
use crate::agent::{Context, JUMP_POINT, KNOWN_JUMP_POINT, Meter, WEIGHTS};
use crate::cost::Cost;
use crate::grid::{Cell, Point};
use crate::index::jump::JumpGraph;
use crate::index::labels::WaysTo;
use crate::map::Map;
use crate::search::jps::{JumpSearch, LowerBound, Run, Status};

/// Slices that a finished search waits for its owner, where its path is too long to be put aside.
pub(super) const MAX_UNCLAIMED: u32 = 256;
/// Paths that are put aside for those that asked for them, and the runs of the longest.
const LETTERS: usize = 64;
const MAX_RUNS: usize = 256;

/// A search that goes on from move to move.
#[derive(Debug, Default)]
pub(super) struct SharedSearch {
    pub(super) search: JumpSearch,
    /// What the labels know of the problem.
    known: OldWays,
    pub(super) problem: Option<Problem>,
    /// Slices since the owner asked last: one that never comes back loses its search.
    pub(super) unclaimed: u32,
    /// What finished searches have found, the oldest overwritten by the newest.
    letters: Vec<Letter>,
    next_letter: usize,
}

/// What a search has found, for whoever began it.
#[derive(Clone, Debug, Default)]
struct Letter {
    to: Option<Problem>,
    found: bool,
    runs: Vec<Run>,
}

impl Letter {
    fn is_for(&self, problem: Problem) -> bool {
        self.to.is_some_and(|to| {
            let is_same = (to.from, to.goal) == (problem.from, problem.goal);
            is_same && (self.found || to.state == problem.state)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) from: Cell,
    pub(super) goal: Cell,
    pub(super) state: u64,
}

impl SharedSearch {
    /// Makes room, so that moves need none.
    pub(super) fn reserve(&mut self, graph: &JumpGraph) {
        self.search.reserve(graph);
        self.letters.resize_with(LETTERS, || Letter {
            runs: Vec::with_capacity(MAX_RUNS),
            ..Letter::default()
        });
    }

    /// What was found for a problem and put aside, and the state of the map that it was found on. That there was no way counts on that state
    /// alone.
    pub(super) fn collect<T: Trail>(
        &mut self,
        problem: Problem,
        trail: &mut T,
    ) -> Option<(Found, u64)> {
        let mut letters = self.letters.iter_mut();
        let letter = letters.find(|letter| letter.is_for(problem))?;
        let state = letter.to.take()?.state;
        trail.extend(letter.runs.iter().copied());
        let found = match letter.found {
            true => Found::Way,
            false => Found::Nothing,
        };
        Some((found, state))
    }

    /// Puts a finished search's path aside for the one that began it, so that another may begin.
    pub(super) fn put_aside(&mut self, graph: &JumpGraph) {
        let status = self.search.status();
        if self.problem.is_none() || status == Status::Running {
            return;
        }
        let path = self.search.found_path(graph);
        let runs = path.map_or(&[][..], |path| path.runs());
        let Some(letter) = self.letters.get_mut(self.next_letter) else {
            return;
        };
        if runs.len() <= MAX_RUNS {
            (letter.to, letter.found) = (self.problem, status == Status::Found);
            letter.runs.clear();
            letter.runs.extend_from_slice(runs);
            self.next_letter = (self.next_letter + 1) % LETTERS;
            self.forget();
        }
    }

    /// Goes on with the search under way, outside of moves, for this many expansions of cells.
    pub(super) fn help(&mut self, graph: &JumpGraph, expansions: u64) {
        let is_wanted = self
            .problem
            .is_some_and(|problem| problem.state == graph.state());
        if is_wanted && self.search.status() == Status::Running {
            let points = expansions / self.known.point_cost();
            self.search.advance_with(graph, points, &self.known);
            self.put_aside(graph);
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

/// What is left of a slice, in expansions of cells, after this many look-ups for what the labels know.
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
