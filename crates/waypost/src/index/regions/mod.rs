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
//! A map change makes entries wrong. The database is not repaired: the agent ([`crate::agent::d_lrta`]) sees to it that
//! wrong entries cost detours and nothing more; rebuild when much has changed.

mod build;
mod packed;
mod partition;
mod ways;

use super::{BuildError, Index, IndexKind, IndexRequest, IndexType, Shard};
use crate::artifact::{AlignedBytes, Array, Artifact, ArtifactError, ArtifactWriter, Header};
use crate::grid::Cell;
use crate::map::Map;
use crate::progress::Progress;
use packed::{Packed, bits_below, pack};
use partition::Partition;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The most entries of a table: 400 MB.
pub const MOST_ENTRIES: u64 = 100_000_000;

const FACTS: u32 = 1;
const REPRESENTATIVES: u32 = 2;
const COMPONENT_STARTS: u32 = 3;
const ROW_STARTS: u32 = 4;
const RUN_COLUMNS: u32 = 5;
const RUN_REGIONS: u32 = 6;
const ENTRIES: u32 = 7;

/// Regions and entry states of a map.
#[derive(Debug)]
pub struct RegionDatabase {
    header: Header,
    level: u32,
    /// The cell that stands for each region.
    representatives: Array<Cell>,
    component_starts: Array<u32>,
    row_starts: Array<u32>,
    run_columns: Packed,
    run_regions: Packed,
    /// Rows of targets, component by component.
    entries: Array<Cell>,
    /// Where the table of each region's component begins, and that component.
    tables: Vec<(u64, u32)>,
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
        let point = map.grid().point(cell);
        let row = point.y as usize;
        let (mut low, mut high) = (self.row_starts[row], self.row_starts[row + 1]);
        let mut looks = 1;
        if low == high {
            // A row of walls when this was built: any region will do, and region 0 is always there.
            return (0, looks);
        }
        while high - low > 1 {
            let middle = low.midpoint(high);
            looks += 1;
            if self.run_columns.get(middle as usize) <= point.x {
                low = middle;
            } else {
                high = middle;
            }
        }
        (self.run_regions.get(low as usize), looks)
    }

    /// No look-up of a region takes more looks than this.
    pub fn most_looks(&self) -> u64 {
        let widest = self.row_starts.windows(2).map(|w| w[1] - w[0]).max();
        u64::from(bits_below(u64::from(widest.unwrap_or(0)) + 1)) + 1
    }

    /// The regions of the same component.
    pub fn component_of(&self, region: u32) -> Range<u32> {
        let component = self.tables[region as usize].1 as usize;
        self.component_starts[component]..self.component_starts[component + 1]
    }

    /// Where to go from a region on the way to another: the entry state of the next region. `None` where the two are
    /// not connected, or are the same.
    #[inline]
    pub fn entry(&self, from: u32, to: u32) -> Option<Cell> {
        let (table, component) = self.tables[from as usize];
        let (first, end) = (
            self.component_starts[component as usize],
            self.component_starts[component as usize + 1],
        );
        if from == to || !(first..end).contains(&to) {
            return None;
        }
        let row = u64::from(to - first) * u64::from(end - first);
        self.entries
            .get((table + row + u64::from(from - first)) as usize)
            .copied()
    }

    /// Ordered pairs of different regions in a component: the paper's records.
    pub fn pairs(&self) -> u64 {
        self.entries.len() as u64 - self.representatives.len() as u64
    }

    /// Bytes that say which region each cell is in.
    pub fn region_map_bytes(&self) -> usize {
        (self.run_columns.words.len() + self.run_regions.words.len()) * 8
            + self.row_starts.len() * 4
    }

    fn assemble(
        header: Header,
        level: u32,
        partition: Partition,
        map: &Map,
    ) -> Result<RegionDatabase, ArtifactError> {
        let Partition {
            representatives,
            component_starts,
            runs,
        } = partition;
        let regions = representatives.len() as u64;
        let columns = pack(runs.columns.iter().copied(), u64::from(map.grid().width()));
        let numbers = pack(runs.regions.iter().copied(), regions);
        RegionDatabase {
            header,
            level,
            tables: Vec::new(),
            run_columns: Packed::new(
                Array::from_slice(&columns),
                runs.columns.len(),
                u64::from(map.grid().width()),
            )?,
            run_regions: Packed::new(Array::from_slice(&numbers), runs.regions.len(), regions)?,
            representatives: Array::from_slice(&representatives),
            component_starts: Array::from_slice(&component_starts),
            row_starts: Array::from_slice(&runs.row_starts),
            entries: Array::from_slice(&[]),
        }
        .with_tables()
    }

    /// Finds where the table of each component begins; fails where components do not add up.
    fn with_tables(mut self) -> Result<RegionDatabase, ArtifactError> {
        let malformed = || ArtifactError::malformed("components of regions do not add up");
        let starts: &[u32] = &self.component_starts;
        let regions = self.representatives.len();
        let sound = starts.first() == Some(&0)
            && starts.last().map(|&end| end as usize) == Some(regions)
            && starts.windows(2).all(|w| w[0] < w[1]);
        if !sound && regions > 0 {
            return Err(malformed());
        }
        let mut at = 0u64;
        for (component, pair) in starts.windows(2).enumerate() {
            let size = u64::from(pair[1] - pair[0]);
            for _ in pair[0]..pair[1] {
                self.tables.push((at, component as u32));
            }
            at += size * size;
        }
        Ok(self)
    }

    fn open(artifact: &Artifact, map: &Map) -> Result<RegionDatabase, ArtifactError> {
        let malformed = |what: &str| Err(ArtifactError::malformed(what));
        let facts = artifact.section::<u32>(FACTS)?;
        let row_starts = artifact.section::<u32>(ROW_STARTS)?;
        let representatives = artifact.section::<Cell>(REPRESENTATIVES)?;
        let rows_fit = row_starts.len() == map.grid().height() as usize + 1
            && row_starts.first() == Some(&0)
            && row_starts.windows(2).all(|w| w[0] <= w[1]);
        if facts.len() != 1 || !rows_fit {
            return malformed("rows of regions do not fit the map");
        }
        let runs = row_starts.last().copied().unwrap_or(0) as usize;
        let regions = representatives.len();
        let width = u64::from(map.grid().width());
        let database = RegionDatabase {
            header: artifact.header().clone(),
            level: facts[0],
            run_columns: Packed::new(artifact.section(RUN_COLUMNS)?, runs, width)?,
            run_regions: Packed::new(artifact.section(RUN_REGIONS)?, runs, regions as u64)?,
            representatives,
            component_starts: artifact.section(COMPONENT_STARTS)?,
            row_starts,
            entries: artifact.section(ENTRIES)?,
            tables: Vec::new(),
        }
        .with_tables()?;
        let in_range = (0..runs).all(|run| (database.run_regions.get(run) as usize) < regions);
        let passable = |&cell: &Cell| map.grid().is_passable(cell);
        let expected: u64 = database
            .component_starts
            .windows(2)
            .map(|w| u64::from(w[1] - w[0]).pow(2))
            .sum();
        if !in_range
            || expected != database.entries.len() as u64
            || !database.entries.iter().all(passable)
            || !database.representatives.iter().all(passable)
        {
            return malformed("regions or entries lead outside");
        }
        Ok(database)
    }
}

impl Index for RegionDatabase {
    fn kind(&self) -> IndexKind {
        IndexKind::Regions
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        ArtifactWriter::new(self.header.clone())
            .section(FACTS, &[self.level])
            .section(REPRESENTATIVES, &self.representatives)
            .section(COMPONENT_STARTS, &self.component_starts)
            .section(ROW_STARTS, &self.row_starts)
            .section(RUN_COLUMNS, &self.run_columns.words)
            .section(RUN_REGIONS, &self.run_regions.words)
            .section(ENTRIES, &self.entries)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.region_map_bytes()
            + self.entries.len() * 4
            + self.representatives.len() * 4
            + self.component_starts.len() * 4
            + self.tables.len() * size_of::<(u64, u32)>()
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
pub static REGIONS: IndexType = IndexType {
    kind: IndexKind::Regions,
    about: "regions of the clique abstraction with entry states for every pair, for d-lrta",
    keys: &[(
        "level",
        "level of the hierarchy (default: the lowest with at most 512 nodes)",
    )],
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
    let database = RegionDatabase::build(map, (level > 0).then_some(level), progress)?;
    Ok(Arc::new(database))
}

#[cfg(test)]
mod tests;
