//! Lower bounds between corners, from their distances to a few of them that lie far apart: the landmarks (Goldberg, Harrelson
//! 2005). They rule most of the corners at the ends of a query out before their lists are read.

use super::ends::End;
use super::graph::CornerGraph;
use super::lists::Lists;
use super::table::HubCosts;
use crate::cost::{Cost, UNREACHED};
use crate::parallel::prelude::*;

/// This many distances of 16 bits are one register.
const LANDMARKS: usize = 8;
/// Distances to the landmarks, in units of `1 << shift`, rounded down.
type Distances = [u16; LANDMARKS];

/// The distances of every corner to the landmarks. Where a landmark cannot be reached from a corner, 0: two corners
/// that are joined have then both 0.
#[derive(Clone, Debug)]
pub struct CornerBounds {
    shift: u32,
    by_corner: Vec<Distances>,
    /// The landmarks themselves.
    landmarks: [Option<u32>; LANDMARKS],
}

impl CornerBounds {
    /// Distances from the labels, or from the graph where not every corner is a hub. The first landmark is the corner farthest from
    /// the first hub, each next one that farthest from all before it.
    pub fn new(graph: &CornerGraph, lists: &Lists, hubs: usize) -> CornerBounds {
        let corners = graph.len();
        let mut nearest = vec![Cost::MAX; corners];
        let mut all = vec![[0; LANDMARKS]; corners];
        let mut landmarks = [None; LANDMARKS];
        let first_hub = (0..corners as u32).find(|&corner| {
            let hub = lists.view().hubs(corner).next();
            hub == Some((0, 0))
        });
        let mut landmark = first_hub;
        for i in 0..=LANDMARKS {
            let Some(from) = landmark else { break };
            let distances = match hubs == corners {
                true => distances_by_labels(lists, corners, from),
                false => graph.distances_from(from),
            };
            if i > 0 {
                landmarks[i - 1] = landmark;
            }
            for (corner, &distance) in distances.iter().enumerate() {
                nearest[corner] = nearest[corner].min(distance);
                // The first hub is in the middle of things: not a landmark, only where the choice begins.
                if i > 0 && distance != UNREACHED {
                    all[corner][i - 1] = distance;
                }
            }
            let reached = (0..corners).filter(|&corner| distances[corner] != UNREACHED);
            landmark = reached
                .max_by_key(|&corner| (nearest[corner], std::cmp::Reverse(corner)))
                .map(|corner| corner as u32);
        }
        let farthest = all.iter().flatten().copied().max().unwrap_or(0);
        let shift = (Cost::BITS - farthest.leading_zeros()).saturating_sub(u16::BITS - 1);
        CornerBounds {
            shift,
            landmarks,
            by_corner: all
                .into_iter()
                .map(|distances: [Cost; LANDMARKS]| distances.map(|d| (d >> shift) as u16))
                .collect(),
        }
    }

    /// Raises the bounds of the corners at both ends of a query, for paths that lead over a corner of either.
    pub fn tighten(&self, sources: &mut [End], targets: &mut [End]) {
        let (from, to) = (self.range(sources), self.range(targets));
        self.raise(sources, to);
        self.raise(targets, from);
    }

    /// What lies between the landmarks and an end whose paths lead over one of these corners.
    fn range(&self, ends: &[End]) -> Range {
        let mut range = Range {
            most: [0; LANDMARKS],
            least: [u16::MAX; LANDMARKS],
        };
        for end in ends {
            let walk = (end.walk >> self.shift).min(u32::from(u16::MAX)) as u16;
            let distances = &self.by_corner[end.corner as usize];
            for (i, &distance) in distances.iter().enumerate() {
                let (most, least) = (&mut range.most[i], &mut range.least[i]);
                *most = (*most).max((distance + 1).saturating_sub(walk));
                *least = (*least).min(distance.saturating_add(walk));
            }
        }
        range
    }

    fn raise(&self, ends: &mut [End], other: Range) {
        for end in ends {
            let distances = &self.by_corner[end.corner as usize];
            let mut between = 0;
            for (i, &distance) in distances.iter().enumerate() {
                let beyond = distance.saturating_sub(other.most[i]);
                let before = other.least[i].saturating_sub(distance + 1);
                between = between.max(beyond.max(before));
            }
            let bound = end.walk.saturating_add(u32::from(between) << self.shift);
            end.bound = end.bound.max(bound);
        }
    }

    /// How far a goal is from the landmarks, by the corners that it sees. `sees_goal` says of a landmark whether its direct walk to the goal is
    /// free, which no corner in between shows.
    pub fn distances_of(&self, goal: &[End], sees_goal: impl Fn(u32) -> bool) -> GoalBounds {
        let mut bounds = GoalBounds {
            most: [u16::MAX; LANDMARKS],
            least: [0; LANDMARKS],
        };
        for i in 0..LANDMARKS {
            let is_known = |end: &&End| self.by_corner[end.corner as usize][i] > 0;
            let distances = goal.iter().filter(is_known).map(|end| {
                let walk = (end.walk >> self.shift).min(u32::from(u16::MAX)) as u16;
                self.by_corner[end.corner as usize][i].saturating_add(walk)
            });
            let Some(distance) = distances.min() else {
                continue;
            };
            // Two numbers that were rounded down.
            bounds.most[i] = distance.saturating_add(2);
            let all_known = goal.iter().filter(is_known).count() == goal.len();
            if all_known && self.landmarks[i].is_some_and(|landmark| !sees_goal(landmark)) {
                bounds.least[i] = distance;
            }
        }
        bounds
    }

    /// What lies at least between a corner and a goal.
    #[inline]
    pub fn between(&self, corner: u32, goal: &GoalBounds) -> Cost {
        let mut between = 0;
        for (i, &distance) in self.by_corner[corner as usize].iter().enumerate() {
            let beyond = distance.saturating_sub(goal.most[i]);
            let before = goal.least[i].saturating_sub(distance + 1);
            between = between.max(beyond.max(before));
        }
        Cost::from(between) << self.shift
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> usize {
        self.by_corner.len() * size_of::<Distances>()
    }
}

/// How far a goal is from each landmark: less than `most`, not less than `least`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoalBounds {
    most: Distances,
    least: Distances,
}

/// Per landmark: every path from it to the end is at least `least` long, and to every corner of the end it is less than
/// `most` farther than the walk from that corner to the end is long.
#[derive(Clone, Copy)]
struct Range {
    most: Distances,
    least: Distances,
}

/// The distances of all corners to one.
fn distances_by_labels(lists: &Lists, corners: usize, from: u32) -> Vec<Cost> {
    let mut costs = HubCosts::default();
    costs.renew(corners);
    costs.lay_out(lists.view(), from, 0);
    (0..corners as u32)
        .into_par_iter()
        .with_min_len(256)
        .map(|corner| costs.least(lists.view(), corner).min(u64::from(UNREACHED)) as Cost)
        .collect()
}
