//! Databases and their shards as artifacts.
//!
//! | section | elements | holds |
//! |---|---|---|
//! | 1 or 2 | `u16` or `u32` | the number of records of every row, in the order of cells (of sources, in a shard) |
//! | 3 | bytes, or `u32` of quad-trees and long runs | the records of all rows, row after row |
//! | 4 | `u32` | the cells in the order of ranks; only where that is not depth-first order |
//! | 5 | `u32` | the sources of a shard |
//! | 6 | `u16` | the records of all rows, of short runs |
//! | 7 and 8 | `u16`, bytes | the starts and symbols of all rows, of split runs |
//!
//! What a checksum cannot promise is checked at opening: every row lies within the file, belongs to a cell of the map, is
//! sorted, and holds only moves that are legal at its source. So no look-up can leave the file or the map.

use super::database::{PathDatabase, Records};
use super::encoding::Encoding;
use super::order::NodeOrder;
use super::packed_runs::{PackedRuns, Tags};
use super::rectangles::{self, RecordShape};
use super::rows::{RowBatch, database_of};
use super::{FORMAT, PARAMETER_ENCODING, PARAMETER_FORMAT, PARAMETER_SHARD, quadtree, table};
use crate::artifact::{AlignedBytes, Artifact, ArtifactError, ArtifactWriter, Header, Identity};
use crate::grid::Cell;
use crate::index::{Index, IndexKind};
use crate::map::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

const SHORT_COUNTS: u32 = 1;
const LONG_COUNTS: u32 = 2;
const RECORDS: u32 = 3;
const ORDER: u32 = 4;
const SOURCES: u32 = 5;
const RUNS: Tags = Tags {
    short: 6,
    starts: 7,
    symbols: 8,
    long: RECORDS,
};

/// Counts in the smallest element that holds all of them.
enum Counts {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Counts {
    fn of(counts: Vec<u32>) -> Counts {
        if counts.iter().all(|&c| c <= u32::from(u16::MAX)) {
            Counts::Short(counts.into_iter().map(|c| c as u16).collect())
        } else {
            Counts::Long(counts)
        }
    }

    fn write<'a>(&'a self, writer: ArtifactWriter<'a>) -> ArtifactWriter<'a> {
        match self {
            Counts::Short(counts) => writer.section(SHORT_COUNTS, counts),
            Counts::Long(counts) => writer.section(LONG_COUNTS, counts),
        }
    }
}

fn read_counts(artifact: &Artifact) -> Result<Vec<u32>, ArtifactError> {
    if artifact.sections().any(|(tag, _)| tag == SHORT_COUNTS) {
        let counts = artifact.section::<u16>(SHORT_COUNTS)?;
        return Ok(counts.iter().map(|&c| u32::from(c)).collect());
    }
    Ok(artifact.section::<u32>(LONG_COUNTS)?.to_vec())
}

fn write_records<'a>(
    encoding: Encoding,
    data: &'a [u8],
    writer: ArtifactWriter<'a>,
) -> ArtifactWriter<'a> {
    match encoding {
        Encoding::Quadtree => writer.section::<u32>(RECORDS, bytemuck::cast_slice(data)),
        _ => writer.section(RECORDS, data),
    }
}

fn read_records(
    artifact: &Artifact,
    encoding: Encoding,
    map: &Map,
) -> Result<Records, ArtifactError> {
    Ok(match encoding {
        Encoding::Table => Records::Table(artifact.section(RECORDS)?),
        Encoding::Rectangles => Records::Rectangles(
            RecordShape::of(map.grid())
                .ok_or_else(|| ArtifactError::malformed("rectangles on a map of this size"))?,
            artifact.section(RECORDS)?,
        ),
        Encoding::Quadtree => Records::Quadtree(artifact.section(RECORDS)?),
        Encoding::Runs => Records::Runs(PackedRuns::read(RUNS, artifact)?),
    })
}

impl PathDatabase {
    /// Records of every row, in the order of cells.
    pub(super) fn counts(&self) -> Vec<u32> {
        let count = |cell| {
            let slot = self.slots.of_cell(cell);
            self.heads[slot + 1].first - self.heads[slot].first
        };
        self.grid.cells().map(count).collect()
    }

