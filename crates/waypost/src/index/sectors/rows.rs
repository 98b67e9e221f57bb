//! Next hops for every pair of regions, as run-length rows.
//!
//! Row `r` says, for every target region, which edge of `r` begins a cheapest chain to it. Targets stand in a depth-first
//! order, in which those behind the same edge lie together; where several edges begin equally cheap chains all of them
//! are kept until a run is closed, so that runs grow as long as any one edge serves.

use super::graph::RegionGraph;
use crate::cost::{Cost, UNREACHED};
use crate::progress::Progress;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of edges: bit `s` for the region's edge number `s`.
type EdgeSet = u128;

/// Bits of a run that name the edge; the others name the first target of the run.
const SLOT_BITS: u32 = 7;
/// The most regions that rows can be written for.
pub const MOST_REGIONS: usize = 1 << (32 - SLOT_BITS);

/// Run-length rows in flat arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The column of each region.
    pub column: Vec<u32>,
    /// The first run of each row; one more entry closes the last.
    pub first: Vec<u32>,
    /// Runs: the first column, and the slot of the edge to take.
    pub runs: Vec<u32>,
}

impl Rows {
    /// One Dijkstra search a region, in parallel.
    pub fn build(graph: &RegionGraph, progress: &dyn Progress) -> Rows {
        let count = graph.first.len() - 1;
        let order = depth_first_order(graph);
        let mut column = vec![0; count];
        for (i, &region) in order.iter().enumerate() {
            column[region as usize] = i as u32;
        }
        progress.begin("next hops", count as u64);
        let rows: Vec<Vec<u32>> = (0..count as u32)
            .into_par_iter()
            .map_init(
                || HopSearch::new(count),
                |search, region| {
                    search.run(graph, region);
                    progress.advance(1);
                    encode(order.iter().map(|&target| search.first_hops(target)))
                },
            )
            .collect();
        let mut first = Vec::with_capacity(count + 1);
        first.push(0);
        let mut runs = Vec::with_capacity(rows.iter().map(Vec::len).sum());
        for row in rows {
            runs.extend_from_slice(&row);
            first.push(runs.len() as u32);
        }
        Rows {
            column,
            first,
            runs,
        }
    }
}

/// The edge to take in a row for a target column, and the number of runs looked at.
#[inline]
pub fn slot_in_row(row: &[u32], column: u32) -> (u32, u64) {
    // The last run that begins at or before the column.
    let key = column << SLOT_BITS | ((1 << SLOT_BITS) - 1);
    let at = row.partition_point(|&run| run <= key);
    let looks = u64::from(usize::BITS - row.len().leading_zeros());
    match at.checked_sub(1) {
        Some(i) => (row[i] & ((1 << SLOT_BITS) - 1), looks),
        None => (0, looks),
    }
}

fn encode(sets: impl Iterator<Item = EdgeSet>) -> Vec<u32> {
    let mut runs = Vec::new();
    let (mut start, mut open) = (0u32, EdgeSet::MAX);
    for (i, set) in sets.enumerate() {
        let both = open & set;
        if both == 0 {
            runs.push(start << SLOT_BITS | open.trailing_zeros());
            start = i as u32;
            open = set;
        } else {
            open = both;
        }
    }
    // A row whose every target may have any edge (a region with no edges) needs no run at all.
    if open != EdgeSet::MAX {
        runs.push(start << SLOT_BITS | open.trailing_zeros());
    }
    runs
}

/// The regions in depth-first order: cheapest edges first, components one after the other.
fn depth_first_order(graph: &RegionGraph) -> Vec<u32> {
    let count = graph.first.len() - 1;
    let mut seen = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let mut stack = Vec::new();
    for start in 0..count as u32 {
        stack.push(start);
        while let Some(region) = stack.pop() {
            if std::mem::replace(&mut seen[region as usize], true) {
                continue;
            }
            order.push(region);
            let edges: Vec<u32> = graph.edges(region).map(|(to, _)| to).collect();
            stack.extend(edges.iter().rev().filter(|&&to| !seen[to as usize]));
        }
    }
    order
}

/// Dijkstra's search that carries along the sets of first edges.
struct HopSearch {
    distance: Vec<Cost>,
    hops: Vec<EdgeSet>,
    touched: Vec<u32>,
    heap: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl HopSearch {
    fn new(count: usize) -> HopSearch {
        HopSearch {
            distance: vec![UNREACHED; count],
            hops: vec![0; count],
            touched: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    fn run(&mut self, graph: &RegionGraph, source: u32) {
        for region in self.touched.drain(..) {
            self.distance[region as usize] = UNREACHED;
        }
        self.distance[source as usize] = 0;
        self.touched.push(source);
        for (slot, (to, cost)) in graph.edges(source).enumerate() {
            self.relax(to, cost, 1 << slot);
        }
        while let Some(Reverse((distance, region))) = self.heap.pop() {
            if distance > self.distance[region as usize] {
                continue;
            }
            // Every set is complete here: all that could add to it lie nearer and have been popped.
            let hops = self.hops[region as usize];
            for (to, cost) in graph.edges(region) {
                self.relax(to, distance.saturating_add(cost), hops);
            }
        }
        self.hops[source as usize] = EdgeSet::MAX;
    }

    #[inline]
    fn relax(&mut self, to: u32, distance: Cost, hops: EdgeSet) {
        let known = &mut self.distance[to as usize];
        if distance < *known {
            if *known == UNREACHED {
                self.touched.push(to);
            }
            *known = distance;
            self.hops[to as usize] = hops;
            self.heap.push(Reverse((distance, to)));
        } else if distance == *known && distance != 0 {
            self.hops[to as usize] |= hops;
        }
    }

    /// Any edge does for the source itself and for what cannot be reached: components decide there.
    fn first_hops(&self, target: u32) -> EdgeSet {
        if self.distance[target as usize] == UNREACHED {
            EdgeSet::MAX
        } else {
            self.hops[target as usize]
        }
    }
}
