//! How large a database will be, from a sample of its rows.

use super::build::{rows_by_search, unsuitable};
use super::encoding::Encoding;
use super::order::NodeOrder;
use super::table;
use crate::index::BuildError;
use crate::map::Map;
use crate::parallel::prelude::*;
use crate::progress::Progress;

/// Rows sampled on maps that are not huge.
const SAMPLED_ROWS: u64 = 48;
/// Cells that all sampled searches may visit together; at least four rows are sampled whatever they take.
const SAMPLED_CELLS: u64 = 40_000_000;

/// Bytes that the database will take in one encoding. Exact for tables; for the others rows spread evenly over the
/// order of ranks are encoded and their mean taken, so the same map always gives the same estimate.
pub(super) fn bytes(
    map: &Map,
    order: &NodeOrder,
    encoding: Encoding,
    progress: &dyn Progress,
) -> Result<u64, BuildError> {
    let record_bytes = encoding.record_bytes(map.grid()).map_err(unsuitable)?;
    let cells = order.cells.len() as u64;
    let counts = 2 * cells;
    if encoding == Encoding::Table {
        let square = |c: std::ops::Range<u32>| c.len() as u64 * table::row_bytes(c.len()) as u64;
        return Ok(order.components().map(square).sum::<u64>() + counts);
    }
    let samples = (SAMPLED_CELLS / cells.max(1))
        .clamp(4, SAMPLED_ROWS)
        .min(cells);
    let records = (0..samples)
        .into_par_iter()
        .map(|i| {
            let rank = ((2 * i + 1) * cells / (2 * samples)) as u32;
            let component = order.component_of(rank);
            let rows = rows_by_search(map, order, encoding, component, rank..rank + 1, progress)?;
            Ok(u64::from(rows.counts[0]))
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    let total: u64 = records.iter().sum();
    let records = total * cells / samples.max(1);
    Ok(encoding.stored_bytes(order, records, record_bytes) + counts)
}

/// The smallest encoding and its estimate; the first of equals in the order runs, rectangles, table.
pub(super) fn smallest(
    map: &Map,
    order: &NodeOrder,
    progress: &dyn Progress,
) -> Result<(Encoding, u64), BuildError> {
    let mut best = (Encoding::Runs, bytes(map, order, Encoding::Runs, progress)?);
    for encoding in [Encoding::Rectangles, Encoding::Table] {
        if encoding.record_bytes(map.grid()).is_err() {
            continue;
        }
        let estimate = bytes(map, order, encoding, progress)?;
        if estimate < best.1 {
            best = (encoding, estimate);
        }
    }
    Ok(best)
}