    /// Bytes of all records.
    pub(super) fn record_bytes(&self) -> usize {
        match &self.records {
            Records::Table(bytes) | Records::Rectangles(_, bytes) => bytes.len(),
            Records::Quadtree(words) => 4 * words.len(),
            Records::Runs(runs) => runs.width().bytes(self.records()) as usize,
        }
    }

    /// Whether there are as many records as the rows say.
    fn adds_up(&self) -> bool {
        let found = match &self.records {
            Records::Table(bytes) => Some(bytes.len()),
            Records::Rectangles(shape, bytes) => bytes
                .len()
                .is_multiple_of(shape.bytes)
                .then(|| bytes.len() / shape.bytes),
            Records::Quadtree(words) => Some(words.len()),
            Records::Runs(runs) => runs.len(),
        };
        found.map(|records| records as u64) == Some(self.records())
    }

    fn header(&self) -> Header {
        Header {
            kind: IndexKind::Cpd,
            fingerprint: self.file_fingerprint,
            width: self.grid.width(),
            height: self.grid.height(),
            rules: self.rules,
            terrain: self.ground.as_ref().map_or(0, |ground| ground.digest()),
            parameters: self.parameters.clone(),
        }
    }

    fn check_rows(&self, map: &Map) -> Result<(), ArtifactError> {
        let bad = |cell| {
            let point = self.grid.point(cell);
            ArtifactError::malformed(format!("the row of {point} is not one of this map"))
        };
        for component in self.order.components() {
            for rank in component.clone() {
                let cell = self.order.cells[rank as usize];
                let slot = self.slots.of_cell(cell);
                let row = self.heads[slot].first as usize..self.heads[slot + 1].first as usize;
                let legal = map.legal(cell);
                let size = component.len();
                let valid = match &self.records {
                    Records::Runs(records) => records.view().is_valid(row, size as u32, legal),
                    Records::Rectangles(shape, records) => rectangles::is_valid(
                        *shape,
                        &records[row.start * shape.bytes..row.end * shape.bytes],
                        map.grid(),
                        legal,
                    ),
                    Records::Quadtree(records) => quadtree::is_valid(&records[row], size, legal),
                    Records::Table(records) => {
                        table::is_valid(&records[row], size, rank - component.start, legal)
                    }
                };
                if !valid {
                    return Err(bad(cell));
                }
            }
        }
        Ok(())
    }
}

impl Index for PathDatabase {
    fn kind(&self) -> IndexKind {
        IndexKind::Cpd
    }

    fn identity(&self) -> Identity {
        self.header().identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let counts = Counts::of(self.counts());
        let writer = counts.write(ArtifactWriter::new(self.header()));
        let mut writer = match &self.records {
            Records::Table(bytes) | Records::Rectangles(_, bytes) => writer.section(RECORDS, bytes),
            Records::Quadtree(words) => writer.section(RECORDS, words),
            Records::Runs(runs) => runs.write(RUNS, writer),
        };
        if self.order_is_stored {
            writer = writer.section(ORDER, &self.order.cells);
        }
        writer.finish()
    }

    fn memory_bytes(&self) -> usize {
        size_of::<PathDatabase>()
            + self.record_bytes()
            + self.grid.memory_bytes()
            + self.slots.memory_bytes()
            + self.heads.len() * size_of::<super::database::RowHead>()
            + (self.ranks.len() + self.order.cells.len() + self.order.starts.len()) * 4
    }

    fn records(&self) -> u64 {
        self.heads.last().map_or(0, |head| u64::from(head.first))
    }

    fn facts(&self) -> Vec<(String, String)> {
        let cells = self.order.cells.len().max(1) as f64;
        vec![
            ("encoding".to_string(), self.encoding().name().to_string()),
            ("rows".to_string(), self.order.cells.len().to_string()),
            (
                "records_per_row".to_string(),
                format!("{:.2}", self.records() as f64 / cells),
            ),
            (
                "bytes_per_cell".to_string(),
                format!("{:.2}", self.record_bytes() as f64 / cells),
            ),
        ]
    }
}

/// Some rows of a database: what `--shard` builds and `merge` joins.
#[derive(Clone, Debug)]
pub struct DatabaseShard {
    pub(super) header: Header,
    pub(super) encoding: Encoding,
    pub(super) rows: RowBatch,
}

