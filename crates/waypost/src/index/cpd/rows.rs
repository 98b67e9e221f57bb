//! Rows between builder and file: collected in any order, laid out in the order of cells.

use super::PARAMETER_SHARD;
use super::database::{PathDatabase, Records, RowHead};
use super::encoding::Encoding;
use super::heuristic_move::HeuristicMoves;
use super::order::{NodeOrder, Slots};
use super::packed_runs::PackedRuns;
use super::rectangles::RecordShape;
use crate::artifact::{AlignedBytes, Array};
use crate::grid::Cell;
use crate::map::Map;
use std::collections::BTreeMap;

/// Rows of some sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowBatch {
    pub sources: Vec<Cell>,
    /// Records of each row.
    pub counts: Vec<u32>,
    /// The records, row after row.
    pub data: Vec<u8>,
}

impl RowBatch {
    /// Appends a row whose records are already at the end of the data.
    pub fn close_row(&mut self, source: Cell, data_before: usize, record_bytes: usize) {
        self.sources.push(source);
        self.counts
            .push(((self.data.len() - data_before) / record_bytes) as u32);
    }

    /// The rows of some of the sources, given in the order of cells.
    pub fn only(&self, wanted: &[Cell], record_bytes: usize) -> RowBatch {
        let mut some = RowBatch::default();
        let mut start = 0;
        for (&source, &count) in self.sources.iter().zip(&self.counts) {
            let end = start + count as usize * record_bytes;
            if wanted.binary_search(&source).is_ok() {
                let before = some.data.len();
                some.data.extend_from_slice(&self.data[start..end]);
                some.close_row(source, before, record_bytes);
            }
            start = end;
        }
        some
    }

    /// Joins batches and puts their rows in the order of sources.
    pub fn join(batches: &[RowBatch], record_bytes: usize) -> RowBatch {
        let mut rows: Vec<(Cell, u32, &[u8])> = Vec::new();
        for batch in batches {
            let mut start = 0;
            for (&source, &count) in batch.sources.iter().zip(&batch.counts) {
                let end = start + count as usize * record_bytes;
                rows.push((source, count, &batch.data[start..end]));
                start = end;
            }
        }
        rows.sort_unstable_by_key(|row| row.0);
        RowBatch {
            sources: rows.iter().map(|row| row.0).collect(),
            counts: rows.iter().map(|row| row.1).collect(),
            data: rows.iter().flat_map(|row| row.2).copied().collect(),
        }
    }
}

/// Records as the database keeps them.
pub(super) fn records_of(encoding: Encoding, map: &Map, rows: &RowBatch) -> Option<Records> {
    if encoding == Encoding::Runs {
        return Some(Records::Runs(PackedRuns::of(&rows.counts, &rows.data)));
    }
    let aligned = AlignedBytes::copy_of(&rows.data);
    let bytes = aligned.as_ref();
    Some(match encoding {
        Encoding::Table => Records::Table(Array::from_slice(bytes)),
        Encoding::Rectangles => {
            Records::Rectangles(RecordShape::of(map.grid())?, Array::from_slice(bytes))
        }
        _ => Records::Quadtree(Array::from_slice(bytemuck::cast_slice(bytes))),
    })
}

/// A database from its records and the number of records of every row, in the order of cells. `None` where the numbers
/// are not those of the map's cells, or do not fit in 32 bits together.
pub(super) fn database_of(
    map: &Map,
    order: NodeOrder,
    order_is_stored: bool,
    counts: impl Iterator<Item = u32>,
    records: Records,
    mut parameters: BTreeMap<String, String>,
) -> Option<PathDatabase> {
    parameters.remove(PARAMETER_SHARD);
    let slots = Slots::of(map.grid());
    let none = RowHead {
        first: 0,
        heuristic: HeuristicMoves(0),
    };
    let mut heads = vec![none; slots.len() + 1];
    let mut counts = counts.fuse();
    let (mut first, mut next_slot) = (0u32, 0);
    for cell in map.grid().cells() {
        let slot = slots.of_cell(cell);
        heads[next_slot..=slot]
            .iter_mut()
            .for_each(|h| h.first = first);
        heads[slot].heuristic = HeuristicMoves::of(map.legal(cell));
        first = first.checked_add(counts.next()?)?;
        next_slot = slot + 1;
    }
    heads[next_slot..].iter_mut().for_each(|h| h.first = first);
    if counts.next().is_some() {
        return None;
    }
    let mut ranks = vec![0; slots.len()];
    for (rank, &cell) in order.cells.iter().enumerate() {
        ranks[slots.of_cell(cell)] = rank as u32;
    }
    Some(PathDatabase {
        parameters,
        grid: map.grid().clone(),
        fingerprint: map.fingerprint(),
        file_fingerprint: map.file_fingerprint(),
        rules: map.rules(),
        ground: map.ground().cloned(),
        order,
        order_is_stored,
        slots,
        heads,
        ranks,
        records,
    })
}
