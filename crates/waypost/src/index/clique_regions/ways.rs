//! Shortest paths from all representatives to one: over the corner graph, or over the cells where there are too many
//! corners for that to pay.
//!
//! The corner graph keeps all distances ([`crate::index::labels`] has the proof). Indoors it is hundreds of times smaller
//! than the map, so that a search over it takes milliseconds where one over the cells takes most of a second. On noise every
//! other cell is a corner; and where moves go four ways or do not cost the same everywhere there are none.

use crate::cost::{Cost, UNREACHED};
use crate::grid::scan::{Leg, Scans, StopAt, legs};
use crate::grid::{Cell, Point};
use crate::index::labels::graph::{Arc, CornerGraph, walk_cost};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::open_list::Heap;
use crate::progress::Progress;
use crate::search::best_first::{BestFirst, Surface};
use crate::search::nodes::Stamped;
use crate::search::{Dijkstra, PathSearch, Status};

/// Nodes of a search between two looks at whether to go on: some milliseconds.
const POPS_BETWEEN_LOOKS: u64 = 1 << 15;

/// Finds paths between the representatives of a map's regions.
pub(super) struct Ways<'a> {
    map: &'a Map,
    representatives: &'a [Cell],
    corners: Option<Corners>,
}

/// The corner graph, and the corners that each representative sees.
struct Corners {
    scans: Scans,
    graph: CornerGraph,
    first_seen: Vec<u32>,
    seen: Vec<Arc>,
}

/// Memory of searches: one per thread.
#[derive(Default)]
pub(super) struct WaySearch {
    cells: Dijkstra,
    corners: BestFirst<Stamped<Cell>, Heap>,
}

impl<'a> Ways<'a> {
    /// Over the smaller of the two graphs.
    pub fn new(
        map: &'a Map,
        representatives: &'a [Cell],
        progress: &dyn Progress,
    ) -> Result<Ways<'a>, BuildError> {
        let corners = match map.is_uniform() {
            true => Some(Corners::new(map, representatives, progress)?),
            false => None,
        };
        let few = |c: &Corners| c.graph.arc_count() as u64 <= map.grid().passable_count();
        Ok(Ways {
            map,
            representatives,
            corners: corners.filter(few),
        })
    }

    /// Finds the paths from all representatives to that of `target`; gives up where whoever watches wants no more of it.
    pub fn search(
        &self,
        target: u32,
        search: &mut WaySearch,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        match &self.corners {
            None => {
                let from = self.representatives[target as usize];
                search
                    .cells
                    .begin_within(self.map, from, None, UNREACHED - 1);
                while search.cells.advance(self.map, POPS_BETWEEN_LOOKS) == Status::Running {
                    unless_cancelled(progress)?;
                }
            }
            Some(corners) => {
                let spread = Spread { corners, target };
                let search = &mut search.corners;
                search.begin(&spread, spread.target_node(), None, UNREACHED - 1);
                while search.advance(&spread, POPS_BETWEEN_LOOKS) == Status::Running {
                    unless_cancelled(progress)?;
                }
            }
        }
        Ok(())
    }

    /// The cost of the path from a source to the target of the search.
    pub fn cost(&self, [source, target]: [u32; 2], search: &WaySearch) -> Cost {
        let [from, end] = [source, target].map(|region| self.representatives[region as usize]);
        let Some(corners) = &self.corners else {
            return search.cells.cost_to(from);
        };
        let [at, to] = [from, end].map(|cell| self.map.grid().point(cell));
        if corners.scans.walk_is_free(at, to) {
            return walk_cost(self.map.rules().costs, at, to);
        }
        let first = corners.first_seen_on_path(source, search);
        first.map_or(UNREACHED, |(_, cost)| cost)
    }

    /// The first cell on the path from a source to the target of the search that is `outside`, or the end of the path.
    pub fn exit(
        &self,
        [source, target]: [u32; 2],
        search: &WaySearch,
        outside: impl Fn(Cell) -> bool,
    ) -> Cell {
        let [mut at, end] = [source, target].map(|region| self.representatives[region as usize]);
        match &self.corners {
            None => {
                while at != end && !outside(at) {
                    match search.cells.step_back(self.map, at) {
                        Some(next) => at = next,
                        None => break,
                    }
                }
                at
            }
            Some(corners) => self
                .exit_over_corners(corners, [source, target], search, outside)
                .unwrap_or(end),
        }
    }

    fn exit_over_corners(
        &self,
        corners: &Corners,
        [source, target]: [u32; 2],
        search: &WaySearch,
        outside: impl Fn(Cell) -> bool,
    ) -> Option<Cell> {
        let point = |region: u32| {
            let cell = self.representatives[region as usize];
            self.map.grid().point(cell)
        };
        let (mut at, end) = (point(source), point(target));
        if corners.scans.walk_is_free(at, end) {
            let (diagonal, straight) = legs(at, end);
            return self.on_walk(&mut at, [diagonal, straight], &outside);
        }
        let target_node = Spread { corners, target }.target_node();
        let (mut next, _) = corners.first_seen_on_path(source, search)?;
        while next != target_node {
            let (diagonal, straight) = legs(at, corners.graph.points().point(next.0));
            let exit = self.on_walk(&mut at, [diagonal, straight], &outside);
            if exit.is_some() {
                return exit;
            }
            next = search.corners.link(next)?;
        }
        // The target sees its corners by walks that begin with diagonal steps; backwards they end with them.
        let (diagonal, straight) = legs(at, end);
        self.on_walk(&mut at, [straight, diagonal], &outside)
    }

    /// Walks along the legs to the first cell outside.
    fn on_walk(
        &self,
        at: &mut Point,
        legs: [Option<Leg>; 2],
        outside: impl Fn(Cell) -> bool,
    ) -> Option<Cell> {
        let grid = self.map.grid();
        let mut cell = grid.cell(*at)?;
        for (direction, steps) in legs.into_iter().flatten() {
            for _ in 0..steps {
                cell = grid.neighbour(cell, direction);
                if outside(cell) {
                    return Some(cell);
                }
            }
        }
        *at = grid.point(cell);
        None
    }
}

