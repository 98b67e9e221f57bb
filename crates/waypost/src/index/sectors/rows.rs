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
use std::ops::Range;

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
    /// The component of the region graph that each region is in.
    pub component: Vec<u32>,
    /// The first run of each row; one more entry closes the last.
    pub first: Vec<u32>,
    /// Runs: the first column, and the slot of the edge to take.
    pub runs: Vec<u32>,
}

/// Costs from one region to all, in the order of columns.
type Distances = Vec<Cost>;

/// Writes rows, one row of sectors after the other: a region's edges end at most one row of sectors away, so three rows
/// of sectors are all the distances that are held at once. A build takes every step in parallel, a repair some at a time.
#[derive(Clone, Debug)]
pub struct RowBuilder {
    graph: RegionGraph,
    /// The first region of each row of sectors; one more entry closes the last.
    bands: Vec<u32>,
    order: Vec<u32>,
    slack_percent: u32,
    rows: Rows,
    /// Distances from the regions of three rows of sectors; the middle one is being written.
    held: [Vec<Distances>; 3],
    phase: Phase,
}

/// A band of regions is searched from, or its rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Search { band: usize },
    Write { band: usize },
}

impl RowBuilder {
    /// Rows for a region graph, none of them written yet.
    pub fn new(
        graph: RegionGraph,
        layout: Layout,
        first_region: &[u32],
        slack_percent: u32,
    ) -> RowBuilder {
        let (order, component) = depth_first_order(&graph);
        let mut column = vec![0; order.len()];
        for (i, &region) in order.iter().enumerate() {
            column[region as usize] = i as u32;
        }
        let bands = (0..=layout.rows())
            .map(|row| first_region[(row * layout.columns()) as usize])
            .collect();
        RowBuilder {
            graph,
            bands,
            order,
            slack_percent,
            rows: Rows {
                column,
                component,
                first: vec![0],
                runs: Vec::new(),
            },
            held: [Vec::new(), Vec::new(), Vec::new()],
            phase: Phase::Search { band: 0 },
        }
    }

    /// One Dijkstra search and one row a region, in parallel.
    pub fn run(&mut self, progress: &dyn Progress) {
        progress.begin("next hops", 2 * self.order.len() as u64);
        while let Some(todo) = self.todo() {
            match self.phase {
                Phase::Search { .. } => {
                    let graph = &self.graph;
                    let found: Vec<Distances> = todo
                        .into_par_iter()
                        .map_init(
                            || DistanceSearch::new(graph),
                            |search, region| {
                                progress.advance(1);
                                self.distances(search, region)
                            },
                        )
                        .collect();
                    self.held[2].extend(found);
                }
                Phase::Write { .. } => {
                    let written: Vec<Vec<u32>> = todo
                        .into_par_iter()
                        .map(|region| {
                            progress.advance(1);
                            self.row(region)
                        })
                        .collect();
                    written.iter().for_each(|row| self.rows.append(row));
                }
            }
        }
    }

    /// Takes at most `steps` steps, each a search from a region or the writing of its row; false once all are done.
    pub fn advance(&mut self, steps: usize) -> bool {
        let mut search = DistanceSearch::new(&self.graph);
        for _ in 0..steps {
            let Some(region) = self.todo().map(|todo| todo.start) else {
                return false;
            };
            match self.phase {
                Phase::Search { .. } => {
                    let distances = self.distances(&mut search, region);
                    self.held[2].push(distances);
                }
                Phase::Write { .. } => {
                    let row = self.row(region);
                    self.rows.append(&row);
                }
            }
        }
        self.todo().is_some()
    }

    /// The graph and its rows.
    pub fn finish(self) -> (RegionGraph, Rows) {
        (self.graph, self.rows)
    }

    /// The regions that are left in this phase, or in the next one that has any; `None` once all is done.
    fn todo(&mut self) -> Option<Range<u32>> {
        let last = self.bands.len() - 2;
        loop {
            let (todo, next) = match self.phase {
                Phase::Search { band } => {
                    let range = self.band(band);
                    let begin = range.start + self.held[2].len() as u32;
                    (
                        begin..range.end,
                        Phase::Write {
                            band: band.saturating_sub(1),
                        },
                    )
                }
                Phase::Write { band } => {
                    let begin = self.rows.first.len() as u32 - 1;
                    (begin..self.band(band).end, Phase::Search { band: band + 2 })
                }
            };
            if !todo.is_empty() {
                return Some(todo);
            }
            match self.phase {
                // The first band is written once the second has been searched from.
                Phase::Search { band: 0 } => self.phase = Phase::Search { band: 1 },
                Phase::Write { band } if band >= last => return None,
                _ => self.phase = next,
            }
            if matches!(self.phase, Phase::Search { .. }) {
                self.held.rotate_left(1);
                self.held[2].clear();
            }
        }
    }

    fn band(&self, band: usize) -> Range<u32> {
        let at = |i: usize| self.bands[i.min(self.bands.len() - 1)];
        at(band)..at(band + 1)
    }

    fn distances(&self, search: &mut DistanceSearch, region: u32) -> Distances {
        search.run(&self.graph, region);
        let of = |&target: &u32| search.distance[target as usize];
        self.order.iter().map(of).collect()
    }

    /// The distances held for a region of the band being written or a band beside it.
    fn held(&self, region: u32) -> &Distances {
        let Phase::Write { band } = self.phase else {
            unreachable!("rows are written in the writing phase alone");
        };
        let middle = self.band(band);
        if region < middle.start {
            &self.held[0][(region - self.band(band - 1).start) as usize]
        } else if region < middle.end {
            &self.held[1][(region - middle.start) as usize]
        } else {
            &self.held[2][(region - middle.end) as usize]
        }
    }

    fn row(&self, region: u32) -> Vec<u32> {
        encode(&serving_edges(
            &self.graph,
            region,
            self.slack_percent,
            |r| self.held(r),
        ))
    }
}

impl Rows {
    fn append(&mut self, row: &[u32]) {
        self.runs.extend_from_slice(row);
        self.first.push(self.runs.len() as u32);
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

/// The regions in depth-first order, cheapest edges first, components one after the other; and the component of each.
fn depth_first_order(graph: &RegionGraph) -> (Vec<u32>, Vec<u32>) {
    let count = graph.first.len() - 1;
    let mut component = vec![u32::MAX; count];
    let mut order = Vec::with_capacity(count);
    let mut stack = Vec::new();
    for start in 0..count as u32 {
        stack.push(start);
        while let Some(region) = stack.pop() {
            if component[region as usize] != u32::MAX {
                continue;
            }
            component[region as usize] = start;
            order.push(region);
            let edges: Vec<u32> = graph.edges(region).map(|(to, _)| to).collect();
            let new = |to: &&u32| component[**to as usize] == u32::MAX;
            stack.extend(edges.iter().rev().filter(new));
        }
    }
    (order, component)
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
