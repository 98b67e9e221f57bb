//! Builds databases.

use super::compose::{self, CornerGraph};
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
) -> Result<RowBatch, BuildError> {
    let record_bytes = encoding.record_bytes(map.grid()).map_err(unsuitable)?;
    let mut encoder = RowEncoder::new(map, order, component, encoding);
    let mut sets = FirstMoves::default();
    let mut rows = RowBatch::default();
    for rank in ranks {
        let source = order.cells[rank as usize];
        sets.find(map, source);
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
    fn check_bytes(&self, rows: &RowBatch, taken: &AtomicU64) -> Result<(), BuildError> {
        let bytes = (rows.data.len() + 2 * rows.counts.len()) as u64;
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

fn plan(map: &Map, request: &IndexRequest) -> Result<Plan, BuildError> {
    let expected = "auto, table, rectangles, quadtree or runs";
    let known = |name: &String| name == "auto" || Encoding::from_name(name).is_some();
    let name = request.value(PARAMETER_ENCODING, "auto".to_string(), expected, known)?;
    let max_bytes = request.value(
        PARAMETER_MAX_BYTES,
        DEFAULT_MAX_BYTES,
        "a number of bytes",
        |_: &u64| true,
    )?;
    if map.grid().passable_count() > run_lengths::MAX_CELLS {
        return Err(unsuitable(format!(
            "the map has {} passable cells, expected at most {}; use `sectors` or `subgoals`",
            map.grid().passable_count(),
            run_lengths::MAX_CELLS
        )));
    }
    let order = NodeOrder::depth_first(map);
    let (encoding, estimate) = match Encoding::from_name(&name) {
        Some(encoding) => (encoding, estimate::bytes(map, &order, encoding)?),
        None => estimate::smallest(map, &order)?,
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

/// Encodings whose rows hold record numbers of 32 bits never pass this; see [`rows`](super::rows).
const DEFAULT_MAX_BYTES: u64 = 1 << 32;

fn rows(
    map: &Map,
    plan: &Plan,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let record_bytes = plan.encoding.record_bytes(map.grid()).map_err(unsuitable)?;
    if !map.is_uniform() {
        return searched_rows(map, plan, shard, record_bytes, progress);
    }
    let graph = CornerGraph::of(map, &plan.order);
    let tiles = compose::tiles(
        map,
        &plan.order,
        &graph,
        plan.encoding,
        compose::MAX_SOURCES,
    );
    let tiles = &tiles[shard.part_of(tiles.len())];
    progress.begin("rows", tiles.iter().map(|t| u64::from(t.sources)).sum());
    let taken = AtomicU64::new(0);
    let batches = tiles
        .par_iter()
        .map(|tile| {
            unless_cancelled(progress)?;
            let rows =
                compose::rows_of_tile(map, &plan.order, &graph, plan.encoding, record_bytes, tile);
            plan.check_bytes(&rows, &taken)?;
            progress.advance(u64::from(tile.sources));
            Ok(rows)
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    Ok(RowBatch::join(&batches, record_bytes))
}

/// Sources of one piece of work where rows are searched for.
const SEARCHED_SOURCES: usize = 32;

/// Rows by one search per source: where moves do not cost the same everywhere, or go four ways, there are no corners to
/// compose them from.
fn searched_rows(
    map: &Map,
    plan: &Plan,
    shard: Shard,
    record_bytes: usize,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let pieces = plan.order.components().flat_map(|component| {
        let starts = component.clone().step_by(SEARCHED_SOURCES);
        starts.map(move |start| {
            let end = component.end.min(start + SEARCHED_SOURCES as u32);
            (component.clone(), start..end)
        })
    });
    let pieces: Vec<_> = pieces.collect();
    let pieces = &pieces[shard.part_of(pieces.len())];
    progress.begin("rows", pieces.iter().map(|(_, r)| r.len() as u64).sum());
    let taken = AtomicU64::new(0);
    let batches = pieces
        .par_iter()
        .map(|(component, ranks)| {
            unless_cancelled(progress)?;
            let rows = rows_by_search(
                map,
                &plan.order,
                plan.encoding,
                component.clone(),
                ranks.clone(),
            )?;
            plan.check_bytes(&rows, &taken)?;
            progress.advance(ranks.len() as u64);
            Ok(rows)
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    Ok(RowBatch::join(&batches, record_bytes))
}

fn parameters(encoding: Encoding) -> BTreeMap<String, String> {
    BTreeMap::from([
        (PARAMETER_ENCODING.to_string(), encoding.name().to_string()),
        (PARAMETER_FORMAT.to_string(), FORMAT.to_string()),
    ])
}

/// Builds a whole database.
pub(super) fn build_whole(
    map: &Map,
    request: &IndexRequest,
    progress: &dyn Progress,
) -> Result<PathDatabase, BuildError> {
    let plan = plan(map, request)?;
    let rows = rows(map, &plan, Shard::WHOLE, progress)?;
    let records = records_of(plan.encoding, map, &rows.data)
        .ok_or_else(|| unsuitable("the map is too large for this encoding"))?;
    database_of(
        map,
        plan.order,
        false,
        rows.counts.into_iter(),
        records,
        parameters(plan.encoding),
    )
    .ok_or_else(|| unsuitable("it would have more than 2^32 records; build it for a smaller map"))
}

/// Builds a database or a shard.
pub(super) fn build_index(
    map: &Map,
    request: &IndexRequest,
    shard: Shard,
    progress: &dyn Progress,
) -> Result<Arc<dyn Index>, BuildError> {
    if shard == Shard::WHOLE {
        return Ok(Arc::new(build_whole(map, request, progress)?));
    }
    if shard.index == 0 || shard.index > shard.count {
        return Err(unsuitable(format!(
            "there is no shard {} of {}; expected 1/{} to {}/{}",
            shard.index, shard.count, shard.count, shard.count, shard.count
        )));
    }
    let plan = plan(map, request)?;
    let mut parameters = parameters(plan.encoding);
    parameters.insert(
        PARAMETER_SHARD.to_string(),
        format!("{}/{}", shard.index, shard.count),
    );
    Ok(Arc::new(DatabaseShard {
        header: Header::of(IndexKind::Cpd, map, parameters),
        encoding: plan.encoding,
        rows: rows(map, &plan, shard, progress)?,
    }))
}
