//! Regions that climbing crosses, subgoals between neighbouring ones, and the next region for every pair: the index of HCDPS.
//!
//! Lawrence and Bulitko's Hill-Climbing Dynamic Programming Search takes learning out of real-time search: a map is cut into
//! regions such that climbing leads from every cell to its region's seed and back (`partition`), optimal paths between the
//! seeds of neighbouring regions are compressed to subgoals that climbing reaches one from the other (`chains`), and the way
//! from any region to any other is put together of those by dynamic programming (`hops`). So there is a route for every
//! problem, and each part of it can be climbed. [`crate::methods::hcdps`] follows it.
//!
//! Lee and Lawrence's DBA* has the same database over other regions: the connected parts of square sectors (`sector_cut`), whose
//! cells need not reach each other by climbing. `sectors` says how wide they are, `levels` how many regions away the regions
//! may be to which chains lead. [`crate::methods::dba`] finds its way within the first and the last region by a search.
//!
//! # Written from the idea: what differs
//! - HCDPS puts the path of every pair of regions together off-line. Here a pair takes the number of the next neighbour, in as
//!   few bits as the region with the most neighbours needs, and chains are read one after the other on the way, so that no
//!   path is stored twice.
//! - The programming adds up what climbing along a chain costs, which is a little more than the optimal path that it was made of.
//! - Which region a cell is in is stored as runs along the rows, as in [`crate::index::clique_regions`].
//!
//! Regions are small where there are many obstacles: 16 cells on noise of a quarter walls. Tables grow with the square of
//! their number, so a build is refused, with an estimate, where they would pass [`MAX_HOP_BYTES`].
//!
//! Build: two climbs for each cell and region beside it, an optimal search for each edge of the graph of regions, and a search
//! over that graph for each region. The partition depends on the order of its seeds and is made by one thread, the rest by
//! all of them; the result does not depend on their number.
//!
//! A map change can make climbs fail. The index is not repaired: the agent walks by LRTA* where a climb is blocked.

mod build;
mod chains;
mod hops;
pub(in crate::index) mod partition;
pub mod sector_cut;

#[cfg(test)]
mod tests;

use super::cell_regions::{CellRegions, Tags};
use super::packed::Packed;
use super::region_pairs::RegionPairs;
use super::{BuildError, Index, IndexKind, IndexRequest, IndexType};
use crate::artifact::{
    AlignedBytes, Array, Artifact, ArtifactError, ArtifactWriter, Header, Identity,
};
use crate::grid::Cell;
use crate::map::Map;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The most bytes of next regions.
pub const MAX_HOP_BYTES: u64 = 400_000_000;

const SEEDS: u32 = 1;
const COMPONENT_STARTS: u32 = 2;
const CELLS: Tags = Tags {
    row_starts: 3,
    columns: 4,
    regions: 5,
};
const FIRST_EDGE: u32 = 6;
const TARGETS: u32 = 7;
const FIRST_SUBGOAL: u32 = 8;
const SUBGOALS: u32 = 9;
const HOPS: u32 = 10;

/// How a map is cut into regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// Regions that climbing crosses, for HCDPS.
    Climbs {
        /// What their seeds are drawn by.
        seed: u64,
    },
    /// The connected parts of sectors, for DBA*.
    Sectors {
        /// Cells along a side of a sector.
        side: u32,
        /// How many regions away those may be to which chains lead.
        levels: u32,
    },
}

impl Cut {
    /// The least and the most side of a sector.
    pub const SIDES: std::ops::RangeInclusive<u32> = 4..=64;
    /// The least and the most levels.
    pub(crate) const LEVELS: std::ops::RangeInclusive<u32> = 1..=4;

    fn levels(self) -> u32 {
        match self {
            Cut::Climbs { .. } => 1,
            Cut::Sectors { levels, .. } => levels,
        }
    }

    fn parameters(self) -> BTreeMap<String, String> {
        let (seed, side) = match self {
            Cut::Climbs { seed } => (seed, 0),
            Cut::Sectors { side, .. } => (1, side),
        };
        let values = [
            ("seed", seed),
            ("sectors", side.into()),
            ("levels", self.levels().into()),
        ];
        let text = |(key, value): (&str, u64)| (key.to_string(), value.to_string());
        values.map(text).into()
    }

    fn of(request: &IndexRequest) -> Result<Cut, BuildError> {
        let side = request.value("sectors", 0, "0, or a number from 4 to 64", |side| {
            *side == 0 || Cut::SIDES.contains(side)
        })?;
        let seed = request.value("seed", 1, "a number", |_| true)?;
        let levels = request.value(
            "levels",
            1,
            "a number from 1 to 4, and 1 without sectors",
            |n| Cut::LEVELS.contains(n) && (side > 0 || *n == 1),
        )?;
        Ok(match side {
            0 => Cut::Climbs { seed },
            _ => Cut::Sectors { side, levels },
        })
    }
}

