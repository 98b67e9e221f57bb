//! The encodings behind one interface.

use super::heuristic_move::HeuristicMoves;
use super::order::NodeOrder;
use super::packed_runs::Width;
use super::planes::{Planes, Territory};
use super::rectangles::{RecordShape, RectangleEncoder};
use super::run_lengths::{self, OpenRun, with_heuristic};
use super::sets::FirstMoves;
use super::{quadtree, table};
use crate::grid::{Cell, Grid};
use crate::map::Map;
use std::ops::Range;

/// How rows are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// One entry per pair of cells: the fastest and by far the largest, for small maps.
    Table,
    /// The rectangles of the 2011 paper.
    Rectangles,
    /// Quad-tree squares, which the paper compares its rectangles with.
    Quadtree,
    /// Run-length rows over depth-first order with the heuristic move: the smallest on nearly all maps.
    Runs,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 4] = [
        Encoding::Table,
        Encoding::Rectangles,
        Encoding::Quadtree,
        Encoding::Runs,
    ];

    /// The name in parameters.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Table => "table",
            Encoding::Rectangles => "rectangles",
            Encoding::Quadtree => "quadtree",
            Encoding::Runs => "runs",
        }
    }

    /// The encoding with this name.
    pub fn from_name(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Bytes of one record on a map, between builder and file; an error says why the encoding does not suit it.
    pub(crate) fn record_bytes(self, grid: &Grid) -> Result<usize, String> {
        let longest = grid.width().max(grid.height());
        match self {
            Encoding::Table => Ok(1),
            Encoding::Runs => Ok(run_lengths::RECORD_BYTES),
            Encoding::Rectangles => RecordShape::of(grid).map(|s| s.bytes).ok_or_else(|| {
                "`encoding=rectangles` has no room for the coordinates of this map; use runs"
                    .to_string()
            }),
            Encoding::Quadtree if longest > quadtree::MAX_SIDE => Err(format!(
                "`encoding=quadtree` takes sides up to {}, got {longest}; use runs",
                quadtree::MAX_SIDE
            )),
            Encoding::Quadtree => Ok(4),
        }
    }

    /// Bytes that this many records, of so many bytes between builder and file, take in a database with this order.
    pub(crate) fn stored_bytes(self, order: &NodeOrder, records: u64, record_bytes: usize) -> u64 {
        let largest = || {
            order
                .components()
                .map(|c| c.len() as u32)
                .max()
                .unwrap_or(0)
        };
        match self {
            Encoding::Runs => Width::of(largest().saturating_sub(1)).bytes(records),
            _ => records * record_bytes as u64,
        }
    }
}

/// Encodes the rows of one component from first-move sets.
pub(crate) struct RowEncoder<'a> {
    map: &'a Map,
    encoding: Encoding,
    /// The component's cells in the order of ranks.
    targets: &'a [Cell],
    first_rank: u32,
    /// Bitmaps, for all encodings but runs.
    spatial: Option<Spatial>,
}

struct Spatial {
    territory: Territory,
    planes: Planes,
    rectangles: Option<RectangleEncoder>,
}

impl<'a> RowEncoder<'a> {
    /// An encoder for the component with these ranks.
    pub fn new(
        map: &'a Map,
        order: &'a NodeOrder,
        component: Range<u32>,
        encoding: Encoding,
    ) -> RowEncoder<'a> {
        let targets = &order.cells[component.start as usize..component.end as usize];
        let grid = map.grid();
        let spatial = (encoding != Encoding::Runs).then(|| Spatial {
            territory: Territory::of(grid, targets),
            planes: Planes::new(grid),
            rectangles: (encoding == Encoding::Rectangles)
                .then(|| RecordShape::of(grid))
                .flatten()
                .map(|shape| RectangleEncoder::new(grid, shape)),
        });
        RowEncoder {
            map,
            encoding,
            targets,
            first_rank: component.start,
            spatial,
        }
    }

    /// Appends the row of a source whose sets a search found.
    pub(crate) fn encode_sets(&mut self, source: Cell, sets: &FirstMoves, out: &mut Vec<u8>) {
        if self.targets.len() < 2 {
            self.encode_lonely(out);
            return;
        }
        match &mut self.spatial {
            None => self.encode_runs(source, sets, out),
            Some(spatial) => {
                spatial.planes.copy_sets(sets, self.targets);
                self.encode_planes(source, out);
            }
        }
    }

    /// The row of a cell that has no neighbours.
    pub(crate) fn encode_lonely(&self, out: &mut Vec<u8>) {
        if self.encoding == Encoding::Table {
            out.push(8);
        }
    }

    fn encode_runs(&self, source: Cell, sets: &FirstMoves, out: &mut Vec<u8>) {
        let grid = self.map.grid();
        let heuristic = HeuristicMoves::of(self.map.legal(source));
        let from = grid.point(source);
        let mut run = OpenRun::at(self.first_rank);
        for (rank, &target) in (self.first_rank..).zip(self.targets) {
            if target == source {
                continue;
            }
            let to = grid.point(target);
            let (dx, dy) = (to.x as i32 - from.x as i32, to.y as i32 - from.y as i32);
            let moves = with_heuristic(sets.towards(target), heuristic, dx, dy);
            if let Some(record) = run.push(rank, moves) {
                run_lengths::write(record, out);
            }
        }
        run_lengths::write(run.record(), out);
    }

    /// Fills the bitmaps: for every group of eight targets its number and eight bytes, one per direction. Always the same
    /// groups: what lies outside them stays empty.
    pub(crate) fn set_planes(&mut self, groups: &[u32], bits: &[u64]) {
        if let Some(spatial) = &mut self.spatial {
            spatial.planes.set_groups(groups, bits);
        }
    }

    /// Appends the row of a source whose bitmaps have been filled.
    pub(crate) fn encode_planes(&mut self, source: Cell, out: &mut Vec<u8>) {
        let grid = self.map.grid();
        let Some(Spatial {
            territory,
            planes,
            rectangles,
        }) = &mut self.spatial
        else {
            return;
        };
        let legal = self.map.legal(source);
        let at = (source.0 % grid.stride(), source.0 / grid.stride());
        match (self.encoding, rectangles) {
            (_, Some(encoder)) => encoder.encode(territory, planes, legal, at, out),
            (Encoding::Quadtree, _) => quadtree::encode(grid, territory, planes, legal, at, out),
            _ => table::encode(planes, self.targets, out),
        }
    }
}
