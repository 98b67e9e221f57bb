//! The corners that are no hubs, where labels were to fit a given memory: a search between them for the paths that no hub lies on.
//!
//! Labels of the first hubs give the cheapest path over any of them. What is cheaper leads from corner to corner without one,
//! and is found by A* on the corner graph without the hubs. It goes no further than where a lower bound, the octile distance or the
//! landmarks', says that nothing cheaper lies beyond. The order is that of the octile distance, which is consistent: a corner is
//! gone on from at most once.

use super::CornerLabels;
use super::FOLLOWED;
use super::bounds::GoalBounds;
use super::ends::End;
use super::graph::{CornerGraph, walk_cost};
use crate::cost::Cost;
use crate::grid::Point;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which corners are no hubs; none where all corners are hubs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// A bit for every corner.
    bits: Vec<u64>,
}

/// Operations of an arc that is looked at: the corner beyond is read, and perhaps two bounds and the queue.
const ARC: u64 = 4;

impl Rest {
    /// All corners but these hubs.
    pub fn of(graph: &CornerGraph, hubs: &[u32]) -> Rest {
        if hubs.len() == graph.len() {
            return Rest { bits: Vec::new() };
        }
        let mut bits = vec![u64::MAX; graph.len().div_ceil(64)];
        for &hub in hubs {
            bits[hub as usize / 64] &= !(1 << (hub % 64));
        }
        Rest { bits }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Whether a corner is no hub.
    #[inline]
    fn has(&self, corner: u32) -> bool {
        self.bits[corner as usize / 64] >> (corner % 64) & 1 != 0
    }

    /// What a search takes at most.
    pub fn operations_bound(&self, graph: &CornerGraph) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let corners = (0..graph.len() as u32).filter(|&corner| self.has(corner));
        corners
            .map(|corner| FOLLOWED + ARC * graph.arcs(corner).len() as u64)
            .sum()
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.bits.len() * 8
    }
}

const NONE: u32 = u32::MAX;

/// What a search knows of a corner.
#[derive(Clone, Copy, Debug)]
struct Known {
    cost: Cost,
    /// The corner before it; itself at the start.
    before: u32,
    /// The end of the target that it is, if it is one.
    target: u32,
    /// The octile distance from it to the target's point.
    octile: Cost,
    /// What lies at least between the two; the most there is where that is not known yet.
    ahead: Cost,
    is_done: bool,
}

const UNKNOWN: Known = Known {
    cost: Cost::MAX,
    before: NONE,
    target: NONE,
    octile: 0,
    ahead: Cost::MAX,
    is_done: false,
};

/// Memory of searches.
#[derive(Clone, Debug, Default)]
pub struct RestSearch {
    known: Vec<Known>,
    touched: Vec<u32>,
    open: BinaryHeap<Reverse<u64>>,
    /// The corners of the path found last.
    corners: Vec<Point>,
}

/// What a search is for.
pub struct Question<'a> {
    /// The target's point.
    pub to: Point,
    /// The corners at the start and at the target, with their numbers.
    pub sources: &'a [End],
    pub targets: &'a [End],
    /// What lies at least between a corner and the target.
    pub bounds: GoalBounds,
    /// Only cheaper paths are wanted.
    pub below: u64,
}

impl RestSearch {
    /// Makes room for searches between this many corners, over this many arcs from them and from the ends.
    pub fn reserve(&mut self, corners: usize, arcs: usize) {
        if self.known.len() < corners {
            self.known.resize(corners, UNKNOWN);
        }
        self.touched.reserve(2 * corners);
        self.open.reserve(arcs);
        self.corners.reserve(corners);
    }

    /// The corners of the path found last, first to last.
    pub fn corners(&self) -> &[Point] {
        &self.corners
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> usize {
        self.known.capacity() * size_of::<Known>()
            + self.touched.capacity() * 4
            + self.open.capacity() * 8
            + self.corners.capacity() * size_of::<Point>()
    }

    /// The cost of the cheapest path over no hub, if it is below what is asked for; its corners are kept. Adds its operations up.
    pub fn find(
        &mut self,
        index: &CornerLabels,
        question: &Question,
        operations: &mut u64,
    ) -> Option<u64> {
        let (graph, rest) = (&index.graph, &index.rest);
        if self.known.len() < graph.len() {
            self.known.resize(graph.len(), UNKNOWN);
        }
        for (number, end) in question.targets.iter().enumerate() {
            self.touched.push(end.corner);
            self.known[end.corner as usize].target = number as u32;
        }
        for end in question.sources {
            if rest.has(end.corner) {
                self.reach(
                    index,
                    question,
                    question.below,
                    end.corner,
                    end.walk,
                    end.corner,
                );
            }
        }
        let (mut below, mut last) = (question.below, None);
        while let Some(Reverse(entry)) = self.open.pop() {
            let (key, corner) = (entry >> 32, entry as u32);
            if key >= below {
                break;
            }
            let known = &mut self.known[corner as usize];
            if std::mem::replace(&mut known.is_done, true) {
                continue;
            }
            let Known { cost, target, .. } = *known;
            let arcs = graph.arcs(corner);
            *operations += FOLLOWED + ARC * arcs.len() as u64;
            if let Some(end) = question.targets.get(target as usize) {
                let whole = u64::from(cost) + u64::from(end.walk);
                if whole < below {
                    (below, last) = (whole, Some(corner));
                }
            }
            for arc in arcs.iter().filter(|arc| rest.has(arc.target)) {
                let cost = cost.saturating_add(arc.cost);
                self.reach(index, question, below, arc.target, cost, corner);
            }
        }
        if let Some(last) = last {
            self.keep_path(graph, last);
        }
        self.open.clear();
        for corner in self.touched.drain(..) {
            self.known[corner as usize] = UNKNOWN;
        }
        last.map(|_| below)
    }

    #[inline]
    fn reach(
        &mut self,
        index: &CornerLabels,
        question: &Question,
        below: u64,
        corner: u32,
        cost: Cost,
        before: u32,
    ) {
        let known = &mut self.known[corner as usize];
        if cost >= known.cost {
            return;
        }
        // A corner of many arcs is seen from many others: the bounds are looked up once.
        if known.ahead == Cost::MAX {
            self.touched.push(corner);
            let at = index.graph.points().point(corner);
            known.octile = walk_cost(index.costs(), at, question.to);
            let between = index.bounds.between(corner, &question.bounds);
            known.ahead = known.octile.max(between);
        }
        if u64::from(cost) + u64::from(known.ahead) >= below {
            return;
        }
        (known.cost, known.before) = (cost, before);
        let key = u64::from(cost) + u64::from(known.octile);
        self.open.push(Reverse(key << 32 | u64::from(corner)));
    }

    fn keep_path(&mut self, graph: &CornerGraph, last: u32) {
        self.corners.clear();
        let mut corner = last;
        loop {
            self.corners.push(graph.points().point(corner));
            let before = self.known[corner as usize].before;
            if before == corner {
                break;
            }
            corner = before;
        }
        self.corners.reverse();
    }
}
