//! The corner graph: corners, joined where a walk of diagonal and straight steps meets no other corner.

use crate::cost::{Cost, CostPair, UNREACHED};
use crate::grid::Point;
use crate::grid::scan::{Scans, StopAt};
use crate::index::{BuildError, unless_cancelled};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::{NoProgress, Progress};
use crate::search::jps::JumpPoints;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A way to a neighbouring corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc {
    /// The neighbour's number.
    pub target: u32,
    /// What the walk costs.
    pub cost: Cost,
}

/// Corners and the arcs between them; every arc has its twin in the other direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CornerGraph {
    points: JumpPoints,
    first_arc: Vec<u32>,
    arcs: Vec<Arc>,
}

impl CornerGraph {
    /// The graph of a map, by scans that stop at every corner.
    ///
    /// An arc is kept only where both ends see each other, each by a walk that goes diagonally first: between corners with no
    /// shortest path over a third corner every order of steps is free, so no arc that matters is lost (see
    /// [`super`]), and every arc can be walked diagonally first from either end.
    pub fn new(map: &Map) -> CornerGraph {
        match CornerGraph::watched(map, &NoProgress) {
            Ok(graph) => graph,
            Err(_) => unreachable!("nobody cancels it"),
        }
    }

    /// The same, given up where whoever watches wants no more of it.
    pub(in crate::index) fn watched(
        map: &Map,
        progress: &dyn Progress,
    ) -> Result<CornerGraph, BuildError> {
        let scans = Scans::new(map.grid(), map.rules().corners, StopAt::Corners);
        unless_cancelled(progress)?;
        let points = JumpPoints::new(map.grid(), &scans);
        let costs = map.rules().costs;
        let corners: Vec<Point> = points.iter().collect();
        let seen = Rows::of(&corners, |&at, seen| {
            unless_cancelled(progress)?;
            let from = seen.len();
            scans.for_each_stop(at, scans.moves(at, None), |stop| {
                seen.push(points.id(stop.at));
            });
            seen[from..].sort_unstable();
            Ok(())
        })?;
        let ids: Vec<u32> = (0..points.len() as u32).collect();
        let arcs = Rows::of(&ids, |&id, arcs: &mut Vec<Arc>| {
            unless_cancelled(progress)?;
            let from = arcs.len();
            for &target in seen.row(id) {
                let twice = arcs[from..].last().is_some_and(|arc| arc.target == target);
                if !twice && seen.row(target).binary_search(&id).is_ok() {
                    let cost = walk_cost(costs, points.point(id), points.point(target));
                    arcs.push(Arc { target, cost });
                }
            }
            Ok(())
        })?;
        let (first_arc, arcs) = (arcs.first, arcs.all);
        Ok(CornerGraph {
            points,
            first_arc,
            arcs,
        })
    }

    /// How many corners.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no corner at all.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The corners.
    pub fn points(&self) -> &JumpPoints {
        &self.points
    }

    /// The ways from a corner, in the order of their targets.
    #[inline]
    pub fn arcs(&self, id: u32) -> &[Arc] {
        let id = id as usize;
        &self.arcs[self.first_arc[id] as usize..self.first_arc[id + 1] as usize]
    }

    /// The costs from all corners to one, [`UNREACHED`] where there is no way: by a search.
    pub(in crate::index) fn distances_from(&self, corner: u32) -> Vec<Cost> {
        let mut distances = vec![UNREACHED; self.len()];
        let mut open = BinaryHeap::from([Reverse((0, corner))]);
        distances[corner as usize] = 0;
        while let Some(Reverse((distance, corner))) = open.pop() {
            if distance > distances[corner as usize] {
                continue;
            }
            for arc in self.arcs(corner) {
                let cost = distance.saturating_add(arc.cost);
                if cost < distances[arc.target as usize] {
                    distances[arc.target as usize] = cost;
                    open.push(Reverse((cost, arc.target)));
                }
            }
        }
        distances
    }

    /// All arcs, twins included.
    pub(crate) fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.points.memory_bytes() + self.first_arc.len() * 4 + self.arcs.len() * size_of::<Arc>()
    }
}

/// A list for every corner, one after the other.
struct Rows<T> {
    /// By corner, and one more: where its list begins.
    first: Vec<u32>,
    all: Vec<T>,
}

/// Corners whose lists are made together.
const CORNERS_A_PIECE: usize = 512;

impl<T: Send> Rows<T> {
    /// What `add` puts behind the list of each item, on all threads.
    fn of<I: Sync>(
        items: &[I],
        add: impl Fn(&I, &mut Vec<T>) -> Result<(), BuildError> + Sync,
    ) -> Result<Rows<T>, BuildError> {
        let pieces = items.par_chunks(CORNERS_A_PIECE).map(|items| {
            let (mut ends, mut all) = (Vec::with_capacity(items.len()), Vec::new());
            for item in items {
                add(item, &mut all)?;
                ends.push(all.len() as u32);
            }
            Ok((ends, all))
        });
        let pieces: Vec<(Vec<u32>, Vec<T>)> = pieces.collect::<Result<_, BuildError>>()?;
        let mut first = Vec::with_capacity(items.len() + 1);
        first.push(0);
        let mut all = Vec::with_capacity(pieces.iter().map(|piece| piece.1.len()).sum());
        for (ends, mut piece) in pieces {
            let before = all.len() as u32;
            first.extend(ends.into_iter().map(|end| before + end));
            all.append(&mut piece);
        }
        Ok(Rows { first, all })
    }

    fn row(&self, id: u32) -> &[T] {
        let id = id as usize;
        &self.all[self.first[id] as usize..self.first[id + 1] as usize]
    }
}

/// The cost of a free walk.
#[inline]
pub(crate) fn walk_cost(costs: CostPair, from: Point, to: Point) -> Cost {
    let (dx, dy) = from.distances(to);
    costs.octile(dx, dy)
}