impl Index for DatabaseShard {
    fn kind(&self) -> IndexKind {
        IndexKind::Cpd
    }

    fn identity(&self) -> Identity {
        self.header.identity()
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        &self.header.parameters
    }

    fn to_bytes(&self) -> AlignedBytes {
        let counts = Counts::of(self.rows.counts.clone());
        let writer = counts.write(ArtifactWriter::new(self.header.clone()));
        let aligned = AlignedBytes::copy_of(&self.rows.data);
        write_records(self.encoding, aligned.as_ref(), writer)
            .section(SOURCES, &self.rows.sources)
            .finish()
    }

    fn memory_bytes(&self) -> usize {
        self.rows.data.len() + self.rows.sources.len() * 8
    }

    fn records(&self) -> u64 {
        self.rows.counts.iter().map(|&c| u64::from(c)).sum()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let shard = self.header.parameters.get(PARAMETER_SHARD);
        vec![
            ("shard".to_string(), shard.cloned().unwrap_or_default()),
            ("rows".to_string(), self.rows.sources.len().to_string()),
        ]
    }
}

fn encoding_of(artifact: &Artifact) -> Result<Encoding, ArtifactError> {
    let parameters = &artifact.header().parameters;
    match parameters.get(PARAMETER_FORMAT).map(String::as_str) {
        Some(FORMAT) => {}
        other => {
            return Err(ArtifactError::malformed(format!(
                "rows of format {}, expected {FORMAT}",
                other.unwrap_or("none")
            )));
        }
    }
    parameters
        .get(PARAMETER_ENCODING)
        .and_then(|name| Encoding::from_name(name))
        .ok_or_else(|| ArtifactError::malformed("an unknown encoding"))
}

/// Opens a database, or a shard of one.
pub(super) fn open(artifact: &Artifact, map: &Map) -> Result<Arc<dyn Index>, ArtifactError> {
    let encoding = encoding_of(artifact)?;
    let header = artifact.header().clone();
    if header.parameters.contains_key(PARAMETER_SHARD) {
        let rows = read_batch(artifact, encoding, record_bytes(encoding, map)?)?;
        return Ok(Arc::new(DatabaseShard {
            header,
            encoding,
            rows,
        }));
    }
    open_database(artifact, map).map(|database| Arc::new(database) as Arc<dyn Index>)
}

/// Opens a whole database.
pub(super) fn open_database(artifact: &Artifact, map: &Map) -> Result<PathDatabase, ArtifactError> {
    let encoding = encoding_of(artifact)?;
    record_bytes(encoding, map)?;
    let records = read_records(artifact, encoding, map)?;
    let has_order = artifact.sections().any(|(tag, _)| tag == ORDER);
    let order = if has_order {
        stored_order(map, &artifact.section::<Cell>(ORDER)?)?
    } else {
        NodeOrder::depth_first(map)
    };
    let counts = read_counts(artifact)?;
    let database = database_of(
        map,
        order,
        has_order,
        counts.into_iter(),
        records,
        artifact.header().parameters.clone(),
    )
    .ok_or_else(|| ArtifactError::malformed("the rows are not those of this map's cells"))?;
    if !database.adds_up() {
        return Err(ArtifactError::malformed(
            "the rows do not add up to the records",
        ));
    }
    database.check_rows(map)?;
    Ok(database)
}

fn record_bytes(encoding: Encoding, map: &Map) -> Result<usize, ArtifactError> {
    encoding
        .record_bytes(map.grid())
        .map_err(ArtifactError::malformed)
}

/// An order must hold every cell once, component by component.
fn stored_order(map: &Map, cells: &[Cell]) -> Result<NodeOrder, ArtifactError> {
    let bad = || ArtifactError::malformed("the order of ranks is not one of this map's cells");
    let mut seen = vec![0u64; map.grid().words().len()];
    let mut starts = Vec::new();
    let mut component_seen = vec![false; map.components().count()];
    let mut last = None;
    for (rank, &cell) in cells.iter().enumerate() {
        let label = map.components().of(cell).ok_or_else(bad)?;
        let bit = 1u64 << (cell.0 & 63);
        if seen[cell.index() >> 6] & bit != 0 {
            return Err(bad());
        }
        seen[cell.index() >> 6] |= bit;
        if last != Some(label) {
            if component_seen[label as usize] {
                return Err(bad());
            }
            component_seen[label as usize] = true;
            starts.push(rank as u32);
            last = Some(label);
        }
    }
    if cells.len() as u64 != map.grid().passable_count() {
        return Err(bad());
    }
    starts.push(cells.len() as u32);
    Ok(NodeOrder {
        cells: cells.to_vec(),
        starts,
    })
}

