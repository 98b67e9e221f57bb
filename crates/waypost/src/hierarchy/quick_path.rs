//! QuickPath: a path by refinement alone, without search (AAAI 2005, "Pathing Through Refinement").
//!
//! Both ends climb to their common ancestor; below it a path of nodes is refined level by level: inside a node the walk
//! goes to a child that touches the next node of the path, and crosses. Children are cliques, so that is one step, or two
//! or three where orphans are.
//!
//! The paper refines whole paths, the highest level first. [`QuickPath`] gives the same path step by step: each level
//! keeps only the few nodes up to its next crossing and asks the level above for one node more when they run out. A step
//! looks at no more nodes than one group of each level has, and the whole path takes O(Σ |pᵢ|) as in the paper.

use super::{Hierarchy, NO_NODE, Place};
use crate::grid::Cell;
use crate::map::Map;

/// Repairs may add levels and make groups larger: there is room for so many more levels, and for groups twice as large or of so many nodes.
const SPARE_LEVELS: usize = 4;
const SPARE_NODES: usize = 12;

/// The next nodes of one level, the nearest last.
#[derive(Clone, Debug, Default)]
struct Lane {
    ahead: Vec<u32>,
    at: u32,
    goal: u32,
}

/// A path in the making.
#[derive(Clone, Debug, Default)]
pub struct QuickPath {
    /// One lane for every level; those below the common ancestor are in use.
    lanes: Vec<Lane>,
    lanes_used: usize,
    reached: Vec<(u32, u32)>,
    looked_at: u64,
    /// How many of the nodes in `reached` are cells that the last step looked at.
    cells_looked_at: usize,
}

/// Empties a list and makes room for a group of so many nodes, and larger ones where it had not enough.
fn reserve_group<T>(list: &mut Vec<T>, nodes: usize) {
    list.clear();
    if list.capacity() < nodes {
        list.reserve((2 * nodes).max(SPARE_NODES));
    }
}

impl QuickPath {
    /// No path yet.
    pub fn new() -> QuickPath {
        QuickPath::default()
    }

    /// Makes room for every path of a hierarchy, so that none of them allocates.
    pub fn reserve(&mut self, hierarchy: &Hierarchy) {
        let levels = hierarchy.height() as usize;
        if self.lanes.len() < levels {
            self.lanes.resize_with(levels + SPARE_LEVELS, Lane::default);
        }
        let groups = (1..=hierarchy.height()).map(|level| hierarchy.largest_group(level));
        let largest = groups.max().unwrap_or(0) + 1;
        for lane in &mut self.lanes {
            reserve_group(&mut lane.ahead, largest);
        }
        reserve_group(&mut self.reached, largest);
    }

    /// Begins a path between two cells. False where there is none.
    pub fn start(&mut self, hierarchy: &Hierarchy, from: Cell, goal: Cell) -> bool {
        self.lanes_used = 0;
        let mut used = 0;
        let (mut a, mut b) = (from.0, goal.0);
        let mut level = 0;
        while a != b {
            if self.lanes.len() <= used {
                self.lanes.push(Lane::default());
            }
            let lane = &mut self.lanes[used];
            lane.ahead.clear();
            (lane.at, lane.goal) = (a, b);
            used += 1;
            a = hierarchy.parent(Place { level, id: a });
            b = hierarchy.parent(Place { level, id: b });
            if a == NO_NODE || b == NO_NODE {
                return false;
            }
            level += 1;
        }
        self.lanes_used = used;
        true
    }

    /// The next cell of the path; `None` at the goal.
    pub(crate) fn next_cell(&mut self, hierarchy: &Hierarchy, map: &Map) -> Option<Cell> {
        self.cells_looked_at = 0;
        self.next_node(hierarchy, map, 0).map(Cell)
    }

    /// The cells that the last step looked at, each with the one that led to it ([`Cell::NONE`] for the first).
    pub(crate) fn cells_looked_at(&self) -> impl Iterator<Item = (Cell, Cell)> + '_ {
        self.reached[..self.cells_looked_at]
            .iter()
            .map(|&(id, from)| {
                let from = self.reached.get(from as usize);
                (Cell(id), from.map_or(Cell::NONE, |&(from, _)| Cell(from)))
            })
    }

    /// Nodes looked at since the last call of this function.
    pub(crate) fn take_count(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }

    /// Bytes in use.
    pub fn memory_bytes(&self) -> usize {
        let lanes: usize = self.lanes.iter().map(|l| l.ahead.capacity() * 4).sum();
        lanes + self.lanes.len() * size_of::<Lane>() + self.reached.capacity() * 8
    }

    fn next_node(&mut self, hierarchy: &Hierarchy, map: &Map, level: usize) -> Option<u32> {
        let lane = self.lanes[..self.lanes_used].get(level)?;
        if lane.ahead.is_empty() {
            if lane.at == lane.goal {
                return None;
            }
            // The node above that the lane must cross to, if it is not in the goal's already.
            let crossing = self.next_node(hierarchy, map, level + 1);
            self.refine(hierarchy, map, level, crossing)?;
        }
        let lane = &mut self.lanes[level];
        lane.at = lane.ahead.pop()?;
        Some(lane.at)
    }

    /// Fills a lane: breadth-first through the children of the current parent, to one that touches the next parent and
    /// across, or to the goal.
    fn refine(
        &mut self,
        hierarchy: &Hierarchy,
        map: &Map,
        level: usize,
        crossing: Option<u32>,
    ) -> Option<()> {
        let lane = &mut self.lanes[level];
        let level = level as u32;
        let parent = hierarchy.parent(Place { level, id: lane.at });
        self.reached.clear();
        self.reached.push((lane.at, u32::MAX));
        let mut next = 0;
        while next < self.reached.len() {
            let id = self.reached[next].0;
            self.looked_at += 1;
            let mut found = None;
            let reached = &mut self.reached;
            hierarchy.for_each_neighbour(map, Place { level, id }, |to| {
                let above = hierarchy.parent(Place { level, id: to });
                let ends = match crossing {
                    Some(wanted) => above == wanted,
                    None => to == lane.goal,
                };
                if ends && found.is_none() {
                    found = Some(to);
                } else if above == parent && !reached.iter().any(|&(r, _)| r == to) {
                    reached.push((to, next as u32));
                }
            });
            if let Some(end) = found {
                if level == 0 {
                    self.cells_looked_at = next + 1;
                }
                lane.ahead.push(end);
                let mut at = next as u32;
                while self.reached[at as usize].1 != u32::MAX {
                    lane.ahead.push(self.reached[at as usize].0);
                    at = self.reached[at as usize].1;
                }
                return Some(());
            }
            next += 1;
        }
        None
    }
}
