//! A* and Dijkstra's algorithm on any [`Space`]: waypoint graphs, explicit graphs, abstract levels.

use super::PathSearch;
use super::best_first::{BestFirst, Status};
use super::nodes::Stamped;
use super::surface::SpaceSurface;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::open_list::BucketsOrHeap;
use crate::space::Space;
use crate::trace::Event;

/// A search on any space, with the space's own heuristic. Keep one per thread: its memory is reused.
///
/// Maps are spaces too, but [`super::AStar`] knows more about them and is several times as fast there.
#[derive(Clone, Debug, Default)]
pub struct GraphSearch {
    search: BestFirst<Stamped<Cell>, BucketsOrHeap>,
    goal: Option<Cell>,
}

impl GraphSearch {
    /// A search without memory yet.
    pub fn new() -> GraphSearch {
        GraphSearch::default()
    }

    /// Begins A* for a path that costs at most `limit`.
    pub(crate) fn begin_within<S: Space>(&mut self, space: &S, from: Cell, to: Cell, limit: Cost) {
        self.goal = Some(to);
        if space.connected(from, to) {
            let surface = SpaceSurface::new(space, self.goal);
            self.search
                .begin(&surface, from, self.goal, limit.min(UNREACHED - 1));
        } else {
            self.search.refuse();
        }
    }

    /// Begins Dijkstra's algorithm to all nodes that cost at most `limit`.
    pub(crate) fn begin_spread<S: Space>(&mut self, space: &S, from: Cell, limit: Cost) {
        self.goal = None;
        if space.contains(from) {
            let surface = SpaceSurface::new(space, None);
            self.search
                .begin(&surface, from, None, limit.min(UNREACHED - 1));
        } else {
            self.search.refuse();
        }
    }

    /// The cost of the best path known to a node; [`UNREACHED`] where there is none.
    #[inline]
    pub fn cost_to(&self, cell: Cell) -> Cost {
        self.search.g(cell).unwrap_or(UNREACHED)
    }

    /// Bytes of reused memory.
    pub fn memory_bytes(&self) -> usize {
        self.search.memory_bytes()
    }

    /// The costs to all nodes, read with [`GraphSearch::cost_to`].
    pub fn spread<S: Space>(&mut self, space: &S, from: Cell) {
        self.begin_spread(space, from, UNREACHED - 1);
        self.advance(space, u64::MAX);
    }
}

impl<S: Space> PathSearch<S> for GraphSearch {
    fn begin(&mut self, space: &S, from: Cell, to: Cell) {
        self.begin_within(space, from, to, UNREACHED - 1);
    }

    /// The space must be the one that the search began on, unchanged.
    fn advance(&mut self, space: &S, most_expansions: u64) -> Status {
        let surface = SpaceSurface::new(space, self.goal);
        self.search.advance(&surface, most_expansions)
    }

    fn path_into(&self, space: &S, cells: &mut Vec<Cell>) -> Option<Cost> {
        let (cost, goal) = (self.search.cost()?, self.goal?);
        let surface = SpaceSurface::new(space, self.goal);
        self.search.trace(&surface, goal, cells);
        Some(cost)
    }

    fn cost(&self) -> Option<Cost> {
        self.search.cost()
    }

    fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    fn last_expanded(&self, space: &S) -> Option<Event> {
        self.search
            .last_expanded(&SpaceSurface::new(space, self.goal))
    }

    fn used_bytes(&self) -> usize {
        self.search.used_bytes()
    }
}
