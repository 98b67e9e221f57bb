//! Repair of scans after a change of the map.

use super::bits::{bit, put_bit};
use super::build::{DIAGONALS, STRAIGHTS, stops_diagonals};
use super::{Direction, Grid, Lines, Point, Scans, lines_of, moved};
use crate::grid::ChangeSet;

impl Scans {
    /// Brings the planes up to date with a grid that `changes` have been made to.
    ///
    /// Moves and stops depend on the eight cells around, so only those near a change are looked at again; whether a
    /// diagonal cell leads to a stop depends on its row and column, so those are walked to the next wall. The result
    /// equals a new build bit for bit. The work grows with the length of the free lines through the changed cells.
    pub fn repair(&mut self, grid: &Grid, changes: &ChangeSet) {
        let changed = || changes.blocked.iter().chain(&changes.opened);
        for &cell in changed() {
            let (at, wall) = (grid.point(cell), !grid.is_passable(cell));
            put_bit(&mut self.row_walls, self.shape.row_bit(at), wall);
            put_bit(&mut self.column_walls, self.shape.column_bit(at), wall);
        }
        let near = |at: Point| {
            [None]
                .into_iter()
                .chain(Direction::ALL.map(Some))
                .map(move |d| d.map_or(at, |d| moved(at, d, 1)))
                .filter(move |&p| grid.cell(p).is_some())
        };
        for &cell in changed() {
            near(grid.point(cell)).for_each(|at| self.refresh_local(at));
        }
        for &cell in changed() {
            for at in near(grid.point(cell)) {
                self.refresh_hits(at);
                for d in [0, 2, 4, 6].map(Direction::from_number) {
                    self.refresh_along(grid, at, d);
                }
            }
        }
    }

    /// Walks on from a cell until a wall and looks again at what every cell on the way hits.
    fn refresh_along(&mut self, grid: &Grid, from: Point, direction: Direction) {
        let mut at = moved(from, direction, 1);
        while grid.passable_cell(at).is_some() {
            self.refresh_hits(at);
            at = moved(at, direction, 1);
        }
    }

    /// What depends on the eight cells around: legal diagonals, halts and stops.
    fn refresh_local(&mut self, at: Point) {
        let wall = bit(&self.row_walls, self.shape.row_bit(at));
        let around = self.around(at);
        for (d, lines) in [
            (Direction::SouthEast, Lines::Falling),
            (Direction::SouthWest, Lines::Rising),
        ] {
            let illegal = wall || around.legal(self.corners, d) & 1 == 0;
            let position = self.shape.bit(lines, at);
            match lines {
                Lines::Falling => put_bit(&mut self.falling_walls, position, illegal),
                _ => put_bit(&mut self.rising_walls, position, illegal),
            }
        }
        for d in STRAIGHTS.map(Direction::from_number) {
            let halt = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
            let position = self.halt_bit(at, d);
            put_bit(&mut self.halts[d as usize / 2], position, halt);
        }
        if stops_diagonals(self.kind, self.corners) {
            for d in DIAGONALS.map(Direction::from_number) {
                let stop = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
                let position = self.halt_bit(at, d);
                put_bit(&mut self.diagonal_stops[d as usize / 2], position, stop);
            }
        }
    }

    /// From which diagonals a scan to the side ends at a stop.
    fn refresh_hits(&mut self, at: Point) {
        let wall = bit(&self.row_walls, self.shape.row_bit(at));
        let hit = STRAIGHTS.map(|n| !wall && self.jump(at, Direction::from_number(n)).stop);
        for n in DIAGONALS {
            let position = self.halt_bit(at, Direction::from_number(n));
            for (side, turn) in [7, 1].into_iter().enumerate() {
                let hit = hit[usize::from((n + turn) & 7) / 2];
                put_bit(&mut self.hits[usize::from(n / 2)][side], position, hit);
            }
        }
    }

    fn halt_bit(&self, at: Point, direction: Direction) -> usize {
        match lines_of(direction) {
            None => self.shape.row_bit(at),
            Some(lines) => self.shape.bit(lines, at),
        }
    }
}
