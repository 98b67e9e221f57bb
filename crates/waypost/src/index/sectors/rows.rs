//! Next hops for every pair of regions, as run-length rows.
//!
//! Row `r` says, for every target region `q`, an edge of `r` that begins a good chain to it. Targets stand in a
//! depth-first order, in which those behind the same edge lie together, and a run goes on as long as any one edge serves
//! all of its targets. An edge to `n` of cost `w` serves where `D(n, q) < D(r, q)`, so that chains come nearer with
//! every hop and end, and where `w + D(n, q) <= D(r, q) + slack * w`, so that a whole chain is at most `1 / (1 - slack)`
//! times the cheapest. A slack of a few per cent is lost in the windows' own shortcuts and saves most of the memory on
//! noisy maps, where many chains are nearly as good as the best.

use super::graph::RegionGraph;
use super::layout::Layout;
use crate::cost::{Cost, UNREACHED};
use crate::progress::Progress;
use rayon::prelude::*;

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

/// Costs from one region to all, in the order of columns.
type Distances = Vec<Cost>;

impl Rows {
    /// One Dijkstra search a region, a row of sectors at a time: a region's edges end at most one row of sectors away, so
    /// three rows of sectors are all the distances that are held at once.
    pub fn build(
        graph: &RegionGraph,
        layout: Layout,
        first_region: &[u32],
        slack_percent: u32,
        progress: &dyn Progress,
    ) -> Rows {
        let count = graph.first.len() - 1;
        let order = depth_first_order(graph);
        let mut column = vec![0; count];
        for (i, &region) in order.iter().enumerate() {
            column[region as usize] = i as u32;
        }
        let band = |row: u32| {
            let start = (row.min(layout.rows()) * layout.columns()) as usize;
            let end = ((row + 1).min(layout.rows()) * layout.columns()) as usize;
            first_region[start]..first_region[end]
        };
        let distances_of = |row: u32| -> Vec<Distances> {
            band(row)
                .into_par_iter()
                .map_init(
                    || DistanceSearch::new(graph),
                    |search, region| {
                        progress.advance(1);
                        search.run(graph, region);
                        order.iter().map(|&q| search.distance[q as usize]).collect()
                    },
                )
                .collect()
        };
        progress.begin("next hops", count as u64);
        let mut rows = Rows {
            column,
            first: vec![0],
            runs: Vec::new(),
        };
        let mut bands = [Vec::new(), Vec::new(), distances_of(0)];
        for row in 0..layout.rows() {
            bands.rotate_left(1);
            bands[2] = distances_of(row + 1);
            let begins = [
                band(row.max(1) - 1).start,
                band(row).start,
                band(row + 1).start,
            ];
            let of = |region: u32| -> &Distances {
                let at = begins.iter().rposition(|&b| region >= b).unwrap_or(0);
                // The first row of sectors has none above it: its own band begins where that one would.
                let at = if row == 0 && at == 0 { 1 } else { at };
                &bands[at][(region - begins[at]) as usize]
            };
            let encoded: Vec<Vec<u32>> = band(row)
                .into_par_iter()
                .map(|region| encode(&serving_edges(graph, region, slack_percent, of)))
                .collect();
            for row in encoded {
                rows.runs.extend_from_slice(&row);
                rows.first.push(rows.runs.len() as u32);
            }
        }
        rows
    }
}

/// For each target column, the edges of a region that serve; all where any does, at the region itself and at what cannot
/// be reached: components decide there.
fn serving_edges<'a>(
    graph: &RegionGraph,
    region: u32,
    slack_percent: u32,
    of: impl Fn(u32) -> &'a Distances,
) -> Vec<EdgeSet> {
    let own = of(region);
    let mut sets = vec![0; own.len()];
    for (slot, (next, cost)) in graph.edges(region).enumerate() {
        let bound = cost - (u64::from(cost) * u64::from(slack_percent) / 100) as Cost;
        for ((set, &from_here), &from_next) in sets.iter_mut().zip(own).zip(of(next)) {
            let serves = from_next < from_here && from_next.saturating_add(bound) <= from_here;
            *set |= EdgeSet::from(serves) << slot;
        }
    }
    for (set, &distance) in sets.iter_mut().zip(own) {
        if distance == 0 || distance == UNREACHED {
            *set = EdgeSet::MAX;
        }
    }
    sets
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

/// Greedy runs: each goes on while some edge serves all of its targets. For a given order no encoding has fewer.
fn encode(sets: &[EdgeSet]) -> Vec<u32> {
    let mut runs = Vec::new();
    let (mut start, mut open) = (0u32, EdgeSet::MAX);
    for (i, &set) in sets.iter().enumerate() {
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

/// Dijkstra's search on the region graph. Buckets are as wide as the cheapest edge, so no edge leads from a bucket into
/// the same one and its members may be expanded in any order.
struct DistanceSearch {
    distance: Vec<Cost>,
    buckets: Vec<Vec<u32>>,
    width: Cost,
}

impl DistanceSearch {
    fn new(graph: &RegionGraph) -> DistanceSearch {
        let width = graph.cost.iter().copied().min().unwrap_or(1).max(1);
        let longest = graph.cost.iter().copied().max().unwrap_or(1);
        DistanceSearch {
            distance: vec![UNREACHED; graph.first.len() - 1],
            buckets: vec![Vec::new(); (longest / width) as usize + 2],
            width,
        }
    }

    fn run(&mut self, graph: &RegionGraph, source: u32) {
        self.distance.fill(UNREACHED);
        self.distance[source as usize] = 0;
        let slots = self.buckets.len();
        self.buckets[0].push(source);
        let (mut waiting, mut level) = (1, 0u64);
        while waiting > 0 {
            let slot = (level % slots as u64) as usize;
            let mut members = std::mem::take(&mut self.buckets[slot]);
            waiting -= members.len();
            for region in members.drain(..) {
                let distance = self.distance[region as usize];
                // Left behind when the region was found to be nearer.
                if u64::from(distance / self.width) != level {
                    continue;
                }
                for (to, cost) in graph.edges(region) {
                    let farther = distance.saturating_add(cost);
                    if farther < self.distance[to as usize] {
                        self.distance[to as usize] = farther;
                        self.buckets[(farther / self.width) as usize % slots].push(to);
                        waiting += 1;
                    }
                }
            }
            self.buckets[slot] = members;
            level += 1;
        }
    }
}
