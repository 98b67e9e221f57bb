//! Optimal paths for builders, always the same ones, and climbing on the same scans.
//!
//! **Which optimal path.** The one that [`JumpSearch`] finds on the jump-point graph: its module says how all ties are settled.
//! It is the fastest exact search of the engine that needs no long preparation (milliseconds, where hub labels take seconds on
//! large maps), and the scans that its graph is built from are the ones that climbing runs on. Where more than one cell in
//! [`DENSE`] is a jump point, jumping does not pay any more, and where moves go four ways or cost more on some cells there are
//! no jump points; [`AStar`] finds the path there: which of the two it is depends on
//! the map alone, so what is built of the paths does not depend on anything else either.

use crate::grid::Cell;
use crate::index::jump::JumpGraph;
use crate::map::Map;
use crate::search::jps::{JumpSearch, JumpSpace};
use crate::search::{AStar, PathSearch, climb};

/// A map is dense where there is a jump point to this many cells or fewer.
const DENSE: u64 = 5;

/// Finds paths of a map.
pub(super) struct ExactPaths<'a> {
    map: &'a Map,
    /// None where moves go four ways or do not cost the same everywhere.
    graph: Option<JumpGraph>,
    is_dense: bool,
}

/// Memory of a search, one per thread; only the one in use grows.
#[derive(Default)]
pub(super) struct PathSearches {
    jump: JumpSearch,
    astar: AStar,
}

impl<'a> ExactPaths<'a> {
    /// Builds the jump-point graph.
    pub fn new(map: &'a Map) -> ExactPaths<'a> {
        let graph = map.is_uniform().then(|| JumpGraph::build(map));
        let is_dense = |graph: &JumpGraph| graph.density_percent() * DENSE >= 100;
        ExactPaths {
            map,
            is_dense: graph.as_ref().is_some_and(is_dense),
            graph,
        }
    }

    /// Whether climbing reaches `to` within `cap` steps.
    pub fn climbs(&self, from: Cell, to: Cell, cap: u32) -> bool {
        let Some(graph) = &self.graph else {
            return climb::climb_on(self.map, from, to, cap).reached;
        };
        climb::climb(self.map.grid(), graph.scans(), from, to, cap).reached
    }

    /// An optimal path, both ends included; empty where there is none.
    pub fn find(&self, memory: &mut PathSearches, from: Cell, goal: Cell, path: &mut Vec<Cell>) {
        path.clear();
        let Some(graph) = self.graph.as_ref().filter(|_| !self.is_dense) else {
            memory.astar.begin(self.map, from, goal);
            memory.astar.advance(self.map, u64::MAX);
            let _ = memory.astar.path_into(self.map, path);
            return;
        };
        let grid = self.map.grid();
        let (start, end) = (grid.point(from), grid.point(goal));
        if let Some(runs) = memory.jump.shortest(graph, self.map, start, end) {
            runs.write_cells(grid, path);
        }
    }
}
