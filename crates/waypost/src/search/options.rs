//! The chapter's optimisations as switches, so that the worth of each can be measured: `astar` takes them as keys.
//!
//! | chapter | switch | on | off |
//! |---|---|---|---|
//! | 17.3 built heuristics | `heuristic` | `landmarks`, `canonical`, `table` | `octile` |
//! | 17.4 search space | the algorithm | `jps`, `jump-graph`; a waypoint graph as [`crate::space::ExplicitGraph`] | the grid |
//! | 17.5 preallocated memory | `memory` | `stamped` | `fresh`, `hash` |
//! | 17.6 overestimating | `weight` | above 1 | 1 |
//! | 17.7 the right formula | `heuristic` | `octile` | `euclid`, `chebyshev`, `zero` |
//! | 17.8 open list | `open`, `front`, `ties` | `buckets`; `heap` with `front=on`, `ties=on` | `heap`, `array`; `off` |
//! | 17.9 no way back | `prune` | `dominated` | `parent`, `none` |
//! | 17.10 cached successors | `successors` | `cached` | `rows` |
//!
//! [`SearchOptions::default`] is what [`super::AStar`] does; [`SearchOptions::textbook`] has everything off.

use super::PathSearch;
use super::astar::{GridSearch, Guide, Successors};
use super::nodes::{Fresh, Hashed, NodeMemory, Stamped};
use crate::grid::pruning::Pruning;
use crate::heuristic::{Heuristic, Weight};
use crate::map::Map;
use crate::open_list::{Buckets, Heap, LastInserted, OpenList, Ranked, Ties, UnorderedArray};

/// Where a search keeps its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MemoryChoice {
    /// Allocated once, stamped, never cleared.
    #[default]
    Stamped,
    /// Allocated for every search.
    Fresh,
    /// A hash map, made for every search.
    Hash,
}

/// Which open list a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OpenChoice {
    /// A ring of buckets; each is a stack.
    #[default]
    Buckets,
    /// A heap.
    Heap,
    /// An array in no order.
    Array,
}

/// All switches.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// The estimate.
    pub heuristic: Heuristic,
    /// Its weight.
    pub weight: Weight,
    /// The open list.
    pub open: OpenChoice,
    /// Whether the best of the last pushed nodes is kept in front of a heap or array.
    pub front: bool,
    /// How a heap or array orders equal keys. Buckets are stacks: the last comes first.
    pub ties: Ties,
    /// Where nodes are kept.
    pub memory: MemoryChoice,
    /// Which successors are left out.
    pub pruning: Pruning,
    /// Where neighbourhoods are read.
    pub successors: Successors,
}

impl SearchOptions {
    /// A* as textbooks have it: a hash map, a heap without tie-breaking, straight-line distance, every neighbour.
    pub fn textbook() -> SearchOptions {
        SearchOptions {
            heuristic: Heuristic::Euclid,
            weight: Weight::ONE,
            open: OpenChoice::Heap,
            front: false,
            ties: Ties::Unbroken,
            memory: MemoryChoice::Hash,
            pruning: Pruning::None,
            successors: Successors::Rows,
        }
    }

    /// The part that [`GridSearch::steer`] takes.
    pub fn guide(&self) -> Guide {
        Guide {
            heuristic: self.heuristic.clone(),
            weight: self.weight,
            pruning: self.pruning,
            successors: self.successors,
        }
    }

    /// Do memory and open list differ from [`super::AStar`]'s?
    pub(crate) fn needs_own_search(&self) -> bool {
        self.memory != MemoryChoice::Stamped || self.open != OpenChoice::Buckets
    }

    /// Makes the search that these switches describe.
    pub fn build(&self) -> Box<dyn PathSearch<Map>> {
        match self.memory {
            MemoryChoice::Stamped => self.with_memory::<Stamped<u8>>(),
            MemoryChoice::Fresh => self.with_memory::<Fresh<u8>>(),
            MemoryChoice::Hash => self.with_memory::<Hashed<u8>>(),
        }
    }

    fn with_memory<M>(&self) -> Box<dyn PathSearch<Map>>
    where
        M: NodeMemory<Link = u8> + 'static,
    {
        match (self.open, self.front) {
            (OpenChoice::Buckets, _) => self.with_open::<M, _>(Buckets::default()),
            (OpenChoice::Heap, false) => self.with_open::<M, _>(Heap::with_ties(self.ties)),
            (OpenChoice::Heap, true) => {
                let list = LastInserted::before(Heap::with_ties(self.ties));
                self.with_open::<M, _>(list)
            }
            (OpenChoice::Array, false) => {
                self.with_open::<M, _>(UnorderedArray::with_ties(self.ties))
            }
            (OpenChoice::Array, true) => {
                let list = LastInserted::before(UnorderedArray::with_ties(self.ties));
                self.with_open::<M, _>(list)
            }
        }
    }

    fn with_open<M, O>(&self, open: O) -> Box<dyn PathSearch<Map>>
    where
        M: NodeMemory<Link = u8> + 'static,
        O: OpenList + 'static,
    {
        let mut search = GridSearch::<M, O>::with_open(open);
        search.steer(self.guide());
        Box::new(search)
    }
}
