//! Searches: A* and its relatives on preallocated, stamped memory (Game AI Pro, chapter 17).
//!
//! - [`AStar`] and [`Dijkstra`] on maps, [`GraphSearch`] on any other [`crate::Space`]: each holds its memory, allocates
//!   nothing once that has grown to the map, and can stop after a number of expansions and go on later;
//! - [`jps`]: jump point search, on-line and over a stored graph;
//! - [`best_first`]: the one loop behind all of them, and what was left out of it and why.

mod astar;
pub mod best_first;
pub mod climb;
mod dijkstra;
mod graph;
pub mod hill_climb;
pub mod jps;
pub mod nodes;
mod options;
mod path;
pub mod surface;

pub use astar::{AStar, GridSearch, Guide, Successors};
pub use best_first::Status;
pub use dijkstra::Dijkstra;
pub use graph::GraphSearch;
pub use options::{MemoryChoice, OpenChoice, SearchOptions};
pub use path::Path;

use crate::cost::Cost;
use crate::grid::Cell;
use crate::space::Space;
use crate::trace::Event;

/// What JAIR 2010 counts for a state in memory: an open or closed node, or a learned value (32 bits; section 8.6).
pub const BYTES_PER_STATE: usize = 4;

/// A search for one path that can stop after a number of expansions and go on later. It keeps its memory from one search
/// to the next.
pub trait PathSearch<S: Space>: Send {
    /// Begins a search. Nodes that are not connected are answered by the first `advance`, at once.
    fn begin(&mut self, space: &S, from: Cell, to: Cell);

    /// Goes on for at most `most_expansions` nodes, outdated entries of the open list included.
    fn advance(&mut self, space: &S, most_expansions: u64) -> Status;

    /// Writes the path found, start first, and returns its cost; `None` while there is none.
    fn path_into(&self, space: &S, cells: &mut Vec<Cell>) -> Option<Cost>;

    /// The cost of the path found.
    fn cost(&self) -> Option<Cost>;

    /// Nodes expanded by the current search.
    fn expansions(&self) -> u64;

    /// The node expanded last, for traces.
    fn last_expanded(&self, space: &S) -> Option<Event>;

    /// What the current search uses of its memory.
    fn used_bytes(&self) -> usize;

    /// The whole search in one go.
    fn shortest_path(&mut self, space: &S, from: Cell, to: Cell) -> Option<Path> {
        self.begin(space, from, to);
        self.advance(space, u64::MAX);
        let mut cells = Vec::new();
        let cost = self.path_into(space, &mut cells)?;
        Some(Path { cells, cost })
    }

    /// The cost alone, in one go.
    fn distance(&mut self, space: &S, from: Cell, to: Cell) -> Option<Cost> {
        self.begin(space, from, to);
        self.advance(space, u64::MAX);
        self.cost()
    }
}
