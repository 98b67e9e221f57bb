//! Lower bounds on the ways to a goal, by the distances of jump points to a few landmarks that lie far apart (Goldberg, Harrelson 2005): no way between
//! two points is shorter than their distances to any landmark differ.
//!
//! A point has 32 distances of 16 bits side by side, a line of a cache, so that a bound is two dozen instructions on vectors of
//! any processor. They are rounded down to a unit that the largest of them fits; bounds take that into account and are never too large, but a
//! bound may be less than that of the point before it, less the way between them: searches open points again where that matters.
//!
//! Distances are those of the corner graph, which are exact ([`CornerGraph`]): jump points know their successors only for the directions that they are entered in.
//!
//! **On a changed map** they are lower bounds still as long as only walls have gone up: the copy of a graph that follows the map asks the graph that it is a
//! copy of, whose scans and distances are those of the map before ([`Known::Original`]). A way that has opened may be shorter than any bound: where a cell
//! is open that was a wall, nothing is known, until it is closed again or the index is built again. So what is known follows from the index and the
//! map as it is, not from what happened in between.

use super::JumpGraph;
use crate::cost::{Cost, CostPair, UNREACHED};
use crate::grid::scan::Scans;
use crate::grid::{Cell, Point};
use crate::index::labels::graph::{CornerGraph, walk_cost};
use crate::map::Map;
use crate::search::jps::{GoalBounds, JumpPoints, LANDMARKS};
use std::sync::Arc;

/// The distances of a point to the landmarks, in units; 0 where a landmark cannot be reached.
type Distances = [u16; LANDMARKS];

/// What a graph knows of the distances to landmarks.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Nothing,
    /// Those of its own points.
    Own(PointBounds),
    /// What the graph knows that it is a copy of.
    Original {
        of: Arc<JumpGraph>,
        /// So many cells are open that were walls then, on the map with this fingerprint.
        opened: u64,
        counted_on: u64,
    },
}

impl Known {
    /// What a graph knows, for a copy of it; of a copy, what the first of all knows.
    pub fn of_original(graph: &Arc<JumpGraph>) -> Known {
        match &graph.bounds {
            Known::Own(_) => Known::Original {
                of: graph.clone(),
                opened: 0,
                counted_on: graph.state,
            },
            known => known.clone(),
        }
    }

    /// The graph that knows, and what; `None` where nothing is known for certain.
    pub fn of<'a>(&'a self, graph: &'a JumpGraph) -> Option<(&'a JumpGraph, &'a PointBounds)> {
        match self {
            Known::Own(bounds) => Some((graph, bounds)),
            Known::Original { of, opened: 0, .. } => of.bounds.of(of),
            _ => None,
        }
    }

    /// Counts what is open on a map that was a wall.
    pub fn count_openings(&mut self, map: &Map) {
        match self {
            Known::Nothing => {}
            Known::Own(_) => *self = Known::Nothing,
            // Another map altogether.
            Known::Original { of, .. } if !of.scans.fit(map.grid(), map.rules().corners) => {
                *self = Known::Nothing
            }
            Known::Original {
                of,
                opened,
                counted_on,
            } => {
                let words = map.grid().words().len();
                *opened = of.scans.walls_open_in(map.grid(), 0..words);
                *counted_on = map.fingerprint();
            }
        }
    }

    /// Follows a map that has changed.
    pub fn follow(&mut self, map: &Map) {
        let Known::Original {
            of,
            opened,
            counted_on,
        } = self
        else {
            return self.count_openings(map);
        };
        if *counted_on == map.fingerprint() {
            return;
        }
        let walls = |cells: &[Cell]| {
            let is_wall = |&&cell: &&Cell| !of.scans.is_passable(map.grid().point(cell));
            cells.iter().filter(is_wall).count() as u64
        };
        let patches = map.few_patches_since(*counted_on, MAX_COUNTED);
        let counted = patches.and_then(|mut all| {
            all.try_fold(*opened, |opened, patch| {
                (opened + walls(&patch.opened)).checked_sub(walls(&patch.blocked))
            })
        });
        match counted {
            Some(counted) => (*opened, *counted_on) = (counted, map.fingerprint()),
            None => self.count_openings(map),
        }
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Known::Own(bounds) => bounds.by_point.len() * size_of::<Distances>(),
            _ => 0,
        }
    }
}

/// Changed cells that are counted one by one.
const MAX_COUNTED: usize = 1024;

/// The distances of all jump points to the landmarks.
#[derive(Clone, Debug)]
pub(super) struct PointBounds {
    /// Distances are in units of `1 << shift`.
    shift: u32,
    by_point: Vec<Distances>,
    landmarks: Vec<Point>,
}

