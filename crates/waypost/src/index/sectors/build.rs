//! Building, saving and opening the sector index.

use super::SectorIndex;
use super::graph::{MAX_EDGES, RegionGraph};
use super::layout::Layout;
use super::row::{MAX_REGIONS, slot_of};
use super::rows::{RowBuilder, Rows};
use super::sector_regions::{Regions, label_words};
use super::sector_repair::SectorRepair;
use crate::artifact::{
    AlignedBytes, Array, Artifact, ArtifactError, ArtifactWriter, Header, Identity,
};
use crate::grid::ChangeSet;
use crate::index::slot::Repair;
use crate::index::{BuildError, Index, IndexKind, IndexRequest, IndexType};
use crate::map::Map;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The `sectors` index.
pub(crate) static SECTORS: IndexType = IndexType {
    kind: IndexKind::Sectors,
    about: "regions of square sectors with next hops for every pair: near-optimal moves in bounded work on every map",
    keys: &[
        (
            "side",
            "cells on a side of a sector: 8, 16, 32 or 64 (default: 16 up to 1.5 million passable cells, 32 up to 16 million, then 64; twice that where the index would pass 4 bytes a cell)",
        ),
        (
            "slack",
            "per cent by which a chain of hops may be longer than the cheapest, 0 to 50 (default: 5)",
        ),
    ],
    build: |map, request, _, progress| Ok(Arc::new(SectorIndex::build(map, request, progress)?)),
    open: |artifact, map| Ok(Arc::new(SectorIndex::open(artifact, map)?)),
    merge: None,
};

mod tags {
    pub(crate) const FIRST_REGION: u32 = 1;
    pub(crate) const LABELS_AT: u32 = 2;
    pub(crate) const LABELS: u32 = 3;
    pub(crate) const REPRESENTATIVES: u32 = 4;
    pub(crate) const FIRST_EDGE: u32 = 5;
    pub(crate) const EDGE_TO: u32 = 6;
    pub(crate) const COLUMN: u32 = 7;
    pub(crate) const FIRST_RUN: u32 = 8;
    pub(crate) const RUNS: u32 = 9;
    pub(crate) const EDGE_COST: u32 = 10;
    pub(crate) const COMPONENT: u32 = 11;
}

/// All that an index is made of.
pub struct Parts {
    pub layout: Layout,
    pub slack: u32,
    pub regions: Regions,
    pub graph: RegionGraph,
    pub rows: Rows,
}

impl Parts {
    /// The index of a map with this fingerprint.
    pub(crate) fn assemble(self, map: &Map, fingerprint: u64) -> SectorIndex {
        let parameters: BTreeMap<String, String> = [
            ("side".to_string(), self.layout.side().to_string()),
            ("slack".to_string(), self.slack.to_string()),
        ]
        .into();
        SectorIndex {
            header: Header {
                kind: IndexKind::Sectors,
                fingerprint,
                width: map.grid().width(),
                height: map.grid().height(),
                rules: map.rules(),
                terrain: map.terrain_digest(),
                parameters,
            },
            layout: self.layout,
            slack: self.slack,
            first_region: Array::from_vec(self.regions.first),
            labels_at: Array::from_slice(&self.regions.labels_at),
            labels: Array::from_vec(self.regions.labels),
            representatives: Array::from_vec(self.regions.representatives),
            first_edge: Array::from_vec(self.graph.first),
            edge_to: Array::from_vec(self.graph.to),
            edge_cost: Array::from_vec(self.graph.cost),
            column: Array::from_vec(self.rows.column),
            component: Array::from_vec(self.rows.component),
            first_run: Array::from_vec(self.rows.first),
            runs: Array::from_vec(self.rows.runs),
        }
    }
}

