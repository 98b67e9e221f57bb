//! The jump-point graph: every jump point of a map with its successors for each direction that it can be entered in.
//!
//! Built in milliseconds by the scans of [`crate::grid::scan`], searched by [`JumpSearch`](crate::search::jps::JumpSearch).
//! The idea is JPS+ (Harabor and Grastien 2014) carried to its end: where JPS+ keeps distances for every cell and direction
//! and still walks over diagonal jump points, here only cells with a forced turn remain, joined by edges that lead over
//! the diagonal cells between. Goals need no insertion: see [`crate::search::jps`].
//!
//! Building takes one scan of every line that leaves a jump point; memory is 40 bytes a point, 8 an edge, and the planes of the scans.

mod artifact;
mod repair;

pub use artifact::INDEX_TYPE;

use crate::artifact::Header;
use crate::cost::{Cost, CostPair};
use crate::grid::Direction;
use crate::grid::scan::Scans;
use crate::index::IndexKind;
use crate::map::Map;
use crate::search::jps::{JumpPoints, JumpSpace, jump_scans};

/// Jump points in a hundred passable cells above which A* on cells is the faster search.
///
/// Measured on noise of 300 x 300 cells, random pairs: at 24 jump points in a hundred cells the graph took 56 us and A* 72,
/// at 28 77 and 80, at 33 135 and 116. Maps of games have fewer than 10.
pub const MOST_PERCENT: u64 = 25;

/// A way from one jump point to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Edge {
    target: u32,
    cost_and_arrival: u32,
}

impl Edge {
    /// Costs keep 29 bits: a jump is no longer than the longest side of a map.
    fn new(target: u32, arrival: Direction, cost: Cost) -> Edge {
        Edge {
            target,
            cost_and_arrival: cost << 3 | arrival as u32,
        }
    }

    /// The number of the jump point it leads to.
    #[inline]
    pub fn target(self) -> u32 {
        self.target
    }

    /// The direction in which it enters that point.
    #[inline]
    pub fn arrival(self) -> Direction {
        Direction::from_number(self.cost_and_arrival as u8)
    }

    /// What it costs.
    #[inline]
    pub fn cost(self) -> Cost {
        self.cost_and_arrival >> 3
    }
}

/// All jump points of a map and the edges between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JumpGraph {
    header: Header,
    scans: Scans,
    points: JumpPoints,
    /// For (point, direction of arrival), `point * 8 + direction`: its first edge. One more entry ends the last.
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
    passable: u64,
    revision: u64,
}

impl JumpGraph {
    /// Builds the graph of a map.
    pub fn build(map: &Map) -> JumpGraph {
        let scans = jump_scans(map);
        let points = JumpPoints::new(map.grid(), &scans);
        let mut graph = JumpGraph {
            header: Header::of(IndexKind::Jump, map, Default::default()),
            first_edge: Vec::with_capacity(points.len() * 8 + 1),
            edges: Vec::new(),
            passable: map.grid().passable_count(),
            revision: map.grid().revision(),
            scans,
            points,
        };
        for id in 0..graph.points.len() as u32 {
            graph.derive_edges(id);
        }
        graph.first_edge.push(graph.edges.len() as u32);
        graph
    }

    /// Appends the edges of the next point.
    fn derive_edges(&mut self, id: u32) {
        let at = self.points.point(id);
        let stops = self.scans.stop_directions(at);
        let costs = self.header.rules.costs;
        for arrival in Direction::ALL {
            self.first_edge.push(self.edges.len() as u32);
            if !stops.contains(arrival) {
                continue;
            }
            let moves = self.scans.moves(at, Some(arrival));
            let (points, edges) = (&self.points, &mut self.edges);
            self.scans.for_each_stop(at, moves, |stop| {
                let cost = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
                edges.push(Edge::new(points.id(stop.at), stop.arrival, cost));
            });
        }
    }

    /// The jump points.
    pub fn points(&self) -> &JumpPoints {
        &self.points
    }

    /// The edges of a point entered in a direction.
    #[inline]
    pub fn edges(&self, id: u32, arrival: Direction) -> &[Edge] {
        let state = id as usize * 8 + arrival as usize;
        &self.edges[self.first_edge[state] as usize..self.first_edge[state + 1] as usize]
    }

    /// How many edges there are in all.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The revision of the map that the graph belongs to.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Is A* on cells the faster search? The rule: more than [`MOST_PERCENT`] jump points in a hundred passable cells.
    pub fn is_too_dense(&self) -> bool {
        self.points.len() as u64 * 100 > self.passable * MOST_PERCENT
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
}
