//! Memory that the agents of a thread share: flat arrays over node ids, made once and never cleared (a stamp says which search
//! wrote an entry), whole searches, and rooms that methods add for themselves.

use super::learned::BlockPool;
use super::local_search::LocalSearch;
use super::walkers::Walkers;
use crate::cost::{Cost, UNREACHED};
use crate::grid::Cell;
use crate::index::labels::LabelQuery;
use crate::search::jps::JumpSearch;
use crate::search::{AStar, Dijkstra, GraphSearch};
use std::any::{Any, TypeId};
use std::fmt;

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
    pub jump: JumpSearch,
    /// Queries of corner labels.
    pub labels: LabelQuery,
    /// A* and Dijkstra's algorithm on other spaces.
    pub graph: GraphSearch,
    /// Lookahead of real-time agents.
    pub local: LocalSearch,
    /// Free blocks of learned heuristics.
    pub heuristic_blocks: BlockPool,
    /// LRTA* for agents that have not needed it yet.
    pub walkers: Walkers,
    rooms: Rooms,
}

/// Memory that a method keeps with a thread, of a type of its own. Empty until its first use; its content means nothing between
/// calls, so a clone begins empty.
pub trait Room: Any + Default + Send + fmt::Debug {}

impl<T: Any + Default + Send + fmt::Debug> Room for T {}

/// One value of each type. A thread serves a few methods: a list is as quick as any table.
#[derive(Default)]
struct Rooms(Vec<(TypeId, Box<dyn Any + Send>)>);

impl Clone for Rooms {
    fn clone(&self) -> Rooms {
        Rooms::default()
    }
}

impl fmt::Debug for Rooms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rooms", self.0.len())
    }
}

impl Scratch {
    /// Empty memory; it grows to the space of the first search.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// The memory of a method: the one value of this type.
    #[inline]
    pub fn room<T: Room>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let rooms = &mut self.rooms.0;
        let known = rooms.iter().position(|(known, _)| *known == id);
        let at = known.unwrap_or_else(|| {
            rooms.push((id, Box::new(T::default())));
            rooms.len() - 1
        });
        let room = rooms[at].1.downcast_mut();
        room.unwrap_or_else(|| unreachable!("a room is kept under its type"))
    }

    /// Levels what waits for reuse among the threads of a crowd. An agent may take memory on one thread and give it back on
    /// another, always the same ones: without this one would pile up what the other allocates.
    pub(crate) fn level(all: &mut [Scratch]) {
        let waiting = |s: &Scratch| {
            let [blocks, tables] = s.heuristic_blocks.waiting();
            [blocks, tables, s.walkers.len()]
        };
        let (mut least, mut most) = ([usize::MAX; 3], [0; 3]);
        for counts in all.iter().map(waiting) {
            for (kind, count) in counts.into_iter().enumerate() {
                least[kind] = least[kind].min(count);
                most[kind] = most[kind].max(count);
            }
        }
        // Blocks, which set-up keeps many of, may differ by more.
        let is_level = |(least, most): (usize, usize)| most <= least.saturating_add(least / 8 + 64);
        if least.into_iter().zip(most).all(is_level) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::learned::LearnedHeuristic;

    /// Tables taken on one thread and given back on another: what both hold together must stop growing.
    #[test]
    fn what_one_thread_takes_and_another_gives_back_does_not_pile_up() {
        let mut all = vec![Scratch::new(), Scratch::new()];
        let mut held = Vec::new();
        for _ in 0..3000 {
            Scratch::level(&mut all);
            let pool = &mut all[0].heuristic_blocks;
            pool.reserve(300);
            let mut learned = LearnedHeuristic::new();
            learned.raise(pool, Cell(1), Cell(2), 3);
            learned.forget(&mut all[1].heuristic_blocks);
            let bytes = all.iter().map(|s| s.heuristic_blocks.memory_bytes());
            held.push(bytes.sum::<usize>());
        }
        let (early, late) = (held[200], held[2999]);
        assert!(late <= early + early / 10, "{early} bytes, then {late}");
    }
}
