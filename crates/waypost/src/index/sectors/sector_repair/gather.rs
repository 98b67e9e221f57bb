//! New regions and edges between the old ones, in flat arrays.

use super::kept::Ordering;
use super::near::{Name, NearPatch};
use crate::cost::Cost;
use crate::index::sectors::SectorIndex;
use crate::index::sectors::allowance::Allowance;
use crate::index::sectors::graph::RegionGraph;
use crate::index::sectors::sector_regions::{Regions, label_words};
use crate::map::Map;
use std::collections::BTreeSet;

/// The regions and the graph of the repaired index, as far as they have been put together.
#[derive(Clone, Debug)]
pub struct Gathering {
    near: NearPatch,
    regions: Regions,
    /// The first region of each row of sectors; one more entry closes the last.
    bands: Vec<u32>,
    graph: RegionGraph,
    /// Regions whose edges are not those of the region that had their name.
    changed: BTreeSet<u32>,
    /// The sectors whose edges are in the graph.
    sectors_with_edges: usize,
    edges: Vec<(Cost, u32)>,
}

/// What work comes to, in touches: for a sector, and for an edge.
const SECTOR: usize = 8;
const EDGE: usize = 3;

impl Gathering {
    /// Nothing is gathered yet. Makes room for all of it: the lengths of the new arrays are the old ones and what changes near the patch.
    pub fn new(index: &SectorIndex, near: NearPatch) -> Gathering {
        let layout = index.layout;
        let (mut words, mut regions) = (index.labels.len(), index.region_count());
        for (&sector, cut) in &near.cut {
            let (old, new) = (index.sector_range(sector).len(), cut.representatives.len());
            words = words + label_words(layout, new) - label_words(layout, old);
            regions = regions + new - old;
        }
        let mut edges = index.edge_to.len();
        for (&sector, chosen) in &near.chosen {
            let old = index.sector_range(sector);
            let old = index.first_edge[old.end] - index.first_edge[old.start];
            edges = edges + chosen.iter().map(Vec::len).sum::<usize>() - old as usize;
        }
        Gathering {
            near,
            regions: Regions::with_capacity(layout.count(), words, regions),
            bands: Vec::with_capacity(layout.rows() as usize + 1),
            graph: RegionGraph::with_capacity(regions, edges),
            changed: BTreeSet::new(),
            sectors_with_edges: 0,
            edges: Vec::new(),
        }
    }

    /// Goes on; true once all is gathered.
    pub fn advance(&mut self, index: &SectorIndex, map: &Map, allowance: &mut Allowance) -> bool {
        let count = index.layout.count();
        while !allowance.is_spent() {
            if self.regions.labels_at.len() < count {
                self.push_sector(index, allowance);
            } else if self.sectors_with_edges < count {
                self.push_edges(index, map, allowance);
                self.sectors_with_edges += 1;
            } else {
                return self.near.clear(allowance);
            }
        }
        false
    }

    /// The regions, and the order that is to be found in the graph.
    pub fn finish(self) -> (Regions, Ordering) {
        let ordering = Ordering::new(self.graph, self.bands, self.changed);
        (self.regions, ordering)
    }

    fn push_sector(&mut self, index: &SectorIndex, allowance: &mut Allowance) {
        let layout = index.layout;
        let sector = self.regions.labels_at.len();
        let (words, regions) = (
            self.regions.labels.len(),
            self.regions.representatives.len(),
        );
        if sector.is_multiple_of(layout.columns() as usize) {
            self.bands.push(regions as u32);
        }
        match self.near.cut.get(&sector) {
            Some(cut) => self.regions.push(cut),
            None => self.regions.push_stored(
                index.sector_labels(sector),
                index.sector_representatives(sector),
            ),
        }
        if sector + 1 == layout.count() {
            self.bands.push(self.regions.representatives.len() as u32);
        }
        let words = self.regions.labels.len() - words;
        let regions = self.regions.representatives.len() - regions;
        allowance.spend(SECTOR + words / 4 + regions);
    }

    fn push_edges(&mut self, index: &SectorIndex, map: &Map, allowance: &mut Allowance) {
        let sector = self.sectors_with_edges;
        let old = index.sector_range(sector);
        allowance.spend(SECTOR);
        let Some(chosen) = self.near.chosen.get(&sector) else {
            for region in old {
                let named = index
                    .edges(region)
                    .map(|(cost, to)| (cost, name(index, map, to)));
                push_region(&mut self.graph, &self.regions, &mut self.edges, named);
                allowance.spend(1 + EDGE * self.edges.len());
            }
            return;
        };
        let same_count = old.len() == chosen.len();
        for (i, edges) in chosen.iter().enumerate() {
            let same = same_count
                && index
                    .edges(old.start + i)
                    .map(|(cost, to)| (cost, name(index, map, to)))
                    .eq(edges.iter().copied());
            if !same {
                self.changed.insert(self.graph.len() as u32);
            }
            let named = edges.iter().copied();
            push_region(&mut self.graph, &self.regions, &mut self.edges, named);
            allowance.spend(SECTOR + 2 * EDGE * edges.len());
        }
    }
}

/// Adds a region with its edges to the graph.
fn push_region(
    graph: &mut RegionGraph,
    regions: &Regions,
    edges: &mut Vec<(Cost, u32)>,
    named: impl Iterator<Item = (Cost, Name)>,
) {
    edges.clear();
    edges.extend(named.map(|(cost, (sector, i))| (cost, regions.first[sector as usize] + i)));
    graph.push(edges.iter());
}

/// The name of a region of the old index.
fn name(index: &SectorIndex, map: &Map, region: u32) -> Name {
    let cell = index.representative(region);
    let sector = index.layout.sector(map.grid().point(cell));
    (sector as u32, region - index.first_region[sector])
}
