//! What a planner keeps of each level, and how it notices that it goes round in circles.

use crate::grid::Cell;
use crate::hierarchy::Hierarchy;
use crate::map::Map;

/// A path on one level.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    pub nodes: Vec<u32>,
    /// Where on it planning has come to.
    pub at: usize,
    /// Whether it leads to the goal's ancestor.
    pub complete: bool,
    /// The cell that it was searched from.
    pub searched_from: Option<Cell>,
}

impl Lane {
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.at = 0;
        self.complete = false;
        self.searched_from = None;
    }

    /// Nodes ahead.
    pub fn ahead(&self) -> usize {
        self.nodes.len().saturating_sub(self.at + 1)
    }
}

/// Notices when planning comes back to a cell it has been at (Brent's rule: watched cells are 1, 2, 4, ... segments apart).
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopWatch {
    cell: Cell,
    segments: u32,
    until: u32,
}

impl LoopWatch {
    pub fn new(cell: Cell) -> LoopWatch {
        LoopWatch {
            cell,
            segments: 0,
            until: 1,
        }
    }

    pub fn is_back(&mut self, at: Cell) -> bool {
        if at == self.cell {
            return true;
        }
        self.segments += 1;
        if self.segments == self.until {
            self.cell = at;
            self.segments = 0;
            self.until = self.until.saturating_mul(2);
        }
        false
    }
}

/// Moves a lane's place to the node that planning has come to. In a widened corridor that may be a neighbour of the
/// lane: it takes the place of the node before the one that it touches.
pub(super) fn catch_up(
    hierarchy: &Hierarchy,
    map: &Map,
    level: u32,
    lane: &mut Lane,
    id: u32,
) -> bool {
    if let Some(ahead) = lane.nodes[lane.at..].iter().position(|&node| node == id) {
        lane.at += ahead;
        return true;
    }
    let touching = lane.nodes[lane.at..]
        .iter()
        .rposition(|&node| hierarchy.adjacent(map, level, node, id));
    match touching.map(|ahead| lane.at + ahead) {
        None => return false,
        Some(0) => lane.nodes.insert(0, id),
        Some(index) => {
            lane.nodes[index - 1] = id;
            lane.at = index - 1;
        }
    }
    true
}

/// Whether these are nodes of a level, each a neighbour of the one before.
pub(super) fn is_path(hierarchy: &Hierarchy, level: u32, nodes: &[u32]) -> bool {
    nodes
        .iter()
        .all(|&id| (id as usize) < hierarchy.node_bound() && hierarchy.level_of(id) == level)
        && nodes
            .windows(2)
            .all(|step| hierarchy.edges(step[0]).binary_search(&step[1]).is_ok())
}
