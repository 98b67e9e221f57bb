//! Exact paths on a map that changes: what quality is measured by, outside the clock.

use waypost::Map;
use waypost::cost::Cost;
use waypost::grid::{Cell, Direction};
use waypost::index::jump::JumpGraph;
use waypost::search::jps::{JumpSearch, Run};
use waypost::search::{AStar, PathSearch};

/// Shortest paths of the map as it is: over jump points, or over cells where these are too many or there are none: on terrain and
/// four ways.
pub struct ExactPaths {
    graph: Option<JumpGraph>,
}

impl ExactPaths {
    /// Ready for a map.
    pub fn new(map: &Map) -> ExactPaths {
        let has_jumps = map.rules().has_diagonals() && map.ground().is_none();
        let graph = has_jumps.then(|| JumpGraph::build(map));
        ExactPaths {
            graph: graph.filter(|graph| !graph.is_too_dense()),
        }
    }

    /// Follows a change of the map.
    pub fn map_changed(&mut self, map: &Map) {
        if let Some(graph) = &mut self.graph {
            graph.repair(map);
        }
    }
}

/// The memory of searches, one for each thread.
#[derive(Default)]
pub struct ExactSearch {
    jump: JumpSearch,
    cells: AStar,
    path: Vec<Cell>,
}

impl ExactSearch {
    /// Writes a shortest path as runs, the last one first, and returns its cost; `None` where there is none.
    pub fn path(
        &mut self,
        paths: &ExactPaths,
        map: &Map,
        (from, goal): (Cell, Cell),
        runs: &mut Vec<Run>,
    ) -> Option<Cost> {
        runs.clear();
        let grid = map.grid();
        if let Some(graph) = &paths.graph {
            let ends = (grid.point(from), grid.point(goal));
            let path = self.jump.shortest(graph, map, ends.0, ends.1)?;
            runs.extend(path.runs().iter().rev());
            return Some(path.cost(map.rules().costs));
        }
        self.cells.begin(map, from, goal);
        self.cells.advance(map, u64::MAX);
        self.path.clear();
        let cost = self.cells.path_into(map, &mut self.path)?;
        for step in self.path.windows(2).rev() {
            let direction = map.legal_step(step[0], step[1])?;
            push(runs, direction);
        }
        Some(cost)
    }

    /// The cost alone.
    pub fn cost(&mut self, paths: &ExactPaths, map: &Map, ends: (Cell, Cell)) -> Option<Cost> {
        if ends.0 == ends.1 {
            return Some(0);
        }
        match &paths.graph {
            Some(graph) => {
                let ends = (map.grid().point(ends.0), map.grid().point(ends.1));
                let path = self.jump.shortest(graph, map, ends.0, ends.1)?;
                Some(path.cost(map.rules().costs))
            }
            None => self.cells.distance(map, ends.0, ends.1),
        }
    }
}

fn push(runs: &mut Vec<Run>, direction: Direction) {
    match runs.last_mut() {
        Some(run) if run.direction == direction => run.steps += 1,
        _ => runs.push(Run {
            direction,
            steps: 1,
        }),
    }
}
