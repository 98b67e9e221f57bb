//! The jump-point graph: every jump point of a map with its successors for each direction that it can be entered in.
//!
//! Built in milliseconds by the scans of [`crate::grid::scan`], searched by [`JumpSearch`](crate::search::jps::JumpSearch).
//! The idea is JPS+ (Harabor and Grastien 2014) carried to its end: where JPS+ keeps distances for every cell and direction
//! and still walks over diagonal jump points, here only cells with a forced turn remain, joined by edges that lead over
//! the diagonal cells between. Goals need no insertion: see [`crate::search::jps`].
//!
//! Searches go by the distances of points to landmarks (`bounds.rs`), which cut their expansions to a fifth or a sixth.
//!
//! Building takes one scan of every line that leaves a jump point, and a search of the corner graph for each landmark; memory is 104 bytes a point, 8 an
//! edge, and the planes of the scans with two more that mark the points along diagonals. A change of the map is repaired where it was made
//! ([`JumpGraph::repair`]): numbers of points and places of edges are kept, so nothing far from the change is touched.

mod artifact;
mod bounds;
mod edges;
mod graph_repair;

pub(crate) use artifact::INDEX_TYPE;

use crate::artifact::Header;
use crate::cost::{Cost, CostPair};
use crate::grid::scan::{DiagonalMarks, ScanRepair, Scans};
use crate::grid::{Direction, Point};
use crate::index::IndexKind;
use crate::map::Map;
use crate::search::jps::{GoalBounds, JumpPoints, JumpSpace, jump_scans};
use bounds::{Known, PointBounds};
pub use edges::Edge;
use edges::EdgeLists;
use std::ops::Range;
use std::sync::Arc;

/// Jump points in a hundred passable cells above which A* on cells is the faster search.
///
/// Measured on noise of 300 x 300 cells, random pairs: at 24 jump points in a hundred cells the graph took 56 µs and A* 72,
/// at 28 77 and 80, at 33 135 and 116. Maps of games have fewer than 10.
pub const MAX_PERCENT: u64 = 25;

/// Jump points whose distances to landmarks are measured: with more of them a build would take seconds.
pub const MAX_MEASURED: usize = 1 << 16;

/// All jump points of a map and the edges between them.
#[derive(Clone, Debug)]
pub struct JumpGraph {
    /// As of the build: a repaired graph's fingerprint is that of its scans.
    header: Header,
    scans: Scans,
    points: JumpPoints,
    /// The points along diagonals: repairs look for those that see a change.
    marks: DiagonalMarks,
    lists: EdgeLists,
    /// How far the points are from landmarks, where that is known.
    bounds: Known,
    passable: u64,
    state: u64,
    /// Whether its points may have other numbers than in the graph that it is a copy of.
    is_numbered_anew: bool,
    /// What of a repair is left to do on the scans, and on the edges.
    scan_repair: ScanRepair,
    derivation: graph_repair::Derivation,
}

/// Numbers of points are a matter of history: graphs are equal where they join the same points of the same map.
impl PartialEq for JumpGraph {
    fn eq(&self, other: &JumpGraph) -> bool {
        let same_map = self.header.rules == other.header.rules
            && self.scans == other.scans
            && (self.passable, self.state) == (other.passable, other.state);
        same_map
            && self.points == other.points
            && self.marks == other.marks
            && self.compact_edges() == other.compact_edges()
    }
}

impl Eq for JumpGraph {}

impl JumpGraph {
    /// Builds the graph of a map.
    pub fn build(map: &Map) -> JumpGraph {
        let mut graph = JumpGraph::plain(map);
        if !graph.is_too_dense() && graph.points.len() <= MAX_MEASURED {
            let bounds = PointBounds::measure(map, &graph.points);
            graph.bounds = bounds.map_or(Known::Nothing, Known::Own);
        }
        graph
    }

    /// The same without distances to landmarks: built in a fraction of the time, and searched with octile distance alone.
    pub fn plain(map: &Map) -> JumpGraph {
        JumpGraph::of_scans(map, jump_scans(map))
    }

    /// A copy that follows a map, and goes by what the other knows as long as only walls have gone up since.
    pub(crate) fn copy_of(other: &Arc<JumpGraph>) -> JumpGraph {
        JumpGraph {
            bounds: Known::of_original(other),
            header: other.header.clone(),
            scans: other.scans.clone(),
            points: other.points.clone(),
            marks: other.marks.clone(),
            lists: other.lists.clone(),
            scan_repair: other.scan_repair.clone(),
            derivation: other.derivation.clone(),
            passable: other.passable,
            state: other.state,
            is_numbered_anew: other.is_numbered_anew,
        }
    }

    /// The graph of a map, which goes by what this one goes by.
    pub(crate) fn derive_again(&self, map: &Map) -> JumpGraph {
        let mut graph = JumpGraph::plain(map);
        graph.bounds = self.bounds.clone();
        graph.bounds.count_openings(map);
        graph.is_numbered_anew = true;
        graph
    }

    /// Goes by what another graph knows from now on.
    pub(crate) fn go_by(&mut self, other: &Arc<JumpGraph>, map: &Map) {
        self.bounds = Known::of_original(other);
        self.bounds.count_openings(map);
        self.is_numbered_anew = true;
    }

