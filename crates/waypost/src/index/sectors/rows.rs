//! Next hops for every pair of regions, as run-length rows.
//!
//! Row `r` says, for every target region `q`, an edge of `r` that begins a good chain to it. Targets stand in a
//! depth-first order, in which those behind the same edge lie together, and a run goes on as long as any one edge serves
//! all of its targets. An edge to `n` of cost `w` serves where `D(n, q) < D(r, q)`, so that chains come nearer with
//! every hop and end, and where `w + D(n, q) <= D(r, q) + slack * w`, so that a whole chain is at most `1 / (1 - slack)`
//! times the cheapest. A slack of a few per cent is lost in the windows' own shortcuts and saves most of the memory on
//! noisy maps, where many chains are nearly as good as the best.
//!
//! Rows are written one row of sectors after the other: a region's edges end at most one row of sectors away, so three rows of
//! sectors are all the distances that are held at once. A build does every search and every row in parallel; a repair stops
//! anywhere, in the middle of a search or of a row, and goes on the next tick. Rows that a repair knows to be as they
//! were are copied, and not searched for.

use super::allowance::Allowance;
use super::distances::DistanceSearch;
use super::graph::RegionGraph;
use super::layout::Layout;
use super::order::DepthFirst;
use super::row::{BLOCK, CHUNK, Chunks, EdgeSet, KeptRow, OpenRow};
use crate::cost::{Cost, UNREACHED};
use crate::index::{BuildError, unless_cancelled};
use crate::parallel::prelude::*;
use crate::progress::Progress;
use std::ops::Range;

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

/// Costs from one region to all that it may reach, in the order of columns ([`DepthFirst::columns_from`]).
type Distances = Vec<Cost>;

/// Writes the rows of a region graph.
#[derive(Clone, Debug)]
pub struct RowBuilder {
    graph: RegionGraph,
    walk: DepthFirst,
    /// The first region of each row of sectors; one more entry closes the last.
    bands: Vec<u32>,
    slack_percent: u32,
    /// How many regions before each one have a row of their own to be searched for; one more entry closes the last.
    searched_before: Vec<u32>,
    /// Distances from the searched regions of three rows of sectors, in the order of columns; the middle one is being
    /// written.
    held: [Vec<Distances>; 3],
    search: DistanceSearch,
    phase: Phase,
    /// The region that the phase has come to, and whether it has begun with it.
    region: u32,
    begun: bool,
    row: OpenRow,
    first: Vec<u32>,
    chunks: Chunks,
    runs: Vec<u32>,
}

/// What it takes to give memory back, in touches.
const GIVE_BACK: usize = 64;

/// A band of regions is searched from, or its rows are written; at last all rows are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Search { band: usize },
    Write { band: usize },
    Join { chunk: usize },
    Done,
}

impl RowBuilder {
    /// Rows for a region graph, none of them written yet. Those of regions that `searched_before` does not count are kept.
    pub fn new(
        graph: RegionGraph,
        walk: DepthFirst,
        bands: Vec<u32>,
        slack_percent: u32,
        searched_before: Vec<u32>,
    ) -> RowBuilder {
        let mut first = Vec::with_capacity(graph.len() + 1);
        first.push(0);
        let mut builder = RowBuilder {
            search: DistanceSearch::new(&graph),
            graph,
            walk,
            bands,
            slack_percent,
            searched_before,
            held: [Vec::new(), Vec::new(), Vec::new()],
            phase: Phase::Done,
            region: 0,
            begun: false,
            row: OpenRow::default(),
            first,
            chunks: Chunks::default(),
            runs: Vec::new(),
        };
        builder.enter(Phase::Search { band: 0 });
        builder
    }

    /// Rows for a region graph, every one of them to be searched for.
    pub fn of_all(
        graph: RegionGraph,
        layout: Layout,
        first_region: &[u32],
        slack_percent: u32,
    ) -> RowBuilder {
        let bands = (0..=layout.rows())
            .map(|row| first_region[(row * layout.columns()) as usize])
            .collect();
        let walk = DepthFirst::run(&graph);
        let searched_before = (0..=graph.len() as u32).collect();
        RowBuilder::new(graph, walk, bands, slack_percent, searched_before)
    }

    /// One Dijkstra search and one row a region, in parallel.
    pub fn run(&mut self, progress: &dyn Progress) -> Result<(), BuildError> {
        progress.begin("next hops", 2 * self.graph.len() as u64);
        loop {
            match self.phase {
                Phase::Search { band } => self.search_band(self.band(band), progress)?,
                Phase::Write { band } => self.write_band(self.band(band), progress),
                Phase::Join { .. } | Phase::Done => break,
            }
            self.enter_next();
        }
        self.join(&mut Allowance::unlimited());
        Ok(())
    }

