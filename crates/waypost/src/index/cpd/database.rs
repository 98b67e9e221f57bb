//! A database in use: look-ups and what is made of them.

use super::encoding::Encoding;
use super::heuristic_move::{HeuristicMoves, SYMBOL, side};
use super::order::{NodeOrder, Slots};
use super::packed_runs::{PackedRuns, RunView};
use super::rectangles::{self, RecordShape};
use super::{quadtree, table};
use crate::artifact::Array;
use crate::cost::{Cost, Length};
use crate::grid::{Cell, Direction, Grid, MoveRules};
use crate::map::Map;
use crate::terrain::Ground;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where a row is, and the heuristic moves of its source.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowHead {
    /// The number of the row's first record; the row ends where the next slot's begins.
    pub first: u32,
    pub heuristic: HeuristicMoves,
}

/// The records of all rows, in the order of cells.
#[derive(Clone, Debug)]
pub(super) enum Records {
    Table(Array<u8>),
    Rectangles(RecordShape, Array<u8>),
    Quadtree(Array<u32>),
    Runs(PackedRuns),
}

/// The records, fetched once for many look-ups.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'a> {
    Table(&'a [u8]),
    Rectangles(RecordShape, &'a [u8]),
    Quadtree(&'a [u32]),
    Runs(RunView<'a>),
}

/// All optimal first moves of a map, compressed. Made by [`PathDatabase::build`] or [`crate::index::build`],
/// opened by [`PathDatabase::open`] or [`crate::index::open`].
///
/// It keeps the grid that it was built for: look-ups stay valid *for that grid* while the map in use changes.
#[derive(Clone, Debug)]
pub struct PathDatabase {
    pub(super) parameters: BTreeMap<String, String>,
    pub(super) grid: Grid,
    /// Of the grid, and of the map with its doors.
    pub(super) fingerprint: u64,
    pub(super) file_fingerprint: u64,
    pub(super) rules: MoveRules,
    /// What steps cost where they do not cost the same everywhere.
    pub(super) ground: Option<Arc<Ground>>,
    pub(super) order: NodeOrder,
    /// Is the order another one than depth-first? Then it is part of the file.
    pub(super) order_is_stored: bool,
    pub(super) slots: Slots,
    /// By slot, and one more.
    pub(super) heads: Vec<RowHead>,
    /// By slot.
    pub(super) ranks: Vec<u32>,
    pub(super) records: Records,
}

/// A target, with what look-ups want to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub(super) cell: Cell,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) rank: u32,
    pub(super) first_rank: u32,
    pub(super) end_rank: u32,
    pub(super) code: u32,
}

impl Target {
    /// The target itself.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// Its rank, counted from the first of its component.
    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.rank - self.first_rank
    }
}

impl PathDatabase {
    /// How rows are stored.
    pub fn encoding(&self) -> Encoding {
        match self.records {
            Records::Table(_) => Encoding::Table,
            Records::Rectangles(..) => Encoding::Rectangles,
            Records::Quadtree(_) => Encoding::Quadtree,
            Records::Runs(_) => Encoding::Runs,
        }
    }

    /// How many cells, and so rows, it has.
    pub fn cells(&self) -> u64 {
        self.order.cells.len() as u64
    }

    /// The grid that the database was built for.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The rules that it was built for.
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// Prepares look-ups towards a cell; `None` where it is a wall of the database's grid.
    pub fn target(&self, cell: Cell) -> Option<Target> {
        if !self.grid.is_passable(cell) {
            return None;
        }
        let point = self.grid.point(cell);
        let rank = self.ranks[self.slots.of_cell(cell)];
        let component = self.order.component_of(rank);
        Some(Target {
            cell,
            x: point.x,
            y: point.y,
            rank,
            first_rank: component.start,
            end_rank: component.end,
            code: match self.records {
                Records::Quadtree(_) => quadtree::code(point.x, point.y),
                _ => 0,
            },
        })
    }

    /// Is there a path from a cell to a target? Decided by components, never by rows.
    #[inline]
    pub fn reaches(&self, from: Cell, target: &Target) -> bool {
        self.grid.is_passable(from) && {
            let rank = self.ranks[self.slots.of_cell(from)];
            target.first_rank <= rank && rank < target.end_rank
        }
    }

    /// An optimal move from a cell towards a target: one look-up, no search, no allocation.
    ///
    /// `None` where the cell is the target, or there is no path. (Also where a damaged file with a right checksum has no
    /// entry; what such a file answers is still a legal move.)
    #[inline]
    pub fn first_move(&self, from: Cell, target: &Target) -> Option<Direction> {
        if from == target.cell || !self.reaches(from, target) {
            return None;
        }
        let point = self.grid.point(from);
        self.look_up(self.view(), from, point.x, point.y, target)
            .map(|(direction, _)| direction)
    }

    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        match &self.records {
            Records::Table(records) => View::Table(records),
            Records::Rectangles(shape, records) => View::Rectangles(*shape, records),
            Records::Quadtree(records) => View::Quadtree(records),
            Records::Runs(records) => View::Runs(records.view()),
        }
    }

    /// The move and the number of records compared, for a cell that reaches the target and is not it.
    #[inline]
    fn look_up(
        &self,
        view: View,
        from: Cell,
        x: u32,
        y: u32,
        target: &Target,
    ) -> Option<(Direction, u32)> {
        let slot = self.slots.of_cell(from);
        let (head, next) = (self.heads[slot], self.heads[slot + 1]);
        let row = head.first as usize..next.first as usize;
        let (symbol, looked_at) = match view {
            View::Runs(records) => {
                let looked_at = row.len().ilog2() + 1;
                (records.look_up(row, target.number())?, looked_at)
            }
            View::Rectangles(shape, records) => {
                let row = &records[row.start * shape.bytes..row.end * shape.bytes];
                let (direction, checks) = rectangles::look_up(shape, row, target.x, target.y)?;
                (u32::from(direction), checks)
            }
            View::Quadtree(records) => {
                let row = &records[row];
                (quadtree::look_up(row, target.code)?, row.len().ilog2() + 1)
            }
            View::Table(records) => (table::look_up(&records[row], target.number())?, 1),
        };
        if symbol == SYMBOL {
            let (dx, dy) = (target.x as i32 - x as i32, target.y as i32 - y as i32);
            return Some((head.heuristic.towards(side(dx, dy)), looked_at));
        }
        Some((Direction::from_number(symbol as u8), looked_at))
    }

    /// The moves of an optimal path, one look-up each. Take as many as are wanted: the first ones do not wait for the
    /// rest. Empty where there is no path.
    ///
    /// ```
    /// use waypost::index::{IndexKind, IndexRequest, Shard, build, cpd::PathDatabase};
    /// use waypost::{Direction, Grid, Map, MoveRules, Point, progress::NoProgress};
    ///
    /// let map = Map::new(Grid::from_fn(9, 9, |p| p.x != 4 || p.y == 8).unwrap(), MoveRules::default());
    /// let cpd = PathDatabase::build(&map, &IndexRequest::new(IndexKind::Cpd), &NoProgress).unwrap();
    /// let at = |x, y| map.passable_cell(Point { x, y }).unwrap();
    ///
    /// let first_three: Vec<_> = cpd.moves(at(0, 0), at(8, 0)).take(3).collect();
    /// assert_eq!(first_three.len(), 3);
    /// assert_eq!(cpd.path(at(0, 0), at(8, 0)).unwrap().len(), 19);
    /// assert_eq!(cpd.moves(at(3, 3), at(3, 3)).next(), None);
    /// ```
    pub fn moves(&self, from: Cell, to: Cell) -> Moves<'_> {
        let target = self.target(to).filter(|t| self.reaches(from, t));
        let point = self.grid.point(from);
        Moves {
            database: self,
            view: self.view(),
            // Each move gets nearer; a file that says otherwise is damaged, and stops here.
            left: target.map_or(0, |t| t.end_rank - t.first_rank),
            target,
            at: from,
            x: point.x,
            y: point.y,
            looked_at: 0,
        }
    }

    /// Writes an optimal path, start and goal included, into a vector of the caller's and returns its counted moves, on
    /// terrain as [`Map::path_length`] counts them; `None` where there is no path. Allocates only where the vector must grow.
    pub fn path_into(&self, from: Cell, to: Cell, path: &mut Vec<Cell>) -> Option<Length> {
        path.clear();
        let target = self.target(to).filter(|t| self.reaches(from, t))?;
        path.push(from);
        let mut length = Length::default();
        let end = match &self.ground {
            None => {
                let end = self.walk(from, &target, |direction, cell| {
                    length.diagonal += u64::from(direction as u8 & 1);
                    path.push(cell);
                });
                length.straight = path.len() as u64 - 1 - length.diagonal;
                end
            }
            Some(ground) => {
                let mut before = ground.hundredths(from);
                self.walk(from, &target, |direction, cell| {
                    let here = ground.hundredths(cell);
                    let part = u64::from(before + here);
                    match direction.is_diagonal() {
                        true => length.diagonal += part,
                        false => length.straight += part,
                    }
                    before = here;
                    path.push(cell);
                })
            }
        };
        (end == to).then_some(length)
    }

    /// An optimal path, start and goal included; `None` where there is none.
    pub fn path(&self, from: Cell, to: Cell) -> Option<Vec<Cell>> {
        let mut path = Vec::new();
        self.path_into(from, to, &mut path).map(|_| path)
    }

    /// The cost of an optimal path; `None` where there is none. Walks the path without storing it.
    pub fn distance(&self, from: Cell, to: Cell) -> Option<Cost> {
        let target = self.target(to).filter(|t| self.reaches(from, t))?;
        let (mut cost, mut at) = (0, from);
        let end = self.walk(from, &target, |direction, cell| {
            cost += match &self.ground {
                None => self.rules.cost(direction),
                Some(ground) => ground.cost(at, cell, direction),
            };
            at = cell;
        });
        (end == to).then_some(cost)
    }

    /// Whether it was built for the terrain of this map.
    pub(crate) fn has_ground_of(&self, map: &Map) -> bool {
        let digest = self.ground.as_ref().map_or(0, |ground| ground.digest());
        digest == map.terrain_digest()
    }

    /// Whether it is the database of exactly this map.
    pub(crate) fn is_for(&self, map: &Map) -> bool {
        self.rules == map.rules() && self.fingerprint == map.fingerprint()
    }
}

/// The moves of an optimal path; see [`PathDatabase::moves`].
#[derive(Clone, Debug)]
pub struct Moves<'a> {
    database: &'a PathDatabase,
    view: View<'a>,
    target: Option<Target>,
    at: Cell,
    x: u32,
    y: u32,
    left: u32,
    looked_at: u64,
}

impl Moves<'_> {
    /// The cell that the moves so far lead to.
    pub fn at(&self) -> Cell {
        self.at
    }

    /// Records compared so far: rectangles checked, or steps of binary searches.
    pub fn records_compared(&self) -> u64 {
        self.looked_at
    }
}

impl Iterator for Moves<'_> {
    type Item = Direction;

    #[inline]
    fn next(&mut self) -> Option<Direction> {
        let target = self.target.as_ref()?;
        if self.at == target.cell || self.left == 0 {
            return None;
        }
        let (d, looked_at) = self
            .database
            .look_up(self.view, self.at, self.x, self.y, target)?;
        self.left -= 1;
        self.looked_at += u64::from(looked_at);
        self.at = self.database.grid.neighbour(self.at, d);
        self.x = self.x.wrapping_add_signed(d.dx());
        self.y = self.y.wrapping_add_signed(d.dy());
        Some(d)
    }
}
