//! Rows composed from the distances between corners: the fast builder.
//!
//! Every optimal path can be bent into diagonal steps first, then straight ones, turning elsewhere only at *corners*, the
//! cells round which shortest paths bend ([`crate::grid::scan`]). So the distance between a target `t` and a source
//! `s` is the octile distance if a walk of diagonal, then straight steps without a corner joins them, and otherwise the
//! least of `octile(t, c) + d(c, s)` over the few corners `c` that such walks from `t` meet first. That is:
//!
//! 1. the corners of a component, the corners that every cell meets first, and from these all distances between corners
//!    ([`corners`]);
//! 2. for a *tile* of sources the distances from all corners to all sources of the tile ([`tile`]);
//! 3. for every target in turn the distances to all sources of the tile: the minimum over a handful of rows of step 2,
//!    plus the cells that are met directly; a move of a source is optimal for the target if the distances of the two cells
//!    differ by exactly its cost; so the sets of a whole tile come from comparing a field with itself, shifted, eight
//!    sources at a time ([`field`]; [`sweep`] goes through the targets).
//!
//! Sets are consumed as they are made: the open run of every source is cut when its intersection is empty, so that runs
//! need no memory beyond their result; the other encodings gather bitmaps for a small tile.
//!
//! Distances differ by less than 2^15 between neighbours, so step 3 compares their lowest 16 bits. The work per pair of
//! cells is about 15 instructions, against some hundred for a search; corner distances take little beside it.

mod corners;
mod field;
mod sweep;
mod tile;

pub(super) use corners::CornerGraph;

use super::encoding::{Encoding, RowEncoder};
use super::order::NodeOrder;
use super::rows::RowBatch;
use crate::grid::Cell;
use crate::index::BuildError;
use crate::map::Map;
use crate::progress::Progress;
use std::ops::Range;
use tile::Tile;

/// Bytes that a tile's distances from corners, or its bitmaps, may take.
const TILE_BYTES: usize = 32 << 20;
/// Sources of a tile: large ones share more work, small ones know better which corners matter.
pub(super) const MAX_SOURCES: usize = 4096;
const MIN_SOURCES: usize = 64;

/// A rectangle of sources of one component: columns in groups of eight, rows as in the layout.
#[derive(Clone, Debug)]
pub(super) struct TilePlan {
    pub component: usize,
    pub groups: Range<u32>,
    pub rows: Range<u32>,
    pub sources: u32,
}

impl TilePlan {
    /// The sources, in the order of cells.
    pub fn cells(&self, map: &Map, order: &NodeOrder) -> Vec<Cell> {
        let (stride, components) = (map.grid().stride(), map.components());
        let label = components.of(order.cells[order.starts[self.component] as usize]);
        let columns = self.groups.start * 8..(self.groups.end * 8).min(stride);
        self.rows
            .clone()
            .flat_map(|y| columns.clone().map(move |x| Cell(y * stride + x)))
            .filter(|&cell| map.grid().is_passable(cell) && components.of(cell) == label)
            .collect()
    }
}

/// Cuts all components into tiles, in a fixed order.
pub(super) fn tiles(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    encoding: Encoding,
    most_sources: usize,
) -> Vec<TilePlan> {
    let mut all = Vec::new();
    for (number, component) in order.components().enumerate() {
        let cells = &order.cells[component.start as usize..component.end as usize];
        let fitting = fitting_sources(graph.corners_of(number).len(), cells.len(), encoding);
        let most = fitting.min(most_sources);
        component_tiles(map, number, cells, most, &mut all);
    }
    all
}

/// The sources of a tile for which its memory stays within bounds.
fn fitting_sources(corners: usize, cells: usize, encoding: Encoding) -> usize {
    let by_corners = TILE_BYTES / (4 * corners.max(1));
    let by_bitmaps = match encoding {
        Encoding::Runs => usize::MAX,
        // Eight bitmaps of about the component's size for every source.
        _ => TILE_BYTES / (2 * cells.max(1)),
    };
    by_corners.min(by_bitmaps).max(MIN_SOURCES)
}

fn component_tiles(
    map: &Map,
    component: usize,
    cells: &[Cell],
    most: usize,
    all: &mut Vec<TilePlan>,
) {
    let stride = map.grid().stride();
    // About square, a power of two of groups wide.
    let width = ((most as f64).sqrt() as u32)
        .div_ceil(8)
        .next_power_of_two();
    let height = (most as u32 / (8 * width)).max(1);
    let mut keys: Vec<(u32, u32)> = cells
        .iter()
        .map(|cell| (cell.0 / stride / height, (cell.0 % stride) / 8 / width))
        .collect();
    keys.sort_unstable();
    for equal in keys.chunk_by(|a, b| a == b) {
        let (row, column) = equal[0];
        all.push(TilePlan {
            component,
            groups: column * width..(column + 1) * width,
            rows: row * height..(row + 1) * height,
            sources: equal.len() as u32,
        });
    }
}

/// The rows of the sources of a tile; given up where whoever watches wants no more of it.
pub(super) fn rows_of_tile(
    map: &Map,
    order: &NodeOrder,
    graph: &CornerGraph,
    encoding: Encoding,
    record_bytes: usize,
    plan: &TilePlan,
    progress: &dyn Progress,
) -> Result<RowBatch, BuildError> {
    let component = order.starts[plan.component]..order.starts[plan.component + 1];
    let mut encoder = RowEncoder::new(map, order, component.clone(), encoding);
    if component.len() < 2 {
        let mut rows = RowBatch::default();
        encoder.encode_lonely(&mut rows.data);
        rows.close_row(order.cells[component.start as usize], 0, record_bytes);
        return Ok(rows);
    }
    let tile = Tile::new(map, order, graph, plan, progress)?;
    match encoding {
        Encoding::Runs => sweep::runs(map, order, graph, &tile, component, progress),
        _ => sweep::bitmaps(
            map,
            order,
            graph,
            &tile,
            component,
            (&mut encoder, record_bytes),
            progress,
        ),
    }
}
