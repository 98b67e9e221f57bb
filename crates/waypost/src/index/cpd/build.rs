//! Builds databases.

use super::compose::{self, CornerGraph, TilePlan};
use super::database::PathDatabase;
use super::encoding::{Encoding, RowEncoder};
use super::file::DatabaseShard;
use super::order::NodeOrder;
use super::rows::{RowBatch, database_of, records_of};
use super::sets::FirstMoves;
use super::{
    FORMAT, INDEX_NAME, PARAMETER_ENCODING, PARAMETER_FORMAT, PARAMETER_MAX_BYTES, PARAMETER_SHARD,
    estimate, run_lengths,
};
use crate::artifact::Header;
use crate::index::{BuildError, Index, IndexKind, IndexRequest, Shard, unless_cancelled};
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) fn unsuitable(reason: impl Into<String>) -> BuildError {
    BuildError::Unsuitable {
        index: INDEX_NAME,
        reason: reason.into(),
    }
}

/// Rows by definition, one search per source.
pub(super) fn rows_by_search(
    map: &Map,
    order: &NodeOrder,
    encoding: Encoding,
    component: Range<u32>,
    ranks: Range<u32>,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let record_bytes = encoding.record_bytes(map.grid()).map_err(unsuitable)?;
    let mut encoder = RowEncoder::new(map, order, component, encoding);
    let mut sets = FirstMoves::default();
    let mut rows = RowBatch::default();
    for rank in ranks {
        let source = order.cells[rank as usize];
        sets.find(map, source, progress)?;
        let before = rows.data.len();
        encoder.encode_sets(source, &sets, &mut rows.data);
        rows.close_row(source, before, record_bytes);
    }
    Ok(rows)
}

/// What a request asks for.
struct Plan {
    encoding: Encoding,
    max_bytes: u64,
    order: NodeOrder,
}

impl Plan {
    /// Adds the bytes of some rows to those of all and fails where that is more than was allowed.
    fn check_bytes(
        &self,
        rows: &RowBatch,
        record_bytes: usize,
        taken: &AtomicU64,
    ) -> Result<(), BuildError> {
        let records = (rows.data.len() / record_bytes) as u64;
        let stored = self
            .encoding
            .stored_bytes(&self.order, records, record_bytes);
        let bytes = stored + 2 * rows.counts.len() as u64;
        let so_far = taken.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if so_far > self.max_bytes {
            return Err(unsuitable(format!(
                "the database has passed max-bytes={} (its estimate was below); raise max-bytes",
                self.max_bytes
            )));
        }
        Ok(())
    }
}

fn plan(map: &Map, request: &IndexRequest, progress: &dyn Progress) -> Result<Plan, BuildError> {
    let expected = "auto, table, rectangles, quadtree or runs";
    let known = |name: &String| name == "auto" || Encoding::from_name(name).is_some();
    let name = request.value(PARAMETER_ENCODING, "auto".to_string(), expected, known)?;
    let max_bytes = request.value(
        PARAMETER_MAX_BYTES,
        DEFAULT_MAX_BYTES,
        "a number of bytes",
        |_: &u64| true,
    )?;
    let cells = map.grid().passable_count();
    if cells > MOST_CELLS {
        let days = cells as f64 * cells as f64 * SECONDS_PER_PAIR / 86_400.0;
        return Err(unsuitable(format!(
            "the map has {cells} passable cells, expected at most {MOST_CELLS}: rows for all pairs would take about {days:.0} days of one core; use `labels` or `sectors`"
        )));
    }
    let order = NodeOrder::depth_first(map);
    let (encoding, estimate) = match Encoding::from_name(&name) {
        Some(encoding) => (encoding, estimate::bytes(map, &order, encoding, progress)?),
        None => estimate::smallest(map, &order, progress)?,
    };
    if estimate > max_bytes {
        let smaller = match encoding {
            Encoding::Runs => "",
            _ => " try encoding=runs,",
        };
        return Err(unsuitable(format!(
            "encoding `{}` would take about {estimate} bytes, more than max-bytes={max_bytes}; raise max-bytes,{smaller} or use `labels` or `sectors`",
            encoding.name()
        )));
    }
    Ok(Plan {
        encoding,
        max_bytes,
        order,
    })
}

/// Beyond this many cells not even a sample of rows is looked at: all of them would take more than a week of one core.
const MOST_CELLS: u64 = 1 << 24;
const _: () = assert!(MOST_CELLS <= run_lengths::MAX_CELLS);

/// What a pair of cells takes to build, by what game maps take (`docs/measurements/cpd.md`).
const SECONDS_PER_PAIR: f64 = 2.4e-9;

/// Encodings whose rows hold record numbers of 32 bits never pass this; see [`super::rows`].
const DEFAULT_MAX_BYTES: u64 = 1 << 32;

/// What all shards of a build share: order, encoding, corners, and how the work is cut.
pub(in crate::index) struct Preparation {
    plan: Plan,
    pieces: Pieces,
    record_bytes: usize,
}

/// Pieces of work, in the order of shards.
enum Pieces {
    /// Rows composed from corners.
    Tiles(Box<CornerGraph>, Vec<TilePlan>),
    /// Rows by one search per source, where moves do not cost the same everywhere, or go four ways, so that there are no corners to compose
    /// them from: component and sources.
    Searches(Vec<(Range<u32>, Range<u32>)>),
}