    fn search_band(
        &mut self,
        regions: Range<u32>,
        progress: &dyn Progress,
    ) -> Result<(), BuildError> {
        let (graph, walk) = (&self.graph, &self.walk);
        let mut held = std::mem::take(&mut self.held[2]);
        held.resize_with(regions.len(), Vec::new);
        let searches = held.par_iter_mut().zip(regions).map_init(
            || DistanceSearch::new(graph),
            |search, (out, region)| {
                unless_cancelled(progress)?;
                progress.advance(1);
                search.run(graph, region, &walk.order[walk.columns_from(region)], out);
                Ok(())
            },
        );
        let searched = searches.collect::<Result<Vec<()>, BuildError>>();
        self.held[2] = held;
        searched.map(drop)
    }

    fn write_band(&mut self, regions: Range<u32>, progress: &dyn Progress) {
        let written: Vec<(OpenRow, Vec<u32>)> = regions
            .clone()
            .into_par_iter()
            .map(|region| {
                progress.advance(1);
                let (mut row, mut runs) = (self.open_row(region), Vec::new());
                let block = &mut [0; BLOCK];
                while self.write_block(region, &mut row, block, |run| runs.push(run)) {}
                (row, runs)
            })
            .collect();
        for (region, (row, runs)) in regions.zip(&written) {
            runs.iter().for_each(|&run| self.chunks.push(run));
            self.end_row(region, row);
        }
    }

