//! Memory of a search: flat arrays over node ids, made once and never cleared. A stamp says which search wrote an entry.

use super::{AStar, Dijkstra, GraphSearch};
use crate::agent::climber::Walkers;
use crate::agent::learned::BlockPool;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;

#[derive(Clone, Copy, Debug)]
struct Node {
    stamp: u32,
    g: Cost,
    parent: Cell,
}

/// Memory that the agents of a thread share: costs and parents of nodes for small searches of their own, and whole
/// searches, each of which is empty until its first use.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    nodes: Vec<Node>,
    stamp: u32,
    /// A* on maps.
    pub astar: AStar,
    /// A* on maps with an agent's own guide: whoever uses it steers it first.
    pub guided: AStar,
    /// Dijkstra's algorithm on maps.
    pub dijkstra: Dijkstra,
    /// Searches over jump points.
    pub jump: super::jps::JumpSearch,
    /// Queries of corner labels.
    pub labels: crate::index::labels::LabelQuery,
    /// A* and Dijkstra's algorithm on other spaces.
    pub graph: GraphSearch,
    /// Lookahead of real-time agents.
    pub local: crate::agent::local_search::LocalSearch,
    /// Free blocks of learned heuristics.
    pub heuristic_blocks: BlockPool,
    /// Queries of subgoal databases.
    pub cases: crate::agent::knn_lrta_cases::CaseScratch,
    /// Searches of PRA* that no agent is at.
    pub refinement: crate::agent::pra::workspace::Workspaces,
    /// LRTA* for agents that have not needed it yet.
    pub walkers: Walkers,
}

impl Scratch {
    /// Empty memory; it grows to the space of the first search.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Levels what waits for reuse among the threads of a crowd. An agent may take memory on one thread and give it back on
    /// another, always the same ones: without this one would pile up what the other allocates.
    pub(crate) fn level(all: &mut [Scratch]) {
        let waits = |s: &Scratch| s.heuristic_blocks.free_blocks() + s.walkers.len();
        let (least, most) = all
            .iter()
            .map(waits)
            .fold((usize::MAX, 0), |(l, m), n| (l.min(n), m.max(n)));
        if most <= least.saturating_mul(2).saturating_add(64) {
            return;
        }
        let (mut blocks, mut walkers) = Default::default();
        for scratch in all.iter_mut() {
            BlockPool::take_part(&mut blocks, &mut scratch.heuristic_blocks, 1);
            Walkers::take_part(&mut walkers, &mut scratch.walkers, 1);
        }
        let parts = all.len();
        for (i, scratch) in all.iter_mut().enumerate() {
            scratch.heuristic_blocks.take_part(&mut blocks, parts - i);
            scratch.walkers.take_part(&mut walkers, parts - i);
        }
    }

    /// Forgets the last search. Allocates only when the space is larger than every one before.
    pub fn begin(&mut self, id_bound: usize) {
        if self.nodes.len() < id_bound {
            self.nodes.resize(
                id_bound,
                Node {
                    stamp: 0,
                    g: UNREACHED,
                    parent: Cell::NONE,
                },
            );
        }
        if self.stamp == u32::MAX {
            self.nodes.iter_mut().for_each(|node| node.stamp = 0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The cost of the best path known to a node; [`UNREACHED`] where there is none.
    #[inline]
    pub fn g(&self, cell: Cell) -> Cost {
        let node = &self.nodes[cell.index()];
        if node.stamp == self.stamp {
            node.g
        } else {
            UNREACHED
        }
    }

    /// The node before this one on its best path; [`Cell::NONE`] for the start and for nodes not reached.
    #[inline]
    pub fn parent(&self, cell: Cell) -> Cell {
        let node = &self.nodes[cell.index()];
        if node.stamp == self.stamp {
            node.parent
        } else {
            Cell::NONE
        }
    }

    /// Records a path to a node.
    #[inline]
    pub fn set(&mut self, cell: Cell, g: Cost, parent: Cell) {
        self.nodes[cell.index()] = Node {
            stamp: self.stamp,
            g,
            parent,
        };
    }
}