/// Sources of one piece of work where rows are searched for.
const SEARCHED_SOURCES: usize = 32;

impl Preparation {
    /// Of a map, all doors open.
    pub fn new(
        map: &Map,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<Preparation, BuildError> {
        let plan = plan(map, request, progress)?;
        let (order, encoding) = (&plan.order, plan.encoding);
        let pieces = match map.is_uniform() {
            true => {
                let graph = CornerGraph::of(map, order, progress)?;
                let tiles = compose::tiles(map, order, &graph, encoding, compose::MAX_SOURCES);
                Pieces::Tiles(Box::new(graph), tiles)
            }
            false => Pieces::Searches(searches(order)),
        };
        Ok(Preparation {
            record_bytes: encoding.record_bytes(map.grid()).map_err(unsuitable)?,
            pieces,
            plan,
        })
    }

    fn rows(
        &self,
        map: &Map,
        shard: Shard,
        progress: &dyn Progress,
    ) -> Result<RowBatch, BuildError> {
        let (order, encoding) = (&self.plan.order, self.plan.encoding);
        match &self.pieces {
            Pieces::Tiles(graph, tiles) => {
                let tiles = &tiles[shard.part_of(tiles.len())];
                self.each(
                    tiles,
                    |tile| tile.sources as usize,
                    progress,
                    |tile| {
                        let bytes = self.record_bytes;
                        compose::rows_of_tile(map, order, graph, encoding, bytes, tile, progress)
                    },
                )
            }
            Pieces::Searches(pieces) => {
                let pieces = &pieces[shard.part_of(pieces.len())];
                self.each(
                    pieces,
                    |(_, ranks)| ranks.len(),
                    progress,
                    |piece| {
                        let (component, ranks) = piece.clone();
                        rows_by_search(map, order, encoding, component, ranks, progress)
                    },
                )
            }
        }
    }

    /// The rows of pieces of work with this many sources each.
    fn each<P: Sync>(
        &self,
        pieces: &[P],
        sources: impl Fn(&P) -> usize + Sync,
        progress: &dyn Progress,
        rows_of: impl Fn(&P) -> Result<RowBatch, BuildError> + Sync,
    ) -> Result<RowBatch, BuildError> {
        progress.begin("rows", pieces.iter().map(|p| sources(p) as u64).sum());
        let taken = AtomicU64::new(0);
        let batches = pieces
            .par_iter()
            .map(|piece| {
                unless_cancelled(progress)?;
                let rows = rows_of(piece)?;
                self.plan.check_bytes(&rows, self.record_bytes, &taken)?;
                progress.advance(sources(piece) as u64);
                Ok(rows)
            })
            .collect::<Result<Vec<_>, BuildError>>()?;
        Ok(RowBatch::join(&batches, self.record_bytes))
    }

    /// A database or a shard of it.
    pub fn build(
        &self,
        map: &Map,
        shard: Shard,
        progress: &dyn Progress,
    ) -> Result<Arc<dyn Index>, BuildError> {
        if shard == Shard::WHOLE {
            return Ok(Arc::new(self.whole(map, progress)?));
        }
        if shard.index == 0 || shard.index > shard.count {
            return Err(unsuitable(format!(
                "there is no shard {} of {}; expected 1/{} to {}/{}",
                shard.index, shard.count, shard.count, shard.count, shard.count
            )));
        }
        let mut parameters = parameters(self.plan.encoding);
        parameters.insert(
            PARAMETER_SHARD.to_string(),
            format!("{}/{}", shard.index, shard.count),
        );
        Ok(Arc::new(DatabaseShard {
            header: Header::of(IndexKind::Cpd, map, parameters),
            encoding: self.plan.encoding,
            rows: self.rows(map, shard, progress)?,
        }))
    }

    /// The whole database.
    pub fn whole(&self, map: &Map, progress: &dyn Progress) -> Result<PathDatabase, BuildError> {
        let encoding = self.plan.encoding;
        let rows = self.rows(map, Shard::WHOLE, progress)?;
        let records = records_of(encoding, map, &rows)
            .ok_or_else(|| unsuitable("the map is too large for this encoding"))?;
        let (order, counts) = (self.plan.order.clone(), rows.counts.into_iter());
        let database = database_of(map, order, false, counts, records, parameters(encoding));
        database.ok_or_else(|| {
            unsuitable("it would have more than 2^32 records; build it for a smaller map")
        })
    }
}

fn searches(order: &NodeOrder) -> Vec<(Range<u32>, Range<u32>)> {
    let pieces = order.components().flat_map(|component| {
        let starts = component.clone().step_by(SEARCHED_SOURCES);
        starts.map(move |start| {
            let end = component.end.min(start + SEARCHED_SOURCES as u32);
            (component.clone(), start..end)
        })
    });
    pieces.collect()
}

fn parameters(encoding: Encoding) -> BTreeMap<String, String> {
    BTreeMap::from([
        (PARAMETER_ENCODING.to_string(), encoding.name().to_string()),
        (PARAMETER_FORMAT.to_string(), FORMAT.to_string()),
    ])
}

/// Builds a database or a shard.
pub(super) fn build_index(
    map: &Map,
    request: &IndexRequest,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    Preparation::new(map, request, progress)?.build(map, shard, progress)
}
