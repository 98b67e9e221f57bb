//! The order of columns after a change, and which rows are as they were.
//!
//! The columns of a component stand together. Where none of its regions has other edges than before, and none of these leads out
//! of it, all distances from its regions are as they were; where its regions also stand in the same order as before, their
//! rows differ in nothing but the column that the component begins at. Edges that lead from one component to another come
//! of patches during a pass alone; neither of the two is kept then.

use crate::index::sectors::SectorIndex;
use crate::index::sectors::allowance::Allowance;
use crate::index::sectors::graph::RegionGraph;
use crate::index::sectors::order::{DepthFirst, Step};
use crate::index::sectors::rows::RowBuilder;
use crate::index::sectors::sector_regions::Regions;
use crate::map::Map;
use std::collections::BTreeSet;

/// The walk that gives the order, and what it has found out about components.
#[derive(Clone, Debug)]
pub struct Ordering {
    graph: RegionGraph,
    bands: Vec<u32>,
    changed: BTreeSet<u32>,
    walk: DepthFirst,
    walked: bool,
    /// One bit a region: whether the component that begins with it is as it was.
    kept: Vec<u64>,
    /// The component under way: what it begins with, whether it is as it was so far, how far it has moved, and what it began
    /// with of old.
    current: u32,
    current_kept: bool,
    current_shift: u32,
    current_of_old: u32,
    searched_before: Vec<u32>,
}

/// What work comes to, in touches: for a step of the walk, and for an edge.
const STEP: usize = 6;
const EDGE: usize = 2;

impl Ordering {
    /// Nothing is known yet of a graph, given the first region of each row of sectors and the regions whose edges have
    /// changed.
    pub fn new(graph: RegionGraph, bands: Vec<u32>, changed: BTreeSet<u32>) -> Ordering {
        let mut searched_before = Vec::with_capacity(graph.len() + 1);
        searched_before.push(0);
        Ordering {
            walk: DepthFirst::new(&graph),
            walked: false,
            kept: vec![0; graph.len().div_ceil(64)],
            current: 0,
            current_kept: false,
            current_shift: 0,
            current_of_old: 0,
            searched_before,
            graph,
            bands,
            changed,
        }
    }

    /// Goes on; true once order and components are known.
    pub fn advance(
        &mut self,
        index: &SectorIndex,
        map: &Map,
        regions: &Regions,
        allowance: &mut Allowance,
    ) -> bool {
        while !allowance.is_spent() {
            let counted = self.searched_before.len() - 1;
            if !self.walked {
                self.step(index, map, regions, allowance);
            } else if counted < self.graph.len() {
                let component = self.walk.component[counted];
                let searched = u32::from(!self.is_kept(component));
                self.searched_before
                    .push(self.searched_before[counted] + searched);
                allowance.spend(1);
            } else {
                return true;
            }
        }
        false
    }

    /// What writes the rows.
    pub fn finish(self, slack_percent: u32) -> RowBuilder {
        RowBuilder::new(
            self.graph,
            self.walk,
            self.bands,
            slack_percent,
            self.searched_before,
        )
    }

    fn step(
        &mut self,
        index: &SectorIndex,
        map: &Map,
        regions: &Regions,
        allowance: &mut Allowance,
    ) {
        allowance.spend(STEP);
        match self.walk.step(&self.graph) {
            Step::Nothing => {}
            Step::Done => {
                self.close_component();
                self.walked = true;
            }
            Step::Met(region) => {
                allowance.spend(EDGE * self.graph.degree(region));
                let component = self.walk.component[region as usize];
                if component == region {
                    self.close_component();
                    (self.current, self.current_kept) = (component, true);
                }
                let within = self.stays_within(region, component);
                self.current_kept &= within
                    && !self.changed.contains(&region)
                    && self.stands_as_before(index, map, regions, region, component);
            }
        }
    }

    /// Does no edge of the region lead to a component that the walk has left? The row of a region needs the distances from
    /// where its edges lead, so such a component is searched again too.
    fn stays_within(&mut self, region: u32, component: u32) -> bool {
        let mut within = true;
        for &to in self.graph.targets(region) {
            let other = self.walk.component[to as usize];
            if self.walk.has_met(to) && other != component {
                self.kept[other as usize / 64] &= !(1 << (other % 64));
                within = false;
            }
        }
        within
    }

    /// Is a region with a name of old in the component that it was in, and has its column moved as far as that of the
    /// component's first region?
    fn stands_as_before(
        &mut self,
        index: &SectorIndex,
        map: &Map,
        regions: &Regions,
        region: u32,
        component: u32,
    ) -> bool {
        let old = old_number(index, map, regions, region) as usize;
        let shift = self.walk.column[region as usize].wrapping_sub(index.column[old]);
        let of_old = index.component[old];
        if region == component {
            (self.current_shift, self.current_of_old) = (shift, of_old);
        }
        shift == self.current_shift && of_old == self.current_of_old
    }

    /// The walk has left a component.
    fn close_component(&mut self) {
        if self.current_kept {
            self.kept[self.current as usize / 64] |= 1 << (self.current % 64);
        }
    }

    fn is_kept(&self, component: u32) -> bool {
        self.kept[component as usize / 64] >> (component % 64) & 1 != 0
    }
}

/// The number in the old index of a region whose edges have not changed.
pub fn old_number(index: &SectorIndex, map: &Map, regions: &Regions, region: u32) -> u32 {
    let cell = regions.representatives[region as usize];
    let sector = index.layout.sector(map.grid().point(cell));
    index.first_region[sector] + (region - regions.first[sector])
}