fn read_batch(
    artifact: &Artifact,
    encoding: Encoding,
    record_bytes: usize,
) -> Result<RowBatch, ArtifactError> {
    let data = match encoding {
        Encoding::Quadtree => bytemuck::cast_slice(&artifact.section::<u32>(RECORDS)?).to_vec(),
        _ => artifact.section::<u8>(RECORDS)?.to_vec(),
    };
    let batch = RowBatch {
        sources: artifact.section::<Cell>(SOURCES)?.to_vec(),
        counts: read_counts(artifact)?,
        data,
    };
    let records: u64 = batch.counts.iter().map(|&c| u64::from(c)).sum();
    if batch.sources.len() != batch.counts.len()
        || records.checked_mul(record_bytes as u64) != Some(batch.data.len() as u64)
    {
        return Err(ArtifactError::malformed(
            "the rows of the shard do not add up",
        ));
    }
    Ok(batch)
}

/// Joins all shards of one build, given in any order.
pub(super) fn merge(shards: &[Artifact]) -> Result<AlignedBytes, ArtifactError> {
    let first = shards
        .first()
        .ok_or_else(|| ArtifactError::malformed("no shards to merge; expected at least one"))?;
    let encoding = encoding_of(first)?;
    let mut parts: Vec<(u32, u32, &Artifact)> = Vec::new();
    for shard in shards {
        let (index, count) = shard_number(shard)?;
        parts.push((index, count, shard));
    }
    parts.sort_by_key(|part| part.0);
    let count = parts[0].1;
    let complete = parts.len() as u32 == count
        && (1..)
            .zip(&parts)
            .all(|(i, part)| part.0 == i && part.1 == count);
    if !complete {
        let got: Vec<_> = parts.iter().map(|p| format!("{}/{}", p.0, p.1)).collect();
        return Err(ArtifactError::malformed(format!(
            "the shards are not 1 to {count} of one build: got {}",
            got.join(", ")
        )));
    }
    let whole = whole_header(first);
    if shards.iter().any(|shard| whole_header(shard) != whole) {
        return Err(ArtifactError::malformed(
            "the shards are of different maps, rules or parameters",
        ));
    }
    let grid = crate::grid::Grid::blocked(whole.width, whole.height)
        .map_err(|error| ArtifactError::malformed(error.to_string()))?;
    let record_bytes = encoding
        .record_bytes(&grid)
        .map_err(ArtifactError::malformed)?;
    let batches = parts
        .iter()
        .map(|(_, _, shard)| read_batch(shard, encoding, record_bytes))
        .collect::<Result<Vec<_>, _>>()?;
    let rows = RowBatch::join(&batches, record_bytes);
    let runs = (encoding == Encoding::Runs).then(|| PackedRuns::of(&rows.counts, &rows.data));
    let counts = Counts::of(rows.counts);
    let aligned = AlignedBytes::copy_of(&rows.data);
    let writer = counts.write(ArtifactWriter::new(whole));
    Ok(match &runs {
        Some(runs) => runs.write(RUNS, writer).finish(),
        None => write_records(encoding, aligned.as_ref(), writer).finish(),
    })
}

/// The header that the whole database will have.
fn whole_header(shard: &Artifact) -> Header {
    let mut header = shard.header().clone();
    header.parameters.remove(PARAMETER_SHARD);
    header
}

fn shard_number(artifact: &Artifact) -> Result<(u32, u32), ArtifactError> {
    let parts = artifact
        .header()
        .parameters
        .get(PARAMETER_SHARD)
        .and_then(|text| text.split_once('/'))
        .and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.ok_or_else(|| {
        ArtifactError::malformed("not a shard; expected files of `waypost build cpd --shard I/N`")
    })
}
