//! Repair of scans after a change of the map.

use super::bits::{bit, put_bit};
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
                self.refresh_diagonals(at);
                for d in [0, 2, 4, 6].map(Direction::from_number) {
                    self.refresh_along(grid, at, d);
                }
            }
        }
    }

    /// Walks on from a cell until a wall and looks again at the diagonals of every cell on the way.
    fn refresh_along(&mut self, grid: &Grid, from: Point, direction: Direction) {
        let mut at = moved(from, direction, 1);
        while grid.passable_cell(at).is_some() {
            self.refresh_diagonals(at);
            at = moved(at, direction, 1);
        }
    }

    /// What depends on the eight cells around: legal diagonals, straight halts.
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
        for d in [0, 2, 4, 6].map(Direction::from_number) {
            let halt = wall || around.stops(self.kind, self.corners, d) & 1 != 0;
            let position = self.halt_bit(at, d);
            put_bit(&mut self.halts[d as usize], position, halt);
        }
    }

    /// Where diagonal scans halt.
    fn refresh_diagonals(&mut self, at: Point) {
        let wall = bit(&self.row_walls, self.shape.row_bit(at));
        let around = self.around(at);
        let hit = Direction::ALL.map(|d| !wall && !d.is_diagonal() && self.jump(at, d).stop);
        for n in [1, 3, 5, 7usize] {
            let d = Direction::from_number(n as u8);
            let halt = wall
                || hit[(n + 7) & 7]
                || hit[(n + 1) & 7]
                || around.stops(self.kind, self.corners, d) & 1 != 0
                || around.legal(self.corners, d) & 1 == 0;
            let position = self.halt_bit(at, d);
            put_bit(&mut self.halts[n], position, halt);
        }
    }

    fn halt_bit(&self, at: Point, direction: Direction) -> usize {
        match lines_of(direction) {
            None => self.shape.row_bit(at),
            Some(lines) => self.shape.bit(lines, at),
        }
    }
}