impl PointBounds {
    /// Measures the distances of the jump points of a map; `None` where there is nothing to measure.
    pub fn measure(map: &Map, points: &JumpPoints) -> Option<PointBounds> {
        let graph = CornerGraph::new(map);
        let corners: Vec<u32> = points
            .iter()
            .map(|at| graph.points().marked(at).unwrap_or(u32::MAX))
            .collect();
        let mut nearest = vec![Cost::MAX; graph.len()];
        let mut rows = vec![[0; LANDMARKS]; points.len()];
        let mut landmarks = Vec::with_capacity(LANDMARKS);
        let mut landmark = busiest_corner(map, &graph)?;
        for i in 0..=LANDMARKS {
            let distances = graph.distances_from(landmark);
            // The first corner is anywhere: not a landmark, only where the choice begins.
            if i > 0 {
                landmarks.push(graph.points().point(landmark));
                for (row, &corner) in rows.iter_mut().zip(&corners) {
                    let distance = distances.get(corner as usize);
                    let distance = distance.copied().unwrap_or(UNREACHED);
                    row[i - 1] = if distance == UNREACHED { 0 } else { distance };
                }
            }
            let reached = (0..graph.len()).filter(|&corner| distances[corner] != UNREACHED);
            let farthest = reached.max_by_key(|&corner| {
                nearest[corner] = nearest[corner].min(distances[corner]);
                (nearest[corner], std::cmp::Reverse(corner))
            });
            landmark = farthest? as u32;
        }
        let farthest = rows.iter().flatten().copied().max().unwrap_or(0);
        let shift = (Cost::BITS - farthest.leading_zeros()).saturating_sub(u16::BITS - 1);
        let by_point = rows
            .into_iter()
            .map(|row: [Cost; LANDMARKS]| row.map(|distance| (distance >> shift) as u16))
            .collect();
        Some(PointBounds {
            shift,
            by_point,
            landmarks,
        })
    }

    /// How far a goal is from the landmarks, by the points that it sees.
    pub fn of_goal(
        &self,
        scans: &Scans,
        points: &JumpPoints,
        costs: CostPair,
        goal: Point,
    ) -> GoalBounds {
        // The least sums of distances and walks, both rounded down: at most two units too small.
        let mut least = [u16::MAX; LANDMARKS];
        let mut see = |id: u32, walk: Cost| {
            let walk = units(walk, self.shift);
            for (least, &distance) in least.iter_mut().zip(&self.by_point[id as usize]) {
                // 0 where the landmark cannot be reached, and at the landmark itself.
                let over = if distance == 0 {
                    u16::MAX
                } else {
                    distance.saturating_add(walk)
                };
                *least = (*least).min(over);
            }
        };
        match points.marked(goal) {
            Some(id) => see(id, 0),
            None => scans.for_each_stop(goal, scans.moves(goal, None), |stop| {
                let walk = stop.diagonal * costs.diagonal() + stop.straight * costs.straight();
                see(points.id(stop.at), walk);
            }),
        }
        let mut bounds = GoalBounds {
            shift: self.shift,
            most: least.map(|distance| distance.saturating_add(2)),
            before: [0; LANDMARKS],
        };
        for (i, &landmark) in self.landmarks.iter().enumerate() {
            // A goal that a landmark sees may be nearer to it than over any point.
            let direct = match scans.walk_is_free(goal, landmark) {
                true => units(walk_cost(costs, goal, landmark), self.shift),
                false => u16::MAX,
            };
            let nearest = least[i].min(direct);
            if nearest != u16::MAX {
                bounds.before[i] = nearest.saturating_sub(1);
            }
        }
        bounds
    }

    /// What lies at least between a point and a goal.
    #[inline]
    pub fn between(&self, id: u32, goal: &GoalBounds) -> Cost {
        goal.between(&self.by_point[id as usize])
    }
}

/// A cost in units, rounded down.
fn units(cost: Cost, shift: u32) -> u16 {
    (cost >> shift).min(Cost::from(u16::MAX)) as u16
}

/// A corner of the component that has most of them.
fn busiest_corner(map: &Map, graph: &CornerGraph) -> Option<u32> {
    let component_of = |corner: u32| {
        let cell = map.grid().cell(graph.points().point(corner))?;
        map.components().of(cell)
    };
    let mut counts = std::collections::BTreeMap::new();
    for corner in 0..graph.len() as u32 {
        let entry = counts
            .entry(component_of(corner)?)
            .or_insert((0u32, corner));
        entry.0 += 1;
    }
    let busiest = counts
        .into_values()
        .max_by_key(|&(count, corner)| (count, std::cmp::Reverse(corner)));
    busiest.map(|(_, corner)| corner)
}
