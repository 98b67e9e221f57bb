//! The database of D LRTA*: regions of the clique abstraction, and where to leave each on the way to each other one.
//!
//! Bulitko et al., JAIR 32 (2008), as told in JAIR 39 (2010) section 4 and AIIDE 2009 section 2. Level `l` of the hierarchy
//! cuts the map into regions: the ground cells below each of its nodes, and whole components whose top is lower. Each
//! region has a representative, its cell nearest to the mean position of its cells (the mean itself may be a wall or in
//! another region). For every ordered pair of regions of a component the table holds the *entry state*: the first cell
//! of another region on a shortest path between the two representatives. (Where that region's representative is farther from
//! the target than the first one's, the two might send an agent back and forth; then it is the first cell of a region that
//! is nearer.) One Dijkstra search from each target
//! gives its whole row; rows are computed in parallel, and memory for searches is bounded by the number of threads. The
//! searches run on the corner graph of the map, which keeps all distances and is far smaller (`ways`); the papers run them
//! on the cells. Of several shortest paths either takes one.
//!
//! Which region a cell is in is stored as runs of cells along the rows, columns and regions in as few bits as they need.
//! Regions of the levels in use are thousands of cells large, so this takes a small part of a bit for each cell, where
//! the papers pay 32 bits (84 of the 85 MB of JAIR 2010, table 3).
//!
//! A map change makes entries wrong. The database is not repaired: the agent ([`crate::methods::d_lrta`]) sees to it that
//! wrong entries cost detours and nothing more; rebuild when much has changed.

mod build;
mod partition;
mod ways;

use super::cell_regions::{CellRegions, Tags};
use super::region_pairs::RegionPairs;
use super::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::artifact::{
    AlignedBytes, Array, Artifact, ArtifactError, ArtifactWriter, Header, Identity,
};
use crate::grid::Cell;
use crate::map::Map;
use crate::progress::Progress;
use partition::Partition;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The most entries of a table: 400 MB.
pub(crate) const MAX_ENTRIES: u64 = 100_000_000;

const FACTS: u32 = 1;
const REPRESENTATIVES: u32 = 2;
const COMPONENT_STARTS: u32 = 3;
const CELLS: Tags = Tags {
    row_starts: 4,
    columns: 5,
    regions: 6,
};
const ENTRIES: u32 = 7;

/// Which state of the shortest path between two representatives is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// Where it comes into a region nearer to the target. That is nearly always the next region; where two would send an agent
    /// back and forth, it lies beyond.
    #[default]
    Nearer,
    /// Where it comes into the next region, as the papers print it.
    Next,
}

impl Entries {
    /// As specs and artifacts write it.
    pub const fn name(self) -> &'static str {
        match self {
            Entries::Nearer => "nearer",
            Entries::Next => "next",
        }
    }
}

impl std::str::FromStr for Entries {
    type Err = ();

    fn from_str(text: &str) -> Result<Entries, ()> {
        let all = [Entries::Nearer, Entries::Next];
        all.into_iter()
            .find(|entries| entries.name() == text)
            .ok_or(())
    }
}

/// Regions and entry states of a map.
#[derive(Debug)]
pub struct RegionDatabase {
    header: Header,
    level: u32,
    /// The cell that stands for each region.
    representatives: Array<Cell>,
    cells: CellRegions,
    pairs: RegionPairs,
    /// Rows of targets, component by component.
    entries: Array<Cell>,
}

impl RegionDatabase {
    /// The level of the hierarchy that the regions come from.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// How many regions there are.
    pub fn region_count(&self) -> usize {
        self.representatives.len()
    }

    /// The cell that stands for a region.
    pub fn representative(&self, region: u32) -> Cell {
        self.representatives[region as usize]
    }

    /// The region of a cell that was passable when the database was built, and how many runs were looked at.
    #[inline]
    pub fn region(&self, map: &Map, cell: Cell) -> (u32, u32) {
        self.cells.of(map, cell)
    }

    /// No look-up of a region takes more looks than this.
    pub(crate) fn most_looks(&self) -> u64 {
        self.cells.most_looks()
    }

    /// The regions of the same component.
    pub(crate) fn component_of(&self, region: u32) -> Range<u32> {
        self.pairs.component_of(region)
    }

