//! The next step and the distance for every pair of cells of a map or of its zones; [`crate::index::tables`] builds them.

use super::GridHeuristic;
use crate::artifact::{Array, Header};
use crate::cost::Cost;
use crate::grid::ranks::{RankView, Ranks};
use crate::grid::{Cell, Direction, Point};
use crate::map::Map;

/// No way within the zone.
pub(crate) const NO_STEP: u8 = 255;

/// The table of one map, or of all its zones.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(crate) header: Header,
    pub(crate) state: u64,
    pub(crate) ranks: Ranks,
    /// The side of a zone; 0 for a single zone that is the whole map.
    pub(crate) side: u32,
    /// Zones in a row of the map.
    pub(crate) columns: u32,
    /// For every passable cell, by rank, its number in its zone.
    pub(crate) locals: Array<u32>,
    /// For every zone its number of cells.
    pub(crate) sizes: Array<u32>,
    /// For every zone the place of its first pair.
    pub(crate) first_pair: Vec<usize>,
    /// Distances inside zones, by zone, target and source.
    pub(crate) distances: Array<Cost>,
    /// The direction of the next step from the source, in the same order.
    pub(crate) steps: Array<u8>,
    /// For every zone its cells with a move to another zone.
    pub(crate) portals: Vec<Vec<Cell>>,
    pub(crate) highest: Cost,
}

impl Tables {
    /// Whether there is a single table for the whole map.
    pub fn is_whole(&self) -> bool {
        self.side == 0
    }

    /// Whether it was built or opened for a map of this size and rules, and for this state of it.
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

    pub(crate) fn zone(&self, point: Point) -> usize {
        match self.side {
            0 => 0,
            side => (point.y / side * self.columns + point.x / side) as usize,
        }
    }

    pub(crate) fn local(&self, cell: Cell) -> usize {
        self.locals[self.ranks.view().rank(cell)] as usize
    }

    /// The place of a pair of cells of one zone.
    pub(crate) fn pair(&self, zone: usize, from: Cell, to: Cell) -> usize {
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

    pub(crate) fn shared_pair(&self, map: &Map, from: Cell, to: Cell) -> Option<usize> {
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
