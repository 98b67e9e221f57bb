//! Repair after a patch: the touched sectors are cut into regions anew, the edges near them are searched for again, and the
//! rows of next hops, which depend on all of the graph, are written again, as many steps at a time as a tick can spare.
//!
//! Until the repair is done agents go on with the old index, safely: windows are searched on the map as it is, and an
//! agent whose window holds no path any more walks by LRTA* ([`crate::agent::sectors`]). A finished repair is the index
//! that a fresh build with the same parameters gives, byte for byte.

use super::SectorIndex;
use super::build::Parts;
use super::graph::{self, RegionGraph};
use super::regions::{Regions, SectorRegions};
use super::rows::RowBuilder;
use crate::cost::Cost;
use crate::grid::ChangeSet;
use crate::index::Index;
use crate::index::repair::RepairJob;
use crate::map::Map;
use crate::search::Window;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How far, in sectors, a change reaches: edges are searched in 3 x 3 sectors, and an edge is dropped where two others
/// replace it, whose ends lie one sector further.
const EDGES_SEARCHED: u32 = 3;
const EDGES_CHOSEN: u32 = 2;

/// A repair under way.
#[derive(Debug)]
pub struct SectorRepair {
    touched: BTreeSet<usize>,
    revision: u64,
    regions: Regions,
    /// The old graph in the new numbers of regions; empty where regions are new.
    edges: Vec<Vec<(Cost, u32)>>,
    /// All edges of the regions near the change, before any is dropped.
    searched: BTreeMap<u32, Vec<(Cost, u32)>>,
    to_search: Vec<usize>,
    window: Window,
    rows: Option<RowBuilder>,
}

impl SectorRepair {
    /// Begins a repair of an index whose map has been changed. Costs as much as copying the regions.
    pub fn begin(index: &SectorIndex, map: &Map, changes: &ChangeSet) -> SectorRepair {
        let layout = index.layout();
        let sector_of = |&cell| layout.sector(map.grid().point(cell));
        let touched = changes.blocked.iter().chain(&changes.opened).map(sector_of);
        SectorRepair::of(index, map, touched.collect())
    }

    /// The map has changed again: begins again, with all the changes since the index was built.
    pub fn changed_again(&mut self, index: &SectorIndex, map: &Map, changes: &ChangeSet) {
        let mut fresh = SectorRepair::begin(index, map, changes);
        fresh.touched.append(&mut self.touched);
        *self = SectorRepair::of(index, map, fresh.touched);
    }

    fn of(index: &SectorIndex, map: &Map, touched: BTreeSet<usize>) -> SectorRepair {
        let layout = index.layout();
        let regions = Regions::gather((0..layout.count()).map(|sector| {
            if touched.contains(&sector) {
                SectorRegions::find(map, layout, sector)
            } else {
                index.sector_regions(sector)
            }
        }));
        SectorRepair {
            edges: renumbered_edges(index, &regions, &touched),
            to_search: around(index, &touched, EDGES_SEARCHED),
            touched,
            revision: map.grid().revision(),
            regions,
            searched: BTreeMap::new(),
            window: graph::block_window(layout),
            rows: None,
        }
    }

    /// Takes at most `steps` steps; gives the repaired index when it is done. A step searches the edges of one sector, or
    /// searches the region graph from one region, or writes one row. The map must be the one that the repair began with:
    /// after another patch, [`SectorRepair::changed_again`] comes first.
    pub fn advance(&mut self, index: &SectorIndex, map: &Map, steps: usize) -> Option<SectorIndex> {
        if self.revision != map.grid().revision() {
            return None;
        }
        let mut left = steps;
        while left > 0 && self.rows.is_none() {
            match self.to_search.pop() {
                Some(sector) => self.search_sector(index, map, sector),
                None => self.choose_edges(index),
            }
            left -= 1;
        }
        let busy = self.rows.as_mut().is_none_or(|rows| rows.advance(left));
        if busy {
            return None;
        }
        let (graph, rows) = self.rows.take()?.finish();
        let regions = std::mem::take(&mut self.regions);
        let parts = Parts {
            layout: index.layout(),
            slack: index.slack(),
            regions,
            graph,
            rows,
        };
        Some(parts.assemble(map))
    }

