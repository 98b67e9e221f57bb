//! Sectors: near-optimal moves in bounded work on every map.
//!
//! The map is cut into square sectors, each sector into its connected **regions** (on terrain into parts of these that are cheap
//! to cross), each with a representative cell. Off line, a table of next hops is made for every pair of regions. On-line ([`crate::methods::sectors`]) an agent follows
//! the chain of hops to its goal's region, and searches with A* in a small **window** of sectors round the next few
//! hops. This is the cure that the subgoaling papers name as future work (JAIR 2010, section 10: records that cover all
//! of the map): every start and every goal lies in some region, so there is always a record that fits.
//!
//! **Why it ends.** Let `c(0), c(1), ..., c(n)` be the chain of regions from the start's to the goal's: `c(i + 1)` is
//! the next hop from `c(i)`. The cost of the rest of the chain falls with every hop, so the chain is finite. A window
//! for hops `m` to `j` is the union of the 3 x 3 blocks of sectors round `c(m), ..., c(j)`; every edge of the region
//! graph was found inside such a block, so the window always holds a path. The agent walks a window's path only up to a
//! cell from where all the rest of it lies in the blocks of `c(m + 1), ..., c(j)`; the next window reaches to `j + 1` at
//! least and still holds a path from there. So `j` grows with every window until it reaches `n`, where the target is the
//! goal itself and the path is walked to its end.
//!
//! On terrain a chain may begin and end with a hop that the table does not name, to a representative beside the start's and from one beside
//! the goal's. Both were found inside the blocks of the regions at the ends, and the hops between them are those of a chain, so
//! the above holds for them.
//!
//! **What it costs.** A window with `k` hops has at most `9 + 5 k` sectors, so a plan expands a number of cells that
//! depends on the sector's side and on `k` alone. The table takes one Dijkstra search of the region graph per region and
//! a few dozen runs a row.

mod allowance;
mod build;
mod distances;
mod graph;
mod layout;
mod order;
mod parts;
mod row;
mod rows;
mod sector_regions;
mod sector_repair;
mod window;

pub(crate) use build::SECTORS;
pub use layout::Layout;
pub use sector_repair::SectorRepair;
pub use window::{Window, WindowState};

use crate::artifact::{Array, Header};
use crate::cost::Cost;
use crate::grid::{Cell, Point};
use std::ops::Range;

/// Regions and next hops of a map.
#[derive(Debug)]
pub struct SectorIndex {
    header: Header,
    layout: Layout,
    slack: u32,
    first_region: Array<u32>,
    labels_at: Array<u32>,
    labels: Array<u64>,
    representatives: Array<Cell>,
    first_edge: Array<u32>,
    edge_to: Array<u32>,
    edge_cost: Array<Cost>,
    column: Array<u32>,
    component: Array<u32>,
    first_run: Array<u32>,
    runs: Array<u32>,
}

impl SectorIndex {
    /// How the map is cut.
    #[inline]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.representatives.len()
    }

    /// The region of a passable point; `None`, or another region of the sector, for one that was a wall when the index
    /// was built.
    #[inline]
    pub fn region(&self, point: Point) -> Option<u32> {
        sector_regions::region_at(
            self.layout,
            &self.first_region,
            &self.labels_at,
            &self.labels,
            point,
        )
    }

    /// The cell that stands for a region.
    #[inline]
    pub fn representative(&self, region: u32) -> Cell {
        self.representatives[region as usize]
    }

    /// The most entries that [`SectorIndex::next_hop`] looks at, whatever the map: a row has a run for every region at most.
    pub(crate) const MOST_LOOKS: u64 = row::looks_at(row::MAX_REGIONS + 1);

    /// Was there a way between the regions when the index was built? Next hops mean something only then.
    #[inline]
    pub fn connected(&self, a: u32, b: u32) -> bool {
        self.component[a as usize] == self.component[b as usize]
    }

    /// The next region on a cheapest chain from one region to another that is connected with it; also how many entries
    /// were looked at. `None` where the region has no edges.
    #[inline]
    pub fn next_hop(&self, from: u32, to: u32) -> (Option<u32>, u64) {
        let (slot, looks) = row::slot_in_row(self.row(from), self.column[to as usize]);
        let edges = &self.edge_to
            [self.first_edge[from as usize] as usize..self.first_edge[from as usize + 1] as usize];
        (edges.get(slot as usize).copied(), looks)
    }

    /// The next region as [`SectorIndex::next_hop`] gives it, with the cost of the hop.
    pub(crate) fn next_edge(&self, from: u32, to: u32) -> (Option<(u32, Cost)>, u64) {
        let (slot, looks) = row::slot_in_row(self.row(from), self.column[to as usize]);
        let at = self.first_edge[from as usize] as usize + slot as usize;
        let is_edge = at < self.first_edge[from as usize + 1] as usize;
        let edge = is_edge.then(|| (self.edge_to[at], self.edge_cost[at]));
        (edge, looks)
    }

    /// The regions of the 3 x 3 sectors round a place, those of its own sector first.
    pub(crate) fn regions_around(&self, place: (u32, u32)) -> impl Iterator<Item = u32> + '_ {
        let others = self
            .layout
            .block(place)
            .filter(move |&other| other != place);
        [place].into_iter().chain(others).flat_map(|(column, row)| {
            let regions = self.sector_range((row * self.layout.columns() + column) as usize);
            regions.start as u32..regions.end as u32
        })
    }

    /// The runs of a region's row.
    #[inline]
    fn row(&self, region: u32) -> &[u32] {
        let at = |i: usize| self.first_run[i] as usize;
        &self.runs[at(region as usize)..at(region as usize + 1)]
    }

    /// The regions of a sector.
    fn sector_range(&self, sector: usize) -> Range<usize> {
        self.first_region[sector] as usize..self.first_region[sector + 1] as usize
    }

    /// The cells that stand for a sector's regions.
    fn sector_representatives(&self, sector: usize) -> &[Cell] {
        &self.representatives[self.sector_range(sector)]
    }

    /// The labels of a sector's cells.
    fn sector_labels(&self, sector: usize) -> &[u64] {
        let words = sector_regions::label_words(self.layout, self.sector_range(sector).len());
        let at = self.labels_at[sector] as usize;
        if words == 0 {
            return &[];
        }
        &self.labels[at..at + words]
    }

    fn edges(&self, region: usize) -> impl Iterator<Item = (Cost, u32)> + '_ {
        let range = self.first_edge[region] as usize..self.first_edge[region + 1] as usize;
        let (cost, to) = (&self.edge_cost[range.clone()], &self.edge_to[range]);
        cost.iter().copied().zip(to.iter().copied())
    }

    /// Sectors of the largest window that follows `hops` hops.
    pub(crate) const fn window_sectors(hops: u32) -> usize {
        9 + 5 * hops as usize
    }

    /// Side of the box of sectors that such a window lies in, wherever it turns.
    pub(crate) const fn window_box(hops: u32) -> u32 {
        2 * hops + 3
    }

    /// Whether most sectors fall apart into several regions, as in mazes and in noise.
    pub(crate) fn is_shattered(&self) -> bool {
        self.region_count() > 2 * self.layout().count()
    }

    /// The most expansions of one window's search: every cell of the window once.
    pub(crate) fn window_bound(&self, hops: u32) -> u64 {
        (SectorIndex::window_sectors(hops) * self.layout.area()) as u64
    }
}
