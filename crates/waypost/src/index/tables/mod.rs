//! All-pairs tables: the next step and the distance for every pair of cells (Game AI Pro, chapter 17.3.1).
//!
//! Roy, Floyd and Warshall's table answers any query by look-ups alone; it takes memory with the square of the number of
//! cells, five bytes a pair here. A small map gets one table. A larger one is cut into square zones, as the chapter advises,
//! with a table each for moves inside the zone; a search over the cells at which zones touch, whose edges are look-ups, is
//! exact ([`ZoneSearch`]): every path is a chain of pieces inside zones and moves between them.
//!
//! Zones are filled as the inventors did it, by trying every cell between every pair. A whole map has too many cells for a
//! cube of steps: there the same table comes from Dijkstra's algorithm, once per cell.
//!
//! The lossless compression of such tables is the `cpd` index, the lossy one `landmarks`.

mod artifact;
mod build;
mod search;
#[cfg(test)]
mod tests;

pub use artifact::TABLES;
pub use search::{ALGORITHM, TablePlanner, ZoneSearch};

use crate::artifact::{Array, Header};
use crate::cost::Cost;
use crate::grid::{Cell, Direction, Point};
use crate::heuristic::GridHeuristic;
use crate::index::ranks::{RankView, Ranks};
use crate::map::Map;

/// The most cells of a map with a single table: 8,192 squared times five bytes are a third of a gigabyte.
pub const MOST_CELLS: usize = 8192;
/// The longest side of a zone.
pub const MOST_SIDE: u32 = 20;
/// No way within the zone.
const NO_STEP: u8 = 255;

/// The table of one map, or of all its zones.
#[derive(Clone, Debug)]
pub struct Tables {
    header: Header,
    state: u64,
    ranks: Ranks,
    /// The side of a zone; 0 for a single zone that is the whole map.
    side: u32,
    /// Zones in a row of the map.
    columns: u32,
    /// For every passable cell, by rank, its number in its zone.
    locals: Array<u32>,
    /// For every zone its number of cells.
    sizes: Array<u32>,
    /// For every zone the place of its first pair.
    first_pair: Vec<usize>,
    /// Distances inside zones, by zone, target and source.
    distances: Array<Cost>,
    /// The direction of the next step from the source, in the same order.
    steps: Array<u8>,
    /// For every zone its cells with a move to another zone.
    portals: Vec<Vec<Cell>>,
    dearest: Cost,
}

impl Tables {
    /// Is there a single table for the whole map?
    pub fn is_whole(&self) -> bool {
        self.side == 0
    }

    /// Was it built or opened for a map of this size and rules, and for this state of it?
    pub fn fits(&self, map: &Map) -> bool {
        let grid = map.grid();
        self.state == map.fingerprint()
            && (self.header.width, self.header.height) == (grid.width(), grid.height())
            && self.header.rules == map.rules()
    }

    /// Whether its distances are lower bounds on the map as it is: where it fits, and where walls alone have gone up since.
    pub fn bounds(&self, map: &Map) -> bool {
        self.header.rules == map.rules() && map.has_but_walls_since(self.state)
    }

    fn zone(&self, point: Point) -> usize {
        match self.side {
            0 => 0,
            side => (point.y / side * self.columns + point.x / side) as usize,
        }
    }

    fn local(&self, cell: Cell) -> usize {
        self.locals[self.ranks.view().rank(cell)] as usize
    }

    /// The place of a pair of cells of one zone.
    fn pair(&self, zone: usize, from: Cell, to: Cell) -> usize {
        let size = self.sizes[zone] as usize;
        self.first_pair[zone] + self.local(to) * size + self.local(from)
    }

    /// The distance between two cells inside the zone that holds both; `None` where there is no such way.
    pub fn distance(&self, map: &Map, from: Cell, to: Cell) -> Option<Cost> {
        let pair = self.shared_pair(map, from, to)?;
        (self.steps[pair] != NO_STEP || from == to).then(|| self.distances[pair])
    }

    /// The next step from one cell to another inside the zone that holds both.
    pub fn step(&self, map: &Map, from: Cell, to: Cell) -> Option<Direction> {
        let step = self.steps[self.shared_pair(map, from, to)?];
        (step != NO_STEP).then(|| Direction::from_number(step))
    }

    fn shared_pair(&self, map: &Map, from: Cell, to: Cell) -> Option<usize> {
        let grid = map.grid();
        if !(grid.is_passable(from) && grid.is_passable(to)) {
            return None;
        }
        let zone = self.zone(grid.point(from));
        (zone == self.zone(grid.point(to))).then(|| self.pair(zone, from, to))
    }

    /// The true distances to a goal as a heuristic. Only for a table of the whole map.
    pub fn towards(&self, goal: Cell) -> TableRow<'_> {
        let size = self.sizes[0] as usize;
        let first = self.local(goal) * size;
        TableRow {
            ranks: self.ranks.view(),
            distances: &self.distances[first..first + size],
        }
    }
}

/// True distances to one goal: A* expands nothing but the cells of a path.
#[derive(Clone, Copy)]
pub struct TableRow<'a> {
    ranks: RankView<'a>,
    distances: &'a [Cost],
}

impl GridHeuristic for TableRow<'_> {
    #[inline]
    fn estimate(&self, cell: Cell, _point: Point) -> Cost {
        // In a table of the whole map a cell's number in its zone is its rank.
        self.distances[self.ranks.rank(cell)]
    }
}