impl SectorIndex {
    /// Builds the index of a map.
    pub fn build(
        map: &Map,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<SectorIndex, BuildError> {
        let slack = request.value("slack", 5, "0 to 50", |slack| *slack <= 50)?;
        let side = request.value("side", 0, "8, 16, 32 or 64", |side| SIDES.contains(side))?;
        if side > 0 {
            return SectorIndex::with_side(map, side, slack, progress);
        }
        let passable = map.grid().passable_count();
        let mut side = least_side(passable);
        loop {
            let index = SectorIndex::with_side(map, side, slack, progress)?;
            let small = index.memory_bytes() as u64 <= passable * MAX_BYTES_A_CELL;
            if small || side == SIDES[3] {
                return Ok(index);
            }
            side *= 2;
        }
    }

    fn with_side(
        map: &Map,
        side: u32,
        slack: u32,
        progress: &dyn Progress,
    ) -> Result<SectorIndex, BuildError> {
        let layout = Layout::new(map.grid(), side.trailing_zeros());
        progress.begin("regions", 2 * layout.count() as u64);
        let regions = Regions::find(map, layout, progress)?;
        if regions.representatives.len() >= MAX_REGIONS {
            return Err(BuildError::Unsuitable {
                index: IndexKind::Sectors.name(),
                reason: format!(
                    "{} regions are too many; expected fewer than {MAX_REGIONS}: choose larger sectors with side=64",
                    regions.representatives.len()
                ),
            });
        }
        let graph = RegionGraph::find(map, layout, &regions, progress)?;
        let mut builder = RowBuilder::of_all(graph, layout, &regions.first, slack);
        builder.run(progress)?;
        let (graph, rows) = builder.finish();
        let parts = Parts {
            layout,
            slack,
            regions,
            graph,
            rows,
        };
        Ok(parts.assemble(map, map.file_fingerprint()))
    }

    /// Opens the index of a map without copying, after checking that no later access can leave its arrays.
    pub fn open(artifact: &Artifact, map: &Map) -> Result<SectorIndex, ArtifactError> {
        artifact.check(IndexKind::Sectors, map)?;
        let header = artifact.header().clone();
        let number = |key: &str| -> Option<u32> { header.parameters.get(key)?.parse().ok() };
        let side = number("side")
            .filter(|side| SIDES.contains(side))
            .ok_or_else(|| ArtifactError::malformed("no side of sectors"))?;
        let slack = number("slack")
            .filter(|&slack| slack <= 50)
            .ok_or_else(|| ArtifactError::malformed("no slack of chains"))?;
        let index = SectorIndex {
            header,
            slack,
            layout: Layout::new(map.grid(), side.trailing_zeros()),
            first_region: artifact.section(tags::FIRST_REGION)?,
            labels_at: artifact.section(tags::LABELS_AT)?,
            labels: artifact.section(tags::LABELS)?,
            representatives: artifact.section(tags::REPRESENTATIVES)?,
            first_edge: artifact.section(tags::FIRST_EDGE)?,
            edge_to: artifact.section(tags::EDGE_TO)?,
            edge_cost: artifact.section(tags::EDGE_COST)?,
            column: artifact.section(tags::COLUMN)?,
            component: artifact.section(tags::COMPONENT)?,
            first_run: artifact.section(tags::FIRST_RUN)?,
            runs: artifact.section(tags::RUNS)?,
        };
        index.validate(map)?;
        Ok(index)
    }

    fn validate(&self, map: &Map) -> Result<(), ArtifactError> {
        let check = |holds: bool, what: &str| {
            holds
                .then_some(())
                .ok_or_else(|| ArtifactError::malformed(format!("sectors: {what}")))
        };
        let count = self.representatives.len();
        let sectors = self.layout.count();
        check(
            count <= MAX_REGIONS
                && self.first_region.len() == sectors + 1
                && self.labels_at.len() == sectors
                && closes(&self.first_region, count),
            "regions of sectors",
        )?;
        for sector in 0..sectors {
            let regions = (self.first_region[sector + 1] - self.first_region[sector]) as usize;
            let words = self.labels_at[sector] as usize;
            let fits = regions <= 1 && self.labels_at[sector] == u32::MAX
                || regions > 1
                    && regions <= self.layout.area()
                    && words + label_words(self.layout, regions) <= self.labels.len();
            check(fits, "labels of a sector")?;
        }
        check(
            self.representatives
                .iter()
                .all(|&cell| map.grid().is_passable(cell)),
            "a representative in a wall",
        )?;
        // Every passable cell must lead to a region that exists, whatever its label says.
        check(
            map.grid()
                .cells()
                .all(|cell| self.region(map.grid().point(cell)).is_some()),
            "a cell without a region",
        )?;
        check(
            self.first_edge.len() == count + 1
                && closes(&self.first_edge, self.edge_to.len())
                && self.edge_cost.len() == self.edge_to.len()
                && self.edge_to.iter().all(|&to| (to as usize) < count),
            "edges",
        )?;
        check(
            self.component.len() == count
                && self.column.len() == count
                && self.column.iter().all(|&c| (c as usize) < count),
            "columns",
        )?;
        check(
            self.first_run.len() == count + 1 && closes(&self.first_run, self.runs.len()),
            "rows of next hops",
        )?;
        for sector in 0..sectors {
            let range = self.sector_range(sector);
            check(
                range
                    .into_iter()
                    .all(|region| self.stays_near(map, sector, region)),
                "a region that leads elsewhere than beside its sector",
            )?;
        }
        Ok(())
    }

    /// Does a region lie where its number says, do its edges lead beside it, and is its row one? Windows are laid round
    /// sectors beside each other, so hops that go further would lead them astray.
    fn stays_near(&self, map: &Map, sector: usize, region: usize) -> bool {
        let place = |region: usize| {
            let point = map.grid().point(self.representatives[region]);
            (point, self.layout.place(point))
        };
        let (point, (column, row)) = place(region);
        let edges = self.first_edge[region] as usize..self.first_edge[region + 1] as usize;
        let degree = edges.len();
        let is_beside = |&to: &u32| {
            let (_, (c, r)) = place(to as usize);
            c.abs_diff(column) <= 1 && r.abs_diff(row) <= 1
        };
        let runs = self.row(region as u32);
        (column, row) == self.layout.place_of(sector)
            && self.region(point) == Some(region as u32)
            && degree <= MAX_EDGES
            && self.edge_to[edges].iter().all(is_beside)
            && runs.is_sorted()
            && runs.len() <= self.region_count() + 1
            && (degree == 0 || runs.iter().all(|&run| slot_of(run) < degree))
    }
}

/// Whether offsets begin at 0, never fall, and end at `end`.
fn closes(offsets: &[u32], end: usize) -> bool {
    offsets.first() == Some(&0)
        && offsets.last() == Some(&(end as u32))
        && offsets.windows(2).all(|pair| pair[0] <= pair[1])
}

/// The sides that sectors may have.
const SIDES: [u32; 4] = [8, 16, 32, 64];

/// Where sectors of a side take more than this, sectors of twice the side take their place: mazes and noise break small
/// sectors into many regions.
const MAX_BYTES_A_CELL: u64 = 4;

/// Sectors of 16 where they do: the time for the table of next hops grows with the square of the number of regions.
fn least_side(passable: u64) -> u32 {
    match passable {
        0..1_500_000 => 16,
        1_500_000..16_000_000 => 32,
        _ => 64,
    }
}

impl Index for SectorIndex {
    fn kind(&self) -> IndexKind {
        IndexKind::Sectors
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        ArtifactWriter::new(self.header.clone())
            .section(tags::FIRST_REGION, &self.first_region)
            .section(tags::LABELS_AT, &self.labels_at)
            .section(tags::LABELS, &self.labels)
            .section(tags::REPRESENTATIVES, &self.representatives)
            .section(tags::FIRST_EDGE, &self.first_edge)
            .section(tags::EDGE_TO, &self.edge_to)
            .section(tags::EDGE_COST, &self.edge_cost)
            .section(tags::COLUMN, &self.column)
            .section(tags::COMPONENT, &self.component)
            .section(tags::FIRST_RUN, &self.first_run)
            .section(tags::RUNS, &self.runs)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        4 * (self.first_region.len()
            + self.labels_at.len()
            + 2 * self.labels.len()
            + self.representatives.len()
            + self.first_edge.len()
            + 2 * self.edge_to.len()
            + 2 * self.column.len()
            + self.first_run.len()
            + self.runs.len())
    }

    fn records(&self) -> u64 {
        self.region_count() as u64
    }

    fn repair(self: Arc<Self>, map: &Map, changes: &ChangeSet) -> Repair {
        Repair::Sliced(Box::new(SectorRepair::begin(self, map, changes)))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let facts = [
            ("sectors", self.layout.count()),
            ("side of a sector", self.layout.side() as usize),
            ("regions", self.region_count()),
            ("edges", self.edge_to.len()),
            ("runs of next hops", self.runs.len()),
        ];
        facts
            .into_iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }
}