    /// Where to go from a region on the way to another: the entry state of the next region. `None` where the two are
    /// not connected, or are the same.
    #[inline]
    pub fn entry(&self, from: u32, to: u32) -> Option<Cell> {
        self.entries.get(self.pairs.place(from, to)?).copied()
    }

    /// Ordered pairs of different regions in a component: the paper's records.
    pub fn pairs(&self) -> u64 {
        self.entries.len() as u64 - self.representatives.len() as u64
    }

    /// Bytes that say which region each cell is in.
    pub(crate) fn region_map_bytes(&self) -> usize {
        self.cells.bytes()
    }

    fn assemble(
        header: Header,
        level: u32,
        partition: Partition,
    ) -> Result<RegionDatabase, ArtifactError> {
        let starts = Array::from_slice(&partition.component_starts);
        Ok(RegionDatabase {
            header,
            level,
            pairs: RegionPairs::new(starts, partition.representatives.len())?,
            representatives: Array::from_slice(&partition.representatives),
            cells: partition.cells,
            entries: Array::from_slice(&[]),
        })
    }

    fn open(artifact: &Artifact, map: &Map) -> Result<RegionDatabase, ArtifactError> {
        let malformed = |what: &str| Err(ArtifactError::malformed(what));
        let facts = artifact.section::<u32>(FACTS)?;
        let representatives = artifact.section::<Cell>(REPRESENTATIVES)?;
        if facts.len() != 1 {
            return malformed("facts of regions are missing");
        }
        let database = RegionDatabase {
            header: artifact.header().clone(),
            level: facts[0],
            cells: CellRegions::open(artifact, CELLS, map, representatives.len())?,
            pairs: RegionPairs::new(artifact.section(COMPONENT_STARTS)?, representatives.len())?,
            representatives,
            entries: artifact.section(ENTRIES)?,
        };
        let passable = |&cell: &Cell| map.grid().is_passable(cell);
        if database.pairs.entries() != database.entries.len() as u64
            || !database.entries.iter().all(passable)
            || !database.representatives.iter().all(passable)
        {
            return malformed("representatives or entries lead outside");
        }
        Ok(database)
    }
}

impl Index for RegionDatabase {
    fn kind(&self) -> IndexKind {
        IndexKind::Regions
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let facts = [self.level];
        let writer = ArtifactWriter::new(self.header.clone())
            .section(FACTS, &facts)
            .section(REPRESENTATIVES, &self.representatives)
            .section(COMPONENT_STARTS, self.pairs.component_starts());
        self.cells
            .write(writer, CELLS)
            .section(ENTRIES, &self.entries)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.region_map_bytes()
            + self.entries.len() * 4
            + self.representatives.len() * 4
            + self.pairs.bytes()
    }

    fn records(&self) -> u64 {
        self.pairs()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("level".to_string(), self.level.to_string()),
            ("regions".to_string(), self.region_count().to_string()),
            ("pairs".to_string(), self.pairs().to_string()),
            (
                "bytes for regions of cells".to_string(),
                self.region_map_bytes().to_string(),
            ),
        ]
    }
}

/// The index type `regions`.
pub(crate) static REGIONS: IndexType = IndexType {
    kind: IndexKind::Regions,
    about: "regions of the clique abstraction with entry states for every pair, for d-lrta",
    keys: &[
        (
            "level",
            "level of the hierarchy (default: the lowest with at most 512 nodes)",
        ),
        (
            "entries",
            "states where paths come into a region `nearer` to the target, or into the `next` one as the papers print it (nearer)",
        ),
    ],
    build: build_index,
    open: |artifact, map| Ok(Arc::new(RegionDatabase::open(artifact, map)?)),
    merge: None,
};

fn build_index(
    map: &Map,
    request: &IndexRequest,
    _shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    let level = request.value("level", 0, "a whole number from 1", |&level: &u32| {
        level > 0
    })?;
    let entries = request.value("entries", Entries::default(), "nearer or next", |_| true)?;
    let level = (level > 0).then_some(level);
    let database = RegionDatabase::build_with(map, level, entries, progress)?;
    Ok(Arc::new(database))
}

#[cfg(test)]
mod tests;