    fn search_sector(&mut self, index: &SectorIndex, map: &Map, sector: usize) {
        let range = self.regions.first[sector]..self.regions.first[sector + 1];
        for region in range {
            let layout = index.layout();
            let edges =
                graph::edges_of(map, layout, &self.regions, &mut self.window, sector, region);
            self.searched.insert(region, edges);
        }
    }

    /// Near the change the edges are chosen again; the others stay.
    fn choose_edges(&mut self, index: &SectorIndex) {
        for sector in around(index, &self.touched, EDGES_CHOSEN) {
            for region in self.regions.first[sector]..self.regions.first[sector + 1] {
                let all = |r: u32| self.searched.get(&r).map_or(&[][..], Vec::as_slice);
                self.edges[region as usize] = graph::without_detours(all, region);
            }
        }
        let graph = RegionGraph::gather(&self.edges);
        self.edges.clear();
        self.rows = Some(RowBuilder::new(
            graph,
            index.layout(),
            &self.regions.first,
            index.slack(),
        ));
    }
}

/// A repair with the index that it is of.
pub(super) struct SectorJob {
    index: Arc<SectorIndex>,
    repair: SectorRepair,
}

/// About how many operations the search of nine sectors takes, which is the least that a step does.
const LEAST_STEP: u64 = 2_000;
/// About how many operations a search of the region graph takes for each region: one takes 75 ns there, on a map of 8.6 million
/// cells, where the operations of other repairs take 30.
const REGION_OPERATIONS: u64 = 2;

impl SectorJob {
    pub fn new(index: Arc<SectorIndex>, map: &Map, changes: &ChangeSet) -> SectorJob {
        SectorJob {
            repair: SectorRepair::begin(&index, map, changes),
            index,
        }
    }
}

impl RepairJob for SectorJob {
    fn map_changed(&mut self, map: &Map, changes: &ChangeSet) {
        self.repair.changed_again(&self.index, map, changes);
    }

    fn advance(&mut self, map: &Map, operations: u64) -> Option<Arc<dyn Index>> {
        let regions = self.index.region_count() as u64;
        let step = LEAST_STEP.max(REGION_OPERATIONS * regions);
        let steps = (operations / step).max(1) as usize;
        let ready = self.repair.advance(&self.index, map, steps)?;
        Some(Arc::new(ready))
    }
}

/// The sectors within a distance of the touched ones, in order.
fn around(index: &SectorIndex, touched: &BTreeSet<usize>, distance: u32) -> Vec<usize> {
    let layout = index.layout();
    let mut found = BTreeSet::new();
    for &sector in touched {
        let (column, row) = layout.place_of(sector);
        for r in row.saturating_sub(distance)..(row + distance + 1).min(layout.rows()) {
            for c in column.saturating_sub(distance)..(column + distance + 1).min(layout.columns())
            {
                found.insert((r * layout.columns() + c) as usize);
            }
        }
    }
    found.into_iter().collect()
}

/// The edges of the old graph between regions that are still there, under their new numbers.
fn renumbered_edges(
    index: &SectorIndex,
    regions: &Regions,
    touched: &BTreeSet<usize>,
) -> Vec<Vec<(Cost, u32)>> {
    let layout = index.layout();
    let mut new_number = vec![None; index.region_count()];
    for sector in (0..layout.count()).filter(|sector| !touched.contains(sector)) {
        let old = index.sector_range(sector);
        for (i, region) in old.enumerate() {
            new_number[region as usize] = Some(regions.first[sector] + i as u32);
        }
    }
    let mut edges = vec![Vec::new(); regions.representatives.len()];
    for (old, new) in new_number.iter().enumerate() {
        if let Some(new) = *new {
            edges[new as usize] = index
                .edges(old as u32)
                .filter_map(|(cost, to)| Some((cost, new_number[to as usize]?)))
                .collect();
        }
    }
    edges
}