    /// The same for a map whose scans are at hand.
    pub(crate) fn of_scans(map: &Map, scans: Scans) -> JumpGraph {
        let points = JumpPoints::new(map.grid(), &scans);
        let mut graph = JumpGraph {
            header: Header::of(IndexKind::Jump, map, Default::default()),
            marks: DiagonalMarks::new(&scans, points.marks()),
            lists: EdgeLists::new(points.len()),
            bounds: Known::Nothing,
            passable: map.grid().passable_count(),
            state: map.fingerprint(),
            is_numbered_anew: false,
            scans,
            points,
            scan_repair: ScanRepair::default(),
            derivation: graph_repair::Derivation::default(),
        };
        for id in 0..graph.points.len() as u32 {
            graph.derive_edges(id);
        }
        graph
    }

    /// Finds the edges of a point, which must have none.
    fn derive_edges(&mut self, id: u32) {
        let at = self.points.point(id);
        let stops = self.scans.stop_directions(at);
        let costs = self.header.rules.costs;
        let (points, scans) = (&self.points, &self.scans);
        self.lists.write(id, |arrival, edges| {
            if !stops.contains(arrival) {
                return;
            }
            scans.for_each_stop(at, scans.moves(at, Some(arrival)), |stop| {
                let cost = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
                edges.push(Edge::new(points.id(stop.at), stop.arrival, cost));
            });
        });
    }

    /// All edges, points numbered in the order of cell ids: for (point, direction of arrival) the first one, and one more
    /// entry that ends the last.
    fn compact_edges(&self) -> (Vec<u32>, Vec<Edge>) {
        let mut compact = vec![0; self.points.number_bound()];
        for (number, id) in self.points.ids().enumerate() {
            compact[id as usize] = number as u32;
        }
        let mut first = Vec::with_capacity(self.points.len() * 8 + 1);
        let mut edges = Vec::with_capacity(self.edge_count());
        for id in self.points.ids() {
            for arrival in Direction::ALL {
                first.push(edges.len() as u32);
                let list = self.edges(id, arrival).iter();
                edges.extend(list.map(|edge| edge.renumbered(&compact)));
            }
        }
        first.push(edges.len() as u32);
        (first, edges)
    }

    /// The jump points.
    pub fn points(&self) -> &JumpPoints {
        &self.points
    }

    /// The edges of a point entered in a direction.
    #[inline]
    pub fn edges(&self, id: u32, arrival: Direction) -> &[Edge] {
        self.lists.of(id, arrival)
    }

    /// How many edges there are in all.
    pub(crate) fn edge_count(&self) -> usize {
        self.lists.count()
    }

    /// The state of the map that the graph belongs to, once its repair is done.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Is A* on cells the faster search? The rule: more than [`MAX_PERCENT`] jump points in a hundred passable cells.
    pub fn is_too_dense(&self) -> bool {
        self.points.len() as u64 * 100 > self.passable * MAX_PERCENT
    }

    /// Jump points in a hundred passable cells.
    pub fn density_percent(&self) -> u64 {
        self.points.len() as u64 * 100 / self.passable.max(1)
    }
}

impl JumpSpace for JumpGraph {
    #[inline]
    fn points(&self) -> &JumpPoints {
        &self.points
    }

    #[inline]
    fn scans(&self) -> &Scans {
        &self.scans
    }

    #[inline]
    fn for_each_successor(
        &self,
        id: u32,
        arrival: Direction,
        _costs: CostPair,
        mut visit: impl FnMut(u32, Direction, Cost),
    ) {
        for edge in self.edges(id, arrival) {
            visit(edge.target(), edge.arrival(), edge.cost());
        }
    }

    #[inline]
    fn some_successors(
        &self,
        id: u32,
        arrival: Direction,
        _costs: CostPair,
        successors: Range<usize>,
        mut visit: impl FnMut(u32, Direction, Cost),
    ) -> bool {
        let edges = self.edges(id, arrival);
        let end = successors.end.min(edges.len());
        for edge in edges.get(successors.start..end).unwrap_or_default() {
            visit(edge.target(), edge.arrival(), edge.cost());
        }
        end < edges.len()
    }

    const HAS_LANDMARKS: bool = true;

    fn goal_bounds(&self, goal: Point) -> Option<GoalBounds> {
        let (graph, bounds) = self.bounds.of(self)?;
        let costs = graph.header.rules.costs;
        Some(bounds.of_goal(&graph.scans, &graph.points, costs, goal))
    }

    #[inline]
    fn at_least(&self, id: u32, goal: &GoalBounds) -> Cost {
        match &self.bounds {
            Known::Own(bounds) => bounds.between(id, goal),
            Known::Nothing => 0,
            Known::Original { of, .. } => of.at_least_from(self, id, goal),
        }
    }
}

impl JumpGraph {
    /// What lies at least between a point of a graph that has followed its map since and a goal.
    #[inline]
    fn at_least_from(&self, other: &JumpGraph, id: u32, goal: &GoalBounds) -> Cost {
        let id = match !other.is_numbered_anew {
            true => Some(id),
            false => self.points.marked(other.points.point(id)),
        };
        match (&self.bounds, id) {
            (Known::Own(bounds), Some(id)) => bounds.between(id, goal),
            _ => 0,
        }
    }
}