    /// Goes on; true once all rows are written. `kept` has the rows that are not searched for.
    pub fn advance<'a>(
        &mut self,
        allowance: &mut Allowance,
        kept: impl Fn(u32, u32) -> KeptRow<'a>,
    ) -> bool {
        while !allowance.is_spent() && self.phase != Phase::Done {
            let passed = match self.phase {
                Phase::Search { band } if self.region < self.band(band).end => {
                    self.search_some(allowance)
                }
                Phase::Write { band } if self.region < self.band(band).end => {
                    self.write_some(allowance, &kept)
                }
                Phase::Join { .. } => {
                    self.join(allowance);
                    false
                }
                _ => {
                    allowance.spend(1);
                    self.enter_next();
                    false
                }
            };
            if passed {
                self.region += 1;
                self.begun = false;
            }
        }
        self.phase == Phase::Done
    }

    /// Goes on with the search from a region; true once that is done.
    fn search_some(&mut self, allowance: &mut Allowance) -> bool {
        if !self.is_searched(self.region) {
            allowance.spend(1);
            return true;
        }
        if !self.search.prepare(&self.graph, allowance) {
            return false;
        }
        let Phase::Search { band } = self.phase else {
            return false;
        };
        let place = self.place_in_band(self.region, band);
        if !self.begun {
            self.begun = true;
            self.search.begin(self.region);
            // The memory of a band that was written before serves again.
            match self.held[2].get_mut(place) {
                Some(out) => out.clear(),
                None => self.held[2].push(Vec::new()),
            }
        }
        let order = &self.walk.order[self.walk.columns_from(self.region)];
        let out = &mut self.held[2][place];
        // Nothing is collected before the search has ended.
        let ended = !out.is_empty() || self.search.advance(&self.graph, allowance);
        ended && self.search.collect(order, out, allowance)
    }

    /// Goes on with a region's row; true once that is done.
    fn write_some<'a>(
        &mut self,
        allowance: &mut Allowance,
        kept: impl Fn(u32, u32) -> KeptRow<'a>,
    ) -> bool {
        let region = self.region;
        if !self.begun {
            self.begun = true;
            self.row = self.open_row(region);
        }
        let mut row = std::mem::take(&mut self.row);
        let mut chunks = std::mem::take(&mut self.chunks);
        let more = if self.is_searched(region) {
            allowance.spend(BLOCK / 2 * (2 + self.graph.degree(region)));
            self.write_block(region, &mut row, &mut [0; BLOCK], |run| chunks.push(run))
        } else {
            let copied = row.next;
            let kept = kept(region, self.walk.column[region as usize]);
            let more = row.copy_block(&kept, |run| chunks.push(run));
            allowance.spend(8 + (row.next - copied) / 2);
            more
        };
        self.chunks = chunks;
        if !more {
            self.end_row(region, &row);
        }
        self.row = row;
        !more
    }

    /// A row is written. Where its region cannot reach all of its component, it is made a component of its own: an edge that
    /// was found on one side of a patch, and not on the other side of it, leads one way only, and next hops mean something
    /// only between regions that reach each other.
    fn end_row(&mut self, region: u32, row: &OpenRow) {
        self.first.push(self.chunks.len() as u32);
        if row.out_of_reach > 0 {
            self.walk.component[region as usize] = region;
        }
    }

    /// Puts the pieces of rows together and gives memory back, a piece at a time.
    fn join(&mut self, allowance: &mut Allowance) {
        while let Phase::Join { chunk } = self.phase
            && !allowance.is_spent()
        {
            if chunk < self.chunks.count() {
                allowance.spend(CHUNK / 2);
                self.runs.extend_from_slice(self.chunks.get(chunk));
                self.phase = Phase::Join { chunk: chunk + 1 };
            } else if self.held.iter_mut().all(|held| held.pop().is_none()) {
                self.enter(Phase::Done);
            } else {
                allowance.spend(GIVE_BACK);
            }
        }
    }

    /// The graph and its rows.
    pub fn finish(self) -> (RegionGraph, Rows) {
        let rows = Rows {
            column: self.walk.column,
            component: self.walk.component,
            first: self.first,
            runs: self.runs,
        };
        (self.graph, rows)
    }

    fn enter_next(&mut self) {
        let last = self.bands.len() - 2;
        self.enter(match self.phase {
            // The first band is written once the second has been searched from.
            Phase::Search { band: 0 } => Phase::Search { band: 1 },
            Phase::Search { band } => Phase::Write { band: band - 1 },
            Phase::Write { band } if band < last => Phase::Search { band: band + 2 },
            Phase::Write { .. } => Phase::Join { chunk: 0 },
            Phase::Join { .. } | Phase::Done => return,
        });
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        match phase {
            Phase::Search { band } => {
                self.region = self.band(band).start;
                self.held.rotate_left(1);
            }
            Phase::Write { band } => self.region = self.band(band).start,
            Phase::Join { .. } => self.runs = Vec::with_capacity(self.chunks.len()),
            Phase::Done => {}
        }
    }

    fn band(&self, band: usize) -> Range<u32> {
        let at = |i: usize| self.bands[i.min(self.bands.len() - 1)];
        at(band)..at(band + 1)
    }

    fn is_searched(&self, region: u32) -> bool {
        self.searched_before[region as usize] < self.searched_before[region as usize + 1]
    }

    /// How many searched regions of the band come before this one.
    fn place_in_band(&self, region: u32, band: usize) -> usize {
        let before = |region: u32| self.searched_before[region as usize];
        (before(region) - before(self.band(band).start)) as usize
    }

    /// The distances held for a region of the band being written or a band beside it.
    fn held(&self, region: u32, range: Range<usize>) -> &[Cost] {
        let Phase::Write { band } = self.phase else {
            unreachable!("rows are written in the writing phase alone");
        };
        let middle = self.band(band);
        let (held, band) = match region {
            _ if region < middle.start => (&self.held[0], band - 1),
            _ if region < middle.end => (&self.held[1], band),
            _ => (&self.held[2], band + 1),
        };
        &held[self.place_in_band(region, band)][range]
    }

    fn open_row(&self, region: u32) -> OpenRow {
        if self.is_searched(region) {
            OpenRow::beginning_at(self.walk.columns_from(region).start)
        } else {
            OpenRow::default()
        }
    }

    /// Writes the next columns of a row; false once all are.
    fn write_block(
        &self,
        region: u32,
        row: &mut OpenRow,
        sets: &mut [EdgeSet; BLOCK],
        mut write: impl FnMut(u32),
    ) -> bool {
        let all = self.walk.columns_from(region);
        let end = all.end.min(row.next + BLOCK);
        let held = row.next - all.start..end - all.start;
        let sets = &mut sets[..held.len()];
        self.serving_edges(region, held.clone(), sets);
        let component = self.walk.columns_of_component(region);
        let unreached = self.held(region, held).iter().zip(row.next..);
        row.out_of_reach += unreached
            .filter(|&(&distance, column)| distance == UNREACHED && component.contains(&column))
            .count();
        row.extend(sets, &mut write);
        if end < all.end {
            return true;
        }
        row.close(write);
        false
    }

    /// For each of some target columns, the edges of a region that serve; all where any does, at the region itself and at
    /// what cannot be reached: components decide there.
    fn serving_edges(&self, region: u32, held: Range<usize>, sets: &mut [EdgeSet]) {
        let own = self.held(region, held.clone());
        sets.fill(0);
        for (slot, (next, cost)) in self.graph.edges(region).enumerate() {
            let bound = cost - (u64::from(cost) * u64::from(self.slack_percent) / 100) as Cost;
            let of_next = self.held(next, held.clone());
            for ((set, &from_here), &from_next) in sets.iter_mut().zip(own).zip(of_next) {
                let serves = from_next < from_here && from_next.saturating_add(bound) <= from_here;
                *set |= EdgeSet::from(serves) << slot;
            }
        }
        for (set, &distance) in sets.iter_mut().zip(own) {
            if distance == 0 || distance == UNREACHED {
                *set = EdgeSet::MAX;
            }
        }
    }
}