/// Climbing regions of a map. Shared by all agents.
#[derive(Debug)]
pub struct ClimbRegions {
    header: Header,
    seeds: Array<Cell>,
    cells: CellRegions,
    pairs: RegionPairs,
    /// The first edge of each region, and the end of the last.
    first_edge: Array<u32>,
    /// The region that each edge leads to.
    targets: Array<u32>,
    /// The first subgoal of each edge, and the end of the last.
    first_subgoal: Array<u32>,
    /// Subgoals between the seeds.
    subgoals: Array<Cell>,
    /// For every pair which edge of the first region is next.
    hops: Packed,
}

/// A subgoal of a route: position 0 is the seed of a region, the others lie on the chain to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The region.
    pub region: u32,
    /// Which subgoal.
    pub position: u32,
}

impl ClimbRegions {
    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.seeds.len()
    }

    /// How many subgoals all chains have together, seeds aside.
    pub(crate) fn subgoal_count(&self) -> usize {
        self.subgoals.len()
    }

    /// The cell that a region has grown from; `None` where there is no such region.
    pub fn seed(&self, region: u32) -> Option<Cell> {
        self.seeds.get(region as usize).copied()
    }

    /// The region of a cell that was passable when this was built, and how many runs were looked at.
    #[inline]
    pub fn region(&self, map: &Map, cell: Cell) -> (u32, u32) {
        self.cells.of(map, cell)
    }

    /// No look-up of a region takes more looks than this.
    pub(crate) fn most_looks(&self) -> u64 {
        self.cells.most_looks()
    }

    /// The next region on the way from one to another, and the subgoals between the two seeds; `None` where they are not
    /// connected, or are the same.
    #[inline]
    pub fn hop(&self, from: u32, to: u32) -> Option<(u32, &[Cell])> {
        let place = self.pairs.place(from, to)?;
        let edge = self.first_edge[from as usize] as usize + self.hops.get(place) as usize;
        Some((self.targets[edge], self.chain(edge)))
    }

    fn chain(&self, edge: usize) -> &[Cell] {
        let [first, end] = [edge, edge + 1].map(|i| self.first_subgoal[i] as usize);
        &self.subgoals[first..end]
    }

    /// The subgoal after one on the route to a region; `None` at that region's seed, or where there is no route.
    #[inline]
    pub(crate) fn next_place(&self, at: Place, goal_region: u32) -> Option<(Place, Cell)> {
        let (next, chain) = self.hop(at.region, goal_region)?;
        Some(match chain.get(at.position as usize) {
            Some(&subgoal) => (
                Place {
                    position: at.position + 1,
                    ..at
                },
                subgoal,
            ),
            None => (
                Place {
                    region: next,
                    position: 0,
                },
                self.seeds[next as usize],
            ),
        })
    }

    fn edges(&self, region: u32) -> Range<u32> {
        self.first_edge[region as usize]..self.first_edge[region as usize + 1]
    }

    fn most_neighbours(&self) -> u32 {
        let counts = self.first_edge.windows(2).map(|w| w[1] - w[0]);
        counts.max().unwrap_or(0)
    }

    fn open(artifact: &Artifact, map: &Map) -> Result<ClimbRegions, ArtifactError> {
        let malformed = |what: &str| Err(ArtifactError::malformed(what));
        let seeds = artifact.section::<Cell>(SEEDS)?;
        let pairs = RegionPairs::new(artifact.section(COMPONENT_STARTS)?, seeds.len())?;
        let [first_edge, targets, first_subgoal] = [
            artifact.section::<u32>(FIRST_EDGE)?,
            artifact.section::<u32>(TARGETS)?,
            artifact.section::<u32>(FIRST_SUBGOAL)?,
        ];
        let subgoals = artifact.section::<Cell>(SUBGOALS)?;
        if !is_list(&first_edge, seeds.len(), targets.len())
            || !is_list(&first_subgoal, targets.len(), subgoals.len())
        {
            return malformed("neighbours or subgoals of regions do not add up");
        }
        let most = first_edge.windows(2).map(|w| w[1] - w[0]).max();
        let largest = pairs.component_starts().windows(2).map(|w| w[1] - w[0]);
        if most.unwrap_or(0) <= 1 && largest.max() > Some(2) {
            // Hops among single neighbours take no room: nothing in the file would bound the number of pairs.
            return malformed("three regions of a component, none with two neighbours");
        }
        let entries = usize::try_from(pairs.entries()).unwrap_or(usize::MAX);
        let regions = ClimbRegions {
            header: artifact.header().clone(),
            cells: CellRegions::open(artifact, CELLS, map, seeds.len())?,
            hops: Packed::new(
                artifact.section(HOPS)?,
                entries,
                u64::from(most.unwrap_or(0)),
            )?,
            seeds,
            pairs,
            first_edge,
            targets,
            first_subgoal,
            subgoals,
        };
        let passable = |&cell: &Cell| map.grid().is_passable(cell);
        if !regions.seeds.iter().all(passable) || !regions.subgoals.iter().all(passable) {
            return malformed("a seed or subgoal is a wall");
        }
        if !(0..regions.seeds.len() as u32).all(|region| regions.leads_inside(region)) {
            return malformed("a region leads outside its component");
        }
        let mut known = Vec::new();
        if !(0..regions.seeds.len() as u32).all(|to| regions.all_arrive(to, &mut known)) {
            return malformed("a route between regions goes in circles");
        }
        Ok(regions)
    }

    /// Do the hops towards a region lead to it from all of its component? Each one is followed once: `known` has the
    /// regions from where it is known, and those on the way at hand.
    fn all_arrive(&self, to: u32, known: &mut Vec<u32>) -> bool {
        let component = self.pairs.component_of(to);
        known.clear();
        known.resize(component.len(), u32::MAX);
        let place = |region: u32| (region - component.start) as usize;
        known[place(to)] = to;
        component.clone().all(|from| {
            let mut at = from;
            while known[place(at)] == u32::MAX {
                known[place(at)] = from;
                match self.hop(at, to) {
                    Some((next, _)) => at = next,
                    None => return false,
                }
            }
            // Met on this very way: a circle.
            at == to || known[place(at)] != from
        })
    }

    /// Whether all neighbours of a region lie in its component, and all hops towards it among those of their regions.
    fn leads_inside(&self, region: u32) -> bool {
        let (component, edges) = (self.pairs.component_of(region), self.edges(region));
        let neighbours = &self.targets[edges.start as usize..edges.end as usize];
        neighbours.iter().all(|to| component.contains(to))
            && component.clone().all(|from| {
                let edges = self.edges(from);
                let place = self.pairs.place(from, region);
                place.is_none_or(|place| self.hops.get(place) < edges.end - edges.start)
            })
    }
}

