//! Search spaces: what agents and searches need to know of a map, and no more.
//!
//! Grids implement [`Space`] through [`crate::Map`], waypoint graphs and other explicit graphs through
//! [`ExplicitGraph`]; code that is generic over it is compiled for each apart, so a grid pays nothing for the freedom.

mod explicit;
mod news;

pub use explicit::{ExplicitGraph, GraphError};
pub use news::News;

use crate::cost::Cost;
use crate::grid::Cell;

/// A finite graph with positive integer edge costs and a heuristic between any two of its nodes.
///
/// Edges lead both ways at the same cost. JAIR 2010 (section 2) asks for less, "safe explorability": whatever can be reached
/// can be left again towards everything that could be reached before. Learning backwards over edges needs this much.
pub trait Space: Sync {
    /// Ids are below this: the length of an array over nodes.
    fn id_bound(&self) -> usize;

    /// Whether the id is a node that can be stood on.
    fn contains(&self, cell: Cell) -> bool;

    /// Calls `visit` with every neighbour of a node and the cost of the edge to it, in a fixed order.
    fn for_each_neighbour(&self, cell: Cell, visit: impl FnMut(Cell, Cost));

    /// The neighbours that a search has to generate at a node which it reached from `parent` ([`Cell::NONE`]: from nowhere).
    /// A space may leave out those that another way from the parent reaches as cheaply, for searches that expand nodes in
    /// the order of a consistent heuristic.
    #[inline]
    fn for_each_successor(&self, cell: Cell, parent: Cell, mut visit: impl FnMut(Cell, Cost)) {
        self.for_each_neighbour(cell, |next, cost| {
            if next != parent {
                visit(next, cost);
            }
        });
    }

    /// A lower bound on the cost between two nodes, the same in both directions, 0 from a node to itself, and consistent:
    /// the values of two neighbours differ by no more than the edge between them costs.
    fn heuristic(&self, from: Cell, to: Cell) -> Cost;

    /// Is there a path? Constant time.
    fn connected(&self, a: Cell, b: Cell) -> bool;

    /// Identifies the space as it is: agents compare it with what it was when they looked last.
    fn state(&self) -> u64 {
        0
    }

    /// What can have become wrong since the space was in this state; `None` where it is still.
    fn news_since(&self, state: u64) -> Option<News> {
        (state != self.state()).then_some(News::Openings)
    }

    /// The most neighbours that any node has.
    fn most_neighbours(&self) -> u32;

    /// The most neighbours of a node that are no neighbours of the one that it was reached from.
    fn most_new_neighbours(&self) -> u32 {
        self.most_neighbours()
    }

    /// The least cost of any edge.
    fn cheapest_edge(&self) -> Cost;

    /// At least the cost of the most expensive edge. Spaces that know it are searched with buckets instead of a heap.
    fn max_edge_cost(&self) -> Cost {
        Cost::MAX
    }

    /// At least the number of nodes within `cost` of any node, itself included; never depends on the size of the space
    /// where the costs of edges do not.
    fn most_within(&self, cost: Cost) -> u64 {
        // A tree in which every edge is the cheapest one.
        let (mut layer, mut all) = (1u64, 1u64);
        for _ in 0..cost / self.cheapest_edge().max(1) {
            layer = layer.saturating_mul(u64::from(self.most_neighbours()));
            all = all.saturating_add(layer);
            if all >= self.id_bound() as u64 {
                return self.id_bound() as u64;
            }
        }
        all
    }

    /// The cost of the edge between two nodes; `None` where there is none.
    fn edge_cost(&self, from: Cell, to: Cell) -> Option<Cost> {
        let mut found = None;
        self.for_each_neighbour(from, |next, cost| {
            if next == to {
                found = Some(cost);
            }
        });
        found
    }
}