impl Corners {
    fn new(
        map: &Map,
        representatives: &[Cell],
        progress: &dyn Progress,
    ) -> Result<Corners, BuildError> {
        let rules = map.rules();
        let scans = Scans::new(map.grid(), rules.corners, StopAt::Corners);
        let graph = CornerGraph::watched(map, progress)?;
        let mut first_seen = Vec::with_capacity(representatives.len() + 1);
        let mut seen = Vec::new();
        for &cell in representatives {
            first_seen.push(seen.len() as u32);
            let at = map.grid().point(cell);
            if let Some(target) = graph.points().marked(at) {
                seen.push(Arc { target, cost: 0 });
                continue;
            }
            scans.for_each_stop(at, scans.moves(at, None), |stop| {
                let diagonal = stop.diagonal * rules.costs.diagonal();
                seen.push(Arc {
                    target: graph.points().id(stop.at),
                    cost: diagonal + stop.straight * rules.costs.straight(),
                });
            });
        }
        first_seen.push(seen.len() as u32);
        Ok(Corners {
            scans,
            graph,
            first_seen,
            seen,
        })
    }

    /// The first corner on the way from a representative to the target of the search, and the cost of that way.
    fn first_seen_on_path(&self, region: u32, search: &WaySearch) -> Option<(Cell, Cost)> {
        let over = |arc: &Arc| {
            let onwards = search.corners.g(Cell(arc.target)).unwrap_or(UNREACHED);
            (Cell(arc.target), arc.cost.saturating_add(onwards))
        };
        self.seen(region)
            .iter()
            .map(over)
            .min_by_key(|&(_, cost)| cost)
    }

    fn seen(&self, region: u32) -> &[Arc] {
        let region = region as usize;
        &self.seen[self.first_seen[region] as usize..self.first_seen[region + 1] as usize]
    }
}

/// The corner graph with one node more, the target's representative, where the search begins.
struct Spread<'a> {
    corners: &'a Corners,
    target: u32,
}

impl Spread<'_> {
    fn target_node(&self) -> Cell {
        Cell(self.corners.graph.len() as u32)
    }
}

impl Surface for Spread<'_> {
    /// The next node on the way to the target.
    type Link = Cell;
    type Place = ();

    fn start_link(&self) -> Cell {
        Cell::NONE
    }

    fn place(&self, _node: Cell) {}

    fn estimate(&self, _node: Cell, (): ()) -> Cost {
        0
    }

    fn for_each_successor(
        &self,
        node: Cell,
        _link: Cell,
        mut visit: impl FnMut(Cell, Cost, Cell, ()),
    ) {
        let arcs = if node == self.target_node() {
            self.corners.seen(self.target)
        } else {
            self.corners.graph.arcs(node.0)
        };
        for arc in arcs {
            visit(Cell(arc.target), arc.cost, node, ());
        }
    }

    fn parent(&self, _node: Cell, link: Cell) -> Option<Cell> {
        (link != Cell::NONE).then_some(link)
    }

    fn id_bound(&self) -> usize {
        self.corners.graph.len() + 1
    }

    fn growth(&self) -> Cost {
        Cost::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::MoveRules;
    use crate::hierarchy::testing::{cells_of, test_map, two_cells};
    use crate::progress::NoProgress;
    use crate::rng::Rng;
    use crate::search::AStar;
    use crate::space::Space;

    #[test]
    fn both_graphs_lead_along_shortest_paths() {
        let mut astar = AStar::new();
        let mut search = WaySearch::default();
        for seed in 0..120 {
            let rules = MoveRules::ALL[seed as usize % 6];
            let map = test_map(seed, 4, 45, rules);
            let cells = cells_of(&map);
            if cells.is_empty() {
                continue;
            }
            let mut rng = Rng::new(seed);
            let ends: Vec<Cell> = (0..4).flat_map(|_| two_cells(&mut rng, &cells)).collect();
            let over_corners = Corners::new(&map, &ends, &NoProgress).ok();
            for corners in [None, over_corners] {
                let ways = Ways {
                    map: &map,
                    representatives: &ends,
                    corners,
                };
                for target in 0..ends.len() as u32 {
                    ways.search(target, &mut search, &NoProgress)
                        .expect("nobody stops it");
                    let to = ends[target as usize];
                    for (source, &from) in ends.iter().enumerate() {
                        let Some(best) = astar.distance(&map, from, to) else {
                            continue;
                        };
                        let far = rng.below(20) * rules.costs.straight();
                        let outside = |cell| map.heuristic(from, cell) > far;
                        let exit = ways.exit([source as u32, target], &search, outside);
                        assert!(exit == to || outside(exit), "seed {seed}, {rules}");
                        let mut cost = |a, b| astar.distance(&map, a, b).expect("connected");
                        let through = cost(from, exit) + cost(exit, to);
                        assert_eq!(through, best, "{from:?} to {to:?}, seed {seed}, {rules}");
                    }
                }
            }
        }
    }
}