/// Are these the beginnings of lists, and the end of the last, that make up this many elements?
fn is_list(first: &[u32], lists: usize, elements: usize) -> bool {
    first.len() == lists + 1
        && first.first() == Some(&0)
        && first.last().map(|&end| end as usize) == Some(elements)
        && first.windows(2).all(|w| w[0] <= w[1])
}

impl Index for ClimbRegions {
    fn kind(&self) -> IndexKind {
        IndexKind::ClimbRegions
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let writer = ArtifactWriter::new(self.header.clone())
            .section(SEEDS, &self.seeds)
            .section(COMPONENT_STARTS, self.pairs.component_starts());
        self.cells
            .write(writer, CELLS)
            .section(FIRST_EDGE, &self.first_edge)
            .section(TARGETS, &self.targets)
            .section(FIRST_SUBGOAL, &self.first_subgoal)
            .section(SUBGOALS, &self.subgoals)
            .section(HOPS, &self.hops.words)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        let words = self.seeds.len()
            + self.first_edge.len()
            + self.targets.len()
            + self.first_subgoal.len()
            + self.subgoals.len();
        size_of::<ClimbRegions>()
            + words * 4
            + self.hops.words.len() * 8
            + self.cells.bytes()
            + self.pairs.bytes()
    }

    fn records(&self) -> u64 {
        self.seeds.len() as u64
    }

    fn facts(&self) -> Vec<(String, String)> {
        let lengths = self.first_subgoal.windows(2).map(|w| w[1] - w[0]);
        [
            ("regions", self.region_count() as u64),
            ("chains", self.targets.len() as u64),
            ("subgoals", self.subgoals.len() as u64),
            ("longest_chain", u64::from(lengths.max().unwrap_or(0))),
            ("most_neighbours", u64::from(self.most_neighbours())),
            ("pairs", self.pairs.entries()),
            ("bytes_for_pairs", self.hops.words.len() as u64 * 8),
            ("bytes_for_cells", self.cells.bytes() as u64),
        ]
        .map(|(name, fact)| (name.to_string(), fact.to_string()))
        .into()
    }
}

/// The index type `climb-regions`.
pub(crate) static CLIMB_REGIONS: IndexType = IndexType {
    kind: IndexKind::ClimbRegions,
    about: "regions that climbing crosses, with subgoals and next regions, for hcdps and dba",
    keys: &[
        ("seed", "what the seeds of regions are drawn by (1)"),
        (
            "sectors",
            "cells along a side of sectors, whose connected parts are the regions then, for dba; 0 for none (0)",
        ),
        (
            "levels",
            "how many regions away those may be to which subgoals lead, with sectors (1)",
        ),
    ],
    build: |map, request, _shard, progress| {
        let cut = Cut::of(request)?;
        Ok(Arc::new(ClimbRegions::build(map, cut, progress)?))
    },
    open: |artifact, map| Ok(Arc::new(ClimbRegions::open(artifact, map)?)),
    merge: None,
};
